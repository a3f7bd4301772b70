"""What a single line of plain text looks like: heading, list item, contents entry, running head, preformatted."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,7}|[A-Z](?:\.\d{1,3}){1,7})"
_KEYWORD = (
    r"(?:chapter|section|part|article|appendix|annex|schedule|exhibit|division|title|book|"
    r"kapitel|anhang|abschnitt|chapitre|annexe|capítulo|anexo)"
)
_NUMBERED_TITLE = re.compile(rf"^{_NUMBER}[.)]?\s+(?=\S)(?P<title>.*)$")
_WORD_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_KEYWORD_TITLE = re.compile(
    rf"^(?:{_KEYWORD}\s+(?:\d{{1,4}}[A-Z]?|[A-Z]|[IVXLC]+|{_WORD_NUMBER})|§{{1,2}}\s*\d{{1,4}}[a-z]?)(?:\.\d+)*(?!\w)[.:]?(?P<title>.*)$",
    re.IGNORECASE,
)
_ROMAN_TITLE = re.compile(r"^(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\.\s+(?=[^\W\d_])(?P<title>.*)$")
_CJK_TITLE = re.compile("^第[0-9一二三四五六七八九十百零〇两]+[章节節条條部篇編编款回]")
_CONTENTS_TITLE = re.compile(
    r"^(?:table of contents?|contents|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|contenido|indice|"
    r"目\s?录|目\s?錄|目\s?次|차례|содержание)$",
    re.IGNORECASE,
)
_BULLET = re.compile(
    r"^(?:[-*+•◦▪●○■□–—·‣o]\s+(?=\S)|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s+(?=\S)|\((?:\d{1,3}|[a-zA-Z]{1,4})\)\s*(?=\S))"
)
_LEADERS = re.compile(r"(?:(?:[.\u2026·]\s?){4,}|_{4,})\s*(?:\d{1,4}|[ivxlcdm]{1,7}|[A-Z]-\d{1,4})\s*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;。！？：；][\"'”’)\]]*$")
_ADORNMENT = re.compile(r"^\s*([=\-~^\"'`#*+_:.])\1{2,}\s*$")
_DIGITS = re.compile(r"\d+")
_GAP = re.compile(r"[^\s.!?:;] {2,}(?=\S)|[^\s] {4,}(?=\S)")
_BOX = re.compile(r"[|+][-=|+ ]{3,}|[-=]{5,}|[\u2500-\u257f]|^\s*[|+].*[|+]\s*$")
_CODE_SIGNS = re.compile(r"[{}<>|\\=;_^~@#$%*+\[\]]")
_FORMULA = re.compile(r"[=<>\[\]{}|\\^~×÷≤≥]")
_PAGE_MARK = re.compile(r"\[?\bpage\s+(\d{1,5})\b\]?|^\W*(\d{1,5})\W*$", re.IGNORECASE)


def is_numbered_title(line: str) -> bool:
    """Whether a line starts like a numbered heading and goes on like a title, not like a sentence."""
    if _CJK_TITLE.match(line):
        return not ends_sentence(line)
    match = _NUMBERED_TITLE.match(line) or _KEYWORD_TITLE.match(line) or _ROMAN_TITLE.match(line)
    if not match:
        return False
    title = match.group("title").strip(" .:-–—")
    if not title:
        return bool(_KEYWORD_TITLE.match(line))
    first = title[0]
    if not (
        first.isupper() or first.isdigit() or first in "\"'“‘(<" or not first.isascii() or (first.islower() and len(title.split()) <= 4)
    ):
        return False
    words = title.split()
    if words[-1].lower() in {"and", "or", "the", "of", "to", "a", "und", "et", "y"} or title.endswith((",", ";")):
        return False
    small = sum(word[0].islower() for word in words)
    if len(words) >= 9 and small > 0.7 * len(words):
        return False
    return not _SENTENCE_END.search(line) or (line.endswith(".") and len(title.split()) <= 5) or line.endswith("?")


def is_capitals(line: str) -> bool:
    """Whether a line is set all in capitals and short enough for a heading."""
    letters = [character for character in line if character.isalpha()]
    if len(letters) < 4 or len(line) > 110 or len(line.split()) > 14 or not all(letter.isupper() for letter in letters):
        return False
    printed = sum(not character.isspace() for character in line)
    return len(letters) >= 0.7 * printed and not _FORMULA.search(line) and not (ends_sentence(line) and len(line.split()) > 6)


def is_all_capitals(line: str) -> bool:
    """Whether no letter of a line is a small one (and there are at least two)."""
    return line.upper() == line and sum(map(str.isalpha, line)) >= 2 and any(character.isupper() for character in line)


def is_contents_title(line: str) -> bool:
    """Whether a heading announces a contents list."""
    return bool(_CONTENTS_TITLE.match(line.strip(" .:*#")))


def is_contents_entry(line: str) -> bool:
    """Whether a line leads with dots to a page number."""
    return bool(_LEADERS.search(line))


def bullet_of(line: str) -> str:
    """Marker of a list item with the space after it; empty when the line is none."""
    match = _BULLET.match(line.lstrip())
    return match.group() if match else ""


def ends_sentence(line: str) -> bool:
    """Whether a line ends with the punctuation of a finished sentence or clause."""
    return bool(_SENTENCE_END.search(line.rstrip()))


def is_preformatted(lines: Sequence[str], base_indent: int) -> bool:
    """Whether lines are drawn (a table, a diagram, code), so that their line breaks and spaces carry meaning."""
    boxed = sum(bool(_BOX.search(line)) for line in lines)
    if boxed and boxed >= 0.4 * len(lines):
        return True
    text = "".join(lines).replace(" ", "")
    signs = len(_CODE_SIGNS.findall(text))
    indented = all(line.startswith(" " * (base_indent + 2)) for line in lines)
    if len(text) >= 4 and signs > (0.06 if indented else 0.15) * len(text):
        return len(lines) > 1 or indented
    if len(lines) < 2:
        return False
    stripped = [line.strip() for line in lines]
    gaps = sum(bool(_GAP.search(line[len(bullet_of(line)) :])) for line in stripped)
    return gaps >= 0.5 * len(lines) and not _is_justified(stripped)


def _is_justified(lines: Sequence[str]) -> bool:
    """Text set to both margins by doubled spaces: lines of one length with narrow gaps."""
    if len(lines) < 3 or any(" " * 4 in line for line in lines):
        return False
    lengths = [len(line) for line in lines[:-1]]
    return max(lengths) - min(lengths) <= 2


class Adornments:
    """Titles marked by a line of punctuation under (and over) them; levels by first appearance, as in reStructuredText."""

    def __init__(self) -> None:
        self._styles: list[str] = []

    def title(self, lines: Sequence[str]) -> tuple[str, int, int] | None:
        """(title, level from 1, lines used) when the chunk starts with an adorned title."""
        over = 1 if len(lines) >= 3 and _ADORNMENT.match(lines[0]) and _ADORNMENT.match(lines[2]) else 0
        if len(lines) < over + 2:
            return None
        title, under = lines[over].strip(), lines[over + 1]
        match = _ADORNMENT.match(under)
        if not match or _ADORNMENT.match(lines[over]) or not title or len(title) > 120 or "  " in title:
            return None
        if over and lines[0].strip()[0] != match.group(1):
            return None
        if not any(character.isalnum() for character in title) or len(under.strip()) < 0.5 * len(title):
            return None
        style = ("over" if over else "") + match.group(1)
        if style not in self._styles:
            self._styles.append(style)
        return title, self._styles.index(style) + 1, over + 2


def running_lines(pages: Sequence[Sequence[str]]) -> list[set[int]]:
    """Line numbers of running heads, feet and page numbers, for each page.

    With pages, those are first or last lines that come back with other digits on a third of the
    pages; without, lines that print a growing page number, and the heads that stand next to them.
    """
    if len(pages) == 1:
        return [_running_without_form_feeds(pages[0])]
    edges: list[list[int]] = []
    counts: Counter[str] = Counter()
    for lines in pages:
        filled = [number for number, line in enumerate(lines) if line.strip()]
        edge = sorted(set(filled[:3] + filled[-3:])) if len(filled) > 6 else sorted(set(filled[:1] + filled[-1:]))
        edges.append(edge)
        counts.update({_pattern(lines[number]) for number in edge})
    needed = max(3, len(pages) // 3)
    # A head counts when every page but the first has it, which takes two of them; with one there is nothing to compare.
    heads = (
        Counter(_pattern(lines[edge[0]]) for lines, edge in zip(pages[1:], edges[1:], strict=True) if edge)
        if len(pages) > 2
        else Counter[str]()
    )
    result: list[set[int]] = []
    for number, (lines, edge) in enumerate(zip(pages, edges, strict=True), 1):
        found = {at for at in edge if counts[_pattern(lines[at])] >= needed and len(lines[at].strip()) <= 120}
        found |= {at for at in edge[:1] + edge[-1:] if lines[at].strip().strip("-–[] ") == str(number)}
        # "[Page 3]" at the foot of page 3 is no text, and neither is the head that all following pages have.
        found |= {at for at in edge[-1:] if re.search(rf"\[?page\s+{number}\]?\s*$", lines[at], re.IGNORECASE)}
        found |= {at for at in edge[:1] if number > 1 and heads[_pattern(lines[at])] == len(pages) - 1 and len(lines[at].strip()) <= 120}
        result.append(found)
    return result


def _running_without_form_feeds(lines: Sequence[str]) -> set[int]:
    marked: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        match = _PAGE_MARK.search(line) if len(line.strip()) <= 100 else None
        if match and match.group(1) and line.rstrip().endswith(match.group()):
            marked.append((number, int(match.group(1))))
    growing = [at for (at, page), (_, later) in itertools.pairwise(marked) if later == page + 1]
    growing += [later for (_, page), (later, number) in itertools.pairwise(marked) if number == page + 1]
    if len(set(growing)) < 3:
        return set()
    found = set(growing)
    heads: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    for at in sorted(found):
        after = next((number for number in range(at + 1, min(at + 8, len(lines))) if lines[number].strip()), None)
        if after is not None and after not in found:
            pattern = _pattern(lines[after])
            heads[pattern] += 1
            places.setdefault(pattern, []).append(after)
    for pattern, count in heads.items():
        if count >= max(3, len(found) // 3):
            found.update(places[pattern])
    return found


def _pattern(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))
