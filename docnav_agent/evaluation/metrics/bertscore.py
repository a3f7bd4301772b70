"""BERTScore-F1 of an answer: each token of answer and reference finds its nearest in the other, by vectors in context.

P = mean over answer tokens of the highest cosine with a reference token, R the same the other way round, F1 = 2·P·R / (P + R); the best
over all references, -1..1 and in practice 0.2..1: it is not rescaled by a baseline, so compare it between systems only. Special tokens
take no part; texts longer than the window of the model are read in windows of like length, not cut. No answer, an abstention and a
question that failed have 0. Applies to open questions with a reference. Source: Zhang et al., ICLR 2020.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assets_store.errors import ModelError
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "bertscore_f1"
TokenVectors = NDArray[np.float64]


def greedy_f1(said: TokenVectors, wanted: TokenVectors) -> float:
    """F1 of greedy matching. said, wanted: float64 [n_tokens, dim], rows of length 1; 0 where either has no row."""
    if not len(said) or not len(wanted):
        return 0.0
    cosines = said @ wanted.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


@lru_cache(maxsize=2)
def load_token_encoder(name: str, layer: int) -> Callable[[str], TokenVectors]:
    """Text → vectors of its tokens, float64 [n_tokens, dim], rows of length 1, by an encoder on this machine.

    name: as for embeddings.model. layer: hidden layer, 0 is the embedding of the words, -1 the last. Raises ModelError.
    """
    from assets_store.models.encoder import quiet_loading, split_evenly
    from assets_store.models.model_files import find_encoder

    folder = find_encoder(name)
    import torch

    with quiet_loading():
        from transformers import AutoModel, AutoTokenizer

        kinds: Any = (AutoTokenizer, AutoModel)
        try:
            tokenizer, model = (kind.from_pretrained(str(folder), local_files_only=True) for kind in kinds)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(
                f"bertscore_model = {name!r}: the files in {folder} cannot be loaded ({type(error).__name__}: {error})"
            ) from error
    model.eval()
    layers = int(model.config.num_hidden_layers)
    if not -layers - 1 <= layer <= layers:
        raise ModelError(f"bertscore_model = {name!r} has the layers 0 to {layers}, found bertscore_layer = {layer}")
    fast = tokenizer.backend_tokenizer
    fast.no_truncation()
    fast.no_padding()
    plain, framed = (fast.encode("a", add_special_tokens=special).ids for special in (False, True))
    at = next(i for i in range(len(framed)) if framed[i : i + len(plain)] == plain)
    before, after = framed[:at], framed[at + len(plain) :]
    # Some models count positions from 2 on.
    room = int(model.config.max_position_embeddings) - len(framed) - 2

    def vectors(text: str) -> TokenVectors:
        found = []
        for window in split_evenly(fast.encode(text, add_special_tokens=False).ids, room):
            with torch.inference_mode():
                ids = torch.tensor([[*before, *window, *after]])
                states = model(input_ids=ids, output_hidden_states=True).hidden_states[layer][0]
            found.append(states[at : at + len(window)].double().numpy())
        rows = np.concatenate(found)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float64)

    return vectors


class BertScore:
    """model, layer: of the encoder, which is loaded with the first answer."""

    name = "bertscore"

    def __init__(self, model: str, layer: int) -> None:
        self.model, self.layer = model, layer

    @property
    def version(self) -> str:
        return f"1-{self.model}-{self.layer}"

    @property
    def statistics(self) -> list[Statistic]:
        how = f"Greedy matching of tokens in context by {self.model}, layer {self.layer}, not rescaled; 0 for no answer."
        return [mean_of(NAME, "BERTScore F1", how)]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME,) if case.question.form == "open" and any(text.strip() for text in case.references) else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not self.columns(case):
            return Measured({})
        if not outcome.said:
            return Measured({NAME: 0.0})
        vectors = load_token_encoder(self.model, self.layer)
        said = vectors(outcome.said)
        return Measured({NAME: max(greedy_f1(said, vectors(text)) for text in case.references if text.strip())})


def make_metric(settings: MetricSettings) -> BertScore:
    """With the encoder of the settings."""
    return BertScore(settings.bertscore_model, settings.bertscore_layer)
