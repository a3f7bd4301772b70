"""Whether evidence carries a written sentence: that its citations exist, its quotations stand there, its numbers, names and words too.

The check is by text and, where there is an encoder, by likeness to a sentence of the evidence. It cannot see a turned meaning in the same
words ("may" for "may not"); what it finds missing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assets_store.sentences import one_line, split_sentences
from docnav_agent.answer import Encode, Quote, Tokenize

if TYPE_CHECKING:
    from docnav_agent.evidence import EvidenceItem

# Share of the words that a sentence adds to the question which evidence must hold; less where a sentence of it says nearly the same.
MIN_WORDS_HELD = 0.6
MIN_WORDS_HELD_IF_ALIKE = 0.34
MIN_LIKENESS = 0.6
# A quotation of fewer characters is a word in quotation marks, such as the name of a button.
MIN_QUOTATION = 16

_SAID_MARKS = re.compile(r"\s*[\[(]\s*E\d{1,4}(?:\s*[,;]\s*E\d{1,4})*\s*[\])]")
_SAID_ID = re.compile(r"E(\d{1,4})")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTATION = re.compile(r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]+")
_QUOTES = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})


@dataclass(frozen=True, slots=True)
class Verified:
    """One sentence with its verdict. evidence: ids that carry it, or that it cites where none does.

    fault: why it is not carried, empty when it is. quotes: the sentence of each source that is nearest to it.
    attributed: the sentence cited other evidence, or none, and this was found to carry it.
    """

    text: str
    evidence: tuple[str, ...]
    quotes: tuple[Quote, ...] = ()
    fault: str = ""
    attributed: bool = False


def said_ids(values: Iterable[str]) -> tuple[str, ...]:
    """Evidence ids in what a model said: "E1", "[E01, E2]" give E01 and E02."""
    return tuple(dict.fromkeys(f"E{int(number):02d}" for value in values for number in _SAID_ID.findall(value)))


def verify(
    text: str,
    cited: Sequence[str],
    evidence: Mapping[str, EvidenceItem],
    given: str,
    tokenize: Tokenize,
    encode: Encode | None = None,
) -> list[Verified]:
    """Each sentence of a statement with its verdict.

    cited: what the statement names; marks inside the text count too. given: text that needs no evidence: the question, an option.
    """
    found = []
    for sentence in split_sentences(text):
        marked = said_ids(_SAID_MARKS.findall(sentence.text))
        plain = one_line(_SAID_MARKS.sub("", sentence.text))
        if any(character.isalnum() for character in plain):
            found.append(_verify(plain, marked or said_ids(cited), evidence, given, tokenize, encode))
    return found


def _verify(
    text: str, cited: Sequence[str], evidence: Mapping[str, EvidenceItem], given: str, tokenize: Tokenize, encode: Encode | None
) -> Verified:
    known = [name for name in cited if name in evidence]
    unknown = [name for name in cited if name not in evidence]
    fault = f"cites {', '.join(unknown)}, which is no evidence of this answer" if unknown else "cites no evidence"
    if known:
        fault = _fault(text, [evidence[name].text for name in known], given, tokenize, encode)
        if not fault:
            return Verified(text, tuple(known), _sources(text, [evidence[name] for name in known], tokenize))
    for name, item in evidence.items():
        if name not in known and not _fault(text, [item.text], given, tokenize, encode):
            return Verified(text, (name,), _sources(text, [item], tokenize), attributed=True)
    return Verified(text, tuple(cited), fault=fault)


def _fault(text: str, sources: Sequence[str], given: str, tokenize: Tokenize, encode: Encode | None) -> str:
    """What of a sentence its sources do not hold; empty for nothing."""
    held = _plain(" ".join(sources))
    allowed = held + " " + _plain(given)
    for groups in _QUOTATION.findall(text):
        quotation = next(group for group in groups if group)
        if len(quotation) >= MIN_QUOTATION and _plain(quotation).strip(" .,;:") not in held:
            return f"quotes {one_line(quotation)[:60]!r}, which does not stand in its evidence"
    fault = _missing_numbers(text, held, allowed)
    if fault:
        return fault
    names = [name for name in _NAME.findall(text) if name.casefold().removesuffix("'s") not in allowed]
    if names:
        return f"names {names[0]!r}, which does not stand in its evidence"
    terms = frozenset(tokenize(text))
    source_terms = frozenset(term for source in sources for term in tokenize(source))
    if not terms & source_terms:
        return "shares no word with its evidence"
    new = terms - frozenset(tokenize(given))
    share = len(new & source_terms) / len(new) if new else 1.0
    if share >= MIN_WORDS_HELD:
        return ""
    if share >= MIN_WORDS_HELD_IF_ALIKE and encode is not None and _likeness(text, sources, encode) >= MIN_LIKENESS:
        return ""
    return f"its evidence holds {share:.0%} of its words"


def _missing_numbers(text: str, held: str, allowed: str) -> str:
    """A number that sources and question lack. One that was worked out is allowed beside two that the sources hold."""
    numbers = [_number(match) for match in _NUMBER.findall(text)]
    known = {_number(match) for match in _NUMBER.findall(allowed)}
    sourced = {_number(match) for match in _NUMBER.findall(held)}
    missing = [number for number in dict.fromkeys(numbers) if number not in known]
    if missing and not (len(missing) == 1 and len({number for number in numbers if number in sourced}) >= 2):
        return f"says {missing[0]}, which does not stand in its evidence"
    return ""


def _likeness(text: str, sources: Sequence[str], encode: Encode) -> float:
    sentences = [one_line(sentence.text)[:1000] for source in sources for sentence in split_sentences(source)]
    vectors = encode([text, *sentences])
    return float(np.max(vectors[1:] @ vectors[0]))


def _sources(text: str, items: Sequence[EvidenceItem], tokenize: Tokenize) -> tuple[Quote, ...]:
    """The sentence of each item with most words of a text."""
    terms = frozenset(tokenize(text))
    quotes = []
    for item in items:
        sentences = split_sentences(item.text)
        shares = [len(terms & frozenset(tokenize(sentence.text))) / max(1, len(terms)) for sentence in sentences]
        if sentences:
            best = max(range(len(sentences)), key=lambda row: (shares[row], -row))
            quotes.append(Quote(item.evidence_id, sentences[best].text, sentences[best].start, round(shares[best], 4)))
    return tuple(quotes)


def _plain(text: str) -> str:
    return one_line(text).translate(_QUOTES).casefold()


def _number(text: str) -> str:
    """ "1577" for "1,577"; "0.5" and "0,5" stay apart from 5."""
    parts = re.split(r"[.,]", text)
    grouped = len(parts) > 1 and len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    whole = "".join(parts) if grouped else ".".join(parts)
    return whole.lstrip("0") or "0"
