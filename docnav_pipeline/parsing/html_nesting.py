"""HTML nested deeper than the parser follows: what stands deeper it would drop without a word, so boxes beyond a depth are taken off."""

from __future__ import annotations

import re

# Elements that hold text and end where they are closed; taking one off loses no word.
_BOX = re.compile(
    r"<(?P<end>/?)(?P<name>div|span|font|section|article|main|center|blockquote|ul|ol|dl|table|b|i|u|em|strong|small|big|sup|sub|code|a)"
    r"(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
# Each list and table holds further elements of its own for each level.
_STEPS = {"ul": 2, "ol": 2, "dl": 2, "table": 4}
# libxml2 follows 256 levels.
_MOST = 180


def bounded_nesting(markup: str) -> str:
    """The markup with boxes deeper than 180 levels taken off; as it is where none is so deep."""
    depth, deepest, cuts = 0, 0, []
    open_boxes: list[tuple[str, int, bool]] = []
    for match in _BOX.finditer(markup):
        name = match["name"].lower()
        if match.group().endswith("/>"):
            continue
        if not match["end"]:
            step = _STEPS.get(name, 1)
            depth += step
            deepest = max(deepest, depth)
            is_cut = depth > _MOST
            open_boxes.append((name, step, is_cut))
            if is_cut:
                cuts.append(match.span())
            continue
        at = next((i for i in range(len(open_boxes) - 1, max(-1, len(open_boxes) - 20), -1) if open_boxes[i][0] == name), None)
        if at is None:
            continue  # closes nothing that is open near by
        depth -= sum(step for _, step, _ in open_boxes[at:])
        if open_boxes[at][2]:
            cuts.append(match.span())
        del open_boxes[at:]
    if deepest <= _MOST:
        return markup
    kept, end = [], 0
    for start, stop in cuts:
        kept.append(markup[end:start])
        end = stop
    # Boxes keep words apart that stand in different ones.
    return " ".join([*kept, markup[end:]])
