"""A sample of lateral edges with what they join, for a person to judge, and how many there are of each kind.

usage: python -m benchmarks.edges STORE OUT.md [--seed N] [--count N] [--kinds citation,cross_reference] [--candidates]

Only edges that leave a paragraph are drawn: the edges of the scopes above follow from them. Equal seeds draw equal edges from equal
stores. Each edge is shown with the sentence of its mention, the title of its target or the beginning of its text, and what it rests on.
OUT holds text of the documents: keep it out of the repository.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from pathlib import Path

import polars as pl

from assets_store.ids import doc_of
from assets_store.store import Store
from benchmarks.page import table

_REACH = 110
_QUOTED = re.compile(r"“([^”]+)”")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kinds", default="citation,cross_reference")
    parser.add_argument("--candidates", action="store_true", help="draw edges that were not resolved for certain")
    arguments = parser.parse_args()
    store = Store.open(arguments.store)
    edges = store.read("lateral_edges")
    status = "candidate" if arguments.candidates else "confirmed"
    texts = dict(store.read("paragraphs", columns=["paragraph_id", "text"]).iter_rows())
    wanted = edges.filter(
        pl.col("kind").is_in(arguments.kinds.split(",")) & (pl.col("status") == status) & pl.col("source_id").is_in(texts)
    )
    drawn = sample(wanted, arguments.count, arguments.seed)
    names = dict(store.read("documents", columns=["doc_id", "doc"]).iter_rows())
    titles = dict(store.read("tree", columns=["node_id", "title"]).iter_rows())
    parts = [counts(edges), f"\n{drawn.height} {status} edges, seed {arguments.seed}\n"]
    for number, row in enumerate(drawn.iter_rows(named=True), start=1):
        parts.append(shown(number, row, texts, titles, names))
    arguments.out.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(parts[0])
    return 0


def sample(edges: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """`count` of some edges, all where there are fewer, in the order of source, kind and target."""
    ordered = edges.sort("source_id", "kind", "target_id")
    at = sorted(random.Random(seed).sample(range(ordered.height), min(count, ordered.height)))
    return ordered[at]


def counts(edges: pl.DataFrame) -> str:
    """Edges by kind: confirmed, candidates with a place, candidates without."""
    rows = []
    for kind in edges["kind"].unique().sort():
        of_kind = edges.filter(pl.col("kind") == kind)
        confirmed = of_kind.filter(pl.col("status") == "confirmed").height
        lost = of_kind.filter(pl.col("weight") == 0).filter(pl.col("status") == "candidate").height
        rows.append([kind, f"{confirmed:,}", f"{of_kind.height - confirmed - lost:,}", f"{lost:,}"])
    return table(["kind", "confirmed", "candidates with a place", "candidates without"], rows)


def shown(number: int, row: dict[str, str], texts: dict[str, str], titles: dict[str, str], names: dict[str, str]) -> str:
    """One edge as a list item."""
    source, target = row["source_id"], row["target_id"]
    goal = titles.get(target) or at_key(texts.get(target, target), row["why"])
    lines = [
        f"{number}. **{row['kind']}** {names.get(doc_of(source), '')} · weight {float(row['weight']):.2f} · {row['why']}",
        f"   - from: {line(around(texts[source], row['why']))}",
        f"   - to ({names.get(doc_of(target), 'nowhere')}): {line(goal)}",
    ]
    return "\n".join(lines)


def around(text: str, why: str) -> str:
    """The text at the mention that `why` quotes; its beginning where it is not found."""
    quoted = _QUOTED.search(why)
    words = [re.escape(word) for word in quoted[1].split()] if quoted else []
    found = re.search(r"(?<!\w)" + r"\W{0,3}\s*".join(words) + r"(?![.]?\w)", text) if words else None
    if found is None:
        return text[:_REACH]
    return text[max(0, found.start() - _REACH) : found.end() + _REACH // 2]


def at_key(text: str, why: str) -> str:
    """The text of a target from where it prints the number, label or name that `why` quotes; from its beginning where it does not."""
    quoted = _QUOTED.search(why) or re.search(r"footnote (\S+)", why)
    keys = re.findall(r"\w[\w.-]*\w|\w", quoted[1]) if quoted else []
    for key in (key for key in (*keys[:1], *reversed(keys)) if key.lower() not in ("table", "figure", "see")):
        found = re.search(rf"(?<![\w.]){re.escape(key)}(?!\w)", text)
        if found:
            return text[found.start() : found.start() + _REACH]
    return text[:_REACH]


def line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
