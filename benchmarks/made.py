"""Made-up corpora of any size: words by Zipf's law, names and part numbers that recur, headings, references between documents."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "or", "ul")]


class Maker:
    """Texts from a seed; the same seed gives the same texts. topics: groups of words that documents share."""

    def __init__(self, seed: int = 7, n_words: int = 6000, n_topics: int = 40) -> None:
        self.random = random.Random(seed)
        self.words = sorted({"".join(self.random.choices(_SYLLABLES, k=self.random.randint(1, 4))) for _ in range(n_words)})
        self.random.shuffle(self.words)
        self.weights = [1 / (rank + 5) for rank in range(len(self.words))]
        self.topics = [self.random.sample(self.words[200:], 60) for _ in range(n_topics)]
        self.names = [f"{self.random.choice(self.words).title()} {self.random.choice(self.words).title()}" for _ in range(400)]

    def sentence(self, topic: list[str]) -> str:
        """One sentence of common words and words of a topic, sometimes with a name or a part number."""
        common = self.random.choices(self.words, self.weights, k=self.random.randint(5, 11))
        words = common + self.random.choices(topic, k=self.random.randint(3, 6))
        self.random.shuffle(words)
        if self.random.random() < 0.3:
            words.insert(self.random.randrange(len(words)), self.random.choice(self.names))
        if self.random.random() < 0.2:
            words.insert(self.random.randrange(len(words)), f"KX-{self.random.randint(100, 999)}")
        return " ".join(words).capitalize() + "."

    def paragraph(self, topic: list[str], sentences: int = 14) -> str:
        return " ".join(self.sentence(topic) for _ in range(sentences))

    def document(self, number: int, sections: int = 4, sentences: int = 14) -> str:
        """Markdown with a title, numbered sections and a reference to an earlier document."""
        topic = self.topics[number % len(self.topics)]
        lines = [f"# Report {number} on {self.random.choice(topic)}\n"]
        for section in range(1, sections + 1):
            lines.append(f"## {section} {self.random.choice(topic).title()} and {self.random.choice(topic)}\n")
            lines.append(self.paragraph(topic, sentences) + (f" See section {section - 1}." if section > 1 else "") + "\n")
        if number:
            other = self.random.randrange(number)
            lines.append(f"More is in [report {other}](report-{other:06d}.md).\n")
        return "\n".join(lines)


def write_folder(folder: Path, numbers: range, maker: Maker | None = None, sections: int = 4, sentences: int = 14) -> None:
    """One Markdown file per document, with so many sections of so many sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    maker = maker or Maker()
    for number in numbers:
        (folder / f"report-{number:06d}.md").write_text(maker.document(number, sections, sentences), encoding="utf-8")


def rows(n: int, paragraphs: int, maker: Maker | None = None) -> Iterator[str]:
    """Lines of a JSONL file, one document each, with about so many paragraphs."""
    maker = maker or Maker()
    for number in range(n):
        topic = maker.topics[number % len(maker.topics)]
        text = "\n\n".join(maker.paragraph(topic) for _ in range(paragraphs))
        yield json.dumps({"id": f"row-{number:06d}", "title": f"Row {number} on {maker.random.choice(topic)}", "text": text}) + "\n"
