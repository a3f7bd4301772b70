"""The encoder of paragraphs and questions: texts to unit vectors, long texts in windows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from logging import ERROR, getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from assets_store.errors import ModelError
from assets_store.models.model_files import find_encoder, fingerprint
from assets_store.settings import EmbeddingSettings
from assets_store.terminal import complain

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

Vectors = npt.NDArray[np.float32]

# Texts tokenised at a time: bounds memory whatever the length of the input.
_CHUNK_TEXTS = 4096
# Tokens, padding included, that one batch on a GPU may have: fewer leave it waiting, and short windows go many at a time.
_GPU_TOKENS = 65_536


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """vectors: float32 [n, dim], rows of length 1. n_windows: int32 [n], windows that were encoded and pooled, 1 or more."""

    vectors: Vectors
    n_windows: npt.NDArray[np.int32]


class Encoder:
    """A sentence-transformers model that truncates nothing.

    model_id: name and hash of weights and configuration, the same on every machine.
    dim: length of a vector. max_tokens: tokens of one window, the special ones included. device, dtype: where and in
    what it computes; neither is part of model_id, since vectors differ by less than 0.001 (cosine).
    n_halved: times that memory was too short for a batch, so that this and all later ones were made half as large.
    """

    def __init__(self, model: SentenceTransformer, model_id: str, device: str, dtype: str, batch_size: int) -> None:
        self._model = model
        self._share = 1.0
        self._batch_size = batch_size
        self.n_halved = 0
        self._tokenizer, self._prefix, self._suffix, self._pad = _tokenizer_of(model)
        self.model_id = model_id
        self.device = device
        self.dtype = dtype
        self.dim = int(model.get_embedding_dimension() or 0)
        self.max_tokens = int(model.max_seq_length or 512)

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> EncodedTexts:
        """Encode texts, in the order given.

        A text longer than the model's window is cut into windows of like length, whose vectors are averaged with their
        tokens as weights and brought back to length 1. progress: called with the number of texts finished since its last call.
        """
        vectors = np.zeros((len(texts), self.dim), np.float32)
        n_windows = np.ones(len(texts), np.int32)
        for start in range(0, len(texts), _CHUNK_TEXTS):
            chunk = texts[start : start + _CHUNK_TEXTS]
            sums, counts = self._encode_chunk(chunk, progress)
            vectors[start : start + len(chunk)] = sums
            n_windows[start : start + len(chunk)] = counts
        return EncodedTexts(vectors, n_windows)

    def _encode_chunk(self, texts: Sequence[str], progress: Callable[[int], None] | None) -> tuple[Vectors, npt.NDArray[np.int32]]:
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        room = max(1, self.max_tokens - len(self._prefix) - len(self._suffix))
        windows: list[tuple[int, list[int]]] = []
        counts = np.zeros(len(texts), np.int32)
        for row, encoding in enumerate(encoded):
            pieces = split_evenly(encoding.ids, room)
            counts[row] = len(pieces)
            windows += [(row, piece) for piece in pieces]
        # Longest first: batches hold windows of like length, and a shortage of memory shows at once.
        windows.sort(key=lambda window: -len(window[1]))
        sums = np.zeros((len(texts), self.dim), np.float32)
        left = counts.copy()
        start = 0
        while start < len(windows):
            batch = windows[start : start + self._rows(len(windows[start][1]))]
            vectors = self._encode_or_halve([ids for _, ids in batch])
            if vectors is None:
                continue
            start += len(batch)
            rows = np.array([row for row, _ in batch])
            weights = np.array([max(1, len(ids)) for _, ids in batch], np.float32)
            np.add.at(sums, rows, vectors * weights[:, None])
            np.subtract.at(left, rows, 1)
            finished = int((left[np.unique(rows)] == 0).sum())
            if progress is not None and finished:
                progress(finished)
        return unit_rows(sums), counts

    def _rows(self, length: int) -> int:
        """Windows in the next batch. length: token ids of the longest."""
        rows = self._batch_size
        if self.device != "cpu":
            rows = max(rows, _GPU_TOKENS // (length + len(self._prefix) + len(self._suffix)))
        return max(1, int(rows * self._share))

    def _encode_or_halve(self, windows: Sequence[list[int]]) -> Vectors | None:
        """Vectors of windows; None where memory was too short for them, after which batches are half as large.

        Raises ModelError where it is too short for a single window.
        """
        import torch

        try:
            return self._encode_windows(windows)
        except torch.OutOfMemoryError as error:
            if len(windows) == 1:
                raise ModelError(
                    f"device {self.device} has too little memory for one window of {len(windows[0])} tokens: {error}. "
                    "Free some, or set embeddings.device = 'cpu'."
                ) from error
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        self._share /= 2
        self.n_halved += 1
        complain(f"memory of {self.device} was too short for {len(windows)} windows; going on with half as many")
        return None

    def _encode_windows(self, windows: Sequence[list[int]]) -> Vectors:
        """Unit vectors of windows of token ids, float32 [n, dim]."""
        import torch

        length = max(len(ids) for ids in windows) + len(self._prefix) + len(self._suffix)
        ids = torch.full((len(windows), length), self._pad, dtype=torch.long)
        mask = torch.zeros((len(windows), length), dtype=torch.long)
        for row, window in enumerate(windows):
            filled = [*self._prefix, *window, *self._suffix]
            ids[row, : len(filled)] = torch.tensor(filled)
            mask[row, : len(filled)] = 1
        features = {"input_ids": ids.to(self.device), "attention_mask": mask.to(self.device)}
        with torch.inference_mode():
            out: torch.Tensor = self._model(features)["sentence_embedding"]
        return unit_rows(out.float().cpu().numpy())


class TextEncoder(Protocol):
    """What every encoder offers. model_id: the same on every machine."""

    model_id: str

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> EncodedTexts:
        """Encode texts, in the order given."""
        ...


def load_encoder(settings: EmbeddingSettings) -> TextEncoder:
    """The encoder that the settings name, loaded once per process and setting. Raises ModelError where it cannot be had."""
    from assets_store.models.hashing_encoder import HashingEncoder, hashing_dim

    dim = hashing_dim(settings.model)
    if dim is not None:
        return HashingEncoder(dim)
    return _load(settings.model, settings.device, settings.dtype, settings.batch_size)


@lru_cache(maxsize=2)
def encoder_id(model: str) -> str:
    """model_id of the encoder that a setting names, without loading it. Raises ModelError."""
    from assets_store.models.hashing_encoder import HashingEncoder, hashing_dim

    dim = hashing_dim(model)
    if dim is not None:
        return HashingEncoder(dim).model_id
    folder = find_encoder(model)
    name = folder.name if Path(model).expanduser().is_dir() else model
    return f"{name}@{fingerprint(folder)}"


@lru_cache(maxsize=2)
def _load(name: str, device: str, dtype: str, batch_size: int) -> Encoder:
    folder = find_encoder(name)
    import torch

    with quiet_loading():
        from sentence_transformers import SentenceTransformer

        chosen = _choose_device(device)
        half = _choose_dtype(dtype, chosen)
        try:
            model = SentenceTransformer(
                str(folder),
                device=chosen,
                local_files_only=True,
                model_kwargs={"dtype": torch.bfloat16 if half == "bfloat16" else torch.float32},
            )
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelError(
                f"embeddings.model = {name!r}: the files in {folder} cannot be loaded ({type(error).__name__}: {error}). "
                "Fetch the model again, or name another."
            ) from error
    model.eval()
    return Encoder(model, encoder_id(name), chosen, half, batch_size)


def split_evenly(ids: list[int], room: int) -> list[list[int]]:
    """Token ids in as few pieces of at most `room` as possible, whose lengths differ by at most one; [ids] where they fit."""
    pieces = max(1, -(-len(ids) // room))
    size, longer = divmod(len(ids), pieces)
    out, start = [], 0
    for piece in range(pieces):
        end = start + size + (piece < longer)
        out.append(ids[start:end])
        start = end
    return out


def unit_rows(matrix: Vectors) -> Vectors:
    """Rows brought to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def _tokenizer_of(model: SentenceTransformer) -> tuple[Any, list[int], list[int], int]:
    """The fast tokenizer without limits, the special ids before and after a window, and the padding id."""
    tokenizer = model.tokenizer
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is None:
        raise ModelError("embeddings.model: its tokenizer has no fast form (tokenizer.json), which cutting long texts into windows needs.")
    fast.no_truncation()
    fast.no_padding()
    plain = fast.encode("a", add_special_tokens=False).ids
    framed = fast.encode("a", add_special_tokens=True).ids
    at = next(i for i in range(len(framed)) if framed[i : i + len(plain)] == plain)
    return fast, framed[:at], framed[at + len(plain) :], int(getattr(tokenizer, "pad_token_id", None) or 0)


