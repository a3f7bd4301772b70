"""The harness over a made-up store: nothing finished is asked again, failures are marked, counted as 0 and tried again, losses are seen."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assets_store.errors import SettingsError, SourceError
from docnav_agent.baselines.parts.retriever import Retriever
from docnav_agent.evaluation.against import compare, read_base
from docnav_agent.evaluation.harness import Harness
from docnav_agent.evaluation.kept_rows import read_rows
from docnav_agent.evaluation.prompts import read_prompt
from docnav_agent.evaluation.report import write_report
from docnav_agent.evaluation.results import evaluation_json, read_pairs, write_results
from docnav_agent.evaluation.suite import Suite, read_suite
from docnav_agent.prompts import read_prompt as agent_prompt
from docnav_agent.systems import Question
from tests.endpoint import scripted_endpoint
from tests.factories import HashingEncoder, MadeDocument, make_store

HOSTILE = "<script>alert(1)</script>"
NOTICE = "The notice period of the lease is thirty days."
RINSE = "Rinse the pump with water every single week."
DOCUMENTS = [
    MadeDocument("lease.md", f"# Notice {HOSTILE}\n\n{NOTICE} {HOSTILE}\n\n# Rent\n\nThe rent is 900 euro a month."),
    MadeDocument("pump.md", f"# Cleaning\n\n{RINSE}\n\n# Safety\n\nSwitch the pump off first, always."),
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "notice",
        "question": f"How long is the notice period? {HOSTILE}",
        "answer": "thirty days",
        "gold_evidence": [{"doc": "lease.md", "text": NOTICE}],
    },
    {
        "id": "rinse",
        "question": "How often do I rinse the pump?",
        "answer": "every week",
        "docs": ["pump"],
        "gold_evidence": [{"doc": "pump.md", "text": RINSE}],
    },
    {"id": "price", "question": "What does the pump cost?", "answer": "", "unanswerable": True},
]
SYSTEMS = """[[system]]
name = "words"
system = "bm25"
[[system]]
name = "agent"
without = "LN"
[[system]]
name = "gold"
system = "oracle"
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_store(tmp_path_factory.mktemp("evaluation") / "store", DOCUMENTS).location)


def suite_of(folder: Path, store: str, head: str = "", systems: str = SYSTEMS, questions: list[dict[str, Any]] | None = None) -> Suite:
    (folder / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions or QUESTIONS))
    data_set = f'[[dataset]]\nname = "made"\npath = "q.jsonl"\nstore = "{store}"\n'
    (folder / "suite.toml").write_text(f"{head}{data_set}{systems}[intervals]\nresamples = 200\n")
    return read_suite(folder / "suite.toml")


def run(suite: Suite, out: Path) -> tuple[Harness, dict[str, Any], list[Any]]:
    """Run a suite, and its results and pairs."""
    harness = Harness(suite, out, encoder=HashingEncoder())
    done = [pair for entry in suite.dataset for pair in harness.run_data_set(entry, suite.system)]
    pairs = read_pairs(harness)
    return harness, evaluation_json(harness, pairs), [done, pairs]


def of(results: dict[str, Any], system: str) -> dict[str, Any]:
    (found,) = [result for result in results["results"] if result["system"] == system]
    return dict(found)


