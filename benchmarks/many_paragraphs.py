"""A store of very many paragraphs: how long a snapshot takes to open and LOCATE to answer, how near the approximate search comes, memory.

usage: python -m benchmarks.many_paragraphs SHARED WORK [PARAGRAPHS]

SHARED holds `tools/unpack_data.py` and `data/qa`; WORK is a folder for what is made, which is kept and used again. Texts are real
sentences in new order, vectors those of real texts with noise, questions real ones; the query encoder is not measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import psutil
from numpy.typing import NDArray

from assets_store.dense_index import DenseIndex
from assets_store.lexical_index import LexicalIndex
from assets_store.models.encoder import EncodedTexts, load_encoder
from assets_store.settings import Settings
from benchmarks.made_store import make_store, sentences_by_document
from benchmarks.page import table, write_part
from docnav_agent.actions import Direction, Expand, Fetch, Locate, Navigate
from docnav_agent.environment import Environment
from docnav_agent.graph import Graph
from docnav_agent.nodes import LEVELS
from docnav_agent.search import Search

_SETS = ("covid-qa", "emanualqa", "2wikimultihopqa")
_PARAGRAPHS = 1_000_000
_ENCODED, _QUESTIONS = 4_000, 200
_K = 10
_WAYS: tuple[Direction, ...] = get_args(Direction)


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--read":
        print(json.dumps(read(Path(sys.argv[2]))))
        return 0
    shared, work = Path(sys.argv[1]), Path(sys.argv[2])
    n = int(sys.argv[3]) if len(sys.argv) == 4 else _PARAGRAPHS
    prepare(shared, work, n)
    # A process of its own: what making the store has read and cached is not in it.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.many_paragraphs", "--read", str(work / str(n))], check=True, stdout=subprocess.PIPE
    )
    found = json.loads(done.stdout)
    times = [[name, f"{p50:.1f}", f"{p95:.1f}"] for name, p50, p95 in found["times"]]
    body = (
        f"{n:,} paragraphs, vectors of 384 dimensions, {found['questions']} questions, k = {_K}. The snapshot opens in "
        f"{found['open_s']:.2f} s (store, nodes and indexes). Recall@10 of the approximate search against the exact one: "
        f"{found['recall']:.3f}. The reader holds {found['own_mib']:,.0f} MiB of its own, {found['resident_mib']:,.0f} MiB with the mapped "
        f"pages that it has touched; the files have {found['files_mib']:,.0f} MiB.\n\n"
        + table(["LOCATE", "p50 ms", "p95 ms"], times)
        + "\n\nSteps of a run, with what they show of each node:\n\n"
        + table(["step", "p50 ms", "p95 ms"], [[name, f"{p50:.1f}", f"{p95:.1f}"] for name, p50, p95 in found["steps"]])
    )
    write_part(f"many-paragraphs-{n}", f"Many paragraphs: {n:,}", f"python -m benchmarks.many_paragraphs {shared} WORK {n}", body)
    print(body)
    return 0


def prepare(shared: Path, work: Path, n: int) -> None:
    """Make the store and the encoded questions, unless they are there."""
    subprocess.run([sys.executable, str(shared / "tools/unpack_data.py"), str(work / "qa"), *_SETS], check=True, stdout=subprocess.DEVNULL)
    sources = [document for name in _SETS for document in sentences_by_document(work / "qa" / name / "documents")]
    random = np.random.default_rng(5)
    encoder = load_encoder(Settings().embeddings)
    if not (work / "vectors.npy").exists():
        texts = [" ".join(_some(random, sources[int(random.integers(len(sources)))])) for _ in range(_ENCODED)]
        np.save(work / "vectors.npy", encoder.encode(texts).vectors)
    folder = work / str(n)
    if not (folder / "questions.json").exists():
        store = folder / "store"
        make_store(store, n, sources, np.load(work / "vectors.npy"), encoder.model_id, Settings())
        asked = [q for name in _SETS for q in _questions(work / "qa" / name / "questions_dev.jsonl", _QUESTIONS // len(_SETS))]
        vectors: NDArray[np.float32] = encoder.encode(asked).vectors
        rows = [{"question": q, "vector": v.tolist()} for q, v in zip(asked, vectors, strict=True)]
        (folder / "questions.json").write_text(json.dumps({"model": encoder.model_id, "questions": rows}), encoding="utf-8")


def _some(random: np.random.Generator, sentences: list[str]) -> list[str]:
    first = int(random.integers(0, max(1, len(sentences) - 6)))
    return sentences[first : first + 6]


def _questions(path: Path, n: int) -> list[str]:
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines()[:n]]


class _Known:
    """Query vectors that were made before."""

    def __init__(self, model_id: str, rows: list[dict[str, object]]) -> None:
        self.model_id = model_id
        self._vectors = {row["question"]: np.array(row["vector"], np.float32) for row in rows}

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        return EncodedTexts(np.stack([self._vectors[text] for text in texts]), np.ones(len(texts), np.int32))


class _Timed(NamedTuple):
    name: str
    p50: float
    p95: float


def read(folder: Path) -> dict[str, object]:
    """What a reader of the store measures."""
    given = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    asked = [row["question"] for row in given["questions"]]
    started = time.perf_counter()
    graph = Graph.open(folder / "store")
    opened = {level: (LexicalIndex.open(graph.folder / level), DenseIndex.open(graph.folder / level)) for level in LEVELS}
    open_s = time.perf_counter() - started
    search = Search(graph, _Known(given["model"], given["questions"]))
    times = []
    for level in ("paragraph", "section", "document"):
        for mode in ("bm25", "dense", "hybrid"):
            search.locate(asked[0], level, k=_K, mode=mode)
            times.append(_Timed(f"{level}, {mode}", *np.percentile([_locate_ms(search, q, level, mode) for q in asked], [50, 95]).tolist()))
    index = opened["paragraph"][1]
    found = wanted = 0
    for row in given["questions"]:
        query = np.array(row["vector"], np.float32)
        exact = set(index.search(query, _K, exact=True)[0].tolist())
        found += len(exact & set(index.search(query, _K)[0].tolist()))
        wanted += len(exact)
    memory = psutil.Process().memory_full_info()
    files = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    return {
        "questions": len(asked),
        "open_s": open_s,
        "times": times,
        "steps": step_times(graph, search, asked),
        "recall": found / wanted,
        "own_mib": memory.uss / 2**20,
        "resident_mib": memory.rss / 2**20,
        "files_mib": files / 2**20,
    }


def step_times(graph: Graph, search: Search, asked: Sequence[str]) -> list[_Timed]:
    """How long actions of a run take: a search, moves from its hits, their edges, their texts; and all of them together, as steps."""
    seconds: dict[str, list[float]] = {"LOCATE": [], "NAVIGATE": [], "EXPAND": [], "FETCH": []}
    for question in asked:
        environment = Environment(graph, search)
        found = environment.perform(Locate(query=question, k=_K))
        nodes = tuple(card.node_id for card in found.cards)
        seconds["LOCATE"].append(found.seconds)
        seconds["NAVIGATE"] += [environment.perform(Navigate(node_id=nodes[0], direction=way)).seconds for way in _WAYS]
        seconds["EXPAND"].append(environment.perform(Expand(node_ids=nodes)).seconds)
        seconds["FETCH"].append(environment.perform(Fetch(node_ids=nodes), tokens_left=4000).seconds)
    every = {**seconds, "any": [one for kind in seconds.values() for one in kind]}
    return [_Timed(name, *(1000 * np.percentile(taken, [50, 95])).tolist()) for name, taken in every.items()]


def _locate_ms(search: Search, question: str, level: str, mode: str) -> float:
    started = time.perf_counter()
    search.locate(question, level, k=_K, mode=mode)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    sys.exit(main())
