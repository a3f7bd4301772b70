"""A pipeline without model files, for tests of what the pipeline itself does: hashed vectors, no entity recognition."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FAST = {"DOCNAV_EMBEDDINGS__MODEL": "hashing-64", "DOCNAV_FEATURES__NER_MODEL": "none"}


def start_index(paths: list[Path], store: Path, *arguments: str) -> subprocess.Popen[str]:
    """`docnav index` in a process of its own, with the fast settings."""
    command = [str(Path(sys.executable).with_name("docnav")), "index", *map(str, paths), "--store", str(store), "--json", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **FAST})
