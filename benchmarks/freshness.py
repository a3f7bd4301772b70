"""Cost follows change: one document added to a small and to a large corpus, one paragraph edited, documents deleted, nothing changed.

usage: python -m benchmarks.freshness WORK [SMALL LARGE]

WORK is a folder for corpora and stores, which are used again when they are there. Models are those of the profile `local`.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.made import Maker, write_folder
from benchmarks.measured import run
from benchmarks.page import table, write_part

_SMALL, _LARGE = 100, 2000
_DELETED = 85
# Documents added to each corpus, one after the other and in turns: a single run may meet anything else that the machine does.
_ADDED = 3
_SECTIONS, _SENTENCES = 3, 8


def main() -> int:
    if len(sys.argv) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    work = Path(sys.argv[1])
    small, large = (int(n) for n in sys.argv[2:]) if len(sys.argv) == 4 else (_SMALL, _LARGE)
    docs, stores = ({n: work / f"{what}-{n}" for n in (small, large)} for what in ("docs", "store"))
    rows: dict[int, list[list[str]]] = {small: [], large: []}
    for n in (small, large):
        if not docs[n].exists():
            write_folder(docs[n], range(n), sections=_SECTIONS, sentences=_SENTENCES)
        rows[n].append(row(n, "first index", index(docs[n], stores[n])))
        rows[n].append(row(n, "nothing changed", index(docs[n], stores[n])))
    added: dict[int, list[dict[str, Any]]] = {small: [], large: []}
    for number, n in itertools.product(range(1, _ADDED + 1), (small, large)):
        fresh = docs[n] / f"added-{time.time_ns()}.md"
        fresh.write_text(Maker(seed=time.time_ns()).document(n + 7, _SECTIONS, _SENTENCES), encoding="utf-8")
        added[n].append(index(docs[n], stores[n]))
        rows[n].append(row(n, f"1 document added, {number} of {_ADDED}", added[n][-1]))
    for n in (small, large):
        fresh = max(docs[n].glob("added-*.md"))
        fresh.write_text(edited(fresh.read_text(encoding="utf-8")), encoding="utf-8")
        rows[n].append(row(n, "1 paragraph edited", index(docs[n], stores[n])))
    for path in sorted(docs[large].glob("report-*.md"))[:_DELETED]:
        path.unlink()
    rows[large].append(row(large, f"{_DELETED} documents deleted", index(docs[large], stores[large])))
    ratios = [one["wall"] / other["wall"] for one, other in zip(added[large], added[small], strict=True)]
    equal = all(one["work"] == other["work"] for one, other in zip(added[large], added[small], strict=True))
    head = ["documents", "change", "seconds", "in stages", "parsed", "encoded", "recognised", "LLM calls", "peak MiB"]
    body = table(head, rows[small] + rows[large]) + (
        f"\n\nAdding 1 document: time ratio {statistics.median(ratios):.2f} (median of {', '.join(f'{ratio:.2f}' for ratio in ratios)}), "
        f"model calls {'equal' if equal else 'not equal'}."
    )
    write_part("freshness", "Cost follows change", f"python -m benchmarks.freshness WORK {small} {large}", body)
    print(body)
    return 0


def index(docs: Path, store: Path) -> dict[str, Any]:
    """One `docnav index`, with its wall seconds and peak memory."""
    done = run([str(Path(sys.executable).with_name("docnav")), "index", str(docs), "--store", str(store), "--json"])
    if done.returncode:
        raise SystemExit(f"docnav index ended with exit status {done.returncode}")
    return {**json.loads(done.stdout), "wall": done.seconds, "peak": done.peak_mib}


def row(n: int, change: str, done: dict[str, Any]) -> list[str]:
    work = [str(done["work"][name]) for name in ("parsed", "encoded", "recognised", "llm_calls")]
    return [str(n), change, f"{done['wall']:.1f}", f"{done['seconds']:.1f}", *work, f"{done['peak']:,.0f}"]


def edited(text: str) -> str:
    """The text with one word of its second paragraph changed."""
    paragraphs = text.split("\n\n")
    words = paragraphs[2].split()
    paragraphs[2] = " ".join([*words[:5], "changed", *words[6:]])
    return "\n\n".join(paragraphs)


if __name__ == "__main__":
    sys.exit(main())
