"""Pages of a PDF as JPEG, drawn in a child process, because a file that cannot be trusted may crash or hang the one that reads it.

usage of the child: python -m docnav_agent.page_images FILE PAGE...   prints {page: base64} as JSON
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

WIDTH = 800
TIMEOUT_S = 60.0
MAX_PAGES = 40


def page_images(path: Path, pages: Collection[int]) -> tuple[dict[int, str], str]:
    """Base64 of each page that could be drawn, and why others could not; empty when all could. pages: from 1, the first MAX_PAGES."""
    wanted = sorted(set(pages))[:MAX_PAGES]
    command = [sys.executable, "-m", __name__, str(path), *map(str, wanted)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return {}, f"its pages took longer than {TIMEOUT_S:.0f} s to draw"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it ended without a word"]
        return {}, f"its pages cannot be drawn: {last[0][:200]}"
    drawn = {int(page): data for page, data in json.loads(done.stdout).items()}
    left_out = len(set(pages)) - len(drawn)
    return drawn, f"{left_out} of its pages were not drawn" if left_out else ""


def _draw(path: str, pages: list[int]) -> dict[int, str]:
    import pypdfium2

    drawn = {}
    document = pypdfium2.PdfDocument(path)
    for number in pages:
        if not 1 <= number <= len(document):
            continue
        page = document[number - 1]
        image = page.render(scale=WIDTH / max(1.0, page.get_width())).to_pil().convert("RGB")
        data = io.BytesIO()
        image.save(data, "JPEG", quality=70)
        drawn[number] = base64.b64encode(data.getvalue()).decode()
    return drawn


if __name__ == "__main__":
    print(json.dumps(_draw(sys.argv[1], [int(number) for number in sys.argv[2:]])))
