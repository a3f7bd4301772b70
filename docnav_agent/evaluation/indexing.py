"""Stores of an evaluation: brought up to date by `docnav index` in a process of its own, and what that took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from assets_store.errors import SourceError

Costs = dict[str, dict[str, float]]


def index_documents(documents: Path, store: str, kept: Path) -> Costs:
    """Index documents, and return what each stage took in the run that last did something.

    kept: JSON file with these costs; where the store was indexed elsewhere, there are none. Raises SourceError where indexing failed.
    """
    command = [sys.executable, "-m", "docnav_agent.cli", "index", str(documents), "--store", store, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    try:
        said: dict[str, Any] = json.loads(done.stdout) if done.returncode in (0, 1) else {}
    except ValueError:
        said = {}
    if not said:
        raise SourceError(
            f"indexing {documents} into {store} ended with exit status {done.returncode}; the message stands above. "
            "Indexing needs the extra `pipeline`; a data set whose store is ready names no `documents`."
        )
    costs: Costs = said["stages"]
    if said["is_new"]:
        write_json(kept, costs)
    return read_json(kept)


def read_json(path: Path) -> dict[str, Any]:
    """What is kept in a file; nothing where there is none or it is cut."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, data: Any) -> None:
    """A JSON file, complete once it is visible."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_text(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8", errors="backslashreplace")
    partial.replace(path)
