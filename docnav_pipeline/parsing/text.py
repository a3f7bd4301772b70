"""Plain text: pages, running heads, headings, lists, preformatted parts and unwrapped paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import clean_text, one_line
from docnav_pipeline.parsing.line_joining import join_lines, words_of
from docnav_pipeline.parsing.reading import read_text
from docnav_pipeline.parsing.text_lines import (
    Adornments,
    bullet_of,
    ends_sentence,
    is_all_capitals,
    is_capitals,
    is_contents_entry,
    is_contents_title,
    is_numbered_title,
    is_preformatted,
    running_lines,
)

PARSER = "text 2"

# Lines longer than this were not wrapped by hand or program: each is a paragraph of its own.
_MAX_WRAPPED = 160
_MAX_TITLE = 120
_MAX_REPEATS = 3
# Mark, while the text is read, of a paragraph that is one line between blank lines.
_ALONE = "alone"
_MIN_LIST = 3
_SINGLE_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z])[.)]\s")


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Lines between blank lines. indents: spaces before each line."""

    lines: tuple[str, ...]
    page: int | None
    blank_before: int

    @property
    def indent(self) -> int:
        return min(len(line) - len(line.lstrip()) for line in self.lines)


def parse_plain_text(path: Path) -> ParsedDocument:
    """Parse a plain text file; the encoding is found from its bytes."""
    return parse_text(read_text(path)[0])


def parse_text(text: str) -> ParsedDocument:
    """Parse plain text given as characters. Form feeds end pages; without them there are no page numbers."""
    pages = text.split("\f")
    while len(pages) > 1 and not pages[-1].strip():
        pages.pop()
    paged = len(pages) > 1
    blocks = text_blocks(pages, paged, titled=True)
    return ParsedDocument(
        blocks=tuple(blocks),
        parser=PARSER,
        title=next((block.text for block in blocks if block.sub_type == "document_title"), None),
        n_pages=len(pages) if paged else None,
        pages_without_text=tuple(number for number, page in enumerate(pages, 1) if not page.strip()) if paged else (),
    )


def text_blocks(pages: Sequence[str], paged: bool, titled: bool = False) -> list[Block]:
    """Blocks of plain text.

    pages: text of each page, or the whole text as the only one; paged: number them from 1.
    titled: a line by itself at the very top is the title of the document.
    """
    page_lines = [[line.expandtabs(8).rstrip() for line in clean_text(page).split("\n")] for page in pages]
    furniture = running_lines(page_lines)
    words = words_of("\n".join(pages)) if sum(map(len, pages)) < 20_000_000 else frozenset[str]()
    blocks: list[Block] = []
    adornments = Adornments()
    chunks: list[_Chunk] = []
    for number, lines in enumerate(page_lines, 1):
        chunks.extend(_chunks(lines, furniture[number - 1], number if paged else None))
    base_indent = _base_indent(chunks)
    in_contents = False
    for chunk in chunks:
        if chunk.blank_before < 0:
            blocks.append(Block(BlockType.FURNITURE, one_line(chunk.lines[0]), page=chunk.page))
            continue
        made = _chunk_blocks(chunk, base_indent, words, adornments, in_contents)
        titles = [block for block in made if block.type is BlockType.TITLE]
        if titles:
            in_contents = is_contents_title(titles[-1].text)
        elif made and made[-1].type is not BlockType.CONTENTS:
            in_contents = in_contents and len(made) == 1 and len(made[0].text) < _MAX_TITLE
        _append(blocks, made)
    blocks = _joined_code(_without_false_titles(blocks))
    if titled:
        _name_document_title(blocks)
    return [replace(block, sub_type=None) if block.sub_type == _ALONE else block for block in blocks]


def _chunks(lines: list[str], furniture: Set[int], page: int | None) -> list[_Chunk]:
    """Lines grouped by blank lines; a running line is a chunk of its own, marked by blank_before -1."""
    chunks: list[_Chunk] = []
    current: list[str] = []
    blank = blank_before = 0
    for number, line in enumerate(lines):
        if number in furniture or not line.strip():
            if current:
                chunks.append(_Chunk(tuple(current), page, blank_before))
                current = []
                blank = 0
            if number in furniture:
                chunks.append(_Chunk((line,), page, -1))
            else:
                blank += 1
            continue
        if not current:
            blank_before = blank
        current.append(line)
    if current:
        chunks.append(_Chunk(tuple(current), page, blank_before))
    return chunks


