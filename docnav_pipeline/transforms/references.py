"""Mentions of other places of a document: sections, chapters, appendices, tables, figures, pages and quoted titles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_RANGE = 20
_MAX_TITLE = 120

# Words that name a unit, casefolded, singular and plural, by kind.
_UNIT_WORDS: dict[str, str] = {
    "section": "section sections subsection subsections sec. secs. sect. paragraph paragraphs para. paras. abschnitt abschnitte abschnitten"
    " abschnitts unterabschnitt unterabschnitte absatz sección secciones seção seções sezione sezioni sectie secties"
    " раздел раздела разделе разделу",
    "chapter": "chapter chapters chap. chaps. ch. kapitel kapiteln kapitels chapitre chapitres capítulo capítulos capitolo capitoli"
    " hoofdstuk hoofdstukken глава главы главе главу",
    "appendix": "appendix appendices app. annex annexes annexe anhang anhangs anlage anlagen anexo anexos apéndice apéndices"
    " appendice appendici allegato allegati bijlage bijlagen приложение приложения приложении приложению",
    "article": "article articles art. artikel artikeln artikels artículo artículos articolo articoli artigo artigos статья статьи статье",
    "clause": "clause clauses klausel klauseln cláusula cláusulas",
    "part": "part parts teil teile teilen partie parties parte partes",
    "item": "item items",
    "note": "note notes",
    "schedule": "schedule schedules exhibit exhibits",
    "table": "table tables tab. tabelle tabellen tableau tableaux tabla tablas tabella tabelas tabela таблица таблице таблицу таблицы",
    "figure": "figure figures fig. figs. abbildung abbildungen abb. figura figuras рис. рисунок рисунке рисунка рисунки",
    "listing": "listing listings algorithm algorithms",
    "page": "page pages p. pp. seite seiten página páginas pagina pagine стр.",
}
_UNIT_OF_WORD = {word: kind for kind, words in _UNIT_WORDS.items() for word in words.split()}
# Words that name a unit only when they are written with a capital: "Part 2", but "in part 2 of them".
_CAPITAL_KINDS = frozenset({"part", "item", "note", "schedule", "listing"})
_CJK_UNITS = {
    "章": "chapter", "節": "section", "节": "section", "条": "article", "條": "article", "部分": "part", "编": "part", "編": "part",
    "表": "table", "图": "figure", "圖": "figure", "図": "figure", "附录": "appendix", "附錄": "appendix", "付録": "appendix",
    "页": "page", "頁": "page",
}  # fmt: skip
# Kinds that stand in text and not in the heading tree.
FLOAT_KINDS = frozenset({"table", "figure", "listing"})

_DASH = "‑–-"
_BRACKETS = r"(?:\((?:[a-z]{1,4}|\d{1,2}|[A-Z])\))*"
_DECIMAL = rf"\d{{1,4}}(?:[.{_DASH}]\d{{1,3}}){{0,7}}[A-Za-z]?(?:\.[a-z](?!\w))?{_BRACKETS}"
# "IV.B.1" goes down the outline by Roman numbers, letters and digits.
_MIXED = r"(?:[IVX]{1,6}|[A-Z])(?:\.(?:[A-Z]|\d{1,2}|[a-z]|[ivx]{1,5})(?![\w])){1,5}"
_LETTERED = rf"(?:{_MIXED}|[A-Z](?:[.{_DASH}]?\d{{1,3}})(?:[.{_DASH}]\d{{1,3}}){{0,7}}|[IVXLC]{{2,7}}|[A-Z]){_BRACKETS}"
_NUMBER = rf"(?:{_DECIMAL}|{_LETTERED})(?![\w]|[{_DASH}]\w)"
_JOIN = r"\s*(?:,\s*(?:(?:and|or|&|und|oder|et|y|e)\s)?|(?:and|or|through|to|&|und|oder|bis|et|y)\s|–|—|-)\s*"
_MENTION = re.compile(
    rf"(?<![\w-])(?P<word>[^\W\d_]{{1,14}}\.?|§{{1,2}})(?:\s|(?<=[.§]))\s?(?:[Nn][or]\.\s?)?(?P<numbers>{_NUMBER}(?:{_JOIN}{_NUMBER}(?!,\d{{3}}|\s(?:U\.?\s?S|C\.?\s?F)\.))*)"
)
_NUMBER_OR_JOIN = re.compile(rf"(?P<number>{_NUMBER})|(?P<join>{_JOIN})")
_PLAIN_CHARS = "0-9０-９零〇一二两三四五六七八九十百千"
_CJK_MENTION = re.compile(
    rf"第\s*(?P<ordinal>[{_PLAIN_CHARS}]{{1,12}}(?:[.．][0-9]{{1,3}}){{0,7}})\s*(?P<unit>章|節|节|条|條|部分|编|編|页|頁)"
    rf"|(?P<float>表|图|圖|図|附录|附錄|付録)\s*(?P<number>\d{{1,3}}(?:[.\-–]\d{{1,3}})*|[A-Z](?![A-Za-z]))"
    rf"|(?<![\d.])(?P<plain>\d{{1,3}}(?:\.\d{{1,3}}){{1,7}})\s*(?P<plain_unit>節|节|章|条)"
)
_TITLE = re.compile(
    r"(?i:\b(?:see|refer(?:red)?\s+to|described\s+in|described\s+under|explained\s+in|siehe|vgl\.|voir|véase|vedi)\s+(?:also\s+|the\s+|section\s+|chapter\s+){0,2})"
    r"[“\"‘'«„](?P<title>[^“”\"‘’«»„\n]{3,120})[”\"’'»“]"
)
_OF_WORK = r"(?:[A-Z][\w’'.&/-]{0,40}|\d[\d.-]{0,12}|of|the|and|on|for|to)"
_OUTSIDE = re.compile(
    rf",?\s(?:of|in|to|from)\s(?:the\s|an?\s|its\s|our\s)?(?P<work>\[[A-Za-z][\w.+-]{{1,24}}\]|title\s\d{{1,3}}|{_OF_WORK}(?:\s{_OF_WORK}){{0,12}})"
)
# "11 U.S.C. § 704", "Exchange Act Section 10(b)": a law in front of the mention holds the place.
_LAW_BEFORE = re.compile(
    r"(?:\bU\.?\s?S\.?\s?C|\bC\.?\s?F\.?\s?R|\bStat|\b(?:Civ|Penal|Gov|Lab)[^\W\d_]*\.?\s(?:Code|Proc)"
    r"|\b(?:Act|Code|Law|Regulation|Directive|Constitution|[A-Z]{2,}GB|[A-Z]{2,}O))(?:\.|,)?\s{0,2}$|\bRFC\s?\d{1,5},?\s$|\[[A-Z][\w.+-]{1,24}\],?\s$"
)
# "Section 2 of Chapter 4" stays in the document.
_INSIDE_WORK = re.compile(
    r"(?i:this|part|chapter|section|appendix|annex|article|item|note|schedule|document|manual|guide|report|agreement|volume)\b"
)
_CAPTION = re.compile(
    rf"^\W{{0,3}}(?:(?P<word>[^\W\d_]{{3,12}}\.?)\s?(?P<number>\d{{1,4}}(?:[.{_DASH}]\d{{1,3}}){{0,7}}[A-Za-z]?|[A-Z](?:[.{_DASH}]?\d{{1,3}})+|[IVXLC]+)(?!\w)"
    r"|(?P<cjk>表|图|圖|図)\s*(?P<cjk_number>\d{1,3}(?:[.\-–]\d{1,3})*))(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CJK_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


@dataclass(frozen=True, slots=True)
class CrossReference:
    """text: as printed. kind: a unit such as `section` or `table`, `page`, or `title` for a quoted heading.

    target: the number meant ("4.2", "B", "12(b)"), or the quoted title. outside: the mention names another work
    ("Section 10(b) of the Securities Exchange Act"), which its text then includes.
    """

    text: str
    kind: str
    target: str
    outside: bool = False


def find_cross_references(text: str) -> list[CrossReference]:
    """Mentions in the order of the text, each (kind, target) once. Lists and ranges are spelled out: "Tables 3-5" gives three.

    A caption ("Table 3: Results" at the start of a line) is no mention.
    """
    captions = [match.span() for match in _CAPTION.finditer(text) if _caption_kind(match) and _is_caption(match["rest"])]
    found: dict[tuple[str, str], tuple[int, CrossReference]] = {}
    for at, reference in (*_latin_mentions(text), *_cjk_mentions(text), *_title_mentions(text)):
        if any(start <= at < start + 24 and at < end and not text[start:at].strip() for start, end in captions):
            continue
        found.setdefault((reference.kind, reference.target), (at, reference))
    return [reference for _, reference in sorted(found.values(), key=lambda item: item[0])]


def find_captions(text: str) -> list[tuple[str, str, bool]]:
    """Captions in a text as (kind, number, sure). Not sure: the line goes on like a sentence ("Table 3 shows ...")."""
    found = []
    for match in _CAPTION.finditer(text):
        if kind := _caption_kind(match):
            found.append((kind, normal_number(match["cjk_number"] or match["number"]), _is_caption(match["rest"])))
    return found


def names_other_work(mention: str) -> bool:
    """Whether the text of a mention, as `find_cross_references` gives it, includes the name of another work."""
    return any(reference.outside for reference in find_cross_references(mention))


def is_unit_name(name: str) -> bool:
    """Whether a name is nothing but a unit and perhaps a number: "Fig", "Table 3"."""
    first, _, rest = name.partition(" ")
    word = first.casefold()
    return (word in _UNIT_OF_WORD or f"{word.rstrip('.')}." in _UNIT_OF_WORD) and (not rest or bool(re.fullmatch(_NUMBER, rest)))


def label_keys(label: str) -> list[tuple[str, str]]:
    """(unit, number) readings of a printed label of a heading: "4.2" -> ("", "4.2"), "Appendix B" -> ("appendix", "B").

    A Roman number is read both ways: "IV" -> ("", "IV") and ("", "4").
    """
    label = " ".join(label.split()).strip(" .:)")
    match = _MENTION.match(label)
    if match and _kind_of(match):
        kind, number = _kind_of(match), _spelled_out(match)[0]
    elif (cjk := _CJK_MENTION.match(label)) is not None:
        kind, number = _cjk_kind_number(cjk)
    else:
        kind, number = "", label.strip("([")
    number = normal_number(number)
    value = roman_value(number)
    return [(kind, number)] + ([(kind, str(value))] if value else [])


def normal_number(number: str) -> str:
    """A number in the one form that labels and mentions are compared in: "４．２" and "4.2." -> "4.2", "12A" and "12a" -> "12A"."""
    plain = unicodedata.normalize("NFKC", number).strip(" .:").replace("\u2010", "-").replace("–", "-")
    head, bracket, tail = plain.partition("(")
    return head.upper() + bracket + tail


def roman_value(text: str) -> int | None:
    """Value of a Roman number of at least two letters, or of I, V, X; None for anything else."""
    if not text or any(c not in _ROMAN for c in text) or (len(text) == 1 and text not in "IVX"):
        return None
    values = [_ROMAN[c] for c in text]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


def _latin_mentions(text: str) -> Iterator[tuple[int, CrossReference]]:
    for match in _MENTION.finditer(text):
        kind = _kind_of(match)
        if not kind or not _plausible(kind, match["numbers"]):
            continue
        start, end = match.start(), match.end()
        outside = _OUTSIDE.match(text, end)
        other = outside is not None and not _INSIDE_WORK.match(outside["work"]) and bool(re.search(r"[A-Z\[]|title\s\d", outside["work"]))
        if outside is not None and other:
            end = outside.end("work")
        elif before := _LAW_BEFORE.search(text, max(0, start - 40), start):
            other, start = True, before.start()
        printed = " ".join(text[start:end].split())
        for number in _spelled_out(match):
            yield match.start(), CrossReference(printed, kind, number, other)


def _cjk_mentions(text: str) -> Iterator[tuple[int, CrossReference]]:
    for match in _CJK_MENTION.finditer(text):
        kind, number = _cjk_kind_number(match)
        if number:
            yield match.start(), CrossReference(match[0], kind, normal_number(number))


def _title_mentions(text: str) -> Iterator[tuple[int, CrossReference]]:
    for match in _TITLE.finditer(text):
        title = " ".join(match["title"].split()).strip(" .,;")
        if title and len(title) <= _MAX_TITLE:
            yield match.start(), CrossReference(" ".join(match[0].split()), "title", title)


def _kind_of(match: re.Match[str]) -> str:
    """Kind of a mention, "" where its word names no unit."""
    word = match["word"]
    if word[0] == "§":
        return "section"
    kind = _UNIT_OF_WORD.get(word.casefold(), "")
    lettered = not match["numbers"][0].isdigit()
    # "article I read" and "part 2 of them" are plain text.
    if word[0].islower() and (kind in _CAPITAL_KINDS or (lettered and kind == "article")):
        return ""
    return kind


def _caption_kind(match: re.Match[str]) -> str:
    """Kind of a caption, "" where the line begins with another word or in small letters."""
    if match["cjk"]:
        return _CJK_UNITS[match["cjk"]]
    kind = _UNIT_OF_WORD.get(match["word"].casefold(), "")
    return kind if kind in FLOAT_KINDS and match["word"][0].isupper() else ""


def _cjk_kind_number(match: re.Match[str]) -> tuple[str, str]:
    if match["ordinal"]:
        value = match["ordinal"] if re.search(r"[.．]", match["ordinal"]) else _cjk_value(match["ordinal"])
        return _CJK_UNITS[match["unit"]], value
    if match["plain"]:
        return _CJK_UNITS[match["plain_unit"]], match["plain"]
    return _CJK_UNITS[match["float"]], match["number"]


def _cjk_value(text: str) -> str:
    """A Chinese number below 10,000 in digits, "" when it is none."""
    digits = unicodedata.normalize("NFKC", text)
    if digits.isdecimal():
        return str(int(digits))
    total = current = 0
    for char in text:
        if char in _CJK_DIGITS:
            current = _CJK_DIGITS[char]
        elif char in "十百千":
            total += (current or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            current = 0
        else:
            return ""
    return str(total + current) if total + current else ""


def _plausible(kind: str, numbers: str) -> bool:
    """Years are no tables, and "page" needs digits."""
    first = re.match(_NUMBER, numbers)
    number = first[0] if first else numbers
    if kind == "page":
        return number.isdigit()
    return not (number.isdigit() and len(number) == 4)


def _spelled_out(match: re.Match[str]) -> list[str]:
    """Numbers of a mention, ranges of whole numbers filled in: "Tables 3, 5–7" -> 3 5 6 7.

    With a word in the singular ("Table 5-2"), or with two such numbers ("Tables 5-2 and 5-3"), a dash is part of the number.
    """
    many = match["word"].casefold().rstrip(".").endswith(("s", "n", "pp", "§§"))
    out: list[str] = []
    ranged = False
    parts = list(_NUMBER_OR_JOIN.finditer(match["numbers"]))
    dashed = sum(bool(re.fullmatch(rf"\d+[{_DASH}]\d+", part[0])) for part in parts)
    for part in parts:
        if part["join"]:
            ranged = part["join"].strip() in {"-", "–", "—", "to", "through", "bis"}
            continue
        number = normal_number(part["number"])
        if out and out[0][0].isdigit() and number.isalpha():
            continue  # "Figures 2A and B" names parts of figure 2
        ends = number.split("-")
        if many and dashed == 1 and len(ends) == 2 and all(end.isdigit() for end in ends) and int(ends[0]) < int(ends[1]):
            out += _between(*ends) if int(ends[1]) - int(ends[0]) <= _MAX_RANGE else ends
        else:
            out += _between(out[-1], number)[1:-1] if ranged and out else []
            out.append(number)
        ranged = False
    return list(dict.fromkeys(out))


def _between(first: str, last: str) -> list[str]:
    """Whole numbers from first to last; just the two where they are no numbers, or too far apart."""
    if first.isdigit() and last.isdigit() and 0 < int(last) - int(first) <= _MAX_RANGE:
        return [str(n) for n in range(int(first), int(last) + 1)]
    return [first, last]


def _is_caption(rest: str) -> bool:
    """Whether what follows the number of "Table 3" makes the line a caption and not a sentence."""
    rest = rest.strip()
    return not rest or rest[0] in ".:|–—：-．" or (rest[0].isupper() and not rest.split()[0].isupper())
