"""One question of a data set with what is known to be right: the form that every data set is brought into."""

from __future__ import annotations

from dataclasses import dataclass

from docnav_agent.systems import Question


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of gold evidence. doc: name of its document. text: source text; page: from 1, used where there is no text."""

    doc: str
    text: str = ""
    page: int | None = None
    section: str = ""

    @property
    def is_located(self) -> bool:
        """Whether it says more than the document."""
        return bool(self.text) or self.page is not None


@dataclass(frozen=True, slots=True)
class Case:
    """A question and its gold.

    references: answers that are right, any of them. gold: evidence that answers; without text and page it names a document only.
    answerable: whether the documents answer it; None where the data set does not say.
    right: labels of the options that are right, of a question of the form `choice`. truth: of the one option of `true_false`.
    group: id of the question that a single option was taken from, else the id of the question itself.
    cluster: what it hangs together with others by, for intervals: its documents.
    """

    question: Question
    references: tuple[str, ...] = ()
    gold: tuple[Gold, ...] = ()
    answerable: bool | None = None
    right: tuple[str, ...] = ()
    truth: bool | None = None
    group: str = ""
    cluster: str = ""

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def located(self) -> tuple[Gold, ...]:
        """Gold evidence that can be looked for in fetched text; none of a question that the documents do not answer."""
        return () if self.answerable is False else tuple(gold for gold in self.gold if gold.is_located)

    @property
    def gold_documents(self) -> tuple[str, ...]:
        """Names of the documents of the gold evidence, without repeats; none of a question that the documents do not answer."""
        return () if self.answerable is False else tuple(dict.fromkeys(gold.doc for gold in self.gold))
