"""All systems that need no language model, their ablations and LinearRAG on six data sets: `docnav eval` on the suite of the examples.

usage: python -m benchmarks.evaluation SHARED WORK [SYSTEM ...]

SHARED holds `tools/unpack_data.py` and `data/qa`; WORK is a folder for unpacked sets, stores and results. What was stopped goes on where it
was; the report lies in WORK/evaluation/report.html.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.page import table, write_part

SUITE = Path(__file__).parents[1] / "examples" / "six-sets.toml"
SHOWN = ("recall@500", "recall@1000", "recall@2000", "recall@4000", "all@1000", "all@2000", "precision@1000")


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    shared, work, systems = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    subprocess.run([sys.executable, str(shared / "tools/unpack_data.py"), str(work / "qa")], check=True, stdout=subprocess.DEVNULL)
    folders = [f"--folder=data={work / 'qa'}", f"--folder=stores={work / 'stores'}"]
    command = [sys.executable, "-m", "docnav_agent.cli", "eval", str(SUITE), "--out", str(work / "evaluation"), *folders]
    done = subprocess.run([*command, *(f"--system={name}" for name in systems)], check=False)
    if done.returncode not in (0, 1):
        return done.returncode
    results = json.loads((work / "evaluation" / "evaluation.json").read_text(encoding="utf-8"))
    head = ["set", "questions", "system", *SHOWN, "seconds/question"]
    body = (
        "Evidence within the first N words, mean over questions, with the 95 % interval for recall@1000; questions are drawn with "
        "their documents. Same paragraphs, vectors and budget, no language model. Differences to bm25 that leave zero out are marked "
        "+ or −.\n\n" + table(head, rows(results))
    )
    write_part("evaluation", "All systems, by docnav eval", f"python -m benchmarks.evaluation {sys.argv[1]} WORK", body)
    return 0


def rows(results: dict[str, Any]) -> list[list[str]]:
    """One row for each data set and system."""
    marks = {
        (entry["data_set"], entry["system"], entry["statistic"]): "+" if entry["value"] > 0 else "−"
        for entry in results["comparisons"]
        if entry["significant"]
    }
    found = []
    for result in results["results"]:
        cells = []
        for name in SHOWN:
            got = result["statistics"].get(name)
            text = "–" if got is None else f"{got['value']:.3f}{marks.get((result['data_set'], result['system'], name), '')}"
            cells.append(f"{text} ({got['low']:.3f}–{got['high']:.3f})" if got is not None and name == "recall@1000" else text)
        n = max((entry["n"] for name, entry in result["statistics"].items() if name in SHOWN), default=0)
        seconds = result["cost"]["per_question"]["seconds"]
        found.append([result["data_set"], str(n), result["system"], *cells, f"{seconds:.2f}"])
    return found


if __name__ == "__main__":
    sys.exit(main())
