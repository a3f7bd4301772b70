"""Names that a recogniser trained on news misses: part numbers, commands, API names, clause numbers, error codes, acronyms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_MAX_CHARACTERS = 80
_MIN_CHARACTERS = 2

# Alternatives in order of preference: the first that fits at a place wins.
_IDENTIFIER = re.compile(
    r"""
    (?<![\w@/.-])
    (?:
      (?P<ERROR>0[xX][0-9A-Fa-f]{3,16}\b
        | (?i:error|fault|alarm|exit|status|stop|trouble)\s+(?i:codes?\s+)?[#]?(?P<code>[A-Z]{0,4}-?\d{1,6}[A-Z]?)\b)
    | (?P<COMMAND>--[A-Za-z][\w-]+)
    | (?P<FILE>[A-Za-z0-9_][\w.-]*\.(?:txt|toml|json|ya?ml|ini|conf|cfg|log|csv|md|py|sh|bat
                  |xml|html?|exe|dll|jar|sql|pdf|docx?|xlsx?|pptx?|zip)(?!\w))
    | (?P<PATH>(?:~|\.{1,2})?/[\w.+@-]+(?:/[\w.+@-]+)+/?)
    | (?P<API>
          [A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(\)          # function(), module.function()
        | [A-Za-z_]\w*::\w+(?:::\w+)*                             # Type::member
        | [A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+                  # snake_case, UPPER_CASE
        | (?=[A-Z0-9]*[a-z])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+     # CamelCase
        | [a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+                       # camelCase
      )
    | (?P<ID>
          [A-Z]{2,6}(?:/[A-Z]{2,6})?[ ]\d{3,6}(?:-\d{1,4})*(?::\d{4})?          # ISO 9001, IEC 60601-1:2005
        | (?=[A-Za-z0-9/.-]*\d)(?=[A-Za-z0-9/.-]*[A-Z])[A-Za-z0-9]+(?:[-/.][A-Za-z0-9]+)+   # X-200, MIL-STD-810G
        | [A-Z]{1,5}\d{2,}[A-Z0-9]*                               # GT3200
        | [A-Z]{2,}\d[A-Z0-9]*                                    # FOXP3
        | [A-Z](?:\d+[A-Z]+)+\d*                                  # H1N1
        | \d{1,5}[A-Z]{1,4}\d+[A-Z0-9]*                           # 3M5200
      )
    | (?P<CLAUSE>[vV]?\d{1,3}(?:\.\d{1,3}){2,})
    )
    (?![\w@]|[-/][A-Za-z0-9])
    """,
    re.VERBOSE,
)
_URL = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")

_SHORT = r"[A-Z][A-Za-z0-9&./-]{0,8}[A-Z0-9]"
_LONG_THEN_SHORT = re.compile(rf"\((?P<short>{_SHORT})s?\)")
_SHORT_THEN_LONG = re.compile(rf"(?<!\w)(?P<short>{_SHORT})\s\((?P<long>[A-Za-z][^()\n]{{4,80}})\)")
_WORD_BREAK = re.compile(r"[\s/–—-]+")


def find_identifiers(text: str) -> Counter[tuple[str, str]]:
    """Identifiers of a text with their counts, as (text, label).

    Labels: `ERROR` (0x80070005, or the code behind "error"), `COMMAND` (--option), `FILE`, `PATH`, `API` (snake_case, CamelCase,
    call()), `ID` (X-200, ISO 9001) and `CLAUSE` (4.2.1). Inside web and mail addresses nothing is looked for.
    """
    found: Counter[tuple[str, str]] = Counter()
    for match in _IDENTIFIER.finditer(_URL.sub(" ", text)):
        label = match.lastgroup if match.lastgroup != "code" else "ERROR"
        name = match["code"] or match[0]
        if label and _MIN_CHARACTERS <= len(name) <= _MAX_CHARACTERS:
            found[name, label] += 1
    return found


def find_acronyms(text: str) -> dict[str, str]:
    """Acronyms that a text explains, as short form -> long form: "Evidence Graph (EG)" and "EG (Evidence Graph)".

    A long form begins with the first letter of the short one and holds its letters in order, each capital at the start of a
    word where that is possible; it has at most two words more than the short form has letters. The first explanation counts.
    After the rule of Schwartz and Hearst, PSB 2003.
    """
    found: dict[str, str] = {}
    for match in _LONG_THEN_SHORT.finditer(text):
        line = text[max(0, match.start() - 120) : match.start()].rpartition("\n")[2]
        long = _long_form(match["short"], line)
        if long:
            found.setdefault(match["short"], long)
    for match in _SHORT_THEN_LONG.finditer(text):
        long = _long_form(match["short"], match["long"])
        if long and len(_WORD_BREAK.split(match["long"].strip())) <= len(_WORD_BREAK.split(long)):
            found.setdefault(match["short"], long)
    return found


def count_acronyms(text: str, known: Iterable[tuple[str, str]]) -> Counter[str]:
    """Mentions of explained acronyms (short, long), by "Long form (SHORT)". A mention is the short or the long form as printed."""
    counts: Counter[str] = Counter()
    for short, long in known:
        if short not in text and long not in text:
            continue
        n = len(re.findall(rf"(?<!\w){re.escape(short)}(?:s?)(?!\w)", text)) + text.count(long)
        # "Evidence Graph (EG)" is one mention, not two.
        n -= len(re.findall(rf"{re.escape(long)}\s\({re.escape(short)}s?\)", text))
        if n > 0:
            counts[acronym_name(short, long)] += n
    return counts


def acronym_name(short: str, long: str) -> str:
    return f"{long} ({short})"


def split_acronym(name: str) -> tuple[str, str] | None:
    """(short, long) of a name made by `acronym_name`, None for another."""
    match = re.fullmatch(rf"(?P<long>.+) \((?P<short>{_SHORT})\)", name)
    return (match["short"], match["long"]) if match else None


def _long_form(short: str, before: str) -> str:
    """The shortest end of `before` that spells `short`, "" for none."""
    letters = [c.casefold() for c in short if c.isalnum()]
    if len(letters) < 2 or not any(c.isalpha() for c in letters):
        return ""
    words = list(re.finditer(r"[^\s()\[\],;:]+", before.rstrip()))[-(len(letters) + 2) :]
    for first in range(len(words) - 1, -1, -1):
        span = before[words[first].start() :].strip(" ,;:")
        if re.search(r"[,;:()\[\]]", span):
            return ""
        parts = [p for p in _WORD_BREAK.split(span.casefold()) if p]
        if len(parts) >= 2 and parts[0][0] == letters[0] and _spells(letters, parts):
            return span
    return ""


def _spells(letters: list[str], words: list[str]) -> bool:
    """Letters in order over words: the next one starts a later word or goes on inside the same; at most two words are skipped."""
    word, at, skipped = 0, 1, 0
    for letter in letters[1:]:
        ahead = next((w for w in range(word + 1, len(words)) if words[w][0] == letter), None)
        inside = words[word].find(letter, at)
        if ahead is not None:
            skipped += ahead - word - 1
            word, at = ahead, 1
        elif inside >= 0:
            at = inside + 1
        else:
            return False
    return skipped + len(words) - 1 - word <= 2 and word == len(words) - 1
