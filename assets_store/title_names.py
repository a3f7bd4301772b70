"""What a title names, and words of a text as titles are compared by."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
# A bracket at the end of a title tells apart things of one name: "Mercury (planet)".
_DISTINCTION = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")


def title_name(title: str) -> str:
    """What a title names: the title without a distinction in brackets."""
    return _DISTINCTION.sub("", title).strip() or title.strip()
