"""Walks an HTML tree and turns it into blocks."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.html_chrome import is_chrome, is_hidden
from docnav_pipeline.parsing.html_elements import BLOCKS, SKIPPED, code_text, formula, heading_level, integer, is_layout_table
from docnav_pipeline.parsing.html_notes import is_backlink, notes_of
from docnav_pipeline.parsing.html_style import DEFAULT_PT, size_of
from docnav_pipeline.parsing.lists import contents_entries, list_blocks
from docnav_pipeline.parsing.tables import element_to_html, element_to_text

# Boxes whose heading names the kind of box, not a section.
_ADMONITION = re.compile(
    r"(?:^|\s)(?:note|tip|hint|caution|warning|important|danger|admonition|callout|alert|infobox)(?:$|\s)", re.IGNORECASE
)


class Reader:
    """Walks the tree once; text between two block elements becomes one block."""

    def __init__(self, whole_page: bool, size_pt: float = DEFAULT_PT) -> None:
        self.blocks: list[Block] = []
        self.all_bold: set[int] = set()
        self._whole_page = whole_page
        self._text: list[str] = []
        self._links: list[tuple[str, str]] = []
        self._images: list[str] = []
        self._anchor: str | None = None
        self._bold_characters = 0
        self._bold = 0
        self._in_admonition = 0
        self._size_pt = size_pt
        self._sizes: Counter[float] = Counter()

    def walk(self, element: Any) -> None:
        """Read an element and all inside it."""
        if not isinstance(element.tag, str) or element.tag in SKIPPED or is_hidden(element):
            return
        around = self._size_pt
        self._size_pt = size_of(element, around)
        self._walk(element)
        self._size_pt = around

    def _walk(self, element: Any) -> None:
        tag = element.tag
        notes = notes_of(element)
        if notes is not None:
            self.flush()
            for mark, note in notes:
                self._footnote(mark, note)
            return
        if self._whole_page and is_chrome(element):
            self.flush()
            if tag in ("nav", "ul", "ol", "div"):
                self.blocks.extend(contents_entries(element))
            return
        level = heading_level(element)
        if level is not None:
            self._heading(element, level)
        elif tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._images.append(one_line(element.get("alt") or ""))
            self._note_anchor(element)
        elif tag == "math":
            self._text.append(formula(element))
        elif tag in ("pre", "listing", "xmp", "plaintext"):
            self.flush()
            self._note_anchor(element)
            self._emit(BlockType.CODE, code_text(element))
        elif tag in ("ul", "ol", "menu"):
            self.flush()
            self._note_anchor(element)
            self._list(element)
        elif tag == "dl":
            self.flush()
            self._note_anchor(element)
            self._definitions(element)
        elif tag == "table":
            self.flush()
            self._note_anchor(element)
            self._table(element)
        elif tag in ("figcaption", "caption"):
            self.flush()
            self._note_anchor(element)
            self._inside(element)
            self.flush(BlockType.CAPTION)
        elif tag in BLOCKS:
            boxed = tag in ("div", "aside", "section") and bool(_ADMONITION.search(element.get("class") or ""))
            self.flush()
            self._note_anchor(element)
            self._in_admonition += boxed
            self._inside(element)
            self.flush()
            self._in_admonition -= boxed
        else:
            self._note_anchor(element)
            self._inline(element)

    def flush(self, block_type: BlockType = BlockType.TEXT) -> None:
        """End the block under way; one that holds pictures only becomes image blocks."""
        text = flow_text("".join(self._text))
        if text:
            bold = self._bold_characters >= sum(1 for character in text if not character.isspace())
            links = tuple(self._links)
            size_pt = self._sizes.most_common(1)[0][0] if self._sizes else DEFAULT_PT
            self._clear()
            self._emit(block_type, text, links=links, size_pt=None if size_pt == DEFAULT_PT else round(size_pt, 1))
            if bold:
                self.all_bold.add(id(self.blocks[-1]))
            return
        images = self._images
        self._clear()
        for alternative in images:
            self._emit(BlockType.IMAGE, alternative)

    def _clear(self) -> None:
        self._text, self._links, self._images, self._bold_characters = [], [], [], 0
        self._sizes = Counter()

    def _emit(
        self,
        block_type: BlockType,
        text: str,
        level: int | None = None,
        html: str | None = None,
        links: tuple[tuple[str, str], ...] = (),
        size_pt: float | None = None,
    ) -> None:
        if text or block_type is BlockType.IMAGE:
            block = Block(block_type, text, level=level, html=html, links=links, anchor=self._anchor, size_pt=size_pt)
            self.blocks.append(block)
            self._anchor = None

    def _note_anchor(self, element: Any) -> None:
        anchor = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if anchor:
            self._anchor = anchor

    def _inside(self, element: Any) -> None:
        if element.text:
            self._add(element.text)
        for child in element:
            self.walk(child)
            if child.tail:
                self._add(child.tail)

    def _add(self, text: str) -> None:
        text = re.sub(r"\s+", " ", text)
        self._text.append(text)
        self._sizes[self._size_pt] += len(text.strip())
        if self._bold:
            self._bold_characters += sum(1 for character in clean_text(text) if not character.isspace())

    def _inline(self, element: Any) -> None:
        tag = element.tag
        bold = tag in ("b", "strong") or bool(re.search(r"font-weight\s*:\s*(bold|[6-9]00)", element.get("style") or ""))
        self._bold += bold
        start = len(self._text)
        self._inside(element)
        self._bold -= bold
        target = element.get("href") if tag == "a" else None
        if target and start <= len(self._text):
            words = one_line("".join(self._text[start:]))
            if words in ("¶", "#", "§", "🔗"):  # permalink marks, no part of the text
                del self._text[start:]
            elif words:
                self._links.append((words, target.strip()))

    def _heading(self, element: Any, level: int) -> None:
        self.flush()
        before = self._anchor
        self._note_anchor(element)
        self._inside_heading(element)
        text, links = one_line("".join(self._text)), tuple(self._links)
        images = [alternative for alternative in self._images if alternative]
        self._clear()
        self._anchor = element.get("id") or self._anchor or before
        if self._in_admonition:
            self._emit(BlockType.TEXT, text, links=links)
        else:
            self._emit(BlockType.TITLE, text or " ".join(images), level=level, links=links)

    def _inside_heading(self, element: Any) -> None:
        """Text of a heading: block elements inside it (a div, a br) are spaces."""
        if element.text:
            self._add(element.text)
        for child in element:
            if isinstance(child.tag, str) and child.tag not in SKIPPED and not is_hidden(child) and not is_chrome(child):
                if child.tag == "img":
                    self._images.append(one_line(child.get("alt") or ""))
                self._note_anchor(child)
                if child.tag in BLOCKS or child.tag == "br":
                    self._text.append(" ")
                start = len(self._text)
                self._inside_heading(child)
                target, words = child.get("href"), one_line("".join(self._text[start:]))
                if words in ("¶", "#", "§", "🔗"):
                    del self._text[start:]
                elif child.tag == "a" and target and words:
                    self._links.append((words, target.strip()))
                if child.tag in BLOCKS:
                    self._text.append(" ")
            if child.tail:
                self._add(child.tail)

    def _footnote(self, mark: str, element: Any) -> None:
        """A footnote as one block, without the arrow back to the text."""
        inner = self._sub_reader(element)
        links = tuple(link for block in inner for link in block.links if not is_backlink(link[0]))
        arrows = {words for block in inner for words, _ in block.links if is_backlink(words)}
        text = " ".join(one_line(block.text) for block in inner)
        for arrow in arrows:
            text = text.replace(arrow, "")
        self._anchor = element.get("id") or next((block.anchor for block in inner if block.anchor), None)
        self._emit(BlockType.FOOTNOTE, one_line(f"{mark} {text}"), links=links)

    def _sub_reader(self, element: Any) -> list[Block]:
        """Blocks inside an element that is itself part of a block (a list item, a definition)."""
        reader = Reader(self._whole_page, self._size_pt)
        reader._inside(element)
        reader.flush()
        return reader.blocks

    def _list(self, element: Any) -> None:
        entries = contents_entries(element) if self._whole_page else []
        if entries:
            self.blocks.extend(entries)
            return
        ordered = element.tag == "ol"
        number = integer(element.get("start"), 1)
        items: list[tuple[str, list[Block]]] = []
        for child in element:
            if not isinstance(child.tag, str) or is_hidden(child):
                continue
            if child.tag != "li":
                items.append(("", self._sub_reader_of(child)))
                continue
            number = integer(child.get("value"), number)
            items.append((f"{number}. " if ordered else "- ", self._sub_reader(child)))
            number += 1
        self.blocks.extend(list_blocks(items, self._anchor))
        self._anchor = None

    def _sub_reader_of(self, child: Any) -> list[Block]:
        reader = Reader(self._whole_page, self._size_pt)
        reader.walk(child)
        reader.flush()
        return reader.blocks

    def _definitions(self, element: Any) -> None:
        items: list[tuple[str, list[Block]]] = []
        for child in element.iter("dt", "dd"):
            if next(child.iterancestors("dl"), None) is element and not is_hidden(child):
                items.append(("" if child.tag == "dt" else "  ", self._sub_reader(child)))
        self.blocks.extend(list_blocks(items, self._anchor))
        self._anchor = None

    def _table(self, element: Any) -> None:
        if is_layout_table(element):
            self._inside(element)
            self.flush()
            return
        caption = element.find("caption")
        if caption is not None:
            self._inside(caption)
            self.flush(BlockType.CAPTION)
        links = tuple(
            (one_line("".join(link.itertext())), (link.get("href") or "").strip())
            for link in element.iter("a")
            if link.get("href") and one_line("".join(link.itertext()))
        )
        self._emit(BlockType.TABLE, element_to_text(element), html=element_to_html(element), links=links)
