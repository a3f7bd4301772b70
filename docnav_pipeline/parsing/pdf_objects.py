"""Objects of a PDF page: where they stand on the page as shown, how much of it is pictures, and what is printed twice."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import pypdfium2.raw as pdfium

from docnav_pipeline.parsing.block import BBox

_DEVICE = 1_000_000
_MAX_OBJECTS = 20_000
# Fake bold prints the same text again, moved by less than this.
_FAKE_BOLD_PT = 0.6


def address_of(handle: Any) -> int | None:
    """Plain address of an object of PDFium."""
    return ctypes.cast(handle, ctypes.c_void_p).value


def page_to_share(page: Any) -> Any:
    """A function from a box in page space (points, origin bottom left) to shares of the page as shown."""
    x, y = ctypes.c_int(), ctypes.c_int()

    def device(px: float, py: float) -> tuple[float, float]:
        pdfium.FPDF_PageToDevice(page, 0, 0, _DEVICE, _DEVICE, 0, px, py, ctypes.byref(x), ctypes.byref(y))
        return x.value / _DEVICE, y.value / _DEVICE

    # The mapping is affine: three points of it are all of it, and thousands of calls are saved on a page.
    span = max(pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page), 1.0)
    (x0, y0), (xr, yr), (xu, yu) = device(0, 0), device(span, 0), device(0, span)
    ax, ay, bx, by = (xr - x0) / span, (yr - y0) / span, (xu - x0) / span, (yu - y0) / span

    def to_share(left: float, bottom: float, right: float, top: float) -> BBox:
        xs = x0 + ax * left + bx * top, x0 + ax * right + bx * bottom
        ys = y0 + ay * left + by * top, y0 + ay * right + by * bottom
        values = [round(min(max(value, 0.0), 1.0), 4) for value in (min(xs), min(ys), max(xs), max(ys))]
        return (values[0], values[1], values[2], values[3])

    return to_share


def scan_objects(page: Any) -> tuple[bool, frozenset[int]]:
    """Whether images cover at least a twentieth of the page, and the addresses of text objects drawn twice (fake bold)."""
    area = max(pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page), 1.0)
    covered = 0.0
    edges = [ctypes.c_float() for _ in range(4)]
    refs = tuple(ctypes.byref(edge) for edge in edges)
    rows: dict[tuple[int, int], list[tuple[float, float, int]]] = {}
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MAX_OBJECTS)):
        item = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            if pdfium.FPDFPageObj_GetBounds(item, *refs):
                left, bottom, right, top = (edge.value for edge in edges)
                address = address_of(item) or 0
                rows.setdefault((round(bottom * 2), round(top * 2)), []).append((left, right, address))
            continue
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            n_inside = min(max(pdfium.FPDFFormObj_CountObjects(item), 0), _MAX_OBJECTS)
            kinds = {pdfium.FPDFPageObj_GetType(pdfium.FPDFFormObj_GetObject(item, inside)) for inside in range(n_inside)}
            if pdfium.FPDF_PAGEOBJ_IMAGE not in kinds:
                continue
        elif kind != pdfium.FPDF_PAGEOBJ_IMAGE:
            continue
        if covered < area and pdfium.FPDFPageObj_GetBounds(item, *refs):
            left, bottom, right, top = (edge.value for edge in edges)
            covered += max(right - left, 0.0) * max(top - bottom, 0.0)
    twice: set[int] = set()
    for row in rows.values():
        row.sort()
        for one, other in itertools.pairwise(row):
            if one[1] - one[0] > 1 and abs(one[0] - other[0]) < _FAKE_BOLD_PT and abs(one[1] - other[1]) < _FAKE_BOLD_PT:
                twice.update((one[2], other[2]))
    return covered >= 0.05 * area, frozenset(twice)
