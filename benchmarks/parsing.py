"""Where the time of reading PDFs goes, whether both cores work, and whether memory stays flat over long files.

usage: python -m benchmarks.parsing PDF_FOLDER WORK

WORK is a folder for the outlines. The first part reads pages in this process and takes the time of each step; the second runs
`docnav outline` on single files of growing length, and on all files at once.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measured import run
from benchmarks.page import table, write_part

# Pages per file in the first part: one window and the beginning of the next.
_PAGES = 60
_WINDOW = 50
_LENGTHS = 4


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, work = Path(sys.argv[1]), Path(sys.argv[2])
    files = sorted(folder.glob("*.pdf"))
    steps, n_pages = time_steps(files)
    own = {name: seconds / n_pages for name, seconds in steps.items()}
    beyond = sum(seconds for name, seconds in own.items() if name != "MinerU flash")
    rows = [[name, f"{seconds:.4f}"] for name, seconds in own.items()]
    body = f"{n_pages} pages, the first {_PAGES} of each of {len(files)} files, one process.\n\n"
    body += table(["step", "seconds a page"], rows) + f"\n\nBeyond MinerU's own time: {beyond:.4f} s a page.\n\n"
    lengths, all_files = outlines(files, work)
    body += table(["file", "pages", "seconds", "peak MiB"], lengths) + "\n\n" + all_files
    write_part("parsing", "Reading PDFs", f"python -m benchmarks.parsing {folder} WORK", body)
    print(body)
    return 0


def time_steps(files: list[Path]) -> tuple[dict[str, float], int]:
    """Seconds by step over the first pages of all files, and the number of pages."""
    from assets_store.settings import HierarchySettings
    from docnav_pipeline.hierarchy.recover import recover
    from docnav_pipeline.parsing.line_joining import words_of
    from docnav_pipeline.parsing.mineru_call import parse_pdf_pages
    from docnav_pipeline.parsing.pdf import open_pdf
    from docnav_pipeline.parsing.pdf_lines import join_typography
    from docnav_pipeline.parsing.typography import read_page

    spent: defaultdict[str, float] = defaultdict(float)
    total = 0

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        spent[name] += time.perf_counter() - started

    parse_pdf_pages(files[0], "1-1", 1, "flash", "")  # what is loaded at the first call is not a page's time
    for path in files:
        document = open_pdf(path)
        n_pages = min(len(document), _PAGES)
        blocks = []
        for first in range(1, n_pages + 1, _WINDOW):
            last = min(first + _WINDOW - 1, n_pages)
            with timed("lines and type read with PDFium"):
                read = {number: read_page(document, number - 1) for number in range(first, last + 1)}
            pages = {number: page for number, page in read.items() if page is not None}
            with timed("MinerU flash"):
                found = parse_pdf_pages(path, f"{first}-{last}", first, "flash", "")
            with timed("lines joined with blocks"):
                words = words_of(" ".join(piece.line.text for page in pages.values() for piece in page.lines))
                blocks.extend(join_typography(found, pages, words))
        with timed("hierarchy recovery"):
            recover(blocks, HierarchySettings())
        document.close()
        total += n_pages
    return spent, total


def outlines(files: list[Path], work: Path) -> tuple[list[list[str]], str]:
    """Rows of single files from the shortest to the longest, and a sentence about all files at once."""
    docnav = str(Path(sys.executable).with_name("docnav"))
    by_length = sorted((n_pages(path), path) for path in files)
    chosen = [by_length[round(i * (len(by_length) - 1) / (_LENGTHS - 1))] for i in range(_LENGTHS)]
    rows = []
    for n, path in chosen:
        done = run([docnav, "outline", str(path), "--json", "--out", str(work)])
        rows.append([path.stem, str(n), f"{done.seconds:.1f}", f"{done.peak_mib:,.0f}"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run([docnav, "outline", *map(str, files), "--json", "--out", str(work)])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"docnav outline ended with exit status {done.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    total = sum(n for n, _ in by_length)
    said = f"All {len(files)} files at once: {total} pages in {done.seconds:.0f} s ({done.seconds / total:.3f} s a page), "
    return rows, said + f"{cpu / done.seconds:.2f} cores busy, peak {done.peak_mib:,.0f} MiB."


def n_pages(path: Path) -> int:
    import pypdfium2

    return len(pypdfium2.PdfDocument(path))


if __name__ == "__main__":
    sys.exit(main())
