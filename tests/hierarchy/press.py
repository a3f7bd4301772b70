"""A small press: lays lines out on pages, as a parser of PDF would report them."""

from __future__ import annotations

from collections.abc import Sequence

from docnav_pipeline.parsing.block import Block, BlockType, Line

# Height of a page in points; one line of body text takes 14 of them.
_HEIGHT_PT = 800.0
_PROSE = (
    "the pump moves water from the lower tank to the upper one and stops when",
    "the float rises, which it does after some minutes, so that nobody has to",
    "stand beside it; a second float guards the tank against running over and",
    "rings a bell in the hall, where somebody hears it during the day at least.",
)


class Press:
    """Blocks in reading order. Body text is 10 pt regular; every call starts a new block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.page = 1
        self._y_pt = 60.0

    def turn(self) -> Press:
        """Start the next page."""
        self.page += 1
        self._y_pt = 60.0
        return self

    def lines(
        self, texts: Sequence[str], type: BlockType = BlockType.TEXT, size: float = 10.0, bold: bool = False, left: float = 0.12
    ) -> Press:
        """One block of lines set alike."""
        return self.mixed([(text, size, bold) for text in texts], type, left)

    def mixed(self, lines: Sequence[tuple[str, float, bool]], type: BlockType = BlockType.TEXT, left: float = 0.12) -> Press:
        """One block whose lines differ: (text, size in points, bold)."""
        printed = []
        for text, size, bold in lines:
            top = self._y_pt / _HEIGHT_PT
            width = min(0.76, len(text) * size * 0.00095)
            box = (left, top, left + width, top + size / _HEIGHT_PT)
            printed.append(Line(text, box, size, 700 if bold else 400, False))
            self._y_pt += size * 1.4
        self._y_pt += 10
        boxes = [line.bbox for line in printed]
        hull = (left, boxes[0][1], max(b[2] for b in boxes), boxes[-1][3])
        first = printed[0]
        self.blocks.append(
            Block(
                type,
                " ".join(line.text for line in printed),
                page=self.page,
                bbox=hull,
                size_pt=first.size_pt,
                weight=first.weight,
                lines=tuple(printed),
            )
        )
        return self

    def title(self, text: str, size: float = 14.0, bold: bool = True) -> Press:
        """A line that the layout parser took for a title."""
        return self.lines([text], BlockType.TITLE, size, bold)

    def prose(self, n: int = 4) -> Press:
        """A paragraph of body text."""
        start = sum(len(b.lines) for b in self.blocks)
        texts = [_PROSE[(start + i) % len(_PROSE)] for i in range(n)]
        return self.lines([texts[0].capitalize(), *texts[1:]])

    def running(self, text: str) -> Press:
        """A running header at the top of the page."""
        box = (0.12, 0.03, 0.12 + len(text) * 0.008, 0.042)
        line = Line(text, box, 9.0, 400, False)
        self.blocks.append(Block(BlockType.FURNITURE, text, page=self.page, bbox=box, sub_type="header", lines=(line,), size_pt=9.0))
        return self
