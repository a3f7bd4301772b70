"""Pieces: what a section's blocks say, as runs of text that may be cut only at given places.

A piece is a paragraph, a list, a table with its caption, a listing. It consists of atoms (sentences, list items, table rows,
lines), so that a unit of evidence can be made of whole atoms and no text is lost or repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assets_store.sentences import split_sentences
from assets_store.tokens import count_tokens
from docnav_pipeline.parsing.block import Block, BlockType

_CJK_END = re.compile(r"[\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]$")
_CJK_START = re.compile(r"^[\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_HYPHEN_END = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
_SKIPPED = (BlockType.FURNITURE, BlockType.OUTLINE, BlockType.CONTENTS)
_FLOATING = (BlockType.TABLE, BlockType.IMAGE, BlockType.CAPTION)
_KIND = {BlockType.TABLE: "table", BlockType.CODE: "code"}
# A line above a table is its title when it is named as one, or is as short as this and ends no sentence.
_TABLE_TITLE_TOKENS = 40
_TABLE_NAME = re.compile(r"^(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|таблица|جدول|表)\s*[\w.-]*\d", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？…؟][\"'”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class Atom:
    """Text that is not cut. gap: what stands between it and the atom before it in the same unit."""

    text: str
    gap: str
    n_tokens: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Atoms that belong together. kind: "text", "table", "code" or "footnote". header: atoms that every part of a cut table repeats."""

    atoms: tuple[Atom, ...]
    kind: str
    header: tuple[Atom, ...] = ()

    @property
    def n_tokens(self) -> int:
        return sum(atom.n_tokens for atom in self.atoms)


