"""Small made-up files of binary formats for the parser tests."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

BODY = (
    "The pump moves water from the lower tank to the upper one and it does so",
    "without any noise as long as the filter is clean. Check the filter every",
    "week and note the result in the log book that belongs to the machine.",
)
TOPICS = ("Repair of worn parts", "Daily use", "Care and cleaning")


def write_manual(path: Path, n_pages: int = 2, password: str = "") -> Path:
    """A PDF with a heading, a paragraph and a page number on each page, and nested bookmarks."""
    canvas = Canvas(str(path), pagesize=A4, encrypt=StandardEncryption(password, canPrint=0) if password else None)
    canvas.setTitle("Pump Manual")
    for number in range(1, n_pages + 1):
        canvas.bookmarkPage(f"chapter{number}")
        canvas.bookmarkPage(f"section{number}")
        canvas.addOutlineEntry(f"{number} Chapter", f"chapter{number}", level=0)
        canvas.addOutlineEntry(f"{number}.1 Section", f"section{number}", level=1)
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 700, f"{number} {TOPICS[number % 3]}")
        canvas.setFont("Helvetica", 11)
        # Other words in another order on each page: what comes back on every page is taken for a running head.
        for paragraph in range(4):
            for at in range(3):
                canvas.drawString(72, 670 - 60 * paragraph - 14 * at, BODY[(at + number + paragraph) % 3])
        canvas.setFont("Helvetica", 9)
        canvas.drawCentredString(297, 30, str(number))
        canvas.showPage()
    canvas.save()
    return path


def write_styles(path: Path) -> Path:
    """A PDF page with bold, italic and typewriter text, fake bold, and a word in small capitals."""
    canvas = Canvas(str(path), pagesize=A4)
    for y, font, size, text in (
        (780, "Helvetica-Bold", 16, "Bold heading"),
        (740, "Times-Italic", 12, "Italic remark"),
        (700, "Courier", 10, "if ready:"),
        (688, "Courier", 10, "    run(pump)"),
    ):
        canvas.setFont(font, size)
        canvas.drawString(72 + 6 * (len(text) - len(text.lstrip())), y, text.lstrip())
    canvas.setFont("Helvetica", 12)
    canvas.drawString(72, 640, "Printed twice")
    canvas.drawString(72.3, 640, "Printed twice")
    canvas.setFont("Times-Roman", 14)
    canvas.drawString(72, 600, "S")
    canvas.setFont("Times-Roman", 11)
    canvas.drawString(80, 600, "MALL")
    canvas.showPage()
    canvas.save()
    return path


def write_scan(path: Path, n_pages: int = 1, text_pages: int = 0) -> Path:
    """A PDF whose pages are pictures without text; `text_pages` pages of text come first."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    buffer = io.BytesIO()
    Image.new("RGB", (60, 80), (200, 200, 200)).save(buffer, "PNG")
    canvas = Canvas(str(path), pagesize=A4)
    for _ in range(text_pages):
        canvas.setFont("Helvetica", 11)
        for at, line in enumerate(BODY):
            canvas.drawString(72, 720 - 14 * at, line)
        canvas.showPage()
    for _ in range(n_pages):
        canvas.drawImage(ImageReader(io.BytesIO(buffer.getvalue())), 0, 0, width=A4[0], height=A4[1])
        canvas.showPage()
    canvas.save()
    return path


def write_docx(path: Path) -> Path:
    """A DOCX with two heading levels, a paragraph and a table, written without any library."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

    def paragraph(text: str, style: str = "") -> str:
        properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"

    cells = "".join(f"<w:tc><w:tcPr/>{paragraph(text)}</w:tc>" for text in ("Bolt", "5 Nm"))
    body = (
        paragraph("Use", "Heading1")
        + paragraph("Open the lid before you start the pump.")
        + paragraph("Safety", "Heading2")
        + paragraph("Wear gloves at all times.")
        + f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{cells}</w:tr></w:tbl>"
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in (1, 2)
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    members = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{main}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{word}">{styles}</w:styles>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path
