"""Where the printed lines of a block begin in its repaired text.

Layout repair joins hyphenated words, drops or adds spaces and spells ligatures out, so the text
of a block is better than that of its lines, but its line breaks are gone. Letters are counted
to find them again.
"""

from __future__ import annotations

from collections.abc import Sequence

_OPENING = "([{\"'“‘«¿¡<*§#$-–—•"


def line_starts(text: str, lines: Sequence[str]) -> list[int]:
    """Position in `text` where each line begins; the first is 0, all ascend.

    A line is looked for by its first letters near the place that the count of letters gives.
    """
    letters = [i for i, c in enumerate(text) if c.isalnum()]
    flat = "".join(text[i] for i in letters).casefold()
    if len(flat) != len(letters):  # a letter whose folded form is longer, as the German sharp s
        flat = "".join(text[i] for i in letters)
    starts: list[int] = []
    expected = 0
    for n, line in enumerate(lines):
        bare = "".join(c for c in line if c.isalnum())
        if n:
            starts.append(_place(text, letters, flat, expected, line))
            expected = next((k for k in range(max(0, expected - 40), len(letters)) if letters[k] >= starts[-1]), len(letters))
        else:
            starts.append(0)
        expected += len(bare)
    for n in range(1, len(starts)):
        starts[n] = max(starts[n], starts[n - 1])
    return starts


def _place(text: str, letters: Sequence[int], flat: str, expected: int, line: str) -> int:
    bare = "".join(c for c in line if c.isalnum())
    if not bare:  # a bullet, a rule: looked for as it is, behind the letters before it
        behind = letters[expected - 1] + 1 if 0 < expected <= len(letters) else 0
        at = text.find(line.strip(), behind)
        return at if at >= 0 else len(text)
    start, slack = bare[:8].casefold(), 3 + len(bare) // 15
    places = [p for p in range(max(0, expected - slack), expected + slack + 1) if flat[p : p + len(start)] == start]
    wanted = min(places, key=lambda p: (abs(p - expected), p)) if places else expected
    if wanted >= len(letters):
        return len(text)
    at = letters[wanted]
    while at > 0 and text[at - 1] in _OPENING:
        at -= 1
    return at


def line_texts(text: str, lines: Sequence[str]) -> list[str]:
    """The repaired text of each line; as printed where the block's text does not follow its lines."""
    if len(lines) == 1:
        return [" ".join(text.split())] if text.strip() else list(lines)
    starts = [*line_starts(text, lines), len(text)]
    texts: list[str] = []
    for n, line in enumerate(lines):
        piece = " ".join(text[starts[n] : starts[n + 1]].split())
        same = piece and _initial(piece) == _initial(line) and abs(len(piece) - len(line)) <= 4 + len(line) // 4
        texts.append(piece if same else " ".join(line.split()))
    return texts


def _initial(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())[:3]
