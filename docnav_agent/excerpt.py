"""A short piece of a text for a prompt or an ablation: the sentences with most words of a question, as they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from assets_store.sentences import one_line, split_sentences
from assets_store.tokens import count_tokens

ELLIPSIS = "…"


def excerpt(text: str, terms: Iterable[str], tokenize: Callable[[str], Sequence[str]], limit: int) -> str:
    """At most `limit` tokens of a text on one line; the whole text where it fits.

    Sentences that hold most of the terms come first, equal ones in reading order, and stand in reading order in the result with
    an ellipsis for what is between. A first sentence that is too long is cut.
    """
    whole = one_line(text)
    if count_tokens(whole) <= limit:
        return whole
    wanted = frozenset(terms)
    sentences = [one_line(sentence.text) for sentence in split_sentences(text)]
    held = [len(wanted & frozenset(tokenize(sentence))) for sentence in sentences]
    left = limit
    chosen: list[int] = []
    for row in sorted(range(len(sentences)), key=lambda row: (-held[row], row)):
        size = count_tokens(sentences[row]) + 1
        if size <= left:
            chosen.append(row)
            left -= size
        elif not chosen:
            return cut(sentences[row], limit)
    pieces: list[str] = []
    for before, row in zip([-1, *sorted(chosen)], sorted(chosen), strict=False):
        if row != before + 1:
            pieces.append(ELLIPSIS)
        pieces.append(sentences[row])
    return " ".join(pieces)


def cut(text: str, limit: int) -> str:
    """The first `limit` tokens of a text, with an ellipsis where something is left out."""
    if count_tokens(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle]) < limit:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS


def snippet(text: str, terms: Iterable[str], tokenize: Callable[[str], Sequence[str]], limit: int) -> str:
    """A piece of a text exactly as it stands, without a gap: the best sentence and what follows, up to `limit` tokens."""
    wanted = frozenset(terms)
    sentences = split_sentences(text)
    if not sentences:
        return text
    held = [len(wanted & frozenset(tokenize(sentence.text))) for sentence in sentences]
    first = max(range(len(sentences)), key=lambda row: (held[row], -row))
    start = sentences[first].start
    end = start + len(sentences[first].text)
    for sentence in sentences[first + 1 :]:
        if count_tokens(text[start : sentence.start + len(sentence.text)]) > limit:
            break
        end = sentence.start + len(sentence.text)
    while count_tokens(text[start:end]) > limit:
        at = text.rfind(" ", start, end - 1)
        if at <= start:
            break
        end = at
    return text[start:end]
