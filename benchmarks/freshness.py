"""Cost follows change: one document added to a small and to a large corpus, one paragraph edited, documents deleted, nothing changed.

usage: python -m benchmarks.freshness WORK [SMALL LARGE]

WORK is a folder for corpora and stores, which are used again when they are there. Models are those of the profile `local`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.made import Maker, write_folder
from benchmarks.measured import run
from benchmarks.page import table, write_part

_SMALL, _LARGE = 100, 2000
_DELETED = 85
_SECTIONS, _SENTENCES = 3, 8


def main() -> int:
    if len(sys.argv) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    work = Path(sys.argv[1])
    small, large = (int(n) for n in sys.argv[2:]) if len(sys.argv) == 4 else (_SMALL, _LARGE)
    rows, added = [], {}
    for n in (small, large):
        docs, store = work / f"docs-{n}", work / f"store-{n}"
        if not docs.exists():
            write_folder(docs, range(n), sections=_SECTIONS, sentences=_SENTENCES)
        rows.append(row(n, "first index", index(docs, store)))
        rows.append(row(n, "nothing changed", index(docs, store)))
        fresh = docs / f"added-{time.time_ns()}.md"
        fresh.write_text(Maker(seed=time.time_ns()).document(n + 7, _SECTIONS, _SENTENCES), encoding="utf-8")
        added[n] = index(docs, store)
        rows.append(row(n, "1 document added", added[n]))
        fresh.write_text(edited(fresh.read_text(encoding="utf-8")), encoding="utf-8")
        rows.append(row(n, "1 paragraph edited", index(docs, store)))
        if n == large:
            for path in sorted(docs.glob("report-*.md"))[:_DELETED]:
                path.unlink()
            rows.append(row(n, f"{_DELETED} documents deleted", index(docs, store)))
    ratio = added[large]["wall"] / added[small]["wall"]
    equal = added[large]["work"] == added[small]["work"]
    head = ["documents", "change", "seconds", "in stages", "parsed", "encoded", "recognised", "LLM calls", "peak MiB"]
    body = table(head, rows) + f"\n\nAdding 1 document: time ratio {ratio:.2f}, model calls {'equal' if equal else 'not equal'}."
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
