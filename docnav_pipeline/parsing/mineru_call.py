"""Calls into MinerU, inside the parser process only: it starts helpers, opens PDFium and grows with use."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docnav_pipeline.parsing.block import Block, ParsedDocument
from docnav_pipeline.parsing.contents import contents_from_lines
from docnav_pipeline.parsing.docx_numbering import lists_from_marked, with_literal_numbers
from docnav_pipeline.parsing.errors import CorruptSource, MissingModels, ServerFault, UnsupportedSource
from docnav_pipeline.parsing.middle_json import middle_blocks
from docnav_pipeline.parsing.titles import with_bold_titles


def parse_pdf_pages(path: Path, page_range: str, wanted_from: int, tier: str, server_url: str) -> list[Block]:
    """MinerU's blocks of some pages of a PDF ("1-3,5", from 1), those before page `wanted_from` left out."""
    document = _parse(path, tier, "txt" if tier == "flash" else "auto", page_range, server_url)
    return middle_blocks(document, first_page=wanted_from)


def parse_office(path: Path, tier: str, server_url: str) -> ParsedDocument:
    """MinerU's blocks of a DOCX, PPTX, XLSX, RTF or ODF file, or of a picture at a tier above flash.

    A DOCX is given to MinerU with its automatic numbers written out: of Word's numbering it knows neither starts nor
    formats nor level texts, and it moves items that go on after a heading to the list before it (4.0.12).
    """
    with TemporaryDirectory(prefix="docnav-docx-") as folder:
        numbered, mark = with_literal_numbers(path, Path(folder))
        document = _parse(numbered, tier, "auto", "", server_url)
    properties = (document.get("metadata") or {}).get("document") or {}
    languages = properties.get("languages") or []
    blocks = tuple(with_bold_titles(contents_from_lines(lists_from_marked(middle_blocks(document), mark))))
    paged = any(block.page is not None for block in blocks)
    return ParsedDocument(
        blocks=blocks,
        parser="",
        title=properties.get("title") or None,
        language=str(languages[0]).split("-")[0].lower()[:3] if languages else None,
        n_pages=len(document.get("pages") or ()) if paged else None,
    )


def _parse(path: Path, tier: str, ocr_mode: str, page_range: str, server_url: str) -> dict[str, Any]:
    """middle_json of a file as a dict; MinerU's own errors become faults of the file.

    server_url: base URL of a MinerU server (its key, if any, in MINERU_API_KEY); "" parses here.
    """
    from mineru.parser import MinerUApiParser, MinerUParser

    if tier == "flash":
        _skip_pictures()
    parser: Any
    if server_url:
        parser = MinerUApiParser(api_url=server_url, tier=tier, ocr_mode=ocr_mode)
    else:
        parser = MinerUParser(tier=tier, parse_mode=ocr_mode)
    try:
        result = parser.parse(path, page_range=page_range)
    except FileNotFoundError as error:
        if "Model repo" in str(error):
            raise MissingModels(
                f'parsing.tier = "{tier}" needs model weights that are not here ({error}); fetch them, or set parsing.tier = "flash"'
            ) from error
        raise
    except ValueError as error:
        if "Unsupported file type" in str(error):
            raise UnsupportedSource(f"MinerU does not read it ({error})") from error
        raise
    except Exception as error:
        if server_url:
            raise ServerFault(f"the MinerU server at parsing.server_url = {server_url} failed ({error}); is it running?") from error
        if type(error).__name__ == "PdfiumError":
            raise CorruptSource(f"a page does not open ({error})") from error
        raise
    return dict(result.to_dict())


def _skip_pictures() -> None:
    """Keep the flash tier from rendering a picture of each figure and table, which nothing here reads.

    Rendering took a tenth to a quarter of the time and a helper process of its own; the blocks are
    the same without it. Holds for the pinned version; where the name is gone, nothing is changed.
    """
    from mineru.backend.analysis.pdf import window

    if hasattr(window, "attach_visual_block_images_from_pdf"):
        window.attach_visual_block_images_from_pdf = _no_pictures


def _no_pictures(*arguments: object, **options: object) -> None:
    """In the place of MinerU's cropping step."""
