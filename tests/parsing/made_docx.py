"""Small DOCX files of raw parts."""

from __future__ import annotations

import zipfile
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"

HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
    f'<w:pPr>{{}}<w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
    for n in (1, 2, 3)
)
NORMAL = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
NUMBERED_HEADINGS = NORMAL + HEADINGS.format(
    *(f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>' for level in range(3)),
)
PLAIN_HEADINGS = NORMAL + HEADINGS.format("", "", "")


def level(place: int | str, text: str, number_format: str = "decimal", start: int | str | None = 1, more: str = "") -> str:
    first = "" if start is None else f'<w:start w:val="{start}"/>'
    return f'<w:lvl w:ilvl="{place}">{first}<w:numFmt w:val="{number_format}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def abstract(*levels: str, of: int = 1) -> str:
    return f'<w:abstractNum w:abstractNumId="{of}">{"".join(levels)}</w:abstractNum>'


def num(num_id: int, of: int = 1, more: str = "") -> str:
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{of}"/>{more}</w:num>'


LEGAL = abstract(level(0, "%1"), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"), level(3, "(%4)", "lowerRoman")) + num(1)


def p(text: str, place: int | str | None = None, num_id: int | str = 1, style: str = "", properties: str = "", looks: str = "") -> str:
    numbering = "" if place is None else f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{num_id}"/></w:numPr>'
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{numbering}{properties}</w:pPr>{run}</w:p>"


def docx(folder: Path, *body: str, numbering: str = LEGAL, styles: str = PLAIN_HEADINGS, header: str = "", namespace: str = W) -> Path:
    """A small DOCX of raw parts. numbering, styles: content of their parts; "" leaves the part out; header: text of the running header."""
    namespaces = f'xmlns:w="{namespace}" xmlns:r="{OFFICE}" xmlns:mc="{MC}"'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header"/></w:sectPr>' if header else ""
    parts = {
        "document": f"<w:document {namespaces}><w:body>{''.join(body)}{section}</w:body></w:document>",
        "styles": styles and f"<w:styles {namespaces}>{styles}</w:styles>",
        "numbering": numbering and f"<w:numbering {namespaces}>{numbering}</w:numbering>",
        "header": header and f"<w:hdr {namespaces}>{p(header)}</w:hdr>",
    }
    present = [name for name, content in parts.items() if content]
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{MAIN_TYPE}.{name}{".main" if name == "document" else ""}+xml"/>'
        for name in present
    )
    relations = "".join(f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in present[1:])
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        **{f"word/{name}.xml": parts[name] for name in present},
    }
    path = folder / "contract.docx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
