"""Evidence recall at token budgets: docnav against bm25, dense and hybrid on the same paragraphs and vectors.

usage: python -m benchmarks.retrieval SHARED WORK [SET ...]

SHARED holds `tools/unpack_data.py`, `tools/score_evidence.py` and `data/qa`; WORK is a folder for unpacked sets, stores and results.
Questions that carry `docs` are asked with them; the first 200 of each set; sets are indexed as they come, `documents` only.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.page import table, write_part

SETS = ("emanualqa", "covid-qa", "2wikimultihopqa", "financebench", "mmlongbench-doc")
SYSTEMS = ("docnav", "bm25", "dense", "hybrid")
BUDGETS = (500, 1000, 2000, 4000)
FIRST = 200
DOCNAV = str(Path(sys.executable).with_name("docnav"))


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    shared, work, sets = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(SETS)
    rows = [row for name in sets for row in measure(shared, work, name)]
    head = ["set", "questions", "system", *(f"@{b}" for b in BUDGETS), *(f"all @{b}" for b in BUDGETS[1:3]), "seconds/question"]
    body = (
        f"First {FIRST} questions of each set. Columns: mean recall of gold evidence within the first N words of evidence, share of "
        "questions with all of it, mean seconds. Same paragraphs, same vectors, no language model. Best of each column and set in bold.\n\n"
        + table(head, bold_best(rows))
    )
    command = f"python -m benchmarks.retrieval {shared} WORK" + (f" {' '.join(sys.argv[3:])}" if sys.argv[3:] else "")
    write_part("retrieval", "Evidence recall at token budgets", command, body)
    print(table(head, rows))
    return 0


def prepare(shared: Path, work: Path, name: str) -> tuple[Path, Path]:
    """The first questions of a set as a file, and the store of its documents, indexed."""
    subprocess.run([sys.executable, str(shared / "tools/unpack_data.py"), str(work / "qa"), name], check=True, stdout=subprocess.DEVNULL)
    store = work / "stores" / name
    done = subprocess.run([DOCNAV, "index", str(work / "qa" / name / "documents"), "--store", str(store)], check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"indexing {name} ended with exit status {done.returncode}")
    questions = work / f"{name}.questions.jsonl"
    lines = (work / "qa" / name / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()[:FIRST]
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return questions, store


def measure(shared: Path, work: Path, name: str) -> list[list[str]]:
    """Rows of one set, one per system."""
    questions, store = prepare(shared, work, name)
    rows = []
    for system in SYSTEMS:
        evidence = work / f"{name}.{system}.jsonl"
        command = [DOCNAV, "retrieve", str(questions), "--out", str(evidence), "--system", system, "--store", str(store)]
        subprocess.run(command, check=True)
        scorer = [sys.executable, str(shared / "tools/score_evidence.py"), str(questions), str(evidence)]
        scored = subprocess.run([*scorer, "--budgets", ",".join(map(str, BUDGETS))], check=True, capture_output=True, text=True).stdout
        by_budget = [json.loads(line) for line in scored.splitlines()]
        seconds = [json.loads(line)["seconds"] for line in evidence.read_text(encoding="utf-8").splitlines()]
        recalls = [f"{row['recall']:.3f}" for row in by_budget]
        alls = [f"{row['all']:.3f}" for row in by_budget[1:3]]
        rows.append([name, str(by_budget[0]["questions"]), system, *recalls, *alls, f"{sum(seconds) / len(seconds):.2f}"])
    return rows


def bold_best(rows: list[list[str]]) -> list[list[str]]:
    """Rows with the highest value of each recall column in bold, set by set."""
    columns = range(3, 3 + len(BUDGETS) + 2)
    best = {(row[0], c): max(r[c] for r in rows if r[0] == row[0]) for row in rows for c in columns}
    return [[f"**{cell}**" if c in columns and cell == best[row[0], c] else cell for c, cell in enumerate(row)] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
