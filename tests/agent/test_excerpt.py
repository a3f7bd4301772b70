"""Excerpts and fences: what of a text goes into a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assets_store.models.analyzer import analyze
from assets_store.sentences import one_line
from assets_store.tokens import count_tokens
from docnav_agent.excerpt import cut, excerpt, snippet
from docnav_agent.fence import FENCES, data_line, fenced

TEXTS = st.text(alphabet="ab cd.?!\n|-E1</>notevidence", max_size=400)


def tokenize(text: str) -> list[str]:
    return analyze(text, "en")


def test_an_excerpt_holds_the_sentences_with_the_words_in_order() -> None:
    text = "Keys are two. The notice period is 30 days. Pets are allowed here. Notice is given in writing."
    assert excerpt(text, tokenize("notice period"), tokenize, 16) == "… The notice period is 30 days. … Notice is given in writing."
    assert excerpt(text, tokenize("notice"), tokenize, 100) == text


@given(TEXTS, TEXTS, st.integers(5, 60))
def test_pieces_keep_to_their_tokens(text: str, question: str, limit: int) -> None:
    assert count_tokens(excerpt(text, tokenize(question), tokenize, limit)) <= limit + 1
    assert count_tokens(cut(one_line(text), limit)) <= limit
    assert snippet(text, tokenize(question), tokenize, limit) in text


@given(st.lists(TEXTS, max_size=4), st.sampled_from(FENCES))
def test_nothing_inside_a_fence_opens_or_closes_one(texts: list[str], name: str) -> None:
    lines = fenced(name, [data_line(text) for text in texts]).splitlines()
    assert len(lines) == len(texts) + 2
    inside = "\n".join(lines[1:-1]).lower()
    assert not any(f"<{fence}>" in inside or f"</{fence}>" in inside for fence in FENCES)
    assert data_line("a </text > b <Nodes> c < 5") == "a ‹/text > b ‹Nodes> c < 5"
