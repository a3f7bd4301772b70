"""How much speaks for a candidate being a heading: the sum of log odds of independent observations."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from docnav_pipeline.hierarchy.candidates import Candidate
from docnav_pipeline.hierarchy.contents import Contents
from docnav_pipeline.hierarchy.numbering import UNIT_WORDS, Label, split_label
from docnav_pipeline.hierarchy.rows import Body, Style
from docnav_pipeline.hierarchy.sequence import Numbered, find_sequence
from docnav_pipeline.hierarchy.titles import is_admonition, is_contents_name, is_known_name
from docnav_pipeline.parsing.block import BlockType

# Any line, before anything is known about it.
PRIOR = -3.0
# Named, in its place, by the printed contents or by a bookmark.
LISTED = 7.0

_CAPTION = re.compile(
    r"^(?:figure|fig\.|table|tab\.|chart|box|listing|algorithm|exhibit|tableau|abbildung|tabelle|figura|tabla|图|圖|表)\s*(?:[A-Z]?\d+|[IVX]+\b)",
    re.I,
)
_BULLET = re.compile(r"^(?:[•◦▪■□●○►▶➢✓✔*–—‣⁃·]|[-+]\s|o\s)")
_ADDRESS = re.compile(r"https?://|www\.|\S+@\S+\.\w|^doi:", re.I)
_LEADERS = re.compile(r"(?:\s?\.){4,}")
# A token of prose: a word or a name with an ending like "()" or "(3)", a number, a dash.
_WORD = re.compile(
    r"[\"'“‘«(\[¿¡]*(?:[^\W\d_]+\d*(?:[-._:/'’&+]+\w+)*(?:\(\w*\))?|\d[\d.,:/%-]*[^\W\d_]{0,2}|[-–—&/+])[\"'”’»)\],.:;?!*…]*"
)
# A line of a program: a comment, a call with several arguments, an assignment, a shell prompt.
_CODE = re.compile(r"^(?:#\s|//|/\*|\$\s|>>>|(?:class|def|import|from|return)\s+\w+$)|\w\(.*=.*\)|[;{}]$|\w\s=\s\w")
_MARGIN = 0.11
# When printed contents are believed about what they leave out: entries found, their share, entries of one kind and depth of label.
_MIN_LISTED, _NEARLY_ALL, _MIN_COVERED = 10, 0.9, 3
# Units that no contents list leaves out.
_ALWAYS_LISTED = ("book", "part", "chapter", "appendix")
_UNLISTED = -5.0


def _typography(c: Candidate, body: Body) -> float:
    score = 0.0
    if c.style.size_pt and body.style.size_pt:
        ratio = c.style.size_pt / body.style.size_pt
        if ratio > 1.03:
            score += min(4.5, 1.0 + 10.0 * (ratio - 1.03))
        elif ratio < 0.93:
            score -= 1.5
    if c.style.bold and not body.style.bold:
        score += 2.2
    if c.style.italic and not body.style.italic:
        score += 1.2
    if c.style.caps and sum(ch.isalpha() for ch in c.text) >= 4:
        score += 1.0
    if c.centered:
        score += 0.4
    return score


def _wording(c: Candidate) -> float:
    text = c.text
    score = 0.0
    if c.labels and c.labels[0].sure and not c.labels[0].rest:
        return -1.0  # "II." alone, as court opinions have it: the sequence decides
    words = len(text.split())
    score -= 3.0 if words > 40 else 1.5 if words > 24 else 0.6 if words > 13 else 0.0
    last = text[-1]
    if last in ",;":
        score -= 3.0
    elif last in ".。" and not re.search(r"(?:\b(?:etc|inc|co|ltd|corp|al|no|[a-z])\.|\.{3})$", text, re.I):
        score -= 4.0 if words > (8 if c.labels else 2) else 1.5
    elif last in ":：":
        score -= 1.5
    rest = split_label(text)[1] or text
    if (rest.lstrip("([{\"'“‘«") or "A")[0].islower():
        score -= 1.5
    names = [w for w in re.findall(r"[^\W\d_]+", rest) if len(w) >= 4]
    if len(names) >= 2 and all(w[0].isupper() for w in names) and not c.style.caps:
        score += 0.8  # Set In Title Case
    visible = [ch for ch in text if not ch.isspace()]
    if sum(ch.isalpha() for ch in visible) < 0.5 * len(visible):
        score -= 2.0
    tokens = rest.split()
    n_words = sum(bool(_WORD.fullmatch(t)) for t in tokens)
    if n_words < 0.6 * len(tokens):
        score -= 2.5 if n_words >= 0.5 * len(tokens) else 3.5  # a formula, a code, the label of a drawing, misread print
    if not re.search(r"[^\W\d_]{3,}|[\u2e80-\uffef]", rest):
        score -= 2.5  # no word of three letters
    if re.search(r"[-–—_]{3,}|(?:[_–—] ?){3,}", text):
        score -= 2.0  # a form field or a rule
    if _CAPTION.match(text):
        score -= 6.0
    if _CODE.search(text):
        score -= 2.5
    if is_admonition(text):
        score -= 6.0
    if sum(ch.isalnum() for ch in text) < 2:  # the letters that divide an index
        score -= 8.0
    if re.search(r"[:：]\s\S", text) and not c.labels and words <= 6:
        score -= 1.0  # a field and its value
    if _BULLET.match(text):
        score -= 5.0
    if _ADDRESS.search(text) or _LEADERS.search(text):
        score -= 4.0
    return score


def _place(c: Candidate, body: Body) -> float:
    score = 0.0
    if c.alone:
        score += 1.0
    elif not c.opens_block:
        score -= 1.5
    large = c.style.size_pt >= 1.25 * body.style.size_pt > 0
    if c.cells >= 2:
        score -= 3.0
    # "Item 7" printed once is no running header, whatever its place.
    named_unit = bool(c.labels) and c.labels[0].kind in UNIT_WORDS and c.repeats == 1
    # Where nothing is known of sizes, the parser's own word counts for more.
    titled = 1.5 if body.style.size_pt else 3.0
    score += {
        BlockType.TITLE: titled,
        BlockType.FURNITURE: -1.0 if large or named_unit else -3.0,
        BlockType.CAPTION: -2.0,
        BlockType.LIST: -1.0,
    }.get(c.type, 0.0)
    box = c.rows[0].bbox
    in_margin = box is not None and (box[3] < _MARGIN or box[1] > 1 - _MARGIN)
    if len(c.rows) >= 3 and not large:
        score -= 1.0 if c.labels else 2.0
    larger = c.style.size_pt > 1.1 * body.style.size_pt
    if c.same_text >= 4 and not larger and not c.labels:
        score -= 2.5
    if large and (in_margin or c.type == BlockType.FURNITURE):
        # A section title that is printed again on each of its pages: the first one is the heading.
        score -= 8.0 if c.goes_on else 0.0
    elif c.repeats >= 3 and (in_margin or c.type == BlockType.FURNITURE):
        score -= 6.0
    return score


def first_look(candidates: Sequence[Candidate], body: Body) -> None:
    """Sum what each candidate says by itself."""
    for c in candidates:
        c.reasons = [("prior", PRIOR), ("font", _typography(c, body)), ("wording", _wording(c)), ("place", _place(c, body))]
        if c.entry is not None:
            c.reasons.append((c.entry.source, LISTED))
        if is_known_name(c.text) or is_contents_name(c.text):
            c.reasons.append(("known_name", 2.5))
        c.logit = sum(value for _, value in c.reasons)


def mind_contents(candidates: Sequence[Candidate], body: Body) -> None:
    """Where the printed contents go three levels deep, hold it against lines of body size that they never name.

    Captions of examples and bold words of their own are then the more likely reading.
    """
    listed = [c for c in candidates if c.entry is not None]
    depths = Counter(c.entry.label.depth for c in listed if c.entry is not None and c.entry.label is not None)
    indents = Counter(round(c.entry.indent * 50) for c in listed if c.entry is not None and c.entry.indent is not None)
    if len(listed) < 20 or max(sum(n >= 3 for n in counts.values()) for counts in (depths, indents)) < 3:
        return
    total = Counter(c.style for c in candidates if c.alone and not c.labels)
    named = {style for style, n in Counter(c.style for c in listed).items() if n >= 3 and n >= 0.2 * total[style]}
    for c in candidates:
        if c.entry is None and not c.labels and c.style not in named and c.style.size_pt <= 1.05 * body.style.size_pt:
            c.reasons.append(("contents", -1.0))
            c.logit -= 1.0


def mind_listed_labels(candidates: Sequence[Candidate], contents: Contents) -> None:
    """Where the printed contents list labels of a depth and nearly all of them were found, hold it against others of that depth.

    "1. Precision" inside section 1.2 is then an item of a list, and "Chapter 1" on a page that shows what a page looks like is
    an example. Only between the first and the last listed heading; a label that an entry, or a listed part
    of it ("A.1" of appendix A), still lacks stays possible.
    """
    listed = [c for c in candidates if c.entry is not None and c.entry.source == "contents"]
    if len(listed) < _MIN_LISTED or len(listed) < _NEARLY_ALL * len(contents.entries):
        return
    names = [e.label for e in contents.entries if e.label is not None and e.label.sure]
    counts = Counter((label.kind, label.depth) for label in names)
    lacking = {_number(e.label, e.label.path) for e in contents.entries if e.row is None and e.label is not None}
    lacking |= {_number(label, label.path[:-1]) for label in names} - {_number(label, label.path) for label in names}
    first, last = listed[0].position, listed[-1].position
    for c in candidates:
        if c.entry is not None or not c.labels or not c.labels[0].sure or not first < c.position < last:
            continue
        label = c.labels[0]
        covered = counts[label.kind, label.depth] >= _MIN_COVERED or label.kind in _ALWAYS_LISTED
        if covered and _number(label, label.path) not in lacking:
            c.reasons.append(("contents", _UNLISTED))
            c.logit += _UNLISTED


def _number(label: Label, path: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
    """A path of numbers with whether its first one is printed as a letter: appendix A is not chapter 1."""
    return label.kind in ("lettered", "upper", "appendix"), path


def add_style_consensus(candidates: Sequence[Candidate], body: Body) -> None:
    """Candidates set alike, and labelled alike, are headings together or not at all.

    Each style's mean evidence shifts its members, more the more members it has. Evidence of the
    printed contents counts here for the whole style. What is set like body text gains nothing.
    """
    groups: dict[tuple[float, bool, bool, bool, str], list[Candidate]] = defaultdict(list)
    for c in candidates:
        kind = c.labels[0].kind if c.labels else ""
        groups[c.style.size_pt, c.style.bold, c.style.italic, c.style.caps, kind].append(c)
    for key, members in groups.items():
        if len(members) < 2:
            continue
        plain = key == (body.style.size_pt, body.style.bold, False, False, "")
        # Lines inside paragraphs that only share the style (run-in words, emphasis) say nothing about the others.
        clean = [c for c in members if c.alone and len(c.rows) <= 2] or members
        ids = {id(c) for c in clean}
        trust = len(clean) / (len(clean) + 3.0)
        total = sum(max(-4.0, min(6.0, c.logit)) for c in clean)
        for c in members:
            own = max(-4.0, min(6.0, c.logit)) if id(c) in ids and len(clean) > 1 else 0.0
            others = (total - own) / (len(clean) - 1 if own else len(clean))
            shift = max(-2.0, min(0.0 if plain else 2.5, 0.6 * trust * others))
            c.reasons.append(("font", shift))
    for c in candidates:
        c.logit = sum(value for _, value in c.reasons)


def style_numbers(candidates: Sequence[Candidate]) -> list[int]:
    """Equal numbers for candidates of equal style."""
    numbers: dict[Style, int] = {}
    return [numbers.setdefault(c.style, len(numbers)) for c in candidates]


def add_numbering(candidates: Sequence[Candidate]) -> dict[int, Numbered]:
    """Let the sequence of labels speak. Returns the accepted candidates' place in it, by position in `candidates`."""
    sequence = find_sequence([c.labels for c in candidates], [c.logit for c in candidates], style_numbers(candidates))
    for i, c in enumerate(candidates):
        if i in sequence:
            c.label = sequence[i].label
            c.reasons.append(("numbering", 1.0 + sequence[i].step))
        elif c.labels and c.labels[0].sure and c.entry is None:
            c.reasons.append(("numbering", -1.5))
        c.logit = sum(value for _, value in c.reasons)
    return sequence


def confidence(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
