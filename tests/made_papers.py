"""A made corpus of papers that cite each other, and what cites what. Everything comes from a seed.

Some entries name a paper only by DOI or arXiv id, some only by title; titles come in other case, with ligatures, broken over lines with
hyphens, without their subtitle. Against them stand near-equal titles, the same title by other authors or of another year, and entries of
papers that are not there.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.small_corpus import Corpus, make_corpus

_KINDS = ["adaptive", "shallow", "robust", "sparse", "portable", "layered", "offline", "efficient", "reliable", "seasonal"]
_THINGS = ["pump", "valve", "turbine", "filter", "reservoir", "pipeline", "sluice", "meter", "boiler", "condenser", "inflow", "aquifer"]
_ACTS = [
    "calibration",
    "monitoring",
    "simulation",
    "classification",
    "maintenance",
    "scheduling",
    "inspection",
    "forecasting",
    "identification",
]
_PLACES = [
    "arid regions",
    "cold climates",
    "small islands",
    "old cities",
    "mountain valleys",
    "coastal plants",
    "remote villages",
    "river deltas",
]
_SUBTITLES = ("a field study", "methods and results", "lessons from ten years", "an open comparison", "theory and practice")
_LAST = [
    "Abara",
    "Brandt",
    "Castell",
    "Dvorak",
    "Eriksen",
    "Fofana",
    "Grünwald",
    "Hallam",
    "Ivanova",
    "Jaramillo",
    "Kowalska",
    "Lindqvist",
    "Moreau",
    "Nakata",
    "Okafor",
    "Petrov",
    "Quiroga",
    "Rossi",
    "Sandoval",
    "Tanaka",
    "Ueland",
    "Vasquez",
    "Weiss",
    "Yilmaz",
    "Zeman",
]
_FIRST = ["Ada", "Ben", "Clara", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lea"]
_JOURNALS = ("Journal of Made Machines", "Annals of Water Works", "Proceedings of the Workshop on Flow", "Letters on Plumbing")


@dataclass(frozen=True, slots=True)
class Paper:
    title: str
    authors: tuple[tuple[str, str], ...]
    year: int
    doi: str = ""
    arxiv: str = ""

    @property
    def first(self) -> str:
        return self.authors[0][1]


@dataclass(slots=True)
class MadePapers:
    """corpus: the tables. cites: (citing doc_id, cited doc_id). mentions: (citing paragraph_id, cited doc_id). n_absent: entries of no
    paper of the corpus."""

    corpus: Corpus
    cites: set[tuple[str, str]] = field(default_factory=set)
    mentions: set[tuple[str, str]] = field(default_factory=set)
    n_absent: int = 0


def make_papers(n: int, seed: int, n_entries: int = 12) -> MadePapers:
    """n papers with about `n_entries` entries each, half of them of papers in the corpus."""
    rng = random.Random(seed)
    papers = _papers(n, rng)
    present, absent = papers[: n * 3 // 4], papers[n * 3 // 4 :]
    texts: dict[str, str] = {}
    plans: list[tuple[str, list[tuple[str, Paper]]]] = []
    n_absent = 0
    for number, paper in enumerate(present):
        others = [other for other in present if other is not paper]
        chosen = rng.sample(others, min(n_entries // 2, len(others)))
        missing = rng.sample(absent, min(n_entries // 4, len(absent))) + [_unlike(rng.choice(others), rng) for _ in range(n_entries // 4)]
        missing = [entry for entry in missing if not any(_is_same(entry, other) for other in present)]
        n_absent += len(missing)
        listed = [*chosen, *missing]
        # Two entries of one author and year would need letters behind the year.
        listed = list({(entry.first, entry.year): entry for entry in listed}.values())
        rng.shuffle(listed)
        uri = f"paper-{number:03}.md"
        text, mentions = _text(paper, listed, rng)
        texts[uri] = text
        plans.append((uri, mentions))
    corpus = make_corpus(texts, root="papers")
    doc_ids = dict(corpus.documents.select("uri", "doc_id").iter_rows())
    ids = {id(paper): doc_ids[f"paper-{number:03}.md"] for number, paper in enumerate(present)}
    made = MadePapers(_with_titles(corpus, {ids[id(paper)]: paper.title for paper in present}), n_absent=n_absent)
    for uri, mentions in plans:
        mine = corpus.paragraphs.filter(corpus.paragraphs["doc_id"] == doc_ids[uri])
        starts = {text[:12]: paragraph for paragraph, text in mine.select("paragraph_id", "text").iter_rows()}
        for start, cited in mentions:
            if id(cited) in ids:
                made.cites.add((doc_ids[uri], ids[id(cited)]))
                made.mentions.add((starts[start], ids[id(cited)]))
    return made


def _with_titles(corpus: Corpus, titles: Mapping[str, str]) -> Corpus:
    documents = corpus.documents.with_columns(title=corpus.documents["doc_id"].replace(titles))
    is_document = corpus.tree["kind"] == "document"
    names = corpus.tree["doc_id"].replace(titles)
    tree = corpus.tree.with_columns(title=corpus.tree["title"].zip_with(~is_document, names))
    return Corpus(documents, corpus.layout, tree, corpus.paragraphs)


def _papers(n: int, rng: random.Random) -> list[Paper]:
    papers: list[Paper] = []
    titles: set[str] = set()
    while len(papers) < n:
        roll = rng.random()
        if papers and roll < 0.2:
            paper = _near_title(rng.choice(papers), rng)
        elif papers and roll < 0.3:
            paper = replace(rng.choice(papers), authors=_authors(rng), year=rng.randint(1995, 2024))
        elif papers and roll < 0.36:
            old = rng.choice(papers)
            paper = replace(old, year=old.year + rng.choice((-6, -4, 4, 6)))
        else:
            paper = Paper(_title(rng), _authors(rng), rng.randint(1995, 2024))
            if paper.title in titles:
                continue
        titles.add(paper.title)
        number = len(papers)
        doi = f"10.{5000 + number}/made.{number}" if rng.random() < 0.5 else ""
        has_arxiv = rng.random() < 0.4 and paper.year >= 2015
        arxiv = f"{paper.year % 100:02}{rng.randint(1, 12):02}.{10000 + number}" if has_arxiv else ""
        papers.append(replace(paper, doi=doi, arxiv=arxiv))
    rng.shuffle(papers)
    return papers


def _title(rng: random.Random) -> str:
    title = f"{rng.choice(_KINDS)} {rng.choice(_THINGS)} {rng.choice(_ACTS)} for {rng.choice(_THINGS)}s in {rng.choice(_PLACES)}"
    title = title[0].upper() + title[1:]
    return f"{title}: {rng.choice(_SUBTITLES)}" if rng.random() < 0.3 else title


def _authors(rng: random.Random) -> tuple[tuple[str, str], ...]:
    return tuple((rng.choice(_FIRST), last) for last in rng.sample(_LAST, rng.randint(1, 4)))


def _near_title(paper: Paper, rng: random.Random) -> Paper:
    """Another paper whose title differs in one word."""
    words = paper.title.split()
    at = rng.choice([n for n, word in enumerate(words) if word.casefold() in (*_KINDS, *_THINGS, *_ACTS)])
    pool = next(group for group in (_KINDS, _THINGS, _ACTS) if words[at].casefold() in group)
    word = rng.choice([other for other in pool if other != words[at].casefold()])
    words[at] = word.capitalize() if at == 0 else word
    return Paper(" ".join(words), _authors(rng), rng.randint(1995, 2024))


def _unlike(paper: Paper, rng: random.Random) -> Paper:
    """An entry of a paper that is not there but looks like one that is."""
    if rng.random() < 0.4:
        return replace(paper, authors=_authors(rng), year=rng.randint(1995, 2024), doi="", arxiv="")
    if rng.random() < 0.5:
        return replace(paper, year=paper.year + rng.choice((-5, -3, 3, 5)), doi="", arxiv="")
    return _near_title(paper, rng)


def _is_same(entry: Paper, paper: Paper) -> bool:
    """Whether an entry would rightly be read as a paper: same title, with an author in common and years at most one apart."""
    shared = {last for _, last in entry.authors} & {last for _, last in paper.authors}
    return entry.title == paper.title and bool(shared) and abs(entry.year - paper.year) <= 1


def _text(paper: Paper, listed: list[Paper], rng: random.Random) -> tuple[str, list[tuple[str, Paper]]]:
    """Text of a paper, and the first twelve characters of each citing paragraph with what it cites."""
    numeric = rng.random() < 0.5
    byline = ", ".join(f"{first} {last}" for first, last in paper.authors)
    marks = [f"doi:{paper.doi}" if paper.doi else "", f"arXiv:{paper.arxiv}v2" if paper.arxiv else ""]
    lines = [byline, f"{rng.choice(_JOURNALS)}, {paper.year}. {' '.join(mark for mark in marks if mark)}".strip()]
    lines += ["# Abstract", "We look at water and at what moves it, and say what we saw.", "# 1 Introduction"]
    mentions: list[tuple[str, Paper]] = []
    for number, cited in enumerate(listed, start=1):
        start = f"Remark {number:04} "
        mark = f"[{number}]" if numeric else _name_mark(cited, rng)
        lines.append(f"{start}holds what was found before {mark} and goes on from there.")
        mentions.append((start[:12], cited))
    lines.append("# References")
    entries = [(_entry(cited, rng), cited) for cited in listed]
    if numeric:
        lines += [f"[{number}] {text}" for number, (text, _) in enumerate(entries, start=1)]
    else:
        lines += [text for text, _ in sorted(entries, key=lambda entry: entry[1].first)]
    return "\n\n".join(lines), mentions


def _name_mark(cited: Paper, rng: random.Random) -> str:
    names = [last for _, last in cited.authors]
    name = names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return rng.choice((f"({name}, {cited.year})", f"by {name} ({cited.year})"))


def _entry(cited: Paper, rng: random.Random) -> str:
    journal, title = rng.choice(_JOURNALS), cited.title
    if ":" in title and rng.random() < 0.3:
        title = title.partition(":")[0]
    roll = rng.random()
    title = title.upper() if roll < 0.1 else title.title() if roll < 0.3 else title
    if rng.random() < 0.3:
        title = title.replace("fi", "ﬁ").replace("fl", "ﬂ")
    short = ", ".join(f"{last}, {first[0]}." for first, last in cited.authors)
    plain = ", ".join(f"{first[0]}. {last}" for first, last in cited.authors)
    full = ", ".join(f"{first} {last}" for first, last in cited.authors)
    pages = f"{rng.randint(1, 40)}({rng.randint(1, 9)}):{rng.randint(100, 300)}–{rng.randint(301, 420)}"
    if cited.doi and rng.random() < 0.15:
        return f"{short} ({cited.year}). {journal}, {pages}. https://doi.org/{cited.doi}"
    if cited.arxiv and rng.random() < 0.15:
        return f"{full}. arXiv preprint arXiv:{cited.arxiv}, {cited.year}."
    text = rng.choice(
        (
            f"{short} ({cited.year}). {title}. {journal}, {pages}.",
            f"{plain}. {title}. {journal}, {pages}, {cited.year}.",
            f"{full}. {cited.year}. {title}. In {journal}, pages {rng.randint(1, 99)}–{rng.randint(100, 199)}.",
            f"{plain}, “{title},” {journal}, vol. {rng.randint(1, 40)}, {cited.year}.",
        )
    )
    return _broken(text, rng) if rng.random() < 0.4 else text


def _broken(text: str, rng: random.Random) -> str:
    """Lines of about sixty characters, long words cut with a hyphen."""
    lines, current = [], ""
    for word in text.split(" "):
        if len(current) + len(word) > 60:
            if len(word) > 9 and word.isalpha() and rng.random() < 0.6:
                cut = rng.randint(4, len(word) - 4)
                lines.append(f"{current} {word[:cut]}-")
                current = word[cut:]
            else:
                lines.append(current)
                current = word
        else:
            current = f"{current} {word}".strip()
    return "\n".join([*lines, current])
