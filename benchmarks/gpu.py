"""What a GPU does with the encoder: texts a second in fp32 and bf16, share of the device's peak, and what the pipeline adds.

usage: python -m benchmarks.gpu [MODEL]

Needs no data and no network; takes less than five minutes. Says so where there is no GPU, and exits 0.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from assets_store.models.encoder import Encoder, load_encoder
from assets_store.settings import EmbeddingSettings, load_settings
from benchmarks.page import table, write_part

_WORDS = ["pump", "valve", "tank", "filter", "sensor", "relay", "torque", "cover", "screw", "inlet", "pressure", "water", "level", "alarm"]
_TEXTS, _TOKENS, _WARM_UP, _SEED = 20_000, 200, 512, 7
_SIZE, _ROUNDS = 8192, 20  # of the matrix product that stands for the peak
_LIMIT_S = 60.0  # that one measurement may take


def made_texts(n: int) -> list[str]:
    """Texts of 50 to 350 words that differ, always the same."""
    dice = random.Random(_SEED)
    return [" ".join(dice.choices(_WORDS, k=dice.randint(_TOKENS // 4, _TOKENS * 7 // 4))) + f" {i}" for i in range(n)]


def peak_flops(dtype: str) -> float:
    """Operations a second of a large matrix product, which is what the device can do at best."""
    import torch

    kind = getattr(torch, dtype)
    left = torch.randn(_SIZE, _SIZE, device="cuda", dtype=kind)
    right = torch.randn(_SIZE, _SIZE, device="cuda", dtype=kind)
    for _ in range(3):
        left @ right
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(_ROUNDS):
        left @ right
    torch.cuda.synchronize()
    return 2 * _SIZE**3 * _ROUNDS / (time.perf_counter() - started)


def throughput(encoder: Encoder, texts: list[str]) -> tuple[float, float]:
    """Texts a second, and operations a second of the matrix products alone: two for each weight and token that is no padding."""
    encoder.encode(texts[:_WARM_UP])
    done, tokens, started = 0, 0, time.perf_counter()
    while done < len(texts) and time.perf_counter() - started < _LIMIT_S:
        batch = texts[done : done + 4096]
        encoder.encode(batch)
        done += len(batch)
        tokens += sum(len(encoding.ids) for encoding in encoder._tokenizer.encode_batch(batch))
    seconds = time.perf_counter() - started
    weights = sum(p.numel() for name, p in encoder._model.named_parameters() if "embedding" not in name)
    return done / seconds, 2 * weights * tokens / seconds


def pipeline_rate(model: str, texts: list[str]) -> float:
    """Texts a second of the asset `embeddings`: reading, encoding and writing of a whole shard."""
    from assets_store.rows import Provenance
    from assets_store.schemas import PARAGRAPHS
    from assets_store.store import Store
    from docnav_pipeline.assets.embeddings import refresh_embeddings
    from docnav_pipeline.progress import LogReporter

    with tempfile.TemporaryDirectory() as folder:
        store = Store.create(Path(folder) / "store", load_settings(f'shards = 1\n[embeddings]\nmodel = "{model}"\n'))
        rows: list[dict[str, Any]] = [
            {"doc_id": f"d-{i // 100:06d}", "doc_version": "v", "paragraph_id": f"d-{i // 100:06d}/p-{i}", "parent_id": f"d-{i // 100:06d}",
             "position": i % 100, "kind": "text", "text": text, "n_tokens": 1, "path": [], "page_start": None, "page_end": None,
             "boxes": [], "blocks": []}
            for i, text in enumerate(texts)
        ]  # fmt: skip
        frame = pl.DataFrame(rows)
        store.write(PARAGRAPHS, "00", frame, Provenance(dict.fromkeys(frame["doc_id"].unique(), "v")))
        started = time.perf_counter()
        refresh_embeddings(store, store.shard_keys, LogReporter(lambda text: None))
        return len(texts) / (time.perf_counter() - started)


def main() -> int:
    import torch

    if not torch.cuda.is_available():
        print("no GPU on this machine (torch.cuda.is_available() is false): nothing was measured")
        return 0
    model = sys.argv[1] if len(sys.argv) > 1 else EmbeddingSettings().model
    texts = made_texts(_TEXTS)
    lines, fastest = [], 0.0
    for dtype in ("float32", "bfloat16"):
        settings = EmbeddingSettings(model=model, device="cuda", dtype="float32" if dtype == "float32" else "bfloat16")
        encoder = load_encoder(settings)
        assert isinstance(encoder, Encoder)
        rate, flops = throughput(encoder, texts)
        peak = peak_flops(dtype)
        fastest = max(fastest, rate)
        lines.append([dtype, f"{rate:,.0f}", f"{flops / 1e12:.1f}", f"{peak / 1e12:.1f}", f"{flops / peak:.0%}", str(encoder.n_halved)])
    inside = pipeline_rate(model, texts)
    head = ["dtype", "texts a second", "TFLOP/s", "peak TFLOP/s (matrix product)", "share of peak", "batches halved"]
    body = f"{torch.cuda.get_device_name()}, `{model}`, {len(texts):,} texts of {_TOKENS} words on average.\n\n{table(head, lines)}\n\n"
    body += (
        f"Asset `embeddings` with its reading and writing: {inside:,.0f} texts a second, {fastest / inside:.2f} times the encoder alone."
    )
    write_part("gpu", "Encoder on a GPU", f"python -m benchmarks.gpu {model}", body)
    print(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
