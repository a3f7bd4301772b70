"""CSV and TSV: rows as table blocks, each with the header row again, so that a part can be read alone."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import clean_text
from docnav_pipeline.parsing.errors import CorruptSource
from docnav_pipeline.parsing.reading import read_text
from docnav_pipeline.parsing.tables import rows_to_html, rows_to_text

PARSER = "csv 1"

# Rows per table block: a table is kept whole where it can be, and no block grows without bound.
_ROWS_PER_TABLE = 500
_SAMPLE = 65536


def parse_csv(path: Path) -> ParsedDocument:
    """Parse a CSV or TSV file; the separator is found from its first lines. The first row is the header."""
    text = clean_text(read_text(path)[0])
    rows = _rows(text, path.suffix.lower())
    if not rows:
        return ParsedDocument((), PARSER)
    header, body = rows[0], rows[1:]
    blocks = []
    for start in range(0, max(len(body), 1), _ROWS_PER_TABLE):
        part = [header, *body[start : start + _ROWS_PER_TABLE]]
        blocks.append(Block(BlockType.TABLE, rows_to_text(part), html=rows_to_html(part, n_header_rows=1), continues_previous=start > 0))
    return ParsedDocument(tuple(blocks), PARSER)


def _rows(text: str, suffix: str) -> list[list[str]]:
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:_SAMPLE], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if suffix == ".tsv" or text[:_SAMPLE].count("\t") > text[:_SAMPLE].count(",") else csv.excel
    csv.field_size_limit(16 * 1024 * 1024)
    try:
        return [row for row in csv.reader(io.StringIO(text), dialect) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise CorruptSource(f"no readable CSV ({error})") from error
