"""Suite files: paths made whole, and one clear line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import DocnavError, SettingsError
from docnav_agent.evaluation.suite import chosen, read_suite

SMALL = '[[dataset]]\nname = "a"\npath = "q.jsonl"\n[[system]]\nname = "bm25"\nsystem = "bm25"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(text)
    return path


def test_paths_are_relative_to_the_suite_and_may_name_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[folders]\ndata = "sets"\nstores = "$SOMEWHERE"\n[[dataset]]\nname = "a"\npath = "{data}/q.jsonl"\nstore = "{stores}/a"\n'
    path = write(tmp_path, text + '[[dataset]]\nname = "b"\npath = "q.jsonl"\nstore = "s3://bucket/b"\n' + SMALL[SMALL.index("[[system") :])
    monkeypatch.delenv("SOMEWHERE", raising=False)
    with pytest.raises(SettingsError, match=r"data set a: store = '\{stores\}/a' needs the folder stores; give it with --folder stores="):
        read_suite(path)
    monkeypatch.setenv("SOMEWHERE", str(tmp_path / "stores"))
    a, b = read_suite(path).dataset
    assert (a.path, a.store) == (str(tmp_path / "sets/q.jsonl"), str(tmp_path / "stores/a"))
    assert (b.path, b.store, b.documents) == (str(tmp_path / "q.jsonl"), "s3://bucket/b", "")
    assert read_suite(path, {"data": str(tmp_path)}).dataset[0].path == str(tmp_path / "q.jsonl")


def test_the_suite_of_six_data_sets_needs_two_folders(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples" / "six-sets.toml"
    with pytest.raises(SettingsError, match="needs the folder data"):
        read_suite(path)
    suite = read_suite(path, {"data": str(tmp_path / "qa"), "stores": str(tmp_path / "stores")})
    assert [entry.path for entry in suite.dataset] == [str(tmp_path / "qa" / entry.name / "questions_dev.jsonl") for entry in suite.dataset]
    assert (len(suite.dataset), len(suite.system)) == (6, 11)


def test_a_suite_without_answers_measures_evidence_and_fills_the_budget(tmp_path: Path) -> None:
    suite = read_suite(write(tmp_path, SMALL))
    assert (suite.metric_names, suite.fill) == (["evidence", "documents", "last_gold"], True)
    answering = read_suite(write(tmp_path, f'answer = "extractive"\n{SMALL}'))
    assert set(answering.metric_names) >= {"token_f1", "similarity", "choice", "options", "answerability"}
    assert not {"bertscore", "correctness", "sufficiency"} & set(answering.metric_names)
    assert not answering.fill
    # Words of a table have up to two tokens, and the largest budget of words is to be filled.
    assert (suite.evidence_tokens, answering.evidence_tokens) == (8000, 6000)
    assert read_suite(write(tmp_path, f"[budget]\ntokens = 50\n{SMALL}")).spending["tokens"] == 50
    assert chosen(suite, ["a"], ["bm25"]) == suite
    with pytest.raises(SettingsError, match="the suite has no system 'dense'; it has: bm25"):
        chosen(suite, (), ["dense"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"dataset: Field required"),
        ("x = ", "is not valid TOML"),
        (f"speed = 1\n{SMALL}", "speed: Extra inputs are not permitted"),
        (SMALL.replace('"a"', '"../a"'), r"dataset\.0\.name: String should match pattern"),
        (SMALL + SMALL[SMALL.index("[[system") :], "every system needs a name of its own"),
        (SMALL.replace('system = "bm25"', 'system = "bm24"'), "system bm25: unknown system 'bm24'; expected one of: docnav, bm25"),
        (SMALL + 'without = "XX"\n', "unknown ablation 'XX'"),
        (SMALL + 'controller = "chess"\n', "unknown controller 'chess'"),
        (SMALL.replace('path = "q', 'format = "odd"\npath = "q'), "data set a: unknown format 'odd'"),
        (f'{SMALL}[metrics]\nnames = ["bleu"]\n', "unknown metrics bleu; expected some of: evidence"),
        (f'{SMALL}[metrics]\nnames = ["token_f1"]\n', "the metric token_f1 needs answers"),
        (f'answer = "llm"\n{SMALL}[metrics]\nnames = ["sufficiency"]\n', "the metric sufficiency needs a judge"),
        (f"{SMALL}[judge]\nmax_output_tokens = 1024\n", r"judge\.max_output_tokens: .*greater than or equal to 8192"),
        (f'reference = "dense"\n{SMALL}', "reference names no system of the suite: 'dense'"),
        (f"[budget]\ntokens = 0\n{SMALL}", r"budget\.tokens: .*greater than or equal to 50"),
        (f"{SMALL}[metrics]\nbudgets = [0]\n", "budgets lie in 1 to 100,000 words"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DocnavError, match=message):
        read_suite(write(tmp_path, text))
