"""LinearRAG: numbers of a made-up corpus worked out with the reference, and the system over a store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assets_store.errors import SettingsError
from assets_store.models.entities import EntityRecognizer, Mention
from docnav_agent.baselines.linear_rag import LinearRagSystem, passage_of
from docnav_agent.baselines.parts.linear_rag import LinearRag, Settings
from docnav_agent.baselines.parts.propagation import personalized_pagerank
from docnav_agent.budget import Budget
from docnav_agent.systems import Question, SystemOptions, system
from tests.factories import MadeDocument, make_search

NAMES = ["Ada", "Boole", "Crane", "Delta", "Ember", "Fjord"]
WORDS = [*map(str.lower, NAMES), "pump", "valve", "river", "city", "built", "designed", "flows", "where", "who", "of", "the"]
TEXTS = (
    "Ada designed the pump. Boole designed the valve.",
    "Boole built the city Crane. The river Delta flows.",
    "Crane lies where the river Ember flows.",
    "Ember flows of Fjord. The valve of Ada.",
    "The pump of the city.",
)
QUESTION = "Where flows the river of the city Boole built?"


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Counts of the 17 words and a constant, brought to length 1."""
    rows = []
    for text in texts:
        said = re.findall("[a-z]+", text.lower())
        row = np.array([*(said.count(word) for word in WORDS), 0.001])
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, np.float32)


def mentions(text: str) -> list[Mention]:
    return [Mention(match[0], "NAME", match.start()) for match in re.finditer("|".join(NAMES), text)]


def made_graph(settings: Settings) -> LinearRag:
    passages = [passage_of(number, text, mentions(text)) for number, text in enumerate(TEXTS)]
    whole = LinearRag(passages, {})
    texts = [*whole.entities, *whole.sentences]
    return LinearRag(passages, dict(zip(texts, encode(texts), strict=True)), settings)


@pytest.mark.parametrize(
    ("settings", "active", "weights", "priors", "scores"),
    [
        (
            Settings(3, 1, 1.5, 0.5),
            {"Boole": (0.6742, 2), "Crane": (0.6742, 2)},
            {"Boole": 1.6742, "Crane": 0.6742},
            [0.0105, 0.09417, 0.0458, 0.00813, 0.04868],
            {1: 0.17526, 0: 0.14374, 2: 0.09083, 3: 0.03069, 4: 0.01464},
        ),
        (
            Settings(3, 3, 2.0, 0.1),
            {"Boole": (0.4523, 2), "Crane": (0.4149, 3), "Ember": (0.4149, 3)},
            {"Boole": 2.1265, "Crane": 1.0891, "Ember": 0.4149},
            [0.00728, 0.11126, 0.05584, 0.01542, 0.0649],
            {1: 0.15836, 0: 0.12198, 2: 0.10809, 3: 0.04582, 4: 0.01599},
        ),
    ],
)
def test_the_numbers_are_those_of_the_reference(
    settings: Settings,
    active: dict[str, tuple[float, int]],
    weights: dict[str, float],
    priors: list[float],
    scores: dict[int, float],
) -> None:
    graph = made_graph(settings)
    question = encode([QUESTION])[0]
    seeds = graph.seeds([mention.text for mention in mentions(QUESTION)], encode)
    assert seeds == {"Boole": pytest.approx(1.0)}
    dense = encode([passage.text for passage in graph.passages]).astype(np.float64) @ question
    found = graph.spread(question, seeds, dense)
    assert {name: tier for name, (_, tier) in found.active.items()} == {name: tier for name, (_, tier) in active.items()}
    assert {name: score for name, (score, _) in found.active.items()} == pytest.approx(
        {name: score for name, (score, _) in active.items()}, abs=5e-5
    )
    assert found.weights == pytest.approx(weights, abs=5e-5)
    assert found.priors == pytest.approx(priors, abs=5e-6)
    order = sorted(range(len(TEXTS)), key=lambda at: -found.scores[at])
    assert order == list(scores)
    assert [found.scores[at] for at in order] == pytest.approx(list(scores.values()), abs=5e-6)


def test_pagerank_gives_the_mass_of_a_node_without_edges_back_and_counts_no_negative_reset() -> None:
    from scipy.sparse import csr_array

    weights = csr_array(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    scores = personalized_pagerank(weights, np.array([1.0, -1.0, 1.0]), 0.5)
    # x0 = (s0 + x2 s0 + x1) / 2 with s0 = s2 = 1/2; x1 = x0 / 2; x2 = (s2 + x2 s2) / 2.
    assert scores == pytest.approx([4 / 9, 2 / 9, 1 / 3])
    assert personalized_pagerank(weights, np.zeros(3), 0.5).sum() == pytest.approx(1.0)


def test_the_system_finds_a_passage_over_a_shared_entity_inside_the_documents_asked(tmp_path: Path, recognizer: EntityRecognizer) -> None:
    far = MadeDocument("far.md", "Maria Jensen was born in Copenhagen in 1932.\n\nRinse the pump with water every week.")
    near = MadeDocument("near.md", "The Lund bridge was designed by Maria Jensen.\n\nCopenhagen has many bridges.")
    search = make_search(tmp_path / "s", [far, near, MadeDocument("empty.md", "", status="empty")])
    made = system("linear-rag", search, SystemOptions(parameters={"threshold": 0.1}, cache_dir=tmp_path / "kept"))
    assert isinstance(made, LinearRagSystem)
    made.prepare()
    (kept,) = (tmp_path / "kept").iterdir()
    question = Question("q", "Where was the designer of the Lund bridge, Maria Jensen, born?")
    texts = [item.text for item in made.retrieve(question, Budget()).evidence]
    assert set(texts[:2]) == {"The Lund bridge was designed by Maria Jensen.", "Maria Jensen was born in Copenhagen in 1932."}
    again = system("linear-rag", search, SystemOptions(parameters={"threshold": 0.1}, cache_dir=kept.parent))
    assert [item.text for item in again.retrieve(question, Budget()).evidence] == texts
    scoped = made.retrieve(Question("q", question.text, docs=("far",)), Budget()).evidence
    assert {item.doc for item in scoped} == {"far.md"}
    # Without an entity in the question it is the dense ranking.
    plain = Question("q", "how often to rinse?")
    dense = system("dense", search).retrieve(plain, Budget()).evidence
    assert [item.node_id for item in made.retrieve(plain, Budget()).evidence] == [item.node_id for item in dense]
    with pytest.raises(SettingsError, match=r"linear-rag: speed: .*expected some of: iterations, sentences"):
        system("linear-rag", search, SystemOptions(parameters={"speed": 1}))
