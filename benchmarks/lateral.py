"""What lateral navigation is worth: evidence recall with EXPAND on and off, and with one kind of edge at a time.

usage: python -m benchmarks.lateral SHARED WORK [SET ...]

SHARED holds `tools/unpack_data.py`, `tools/score_evidence.py` and `data/qa`; WORK is a folder for unpacked sets and stores, the one of
`benchmarks.retrieval` where that ran. The controller is `rules`; the first 200 questions of each set, which carry `docs` where the set has
them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from assets_store.models.encoder import load_encoder
from assets_store.store import Store
from benchmarks.page import table, write_part
from benchmarks.retrieval import FIRST, prepare
from docnav_agent.budget import Budget
from docnav_agent.controllers.rules import EDGE_BONUS
from docnav_agent.graph import Graph
from docnav_agent.nodes import Edge
from docnav_agent.questions import read_questions
from docnav_agent.search import Search
from docnav_agent.systems import SystemOptions, system

SETS = ("2wikimultihopqa", "emanualqa", "covid-qa")
BUDGETS = (1000, 2000)


class PartialGraph(Graph):
    """A graph with some kinds of lateral edges only."""

    only: Collection[str] = ()

    def neighbors(self, node_id: str, kinds: Collection[str] | None = None) -> list[Edge]:
        return [edge for edge in super().neighbors(node_id, kinds) if edge.kind in self.only]


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    shared, work, sets = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(SETS)
    rows = [row for name in sets for row in measure(shared, work, name)]
    head = ["set", "EXPAND follows", *(f"@{b}" for b in BUDGETS), *(f"all @{b}" for b in BUDGETS), "questions with another order"]
    body = (
        f"Controller `rules`, first {FIRST} questions of each set; mean recall of gold evidence within the first N words, share of "
        "questions with all of it, and questions whose evidence differs from that without EXPAND.\n\n" + table(head, rows)
    )
    given = f" {' '.join(sys.argv[3:])}" if sys.argv[3:] else ""
    write_part("lateral", "What EXPAND is worth, by kind of edge", f"python -m benchmarks.lateral {shared} WORK{given}", body)
    print(table(head, rows))
    return 0


def measure(shared: Path, work: Path, name: str) -> list[list[str]]:
    """One row for no edges, for each kind alone, and for all."""
    questions, location = prepare(shared, work, name)
    store = Store.open(location)
    graph = PartialGraph(store.snapshot(), store.settings)
    search = Search(graph, load_encoder(store.settings.embeddings))
    asked = read_questions(questions)
    rows: list[list[str]] = []
    without: list[list[str]] = []
    for label, kinds in (("nothing", ()), *((kind, (kind,)) for kind in EDGE_BONUS), ("all kinds", tuple(EDGE_BONUS))):
        graph.only = kinds
        made = system("docnav", search, SystemOptions(controller="rules"))
        budget = Budget.from_settings(store.settings.agent, fill=True)
        found = [made.retrieve(question, budget).evidence for question in asked]
        ids = [[item.node_id for item in evidence] for evidence in found]
        without = without or ids
        evidence = work / f"{name}.lateral.jsonl"
        lines = [{"question_id": q.id, "evidence": [item.row() for item in e]} for q, e in zip(asked, found, strict=True)]
        evidence.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        scorer = [sys.executable, str(shared / "tools/score_evidence.py"), str(questions), str(evidence)]
        scored = subprocess.run([*scorer, "--budgets", ",".join(map(str, BUDGETS))], check=True, capture_output=True, text=True).stdout
        by_budget = [json.loads(line) for line in scored.splitlines()]
        numbers = [f"{row[column]:.3f}" for column in ("recall", "all") for row in by_budget]
        changed = sum(one != other for one, other in zip(ids, without, strict=True))
        rows.append([name, label, *numbers, str(changed)])
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
