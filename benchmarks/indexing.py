"""Index folders of real documents: status of each, seconds, peak memory.

usage: python -m benchmarks.indexing DATA STORES

DATA holds `hierarchy/pdf` and `documents`; STORES is a folder for the stores, which are made anew.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

from benchmarks.measured import run
from benchmarks.page import table, write_part


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    data, stores = Path(sys.argv[1]), Path(sys.argv[2])
    rows = []
    for folder in ("hierarchy/pdf", "documents"):
        store = stores / f"bench-{folder.replace('/', '-')}"
        shutil.rmtree(store, ignore_errors=True)
        docnav = [str(Path(sys.executable).with_name("docnav"))]
        first = run([*docnav, "index", str(data / folder), "--store", str(store), "--json"])
        second = run([*docnav, "index", str(data / folder), "--store", str(store), "--json"])
        status = json.loads(run([*docnav, "status", "--store", str(store), "--json"]).stdout)
        documents = status["documents"]
        statuses = Counter(d["status"] for d in documents)
        rows.append(
            [
                f"`{folder}`",
                str(len(documents)),
                str(sum(d["pages"] or 0 for d in documents)),
                str(status["snapshot"]["counts"]["paragraphs"]),
                ", ".join(f"{n} {name}" for name, n in sorted(statuses.items())),
                str(first.returncode),
                f"{first.seconds:.0f}",
                f"{first.peak_mib:,.0f}",
                f"{json.loads(second.stdout)['seconds']:.1f}",
            ]
        )
    head = ["folder", "documents", "pages", "paragraphs", "status", "exit", "seconds", "peak MiB", "second run, seconds"]
    note = "Peak MiB: unique memory of `docnav index` and its parser children together. The second run finds nothing to do."
    write_part("indexing", "Indexing real documents", f"python -m benchmarks.indexing {data} STORES", table(head, rows) + "\n\n" + note)
    print(table(head, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