def make_pieces(blocks: Sequence[Block], max_tokens: int) -> list[Piece]:
    """Pieces of one section in reading order; footnotes of the page come last, those of a table stay with it.

    Page furniture, printed contents and bookmarks are no text. Blocks that go on from the one before over a column or page
    break are joined, a hyphen at the break taken out. An atom never exceeds max_tokens.
    """
    kept = [b for b in blocks if b.type not in _SKIPPED and b.text.strip()]
    notes = [b for b in kept if b.type is BlockType.FOOTNOTE and b.sub_type is None]
    body = [b for b in kept if b not in notes]
    return [_piece(group, max_tokens) for group in [*_groups(body), *([b] for b in notes)]]


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks that make one piece: a paragraph over a break, a table with its captions or the title line above it."""
    halves = _halves(blocks)
    broken_off = set(halves.values())
    groups: list[list[Block]] = []
    group_of: list[list[Block]] = []
    for at, block in enumerate(blocks):
        if at in halves:
            group = group_of[halves[at]]
        elif groups and at - 1 not in broken_off and _joins_table(groups[-1], block):
            group = groups[-1]
        else:
            group = []
            groups.append(group)
        group.append(block)
        group_of.append(group)
    return groups


def _halves(blocks: Sequence[Block]) -> dict[int, int]:
    """Position of each block that goes on over a break -> position of the block that it goes on with.

    Tables, pictures and captions at the head of a page or column stand between the two.
    """
    found: dict[int, int] = {}
    last = -1
    for at, block in enumerate(blocks):
        if block.continues_previous and block.type in (BlockType.TEXT, BlockType.LIST) and last >= 0 and blocks[last].type is block.type:
            found[at] = last
        if block.type not in _FLOATING:
            last = at
    return found


def _joins_table(group: Sequence[Block], block: Block) -> bool:
    last = group[-1]
    if block.type is BlockType.TABLE:
        return all(b.type is BlockType.CAPTION for b in group) or (len(group) == 1 and _titles_table(last))
    if block.type is BlockType.FOOTNOTE:
        return block.sub_type == "table" and any(b.type is BlockType.TABLE for b in group)
    return last.type is BlockType.TABLE and block.type is BlockType.CAPTION and all(b.type is not BlockType.CAPTION for b in group)


def _titles_table(block: Block) -> bool:
    """Whether the text right above a table is its title line, or the words that lead to it."""
    text = block.text.strip()
    if block.type is not BlockType.TEXT or "\n" in text or count_tokens(text) > _TABLE_TITLE_TOKENS:
        return False
    return bool(_TABLE_NAME.match(text)) or not _SENTENCE_END.search(text)


def _piece(group: Sequence[Block], max_tokens: int) -> Piece:
    table = next((b for b in group if b.type is BlockType.TABLE), None)
    if table is not None:
        return _table_piece(group, table, max_tokens)
    if group[0].type is BlockType.CODE:
        return Piece(tuple(_cut_lines(group[0], max_tokens)), "code")
    text = group[0].text.strip()
    for block in group[1:]:
        text = join_over_break(text, block.text.strip())
    atoms: list[Atom] = []
    end = 0
    for sentence in split_sentences(text):
        gap = text[end : sentence.start] if atoms else "\n\n"
        atoms.extend(bounded(sentence.text, gap, tuple(group), max_tokens))
        end = sentence.end
    return Piece(tuple(atoms), "footnote" if group[0].type is BlockType.FOOTNOTE and group[0].sub_type is None else "text")


def join_over_break(before: str, after: str) -> str:
    """Two halves of a paragraph as one text: a hyphen at the break goes when a small letter follows, CJK takes no space."""
    if _HYPHEN_END.search(before) and after[:1].islower():
        return before[:-1] + after
    if _CJK_END.search(before) and _CJK_START.search(after):
        return before + after
    return f"{before} {after}"


def _table_piece(group: Sequence[Block], table: Block, max_tokens: int) -> Piece:
    captions = [b for b in group if b is not table]
    before = [b for b in captions if group.index(b) < group.index(table)]
    after = [b for b in captions if b not in before]
    rows = [line for line in table.text.split("\n") if line.strip()]
    atoms: list[Atom] = []
    for block in before:
        atoms.extend(bounded(block.text.strip(), "\n\n" if not atoms else "\n", (block,), max_tokens))
    n_before = len(atoms)
    for row in rows:
        atoms.extend(bounded(row.strip(), "\n" if atoms else "\n\n", (table,), max_tokens))
    header = _table_head(atoms, n_before, max_tokens // 3)
    for block in after:
        atoms.extend(bounded(block.text.strip(), "\n", (block,), max_tokens))
    return Piece(tuple(atoms), "table", header)


def _table_head(atoms: Sequence[Atom], n_before: int, most: int) -> tuple[Atom, ...]:
    """What every part of a table that is cut by rows repeats: its captions and first row, and the rows of the head below that.

    A row of the head has nothing in the column of the labels. Nothing where captions and first row leave no room for rows.
    """
    size = n_before + 1
    if sum(a.n_tokens for a in atoms[:size]) > most or len(atoms) <= size:
        return ()
    while atoms[size - 1].text.startswith("|") and size < len(atoms) - 1 and atoms[size].text.startswith("|"):
        if sum(a.n_tokens for a in atoms[: size + 1]) > most:
            break
        size += 1
    return tuple(atoms[:size])


def _cut_lines(block: Block, max_tokens: int) -> list[Atom]:
    atoms: list[Atom] = []
    gap = "\n\n"
    for line in block.text.split("\n"):
        if not line.strip():
            gap += "\n" if atoms else ""
            continue
        atoms.extend(bounded(line.rstrip(), gap, (block,), max_tokens))
        gap = "\n"
    return atoms


def bounded(text: str, gap: str, blocks: tuple[Block, ...], max_tokens: int) -> list[Atom]:
    """A text as one atom, or as several where it alone is longer than a unit: cut at white space, last of all anywhere."""
    n_tokens = count_tokens(text)
    if n_tokens <= max_tokens:
        return [Atom(text, gap, n_tokens, blocks)]
    atoms: list[Atom] = []
    for words, gap_before in _cut_words(text, max_tokens):
        atoms.append(Atom(words, gap_before if atoms else gap, count_tokens(words), blocks))
    return atoms


def _cut_words(text: str, max_tokens: int) -> Iterable[tuple[str, str]]:
    start, end, used, gap = 0, 0, 0, ""
    for match in re.finditer(r"\S+", text):
        n = count_tokens(match.group())
        if used and used + n > max_tokens:
            yield text[start:end], gap
            gap, start, used = text[end : match.start()], match.start(), 0
        if n > max_tokens:  # one "word" of this length: CJK text without marks, or no language at all
            while (size := _fitting(text[start : match.end()], max_tokens)) < match.end() - start:
                yield text[start : start + size], gap
                gap, start = "", start + size
            n = count_tokens(text[start : match.end()])
        used, end = used + n, match.end()
    if end > start:
        yield text[start:end], gap


def _fitting(word: str, max_tokens: int) -> int:
    """Length of the longest beginning of a word that has at most max_tokens, by halving; at least 1."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(word[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return low
