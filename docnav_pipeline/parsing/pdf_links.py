"""Link annotations of PDF pages, and the blocks that print their text."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium

from docnav_pipeline.parsing.block import BBox, Block, BlockType
from docnav_pipeline.parsing.characters import one_line

if TYPE_CHECKING:
    from docnav_pipeline.parsing.typography import PageText

ToShare = Callable[[float, float, float, float], BBox]

_MAX_LINKS = 2_000
_MAX_TARGET = 2_048
_GOTO, _REMOTE, _URI = 1, 2, 3
_TOP_FIRST = (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH)
# Two pages of equal size, to this many points, are taken to have the same origin and rotation.
_SAME_SIZE_PT = 0.5
_EDGES = " \t,;.:()[]"
# A link covers all of a word from this share of its width on.
_WHOLE = 0.85
_RUN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+|[\W_]+")


@dataclass(frozen=True, slots=True)
class PrintedLink:
    """A link annotation. box: as shares of the page as shown.

    target: the address as stated; for a place in the file `#page=N&left=X&top=Y`, page from 1, X and Y as shares of the page (`left`
    and `top` are absent where the file does not state them); for another file its path, with `#page=N` where it states one.
    """

    box: BBox
    target: str


def read_links(document: Any, page: Any, to_share: ToShare) -> list[PrintedLink]:
    """Links of an open page in the order of its annotations, at most 2,000. Actions that start a program or a script are left out.

    document, page: raw handles of PDFium. to_share: from (left, bottom, right, top) in points to shares of the page.
    """
    found: list[PrintedLink] = []
    position, link, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while len(found) < _MAX_LINKS and pdfium.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(link)):
        if not pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(rect)):
            continue
        target = _target(document, page, link, to_share)
        if not target or len(target) > _MAX_TARGET:
            continue
        boxes = list(_quads(link)) or [(rect.left, min(rect.top, rect.bottom), rect.right, max(rect.top, rect.bottom))]
        found += [PrintedLink(to_share(*box), target) for box in boxes]
    return found


def with_links(blocks: Sequence[Block], pages: Mapping[int, PageText]) -> list[Block]:
    """Blocks with the links whose box lies on their printed lines. The text of a link is the words that it covers; parts of one link on
    several lines are joined."""
    result: list[Block] = []
    for block in blocks:
        page = pages.get(block.page or 0)
        if page is None or not page.links or block.bbox is None or block.type in (BlockType.OUTLINE, BlockType.FURNITURE):
            result.append(block)
            continue
        links: list[tuple[str, str]] = []
        for text, target in _covered(block, page):
            if links and links[-1][1] == target:
                links[-1] = (f"{links[-1][0]} {text}", target)
            else:
                links.append((text, target))
        known = {target for _, target in block.links}
        added = [(one_line(text).strip(_EDGES), target) for text, target in links if target not in known]
        result.append(replace(block, links=(*block.links, *((text, target) for text, target in added if text))))
    return result


def _covered(block: Block, page: PageText) -> Iterator[tuple[str, str]]:
    """(words, target) of each link on each line of a block, in the order of the lines and along them."""
    for line in block.lines:
        middle = (line.bbox[1] + line.bbox[3]) / 2
        words = [
            word
            for piece in page.lines
            if piece.line.bbox[1] == line.bbox[1] and piece.line.bbox[3] == line.bbox[3]
            for word in piece.words
        ]
        words = [word for word in words if line.bbox[0] - 0.001 <= word[0] and word[1] <= line.bbox[2] + 0.001]
        for link in sorted((k for k in page.links if k.box[1] <= middle <= k.box[3]), key=lambda k: (k.box[0], k.target)):
            inside = [part for word in words if (part := _part(word, link.box))]
            if inside:
                yield " ".join(inside), link.target


def _part(word: tuple[float, float, str], box: BBox) -> str:
    """What a link covers of a word, cut between letters, digits and signs ("dealer.617" prints a mark), "" for nothing."""
    left, right, text = word
    width = right - left
    start, end = max(left, box[0]), min(right, box[2])
    if width <= 0 or end - start <= 0.5 * min(width, box[2] - box[0]):
        return ""
    if end - start > _WHOLE * width:
        return text
    cuts = [0, *(match.end() for match in _RUN.finditer(text))]
    first = min(cuts[:-1], key=lambda cut: abs(cut - (start - left) / width * len(text)))
    last = min((cut for cut in cuts if cut > first), key=lambda cut: abs(cut - (end - left) / width * len(text)))
    return text[first:last]


def _quads(link: Any) -> Iterator[tuple[float, float, float, float]]:
    """Boxes of a link that is broken over lines, as (left, bottom, right, top)."""
    quad = pdfium.FS_QUADPOINTSF()
    for index in range(min(max(pdfium.FPDFLink_CountQuadPoints(link), 0), 20)):
        if pdfium.FPDFLink_GetQuadPoints(link, index, ctypes.byref(quad)):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(xs), min(ys), max(xs), max(ys)


def _target(document: Any, page: Any, link: Any, to_share: ToShare) -> str:
    place = pdfium.FPDFLink_GetDest(document, link)
    if place:
        return _fragment(document, page, place, to_share)
    action = pdfium.FPDFLink_GetAction(link)
    kind = pdfium.FPDFAction_GetType(action) if action else 0
    if kind == _GOTO:
        place = pdfium.FPDFAction_GetDest(document, action)
        return _fragment(document, page, place, to_share) if place else ""
    if kind == _URI:
        return _text(lambda buffer, size: pdfium.FPDFAction_GetURIPath(document, action, buffer, size))
    if kind == _REMOTE:
        path = _text(lambda buffer, size: pdfium.FPDFAction_GetFilePath(action, buffer, size))
        place = pdfium.FPDFAction_GetDest(document, action) if path else None
        index = pdfium.FPDFDest_GetDestPageIndex(document, place) if place else -1
        return f"{path}#page={index + 1}" if index >= 0 else path
    return ""


def _fragment(document: Any, page: Any, place: Any, to_share: ToShare) -> str:
    """Where a destination inside the file lies; "" where its page is none of the file."""
    index = pdfium.FPDFDest_GetDestPageIndex(document, place)
    if not 0 <= index < pdfium.FPDF_GetPageCount(document):
        return ""
    x, y = _location(place)
    size = pdfium.FS_SIZEF()
    if y is None or not pdfium.FPDF_GetPageSizeByIndexF(document, index, ctypes.byref(size)) or not size.width or not size.height:
        return f"#page={index + 1}"
    alike = (
        abs(pdfium.FPDF_GetPageWidthF(page) - size.width) < _SAME_SIZE_PT
        and abs(pdfium.FPDF_GetPageHeightF(page) - size.height) < _SAME_SIZE_PT
    )
    if alike:
        box = to_share(x or 0.0, y, x or 0.0, y)
        left, top = box[0], box[1]
    else:
        left, top = (min(max(value, 0.0), 1.0) for value in ((x or 0.0) / size.width, 1 - y / size.height))
    return f"#page={index + 1}" + (f"&left={left:.3f}" if x is not None else "") + f"&top={top:.3f}"


def _location(place: Any) -> tuple[float | None, float | None]:
    """x and y of a destination in points, None where it states none."""
    has_x, has_y, has_zoom = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    x, y, zoom = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    refs = [ctypes.byref(value) for value in (has_x, has_y, has_zoom, x, y, zoom)]
    if pdfium.FPDFDest_GetLocationInPage(place, *refs):
        return (x.value if has_x.value else None), (y.value if has_y.value else None)
    count, numbers = ctypes.c_ulong(), (ctypes.c_float * 4)()
    view = pdfium.FPDFDest_GetView(place, ctypes.byref(count), numbers)
    if view in _TOP_FIRST and count.value >= 1:
        return None, numbers[0]
    if view == pdfium.PDFDEST_VIEW_FITR and count.value == 4:
        return numbers[0], numbers[3]
    return None, None


def _text(read: Callable[[Any, int], int]) -> str:
    """A string that PDFium writes into a buffer, without control characters; "" for none or one that is too long."""
    length = read(None, 0)
    if not 1 < length <= _MAX_TARGET:
        return ""
    buffer = ctypes.create_string_buffer(length)
    read(buffer, length)
    text = buffer.raw.split(b"\0", 1)[0].decode("utf-8", errors="replace")
    return "".join(c for c in text if c.isprintable()).strip()
