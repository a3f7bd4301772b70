"""Typography of the text objects of a PDF page: size, weight, slant and typewriter faces, as their fonts state them."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from docnav_pipeline.parsing.pdf_objects import address_of

_HEAVY_NAME = re.compile(r"black|heavy|ultra|extrabold|poster", re.IGNORECASE)
_BOLD_NAME = re.compile(r"bold|cmbx|cmb\d|cmssbx|-bd|bx\d|(?:^|[-,])b(?:$|[-,])|medi(?:$|-)|sfbx|sfssbx", re.IGNORECASE)
_SEMIBOLD_NAME = re.compile(r"semi-?bold|demi", re.IGNORECASE)
_LIGHT_NAME = re.compile(r"light|thin|hairline", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|sfsl", re.IGNORECASE)
_MONO_NAME = re.compile(r"mono|courier|cmtt|sftt|consol|menlo|typewriter|nimbusmon", re.IGNORECASE)
_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1, 1 << 6, 1 << 18


@dataclass(frozen=True, slots=True)
class Style:
    """Typography of a text object. size_pt: as printed, after scaling; weight: 100..900."""

    size_pt: float
    weight: int
    italic: bool
    mono: bool


class Styles:
    """Styles of text objects, looked up once per object and per font."""

    def __init__(self, drawn_twice: frozenset[int]) -> None:
        self._drawn_twice = drawn_twice
        self._objects: dict[int, Style] = {}
        self._styles: dict[Style, Style] = {}
        self._fonts: dict[int, tuple[int, bool, bool]] = {}
        self._size = ctypes.c_float()
        self._matrix = pdfium.FS_MATRIX()
        self._unknown = Style(0.0, 400, False, False)

    def of(self, address: int | None) -> Style:
        """Style of the text object at an address; None for a character of no object."""
        if address is None:
            return self._unknown
        style = self._objects.get(address)
        if style is None:
            handle = ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)
            read = self._read(handle, address in self._drawn_twice)
            # Equal styles are one object, so that comparing two is comparing their identity.
            style = self._objects[address] = self._styles.setdefault(read, read)
        return style

    def _read(self, handle: Any, drawn_twice: bool) -> Style:
        size, skewed = 0.0, False
        if pdfium.FPDFTextObj_GetFontSize(handle, ctypes.byref(self._size)):
            size = abs(self._size.value)
        if pdfium.FPDFPageObj_GetMatrix(handle, ctypes.byref(self._matrix)):
            matrix = self._matrix
            size *= (matrix.c * matrix.c + matrix.d * matrix.d) ** 0.5
            skewed = matrix.b == 0 and abs(matrix.c) > 0.1 * abs(matrix.d) > 0
        weight, italic, mono = self._font(pdfium.FPDFTextObj_GetFont(handle))
        if drawn_twice or pdfium.FPDFTextObj_GetTextRenderMode(handle) == pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE:
            weight = max(weight, 700)
        return Style(round(size, 2), weight, italic or skewed, mono)

    def _font(self, font: Any) -> tuple[int, bool, bool]:
        address = address_of(font) if font else None
        if address is None:
            return 400, False, False
        known = self._fonts.get(address)
        if known is None:
            known = self._fonts[address] = _font_style(font)
        return known


def _font_style(font: Any) -> tuple[int, bool, bool]:
    """(weight, italic, typewriter) of a font: its name first, then its descriptor, whose stem width is often a guess."""
    length = pdfium.FPDFFont_GetBaseFontName(font, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 1))
    pdfium.FPDFFont_GetBaseFontName(font, buffer, length)
    name = buffer.value.decode("utf-8", errors="replace").split("+")[-1]
    flags = max(pdfium.FPDFFont_GetFlags(font), 0)
    angle = ctypes.c_int()
    slanted = bool(pdfium.FPDFFont_GetItalicAngle(font, ctypes.byref(angle))) and angle.value != 0
    italic = bool(_ITALIC_NAME.search(name)) or bool(flags & _ITALIC) or slanted
    mono = bool(_MONO_NAME.search(name)) or bool(flags & _FIXED_PITCH)
    stated = pdfium.FPDFFont_GetWeight(font)
    if _HEAVY_NAME.search(name):
        weight = 900
    elif _SEMIBOLD_NAME.search(name):
        weight = 600
    elif _BOLD_NAME.search(name) or flags & _FORCE_BOLD:
        weight = 700
    elif _LIGHT_NAME.search(name):
        weight = 300
    elif 600 <= stated <= 900:
        weight = round(stated / 100) * 100
    else:
        weight = 400
    return weight, italic, mono