def _choose_device(device: str) -> str:
    import torch

    if device in ("auto", "cuda") and torch.cuda.device_count() > 1:
        # One process a device: each takes the one with most free memory, which the processes before it have filled.
        free = [torch.cuda.mem_get_info(n)[0] for n in range(torch.cuda.device_count())]
        return f"cuda:{free.index(max(free))}"
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if (device == "cuda" and not torch.cuda.is_available()) or (device == "mps" and not torch.backends.mps.is_available()):
        raise ModelError(f"embeddings.device = {device!r}, but this machine has none. Set it to 'auto' or 'cpu'.")
    return device


def _choose_dtype(dtype: str, device: str) -> str:
    """bfloat16 only where the processor computes in it; elsewhere it would be slower than float32."""
    if dtype != "auto":
        return dtype
    if device.startswith("cuda"):
        import torch

        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    return "bfloat16" if device == "cpu" and _cpu_has_bfloat16() else "float32"


@lru_cache(maxsize=1)
def _cpu_has_bfloat16() -> bool:
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:  # no such file outside Linux: float32 is always right
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """Loading says nothing: no bar over one second of weights, no notes of the libraries on stderr."""
    from transformers.utils import logging

    transformers_logging: Any = logging
    bar = transformers_logging.is_progress_bar_enabled()
    loggers = [getLogger(n) for n in ("sentence_transformers", "transformers")]
    levels = [log.level for log in loggers]
    transformers_logging.disable_progress_bar()
    for log in loggers:
        log.setLevel(ERROR)
    try:
        yield
    finally:
        for log, level in zip(loggers, levels, strict=True):
            log.setLevel(level)
        if bar:
            transformers_logging.enable_progress_bar()