def _base_indent(chunks: Sequence[_Chunk]) -> int:
    """Indentation of running text: the one with the most characters in chunks of several lines."""
    weight: dict[int, int] = {}
    for chunk in chunks:
        if len(chunk.lines) > 1 and chunk.blank_before >= 0:
            weight[chunk.indent] = weight.get(chunk.indent, 0) + sum(map(len, chunk.lines))
    return max(weight, key=lambda indent: (weight[indent], -indent)) if weight else 0


def _chunk_blocks(chunk: _Chunk, base_indent: int, words: Set[str], adornments: Adornments, in_contents: bool) -> list[Block]:
    lines = list(chunk.lines)
    page = chunk.page
    adorned = adornments.title(lines)
    if adorned is not None:
        title, level, used = adorned
        rest = _Chunk(tuple(lines[used:]), page, 0)
        return [Block(BlockType.TITLE, one_line(title), page=page, level=level)] + (
            _chunk_blocks(rest, base_indent, words, adornments, False) if rest.lines else []
        )
    if len(lines) == 1 or (len(lines) == 2 and is_numbered_title(one_line(" ".join(lines)))):
        title = one_line(" ".join(lines))
        if _is_title(title, chunk, base_indent) and not (in_contents and chunk.indent >= base_indent):
            return [Block(BlockType.TITLE, title, page=page)]
    if all(is_contents_entry(line) for line in lines) or (in_contents and _is_contents(lines)):
        steps = sorted({len(line) - len(line.lstrip()) for line in lines})
        return [_contents(line, page, steps) for line in lines]
    if is_preformatted(lines, base_indent):
        return [Block(BlockType.CODE, "\n".join(_dedent(lines)), page=page)]
    blocks = _prose(lines, page, words)
    if len(lines) == 1 and blocks[0].type is BlockType.TEXT and not ends_sentence(lines[0]):
        blocks[0] = replace(blocks[0], sub_type=_ALONE)
    return blocks


def _is_title(title: str, chunk: _Chunk, base_indent: int) -> bool:
    """Whether a line that stands alone may be a heading: numbered, in capitals, or set out to the left of the text."""
    if len(title) > _MAX_TITLE or is_contents_entry(title):
        return False
    if is_numbered_title(title):
        return chunk.indent <= base_indent or base_indent == 0
    if is_capitals(title):
        return True
    outdented = base_indent >= 2 and chunk.indent == 0
    return outdented and not ends_sentence(title) and len(title.split()) <= 12 and "  " not in chunk.lines[0].strip()


def _is_contents(lines: Sequence[str]) -> bool:
    return all(len(line.strip()) <= _MAX_TITLE and not ends_sentence(line) for line in lines)


def _contents(line: str, page: int | None, steps: Sequence[int]) -> Block:
    """A contents entry; its level is the rank of its indentation, its target the printed page number."""
    match = re.search(r"(?:[.\u2026·_]\s?){2,}\s*([0-9]+|[ivxlcdm]+)\s*$|\s{2,}([0-9]+|[ivxlcdm]+)\s*$", line, re.IGNORECASE)
    target = next((group for group in match.groups() if group), None) if match else None
    indent = len(line) - len(line.lstrip())
    return Block(BlockType.CONTENTS, one_line(line), page=page, level=steps.index(indent) + 1 if len(steps) > 1 else None, target=target)


def _dedent(lines: Sequence[str]) -> list[str]:
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[indent:] for line in lines]


def _prose(lines: list[str], page: int | None, words: Set[str]) -> list[Block]:
    """Paragraphs, headings, list items and contents entries of a chunk whose lines run on."""
    blocks: list[Block] = []
    items: list[str] = []
    # Text with doubled spaces is typewriter text, which breaks no words.
    typeset = len(lines) > 1 and not any(re.search(r"\S {2,}\S", line) for line in lines)

    def end_list() -> None:
        if items:
            blocks.append(Block(BlockType.LIST, "\n".join(items), page=page))
            items.clear()

    groups = _paragraphs(lines)
    texts = [join_lines(group, words, drop_hyphens=typeset) for group in groups]
    for number, (group, text) in enumerate(zip(groups, texts, strict=True)):
        after = texts[number + 1] if number + 1 < len(texts) else ""
        if len(group) == 1 and is_contents_entry(group[0]):
            end_list()
            blocks.append(_contents(group[0], page, ()))
        elif _opens_section(text, after, bool(items)):
            end_list()
            blocks.append(Block(BlockType.TITLE, text, page=page))
        elif bullet_of(text):
            items.append(text)
        else:
            end_list()
            blocks.append(Block(BlockType.TEXT, text, page=page))
    end_list()
    return blocks


