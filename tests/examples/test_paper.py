"""The committed paper is what its script makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_script_reproduces_the_committed_paper_byte_for_byte(tmp_path: Path) -> None:
    target = tmp_path / "paper.pdf"
    subprocess.run([sys.executable, str(EXAMPLES / "make_paper.py"), str(target)], check=True, timeout=60)
    assert target.read_bytes() == (EXAMPLES / "corpus" / "irrigation-trial-paper.pdf").read_bytes()
