"""Gold evidence of the example questions stands in the example corpus, and the corpus agrees with itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from bs4 import BeautifulSoup

EXAMPLES = Path(__file__).parents[2] / "examples"
CORPUS = EXAMPLES / "corpus"
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
GOLD = [(question["id"], gold) for question in QUESTIONS for gold in question["gold_evidence"]]
MANUALS = ["reed-400-manual.md", "revision-3/reed-400-manual-r3.md"]


def one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def pages(name: str) -> tuple[str, ...]:
    """Text of a document by page; one page where the format has none. name: as in the questions."""
    for path in sorted(CORPUS.rglob("*")):
        if path.suffix == ".jsonl":
            for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                if row["id"] == name:
                    return (one_line(row["text"]),)
        elif path.name == name and path.suffix == ".pdf":
            with pypdfium2.PdfDocument(path) as pdf:
                return tuple(one_line(page.get_textpage().get_text_bounded()) for page in pdf)
        elif path.name == name and path.suffix == ".html":
            return (one_line(BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").get_text()),)
        elif path.name == name:
            return (one_line(path.read_text(encoding="utf-8")),)
    raise AssertionError(f"{name} is not in the corpus")


@pytest.mark.parametrize(("question_id", "gold"), GOLD, ids=[f"{question_id}-{n}" for n, (question_id, _) in enumerate(GOLD)])
def test_gold_text_stands_in_its_document(question_id: str, gold: dict[str, Any]) -> None:
    texts = pages(gold["doc"])
    wanted = texts[gold["page"] - 1] if "page" in gold else " ".join(texts)
    assert one_line(gold["text"]) in wanted, question_id
    if "section" in gold:
        assert gold["section"] in " ".join(texts), question_id


def test_questions_have_distinct_ids_and_gold_unless_unanswerable() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        assert bool(question["gold_evidence"]) != question.get("unanswerable", False), question["id"]
        assert all(pages(name) for name in question.get("docs", [])), question["id"]


def headings(text: str) -> Iterator[str]:
    return (match[1] for match in re.finditer(r"^#+ (.+)$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", MANUALS)
def test_links_and_section_numbers_of_a_manual_lead_to_a_heading(name: str) -> None:
    text = (CORPUS / name).read_text(encoding="utf-8")
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings(text)}
    numbers = {title.split()[0] for title in headings(text)}
    links = re.findall(r"\]\(#([^)]+)\)", text)
    cited = re.findall(r"sections? (\d+\.\d+)", text)
    assert links
    assert cited
    assert set(links) <= anchors
    assert set(cited) <= numbers


def test_file_links_of_the_corpus_lead_to_a_file_and_heading() -> None:
    for path in sorted(CORPUS.rglob("*")):
        if path.suffix not in {".md", ".html"}:
            continue
        for target in re.findall(r"(?:\]\(|href=\")([^)\"#]+(?:#[^)\"]+)?)", path.read_text(encoding="utf-8")):
            file, _, anchor = target.partition("#")
            linked = path.parent / file
            assert linked.is_file(), (path.name, target)
            slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings(linked.read_text(encoding="utf-8"))}
            assert not anchor or anchor in slugs, (path.name, target)