def _opens_section(text: str, after: str, in_list: bool) -> bool:
    """Whether a line inside a chunk is a heading: in capitals, or numbered and followed by text that is no next item."""
    if len(text) > _MAX_TITLE or is_contents_entry(text):
        return False
    if is_capitals(text):
        return True
    if not is_numbered_title(text):
        return False
    deep = re.match(r"(?:\d+|[A-Z])(?:\.\d+)+", text)
    return bool(deep) or (not in_list and not bullet_of(after) and len(after) > len(text))


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Lines grouped into paragraphs.

    A line goes on in the next one when the next one's first word would not have fitted into it,
    or when a sentence visibly runs on (lower case after no full stop).
    """
    groups: list[list[str]] = [[lines[0]]]
    for number in range(1, len(lines)):
        before, line = lines[number - 1], lines[number]
        if _runs_on(before, line, _width_near(lines, number)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _width_near(lines: Sequence[str], number: int, reach: int = 12) -> int:
    near = sorted(len(line) for line in lines[max(0, number - reach) : number + reach])
    return near[int(0.9 * (len(near) - 1))]


def _runs_on(before: str, line: str, width: int) -> bool:
    text = line.strip()
    if len(before) > _MAX_WRAPPED or bullet_of(text) or is_contents_entry(before) or is_contents_entry(line):
        return False
    if is_all_capitals(before) and is_all_capitals(text):
        return True
    if is_capitals(before.strip()) or is_capitals(text):
        return False
    if is_numbered_title(text) and len(text) <= _MAX_TITLE and "." in text.split()[0].rstrip("."):
        return False
    first = text.split(maxsplit=1)[0]
    if len(before) + 1 + len(first) > 0.9 * width and width >= 30:
        return True
    return text[0].islower() and not ends_sentence(before) and not bullet_of(text)


def _append(blocks: list[Block], made: list[Block]) -> None:
    """Add blocks; text that goes on after a page break or a running line is marked as continued."""
    if not made:
        return
    first = made[0]
    position = len(blocks) - 1
    while position >= 0 and blocks[position].type is BlockType.FURNITURE:
        position -= 1
    broken = position >= 0 and (position < len(blocks) - 1 or blocks[position].page != first.page)
    runs_on = first.type is BlockType.TEXT and first.text[0].islower()
    if broken and runs_on and blocks[position].type in (BlockType.TEXT, BlockType.LIST) and not ends_sentence(blocks[position].text):
        made[0] = replace(first, continues_previous=True)
    blocks.extend(made)


def _without_false_titles(blocks: list[Block]) -> list[Block]:
    """Take back headings that the whole text shows to be none.

    Words in capitals that come back many times are labels ("WARNING") or running heads; numbered
    lines that follow one another with nothing in between are a list.
    """
    counts = Counter(block.text.casefold() for block in blocks if block.type is BlockType.TITLE and block.level is None)
    result = [
        replace(block, type=BlockType.TEXT)
        if block.type is BlockType.TITLE and block.level is None and counts[block.text.casefold()] > _MAX_REPEATS
        else block
        for block in blocks
    ]
    start = 0
    while start < len(result):
        end = start
        while end < len(result) and result[end].type is BlockType.TITLE and _SINGLE_NUMBER.match(result[end].text):
            end += 1
        if end - start >= _MIN_LIST:
            items = "\n".join(block.text for block in result[start:end])
            result[start:end] = [Block(BlockType.LIST, items, page=result[start].page)]
        start = max(end, start + 1)
    return result


def _name_document_title(blocks: list[Block]) -> None:
    """Name the line that titles the text: one line by itself at the very top, before any other heading or text."""
    for at, block in enumerate(blocks[:3]):
        if block.type in (BlockType.FURNITURE, BlockType.CODE):
            continue
        alone = block.type is BlockType.TITLE or (block.type is BlockType.TEXT and block.sub_type == _ALONE)
        worded = sum(map(str.isalpha, block.text)) >= 3
        if (
            alone
            and worded
            and len(block.text) <= _MAX_TITLE + 30
            and not is_numbered_title(block.text)
            and not is_contents_title(block.text)
        ):
            blocks[at] = replace(block, type=BlockType.TITLE, sub_type="document_title")
        break


def _joined_code(blocks: list[Block]) -> list[Block]:
    """Preformatted parts that blank lines cut are one block again."""
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if last is not None and block.type is last.type is BlockType.CODE and block.page == last.page:
            joined[-1] = replace(last, text=f"{last.text}\n\n{block.text}")
        else:
            joined.append(block)
    return joined
