"""How a document would be cited: its titles, names on its first page, years, DOI, arXiv id and series number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import polars as pl

from assets_store.ids import split_uri

# Blocks looked at from the start of a document.
_HEAD_BLOCKS = 60
# The byline ends at the first block as long as running text, or after this much.
_PROSE, _MAX_FRONT = 500, 1_500
_MAX_YEARS = 4
_NO_TEXT = ("outline", "contents", "table", "code", "equation", "image")
_ABSTRACT = re.compile(
    r"\W*(?:abstract|summary|introduction|\d\.?\s+\w+|zusammenfassung|kurzfassung|einleitung|résumé|resumen|sommaire|摘要|要旨|概要|引言)\b",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W\d_]+(?:[-'’][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?<![\w./-])((?:1[6-9]|20)\d{2})(?![\w-]|\.\d)")
_FILE_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>“”|]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv[:\s/.]{0,3}(?:abs/|pdf/|preprint\s+arxiv:)?\s*|10\.48550/arxiv\.)(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)
_ARXIV_FILE = re.compile(r"(?:arxiv[-_.:]?)?(\d{4}\.\d{4,5})(?:v\d+)?", re.IGNORECASE)
_DOI_FILE = re.compile(r"(10\.\d{4,9})[_-](\S+)")
_SERIES = re.compile(
    r"\b(?P<name>RFC|BCP|STD|ISO|IEC|ISO/IEC|DIN|EN|IEEE|NIST|FIPS|ECMA|ITU-T|PEP|W3C)[\s_-]{0,2}(?P<number>[A-Z]{0,2}[\s.-]?\d{1,6}(?:[.-]\d{1,4}){0,3})(?![\w.]\d)"
)
_SERIES_FILE = re.compile(
    r"(?P<name>rfc|bcp|std|iso|iec|din|ieee|nist|fips|ecma|pep)[-_ ]?(?P<number>[a-z]{0,2}[-_. ]?\d{1,6}(?:[.-]\d{1,4}){0,3})",
    re.IGNORECASE,
)
_COMMENTS = re.compile(r"Request for Comments:\s*(\d{1,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """titles: as stated and as printed, each once. names: casefolded words of the byline, empty where no byline was found.

    years: of the first page, empty where there are none or too many to tell. dois, arxiv, series: in the form of `find_*`.
    place: knowledge base and product version. file: name of the file, casefolded.
    """

    doc_id: str
    titles: tuple[str, ...]
    names: frozenset[str]
    years: frozenset[int]
    dois: frozenset[str]
    arxiv: frozenset[str]
    series: frozenset[str]
    place: tuple[str, str]
    file: str


def front_rows(layout: pl.DataFrame) -> pl.DataFrame:
    """The rows of `layout` that tell who a document is: its first 60 blocks, of its first page. layout: doc_id, block, type, page, text."""
    rows = layout.select("doc_id", "block", "type", "page", "text").filter(~pl.col("type").is_in(_NO_TEXT) & (pl.col("text") != ""))
    rows = rows.sort("doc_id", "block").group_by("doc_id", maintain_order=True).head(_HEAD_BLOCKS)
    first = pl.col("page").min().over("doc_id")
    return rows.filter(pl.col("page").is_null() | (pl.col("page") == first))


def find_identities(documents: pl.DataFrame, tree: pl.DataFrame, front: pl.DataFrame) -> list[Identity]:
    """Identities by doc_id. documents: doc_id, uri, title, kb, product_version. tree: node_id, kind, title. front: of `front_rows`."""
    printed = dict(tree.filter(pl.col("kind") == "document").select("node_id", "title").iter_rows())
    blocks: dict[str, list[tuple[str, str]]] = {}
    for doc_id, kind, text in front.sort("doc_id", "block").select("doc_id", "type", "text").iter_rows():
        blocks.setdefault(doc_id, []).append((kind, text))
    rows = documents.sort("doc_id").select("doc_id", "uri", "title", "kb", "product_version")
    return [
        _identity(doc_id, uri, (title, printed.get(doc_id, "")), (kb, version), blocks.get(doc_id, []))
        for doc_id, uri, title, kb, version in rows.iter_rows()
        if doc_id in printed
    ]


def _identity(doc_id: str, uri: str, titles: Sequence[str], place: tuple[str, str], blocks: Sequence[tuple[str, str]]) -> Identity:
    titles = tuple(dict.fromkeys(title for title in (" ".join(title.split()) for title in titles) if title))
    path, fragment = split_uri(uri)
    file = PurePosixPath(path).name
    stem = fragment or PurePosixPath(path).stem
    # "{name}@place" and page furniture hold dates and numbers, but no byline.
    furniture = [text for kind, text in blocks if kind in ("furniture", "footnote")]
    front = _byline([text for kind, text in blocks if kind not in ("furniture", "footnote")])
    title_words = {word for title in titles for word in words_of(title)}
    names = frozenset(word.casefold() for text in front for word in _CAPITALISED.findall(text)) - title_words
    marks = "\n".join([*furniture, *front])
    years = {int(year) for text in (marks, *titles) for year in _YEAR.findall(text)} | {int(year) for year in _FILE_YEAR.findall(stem)}
    dois, arxiv = find_dois(marks), find_arxiv(marks)
    series = find_series(" ".join(titles)) | {f"rfc{int(n)}" for n in _COMMENTS.findall("\n".join(text for _, text in blocks))}
    if (found := _ARXIV_FILE.fullmatch(stem)) is not None:
        arxiv = frozenset({found[1]})
    if (found := _DOI_FILE.fullmatch(stem)) is not None:
        dois = frozenset({f"{found[1]}/{found[2]}".casefold()})
    if (found := _SERIES_FILE.fullmatch(stem)) is not None:
        series |= {_series_key(found["name"], found["number"])}
    return Identity(
        doc_id,
        titles,
        names if len(names) >= 2 else frozenset(),
        frozenset(years) if len(years) <= _MAX_YEARS else frozenset(),
        # Two works on a first page: one of them is cited there.
        dois if _is_one(dois) else frozenset(),
        arxiv if len(arxiv) == 1 else frozenset(),
        frozenset(series) if len(series) == 1 else frozenset(),
        place,
        file.casefold(),
    )


def _byline(texts: Iterable[str]) -> list[str]:
    """Texts in front of the abstract or the first running text."""
    found: list[str] = []
    for text in texts:
        if (found and _ABSTRACT.match(text)) or len(text) > _PROSE or sum(map(len, found)) > _MAX_FRONT:
            break
        found.append(text)
    return found


def _is_one(dois: frozenset[str]) -> bool:
    shortest = min(dois, key=len, default="")
    return all(doi.startswith(shortest) for doi in dois)


def words_of(text: str) -> list[str]:
    """Casefolded words of a text, ligatures resolved; runs of Chinese or Japanese characters as pairs of them."""
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if "\u3040" <= word[0] <= "\u9fff" and len(word) > 2:
            found += [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            found.append(word)
    return found


def find_dois(text: str) -> frozenset[str]:
    """DOIs in a text, casefolded; of one inside the address of a publisher also the part in front of further folders."""
    found: set[str] = set()
    for match in _DOI.finditer(text):
        doi = match[0].casefold().rstrip(".,;:)]}'’")
        if doi.count("(") < match[0].count(")") and doi.endswith(")"):
            doi = doi[:-1]
        found.add(doi)
        start = text[max(0, match.start() - 200) : match.start()].split()[-1:]
        if start and "://" in start[0] and "doi.org" not in start[0] and doi.count("/") > 1:
            found.add("/".join(doi.split("/")[:2]))
    return frozenset(found)


def find_arxiv(text: str) -> frozenset[str]:
    """arXiv ids in a text without their version: "2310.06117"."""
    return frozenset(match["id"].casefold() for match in _ARXIV.finditer(text))


def find_series(text: str) -> frozenset[str]:
    """Numbers in well-known series of standards in one form: "RFC 9001" -> "rfc9001"."""
    return frozenset(_series_key(match["name"], match["number"]) for match in _SERIES.finditer(text))


def _series_key(name: str, number: str) -> str:
    key = re.sub(r"[\s_]+", "", f"{name}{number}").casefold().rstrip(".-")
    return re.sub(r"^([a-z/-]+?)[-.]?0*(?=\d)", r"\1", key)
