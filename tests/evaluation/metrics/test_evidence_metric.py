"""Evidence recall, all found and precision at budgets; documents; the way to the last gold item. By hand, and against the shared scorer."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.metrics.base import Tools
from docnav_agent.evaluation.metrics.documents import Documents
from docnav_agent.evaluation.metrics.evidence import Evidence
from docnav_agent.evaluation.metrics.last_gold import LastGold
from docnav_agent.evaluation.outcome import Fetched, Outcome
from docnav_agent.systems import Question
from tests.evaluation.made import FAILED, case, fetched

SCORER = Path(os.environ.get("DOCNAV_TEST_DATA", Path(__file__).parents[4] / "shared" / "data")).parent / "tools" / "score_evidence.py"
TOOLS = Tools()
TEN = " ".join(f"word{n}" for n in range(10))
TWENTY = " ".join(f"page{n}" for n in range(20))


def values(gold: list[Gold], evidence: tuple[Fetched, ...], *budgets: int) -> dict[str, float]:
    return dict(Evidence(budgets).measure(case(gold=gold), Outcome(evidence), TOOLS).values)


def test_gold_text_is_found_from_six_trigrams_of_ten_on() -> None:
    gold = [Gold("lease", TEN)]  # 8 trigrams, of which 0.6 * 8 = 4.8 must be there
    assert values(gold, fetched("word0 word1 word2 word3 word4 word5"), 100)["recall@100"] == 0.0  # 4 of 8
    assert values(gold, fetched("word0 word1 word2 word3 word4 word5 word6"), 100)["recall@100"] == 1.0  # 5 of 8
    apart = fetched("word0 word1 word2 word3", "other", "word4 word5 word6 word7 word8")
    assert values(gold, apart, 100) == {"recall@100": 1.0, "all@100": 1.0, "precision@100": 0.9, "words@100": 10.0}
    assert values(gold, fetched(TEN, doc="manual.md"), 100)["recall@100"] == 0.0


def test_evidence_is_cut_at_the_budget_in_the_middle_of_an_item() -> None:
    gold = [Gold("lease.md", TEN), Gold("lease.md", "30 days")]
    found = values(gold, fetched("Nothing here", f"{TEN} and 30 days"), 8, 9, 15, 100)
    assert [found[f"words@{budget}"] for budget in (8, 9, 15, 100)] == [8, 9, 15, 15]
    assert [found[f"recall@{budget}"] for budget in (8, 9, 15)] == [0.0, 0.5, 1.0]
    assert [found[f"all@{budget}"] for budget in (8, 9, 15)] == [0.0, 0.0, 1.0]
    assert found["precision@9"] == pytest.approx(7 / 9)
    assert found["precision@15"] == pytest.approx(12 / 15)


def test_a_gold_page_is_found_by_an_item_that_spans_two_pages_and_holds_twenty_words() -> None:
    gold = [Gold("lease.pdf", page=3)]
    on_page = fetched(TWENTY, doc="lease.pdf", page_start=3, page_end=4)
    assert values(gold, on_page, 100, 19) == {
        "recall@19": 0.0,
        "all@19": 0.0,
        "precision@19": 0.0,
        "words@19": 19.0,
        "recall@100": 1.0,
        "all@100": 1.0,
        "precision@100": 1.0,
        "words@100": 20.0,
    }
    assert values(gold, fetched(TWENTY, doc="lease.pdf", page_start=2, page_end=4), 100)["recall@100"] == 0.0
    assert values(gold, fetched(TWENTY, doc="lease.pdf"), 100)["recall@100"] == 0.0
    assert values(gold, fetched(TWENTY, doc="lease.pdf", page_start=3), 100)["recall@100"] == 1.0


def test_no_evidence_and_a_failure_are_zero_and_no_gold_is_no_value() -> None:
    metric = Evidence([100])
    assert set(metric.measure(case(gold=[Gold("lease", TEN)]), FAILED, TOOLS).values.values()) == {0.0}
    unanswerable = case(gold=[Gold("lease", TEN)], answerable=False)
    for none in (case(), case(gold=[Gold("lease")]), unanswerable):
        assert metric.measure(none, Outcome(fetched(TEN)), TOOLS).values == {}
        assert metric.columns(none) == ()
    # Gold of marks only holds no word; its page counts.
    assert values([Gold("lease", "§ —", 3)], fetched(TWENTY, page_start=3), 100)["recall@100"] == 1.0


def test_a_gold_document_is_found_by_twenty_words() -> None:
    metric = Documents([100])
    gold = case(gold=[Gold("a.pdf"), Gold("b"), Gold("a")])
    nine = " ".join(TWENTY.split()[:9])
    some = Outcome((*fetched(TWENTY, doc="a.pdf"), *fetched(nine, nine, doc="b.pdf")))
    assert metric.measure(gold, some, TOOLS).values == {"documents@100": 0.5}
    assert metric.measure(gold, FAILED, TOOLS).values == {"documents@100": 0.0}
    assert metric.measure(case(), some, TOOLS).values == {}


def test_the_way_to_the_last_gold_item_counts_words_of_the_ranking_and_steps_of_the_run() -> None:
    gold = case(gold=[Gold("lease", TEN), Gold("lease", "30 days")])
    evidence = (*fetched("30 days it is", step=5), *fetched("Nothing", step=1), *fetched(TEN, step=2), *fetched("More", step=3))
    metric = LastGold()
    assert metric.measure(gold, Outcome(evidence), TOOLS).values == {"reached": 1.0, "words_to_last_gold": 15.0, "steps_to_last_gold": 5.0}
    assert metric.measure(gold, Outcome(evidence[:2]), TOOLS).values == {"reached": 0.0}
    assert metric.measure(gold, FAILED, TOOLS).values == {"reached": 0.0}


WORDS = st.lists(st.sampled_from(["ada", "Boole", "crane,", "30", "気", "über", "…"]), max_size=14).map(" ".join)
GOLD = st.builds(Gold, doc=st.sampled_from(["a.pdf", "dir/b"]), text=WORDS, page=st.none() | st.integers(1, 4))
PAGES = st.sampled_from([(None, None), (1, None), (1, 1), (2, 3), (1, 3), (4, 4)])
ITEMS = st.builds(
    lambda doc, text, pages, times: Fetched(doc, " ".join([text] * times), *pages),
    st.sampled_from(["a", "b.md"]),
    WORDS,
    PAGES,
    st.integers(1, 3),
)


@pytest.mark.skipif(not SCORER.exists(), reason=f"the shared scorer is not at {SCORER}; DOCNAV_TEST_DATA names the folder beside it")
@given(st.lists(GOLD, min_size=1, max_size=3), st.lists(ITEMS, max_size=5), st.integers(1, 60))
def test_recall_and_all_found_are_those_of_the_shared_scorer(gold: list[Gold], evidence: list[Fetched], budget: int) -> None:
    scorer = _scorer()
    rows = [{"doc": e.doc, "text": e.text, "page_start": e.page_start, "page_end": e.page_end} for e in evidence]
    texts, pages, used = scorer.within(rows, budget)
    hits = [scorer.found({"doc": g.doc, "text": g.text, "page": g.page}, texts, pages) for g in gold if g.text or g.page is not None]
    asked = Case(Question("q", "?"), gold=tuple(gold))
    measured = Evidence([budget]).measure(asked, Outcome(tuple(evidence)), TOOLS).values
    if not hits:
        assert measured == {}
        return
    assert measured[f"recall@{budget}"] == pytest.approx(sum(hits) / len(hits), abs=1e-6)
    assert measured[f"all@{budget}"] == float(all(hits))
    assert measured[f"words@{budget}"] == used
    assert 0 <= measured[f"precision@{budget}"] <= 1


def _scorer() -> Any:
    spec = importlib.util.spec_from_file_location("score_evidence", SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