def test_finished_questions_are_not_asked_again_and_a_failure_is_0_counted_and_tried_again(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_of(tmp_path, store)
    asked: Counter[str] = Counter()
    broken = {"rinse"}
    real = Retriever.retrieve

    def retrieve(self: Retriever, question: Question, budget: Any) -> Any:
        asked[question.id] += 1
        if question.id in broken:
            raise RuntimeError("disk on fire")
        return real(self, question, budget)

    monkeypatch.setattr(Retriever, "retrieve", retrieve)
    harness, results, (done, _) = run(suite, tmp_path / "out")
    assert [(pair.system, pair.asked, pair.failed) for pair in done] == [("words", 3, 1), ("agent", 3, 0), ("gold", 3, 0)]
    words = of(results, "words")
    assert (words["questions"], words["failed"]) == (3, 1)
    assert words["statistics"]["recall@500"] == {"value": 0.5, "low": 0.0, "high": 1.0, "n": 2}
    assert of(results, "gold")["statistics"]["recall@500"]["value"] == of(results, "agent")["statistics"]["recall@500"]["value"] == 1.0
    # A broken question is asked again, a finished one is not; a new question is asked alone.
    broken.clear()
    more = [*QUESTIONS, {"id": "rent", "question": "How high is the rent?"}]
    harness, results, (done, pairs) = run(suite_of(tmp_path, store, questions=more), tmp_path / "out")
    assert [(pair.system, pair.asked, pair.failed) for pair in done] == [("words", 2, 0), ("agent", 1, 0), ("gold", 1, 0)]
    assert asked == {"notice": 1, "rinse": 2, "price": 1, "rent": 1}
    rows = {row["question_id"]: row for row in read_rows(tmp_path / "out" / "runs" / "made" / "words.parquet")}
    assert (rows["rinse"]["tries"], rows["rinse"]["status"], rows["notice"]["tries"]) == (2, "ok", 1)
    assert of(results, "words")["statistics"]["recall@500"]["value"] == 1.0
    (section,) = results["data_sets"]
    assert (section["questions"], section["with_gold"], section["unanswerable"], section["clusters"]) == (4, 2, 1, 4)
    assert {(c["system"], c["statistic"]) for c in results["comparisons"]} >= {("agent", "recall@500"), ("gold", "all@1000")}
    # The page escapes what documents and questions say, and loads nothing.
    page = write_report(harness, results, pairs).read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert page.count("<svg") == 1
    # Another budget is another question.
    _, _, (done, _) = run(suite_of(tmp_path, store, systems=f"[budget]\ntokens = 50\n{SYSTEMS}"), tmp_path / "out")
    assert [pair.asked for pair in done] == [3, 3, 3]


def test_a_loss_against_an_earlier_run_is_seen_and_a_gain_is_no_loss(store: str, tmp_path: Path) -> None:
    rows = [{**QUESTIONS[0], "id": f"n{n}"} for n in range(8)]
    systems = '[[system]]\nname = "words"\nsystem = "bm25"\n'
    harness, results, (_, pairs) = run(suite_of(tmp_path, store, 'gate = ["recall@500"]\n', systems, rows), tmp_path / "out")
    base = read_base(write_results(harness, results))
    same = compare(harness, pairs, base)
    assert (same.losses, same.changes, same.compared, same.notices) == ((), (), 1, ())
    lost = json.loads(json.dumps(base))
    at = lost["values"][0]["columns"].index("recall@500")
    for values in base["values"][0]["rows"].values():
        values[at] = 0.0
    assert [(change.statistic, change.lost) for change in compare(harness, pairs, base).changes] == [("recall@500", False)]
    for values in lost["values"][0]["rows"].values():
        values[at] = 2.0
    del lost["values"][0]["rows"]["n7"]
    lost["values"].append({**lost["values"][0], "system": "gone"})
    found = compare(harness, pairs, lost)
    assert [(change.statistic, change.difference.n) for change in found.losses] == [("recall@500", 7)]
    assert found.notices == ("made words: 7 questions are in both runs, of 7 then and 8 now", "made gone: not in this run")
    with pytest.raises(SourceError, match="nothing in the two runs can be compared"):
        compare(harness, pairs, {**lost, "values": []})
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(SourceError, match="holds no results of the format"):
        read_base(tmp_path / "other.json")


def test_an_endpoint_that_fails_for_a_while_leaves_questions_that_are_asked_and_judged_again(store: str, tmp_path: Path) -> None:
    up = {"answers": False, "judge": False}
    calls: Counter[str] = Counter()

    def say(request: dict[str, Any]) -> str | int:
        said = request["messages"][0]["content"]
        what = {agent_prompt("answer_open"): "answers", read_prompt("closed_book"): "closed"}.get(said, "judge")
        calls[what] += 1
        if not up["answers"] or (what == "judge" and not up["judge"]):
            return 500
        if what == "closed":
            return json.dumps({"answer": "thirty days"})
        if what == "judge":
            return json.dumps({"steps": [], "explanation": "It is there.", "label": 1})
        evidence = request["messages"][1]["content"]
        text = NOTICE if "notice" in evidence else RINSE
        name = next(line.split("]")[0][1:] for line in evidence.splitlines() if line.startswith("[E") and text[:20] in line)
        return json.dumps({"statements": [{"text": text, "evidence": [name]}], "missing": []})

    with scripted_endpoint(say) as endpoint:
        llm = f'base_url = "{endpoint.base_url}"\nmodel = "made-up"\nmax_retries = 0\n'
        systems = (
            '[[system]]\nname = "fused"\nsystem = "hybrid"\n[[system]]\nname = "memory"\nsystem = "no-retrieval"\n'
            '[metrics]\nnames = ["token_f1", "sufficiency", "answerability", "similarity"]\n'
            f"[llm]\n{llm}prompt_price = 1000.0\n[judge]\n{llm}"
        )
        suite = suite_of(tmp_path, store, 'answer = "llm"\n', systems, QUESTIONS[:2])
        _, results, (done, _) = run(suite, tmp_path / "out")
        assert [(pair.asked, pair.failed) for pair in done] == [(2, 2), (2, 2)]
        assert of(results, "fused")["statistics"]["token_f1"]["value"] == 0.0
        assert of(results, "fused")["statistics"]["similarity"]["n"] == 2
        # The endpoint is back, the judge is not: answers are asked again, and their verdicts are missing.
        up["answers"] = True
        _, results, (done, _) = run(suite, tmp_path / "out")
        assert [(pair.asked, pair.failed) for pair in done] == [(2, 2), (2, 0)]
        fused = of(results, "fused")
        assert (fused["failed"], fused["unscored"]) == (0, 2)
        assert fused["statistics"]["sufficient"] == {"value": 0.0, "low": 0.0, "high": 0.0, "n": 2}
        assert fused["statistics"]["token_f1"]["value"] > 0.3
        assert (
            fused["cost"]["per_question"] | {"llm_calls": 1.0, "prompt_tokens": 100.0, "completion_tokens": 10.0, "cost": 0.1}
            == fused["cost"]["per_question"]
        )
        assert of(results, "memory")["statistics"]["token_f1"]["value"] > 0.3
        # With the judge only the verdicts are asked for; after that nothing is.
        up["judge"] = True
        before = dict(calls)
        harness, results, (done, pairs) = run(suite, tmp_path / "out")
        assert [(pair.asked, pair.failed) for pair in done] == [(0, 0), (0, 0)]
        assert {what: calls[what] - before[what] for what in calls} == {"answers": 0, "closed": 0, "judge": 2}
        assert of(results, "fused")["statistics"]["sufficient"]["value"] == 1.0
        assert of(results, "fused")["judge_cost"]["llm_calls"] == 2
        run(suite, tmp_path / "out")
        assert calls["judge"] == before["judge"] + 2
    verdicts = [row for row in read_rows(tmp_path / "out" / "scores" / "made" / "fused.parquet") if row["metric"] == "sufficiency"]
    assert all(row["judge"] == "made-up" and len(row["prompts"]) == 1 and "It is there." in row["why"] for row in verdicts)
    assert results["judge_is_answerer"]
    assert "The judge made-up also wrote answers" in write_report(harness, results, pairs).read_text()


def test_a_document_that_is_not_there_stops_before_the_first_question(store: str, tmp_path: Path) -> None:
    suite = suite_of(tmp_path, store, questions=[{"id": "x", "question": "?", "docs": ["leese.md"]}])
    with pytest.raises(SettingsError, match=r"data set made, question x: .*lease"):
        run(suite, tmp_path / "out")
    assert not (tmp_path / "out" / "runs").exists()
