"""Numbering as a grammar: which printed labels form the outline's sequence, and which are list items or chance.

An outline's labels nest: each one either goes on with an open level ("2.1" -> "2.2", "B." -> "C.")
or opens a level below ("2.1" -> "2.1.1", "B." -> "1."). Labels of lists and of prose break that
order, or stand in lines that nothing else marks as a heading. A beam search over the open
levels finds the reading of all labels together that explains most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docnav_pipeline.hierarchy.numbering import UNITS, Label

BEAM = 24
# Log odds of one step, by how well the label follows what is open.
NEXT, FIRST, SKIP, RESTART, BREAK = 2.0, 1.2, 0.0, -2.0, -4.0
# Appendices stand outside the parts, beside the chapters of a work without parts.
OTHER_END = 2.5  # taken off for a sibling that ends in another mark
UNSURE = 0.7  # taken off a label whose characters are often plain text
_UNIT_RANK = {unit: i for i, unit in enumerate(UNITS)} | {"appendix": -1}


@dataclass(frozen=True, slots=True)
class Open:
    """One open level: kind, path and end mark ("." of "1.", None unknown) of its label, and a number for its style (-1 unknown)."""

    kind: str
    path: tuple[int, ...]
    suffix: str = ""
    style: int = -1
    end: str | None = None


Stack = tuple[Open, ...]
# Last number of each unit kind that is closed, for units that count through ("Item 10" below "Part III").
Counters = tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _State:
    stack: Stack
    counters: Counters
    score: float
    choice: tuple[int, Label, float, int] | None  # candidate, reading, step score, depth in the stack
    previous: _State | None


@dataclass(frozen=True, slots=True)
class Numbered:
    """A candidate that the sequence accepts. step: how well it follows (log odds); depth: open levels including it."""

    label: Label
    step: float
    depth: int


def _family(kind: str) -> str:
    return {"lettered": "letter", "upper": "letter", "appendix": "letter"}.get(kind, kind)


def _count(counters: Counters, label: Label) -> Counters:
    if label.kind not in _UNIT_RANK or len(label.path) > 1:
        return counters
    return tuple(sorted({**dict(counters), label.kind: label.path[0]}.items()))


def follow(stack: Stack, label: Label, style: int = -1, counters: Counters = ()) -> list[tuple[float, Stack]]:
    """The ways a label can follow a stack of open levels: (log odds, stack after it)."""
    new = Open(label.kind, label.path, label.suffix, style, label.end)
    ways = [_follow_path(stack, label, new)] if len(label.path) > 1 else _follow_number(stack, label, new, dict(counters))
    return [(score + _style_step(stack, after), after) for score, after in ways]


def _style_step(before: Stack, after: Stack) -> float:
    """Siblings are set alike, and a level below is set differently."""
    new = after[-1]
    if new.style < 0:
        return 0.0
    if len(before) >= len(after):
        sibling = before[len(after) - 1]
        if sibling.style >= 0 and _family(sibling.kind) == _family(new.kind):
            return 0.4 if sibling.style == new.style else -0.8
    if len(after) > 1 and after[-2].style == new.style and len(new.path) == 1:
        return -1.5
    return 0.0


def _follow_number(stack: Stack, label: Label, new: Open, counters: Mapping[str, int]) -> list[tuple[float, Stack]]:
    """A label of one number goes on with the innermost open level of its kind, or opens one."""
    number = label.path[0]
    others: list[tuple[float, Stack]] = []
    for i in range(len(stack) - 1, -1, -1):
        top = stack[i]
        if len(top.path) > 1 or _family(top.kind) != _family(label.kind):
            continue
        if label.kind == "decimal" and None not in (top.end, new.end) and top.end != new.end:
            # "1." below "1 Aim" is another scheme. It may be the same one badly printed, which costs.
            others += [(score - OTHER_END, after) for score, after in _follow_same(stack, i, label, new)]
            continue
        return [*others, *_follow_same(stack, i, label, new)]
    if others:
        return [*others, (FIRST, (*stack, new))] if number == 1 else others
    score = FIRST if number == 1 else SKIP - 0.5 * min(number, 8)
    if label.kind in _UNIT_RANK:
        gap = number - counters.get(label.kind, number)
        score = NEXT if gap == 1 else SKIP if 1 < gap <= 3 else score
        # A part stands above the chapters that are open, whatever is open below.
        return [(score, (*(o for o in stack if o.kind in _UNIT_RANK and _UNIT_RANK[o.kind] < _UNIT_RANK[label.kind]), new))]
    ways = [(score, (*stack, new))]
    if _family(label.kind) == "letter" and number == 1 and stack and stack[0].kind == "decimal":
        ways.append((score, (new,)))  # appendix A behind section 9
    return ways


def _follow_same(stack: Stack, i: int, label: Label, new: Open) -> list[tuple[float, Stack]]:
    """A label of one number as the next one of open level i."""
    number, last = label.path[0], stack[i].path[0]
    if number == last + 1 or (number == last and label.suffix > stack[i].suffix):
        return [(NEXT, (*stack[:i], new))]
    if last < number <= last + 3:
        return [(SKIP, (*stack[:i], new))]
    return [(RESTART, (*stack[:i], new))] if number == 1 else []


def _follow_path(stack: Stack, label: Label, new: Open) -> tuple[float, Stack]:
    """A label that states its own ancestors ("2.1.3") closes everything that is no ancestor."""
    path = label.path
    for i in range(len(stack) - 1, -1, -1):
        top = stack[i]
        if top.path == path[:-1]:  # child of an open level, of whatever kind: "Chapter 2" -> "2.1"
            return (NEXT if path[-1] == 1 else SKIP - 0.3 * min(path[-1], 8), (*stack[: i + 1], new))
        if len(top.path) == len(path) and top.path[:-1] == path[:-1]:
            gap = path[-1] - top.path[-1]
            return (NEXT if gap == 1 else SKIP if 1 < gap <= 4 else BREAK, (*stack[:i], new))
    outer = tuple(o for o in stack if len(o.path) == 1 and o.kind in _UNIT_RANK and o.kind not in ("section", "article"))
    # Neither parent nor sibling is open: headings between were missed, or it is no heading.
    last = next((o for o in reversed(stack) if len(o.path) > 1 or o.kind == "decimal"), None)
    forward = last is None or path > last.path
    near = last is None or path[0] - last.path[0] in (0, 1)
    score = -0.5 if forward and near and path[-1] == 1 else -1.5 if forward and near else BREAK
    inner = tuple(o for o in stack if o.kind in ("decimal", "lettered") and o.path == path[: len(o.path)] and len(o.path) < len(path))
    return score, (*(inner or outer), new)


def find_sequence(readings: Sequence[Sequence[Label]], logits: Sequence[float], styles: Sequence[int]) -> dict[int, Numbered]:
    """The candidates whose label belongs to the outline, by their position in `readings`.

    readings: possible labels of each candidate in reading order, [] for none.
    logits: evidence that the candidate is a heading, numbering aside. styles: equal numbers for
    candidates that are set alike.
    """
    beam = [_State((), (), 0.0, None, None)]
    for i, labels in enumerate(readings):
        if not labels:
            continue
        grown: dict[tuple[Stack, Counters], _State] = {}
        for state in beam:
            options: list[tuple[float, Stack, tuple[int, Label, float, int] | None]] = [(state.score, state.stack, None)]
            for label in labels:
                for step, stack in follow(state.stack, label, styles[i], state.counters):
                    gain = step + max(-4.0, min(7.0, logits[i])) - (0.0 if label.sure else UNSURE)
                    options.append((state.score + gain, stack, (i, label, step, len(stack))))
            for score, stack, choice in options:
                counters = _count(state.counters, choice[1]) if choice else state.counters
                key = stack, counters
                if key not in grown or score > grown[key].score:
                    kept = (choice, state) if choice else (state.choice, state.previous)
                    grown[key] = _State(stack, counters, score, *kept)
        beam = sorted(grown.values(), key=lambda s: -s.score)[:BEAM]
    best = beam[0]
    accepted: list[tuple[int, Numbered]] = []
    state_or_none: _State | None = best
    while state_or_none is not None:
        if state_or_none.choice:
            position, label, step, depth = state_or_none.choice
            accepted.append((position, Numbered(label, step, depth)))
        state_or_none = state_or_none.previous
    return dict(reversed(accepted))
