"""Site chrome of an HTML page: which element holds the content, and what around it is no content."""

from __future__ import annotations

import re
from typing import Any

_CHROME_TAGS = frozenset({"nav", "aside", "footer", "search"})
_CHROME_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "toolbar", "dialog", "alert"}
)
# Words of class and id that name site chrome, and those that mark content a reader of the page does not print.
_CHROME_WORDS = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|navigation|navbox|docnav|menu|sidebar|breadcrumbs?|footer|cookies?|share|social|pagination|pager|"
    r"masthead|toolbar|advert|ads|banner|related|newsletter|skip)(?:$|[-_\s])",
    re.IGNORECASE,
)
_UNPRINTED_WORDS = re.compile(
    r"(?:^|\s)(?:noprint|no-print|mw-editsection|sr-only|visually-hidden|visuallyhidden|screen-reader-text)(?:$|\s)"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MIN_LINK_SHARE = 0.5
# A main or article element must hold at least this share of the page's text to stand for the page.
_MIN_MAIN_SHARE = 0.25


def is_hidden(element: Any) -> bool:
    """Whether a browser would not show the element."""
    if element.get("hidden") is not None or _HIDDEN_STYLE.search(element.get("style") or ""):
        return True
    return bool(_UNPRINTED_WORDS.search(element.get("class") or ""))


def is_chrome(element: Any) -> bool:
    """Whether the element is navigation or decoration of the site around the document."""
    tag = element.tag
    if tag in _CHROME_TAGS or element.get("role") in _CHROME_ROLES:
        # A footer or aside inside an article, and any element that carries headings of the text, is content.
        return tag == "nav" or not _is_content(element)
    if tag == "header":
        return next(element.iter("h1", "h2", "p"), None) is None and not _is_content(element)
    if tag in (
        "html",
        "body",
        "main",
        "article",
        "table",
        "tr",
        "td",
        "th",
        "p",
        "pre",
        "code",
        "a",
        "span",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ):
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if not _CHROME_WORDS.search(names):
        return False
    # A bar of links may also print where the reader is ("previous | this book | next"): short, and no prose.
    is_bar = tag in ("ul", "ol") and text_length(element) < 200 and next(element.iter("a"), None) is not None
    return is_bar or link_share(element) >= _MIN_LINK_SHARE


def main_content(root: Any) -> Any:
    """The element that holds the document: `main` or the only `article` where it has a fair share of the text, else the root."""
    candidates = list(root.iter("main"))
    candidates += [element for element in root.iter() if isinstance(element.tag, str) and element.get("role") == "main"]
    articles = [element for element in root.iter("article") if next(element.iterancestors("article"), None) is None]
    if len(articles) == 1:
        candidates += articles
    total = text_length(root)
    for element in candidates:
        if not is_hidden(element) and text_length(element) >= _MIN_MAIN_SHARE * total and text_length(element) > 0:
            return element
    return root


def text_length(element: Any) -> int:
    """Characters of text below an element, scripts and white space left out."""
    length = 0
    for piece in element.iter():
        if isinstance(piece.tag, str) and piece.tag not in ("script", "style", "template", "noscript", "head", "title") and piece.text:
            length += len(piece.text.strip())
        if piece is not element and piece.tail:
            length += len(piece.tail.strip())
    return length


def link_share(element: Any) -> float:
    """Share of the text below an element that stands inside links, 0..1; 1 where there is no text."""
    total = text_length(element)
    linked = sum(text_length(link) for link in element.iter("a"))
    return linked / total if total else 1.0


def _is_content(element: Any) -> bool:
    inside_article = next(element.iterancestors("article", "section"), None) is not None
    return inside_article and element.tag in ("footer", "aside", "header") and link_share(element) < _MIN_LINK_SHARE
