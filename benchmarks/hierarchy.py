"""Headings recovered from PDFs without bookmarks, scored against their bookmarks.

usage: python -m benchmarks.hierarchy SHARED WORK

SHARED holds `tools/score_outline.py` and `data/hierarchy`; WORK is a folder for the outlines.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.measured import run
from benchmarks.page import table, write_part

# The documents whose bookmarks are complete, so that precision says something.
COMPLETE = "R-exts,R-intro,debmake-doc.en,debmake-doc.zh-cn,gnuplot,install-guide.en,install-guide.fr,pymupdf-2"


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    shared, work = Path(sys.argv[1]), Path(sys.argv[2])
    outlines = work / "outlines"
    files = sorted(str(path) for path in (shared / "data/hierarchy/pdf").glob("*.pdf"))
    docnav = str(Path(sys.executable).with_name("docnav"))
    done = run([docnav, "outline", *files, "--ignore-bookmarks", "--json", "--out", str(outlines)])
    if done.returncode:
        raise SystemExit(f"docnav outline ended with exit status {done.returncode}")
    rows = [score(shared, outlines, "all 15"), score(shared, outlines, "the 8 with complete bookmarks", COMPLETE)]
    head = ["documents", "precision", "recall", "F1", "level", "parent"]
    body = table(head, rows) + f"\n\n{len(files)} files in {done.seconds:.0f} s, peak {done.peak_mib:,.0f} MiB."
    write_part("hierarchy", "Headings of PDFs without bookmarks", f"python -m benchmarks.hierarchy {shared} WORK", body)
    print(body)
    return 0


def score(shared: Path, outlines: Path, name: str, only: str = "") -> list[str]:
    """One row of the table."""
    command = [sys.executable, str(shared / "tools/score_outline.py"), str(shared / "data/hierarchy/gold"), str(outlines), "--only", only]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [name, *(f"{found[key]:.3f}" for key in ("precision", "recall", "f1", "level", "parent"))]


if __name__ == "__main__":
    sys.exit(main())
