"""Paragraphs: evidence units of 200-400 tokens, cut and merged inside one section only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assets_store.settings import ParagraphSettings
from docnav_pipeline.parsing.block import BBox, Block
from docnav_pipeline.transforms.pieces import Atom, Piece, bounded, make_pieces


@dataclass(frozen=True, slots=True)
class Unit:
    """One paragraph to be. blocks: its source blocks in reading order, each once."""

    text: str
    n_tokens: int
    kind: str
    blocks: tuple[Block, ...]

    @property
    def positions(self) -> list[int]:
        return sorted({b.position for b in self.blocks if b.position is not None})

    @property
    def boxes(self) -> list[dict[str, int | BBox]]:
        boxes = dict.fromkeys((b.page, b.bbox) for b in self.blocks if b.page is not None and b.bbox is not None)
        return [{"page": page, "bbox": bbox} for page, bbox in boxes if page is not None and bbox is not None]

    @property
    def pages(self) -> list[int]:
        return sorted({b.page for b in self.blocks if b.page is not None})


def build_units(blocks: Sequence[Block], settings: ParagraphSettings) -> list[Unit]:
    """Units of the text directly in one section.

    Pieces shorter than min_tokens merge with their neighbours, longer than max_tokens are cut at sentence ends, tables by rows
    with caption and first row repeated. A unit stays below min_tokens only where the section has no more text, where a table
    beside it is not to be cut, or by less than a sentence where the last two units share too little text. Every atom is in
    exactly one unit, in order. Footnotes stand in units of their own, behind the text.
    """
    pieces = make_pieces(blocks, settings.max_tokens)
    notes = [piece for piece in pieces if piece.kind == "footnote"]
    return [*_units([piece for piece in pieces if piece.kind != "footnote"], settings), *_units(notes, settings)]


def _units(pieces: Sequence[Piece], settings: ParagraphSettings) -> list[Unit]:
    groups: list[list[Piece]] = []
    for piece in pieces:
        for part in _cut(piece, settings):
            _add(groups, part, settings)
    _mend_last(groups, settings)
    return [_unit(group) for group in groups]


def _size(pieces: Sequence[Piece]) -> int:
    return sum(piece.n_tokens for piece in pieces)


def _add(groups: list[list[Piece]], part: Piece, settings: ParagraphSettings) -> None:
    """Close the open group once it is long enough; a short one takes the part, or as much of it as it needs."""
    if not groups or _size(groups[-1]) >= settings.min_tokens:
        groups.append([part])
        return
    group = groups[-1]
    if _size(group) + part.n_tokens <= settings.max_tokens:
        group.append(part)
        return
    head, rest = _split_at(part, settings.min_tokens - _size(group), settings.max_tokens - _size(group))
    if head is not None:
        group.append(head)
    groups.extend([piece] for piece in (_cut(rest, settings) if rest is not None else []))


def _mend_last(groups: list[list[Piece]], settings: ParagraphSettings) -> None:
    """A short last unit joins the one before, or both are cut anew in the middle."""
    if len(groups) < 2 or _size(groups[-1]) >= settings.min_tokens:
        return
    last, before = groups.pop(), groups.pop()
    together = [*before, *last]
    if _size(together) <= settings.max_tokens:
        groups.append(together)
        return
    if any(piece.kind == "table" for piece in together):
        groups.extend([before, last])
        return
    atoms = tuple(atom for piece in together for atom in piece.atoms)
    at = _middle(atoms, settings.max_tokens)
    kind = max(together, key=lambda p: p.n_tokens).kind
    groups.extend([[Piece(atoms[:at], kind)], [Piece(atoms[at:], kind)]] if at else [before, last])


def _middle(atoms: Sequence[Atom], max_tokens: int) -> int:
    """Where to cut atoms in two parts of like size, both within max_tokens; paragraph ends are worth a small detour; 0 for nowhere."""
    total = sum(atom.n_tokens for atom in atoms)
    best, best_cost, used = 0, float("inf"), 0
    for at in range(1, len(atoms)):
        used += atoms[at - 1].n_tokens
        if used > max_tokens or total - used > max_tokens:
            continue
        cost = abs(used - total / 2) - (total / 8 if "\n\n" in atoms[at].gap else 0)
        if cost < best_cost:
            best, best_cost = at, cost
    return best


def _split_at(piece: Piece, least: int, most: int) -> tuple[Piece | None, Piece | None]:
    """The first atoms of a piece, at least `least` tokens where at most `most` allow it, and what is left of it.

    A table that fits a unit of its own is not cut, and neither is a piece whose first atoms do not fit.
    """
    if piece.kind == "table":
        return None, piece
    used, at = 0, 0
    while at < len(piece.atoms) and used < least and used + piece.atoms[at].n_tokens <= most:
        used += piece.atoms[at].n_tokens
        at += 1
    head = Piece(piece.atoms[:at], piece.kind) if at else None
    rest = Piece(piece.atoms[at:], piece.kind) if at < len(piece.atoms) else None
    return head, rest


def _cut(piece: Piece, settings: ParagraphSettings) -> list[Piece]:
    """A piece as parts of at most max_tokens, of like size; the parts of a table repeat its head."""
    if piece.n_tokens <= settings.max_tokens:
        return [piece]
    head_tokens = sum(atom.n_tokens for atom in piece.header)
    room = settings.max_tokens - head_tokens
    # A row that fills a unit alone leaves no room for the head above it.
    atoms = [part for atom in piece.atoms[len(piece.header) :] for part in bounded(atom.text, atom.gap, atom.blocks, room)]
    total = sum(atom.n_tokens for atom in atoms)
    target = total / -(-total // room)
    parts: list[list[Atom]] = [[]]
    used = 0
    for atom in atoms:
        over = used + atom.n_tokens - target
        if parts[-1] and (used + atom.n_tokens > room or over > target - used):
            parts.append([])
            used = 0
        parts[-1].append(atom)
        used += atom.n_tokens
    return [Piece((*piece.header, *part), piece.kind) for part in parts]


def _unit(group: Sequence[Piece]) -> Unit:
    atoms = [atom for piece in group for atom in piece.atoms]
    text = atoms[0].text + "".join(atom.gap + atom.text for atom in atoms[1:])
    blocks = tuple(dict.fromkeys(block for atom in atoms for block in atom.blocks))
    kinds: dict[str, int] = {}
    for piece in group:
        kinds[piece.kind] = kinds.get(piece.kind, 0) + piece.n_tokens
    return Unit(text, sum(atom.n_tokens for atom in atoms), max(kinds, key=lambda kind: kinds[kind]), blocks)
