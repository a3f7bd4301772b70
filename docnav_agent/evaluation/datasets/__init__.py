"""Data sets by format. Each module has `load(entry: DataSetEntry, work: Path) -> DataSet` and is imported when it is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from assets_store.errors import SettingsError
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry

FORMATS = {"questions": "questions", "longbench-v2": "longbench", "mdaqa": "mdaqa", "scholarqabench": "scholarqabench"}


def load_data_set(entry: DataSetEntry, work: Path) -> DataSet:
    """The questions of a data set in one form. work: folder where documents that come inside a release are written.

    Raises SettingsError for an unknown format, SourceError where a file is missing (with how to get it) or not of the form.
    """
    if entry.format not in FORMATS:
        near = get_close_matches(entry.format, FORMATS, n=1)
        hint = f" (nearest: {near[0]!r})" if near else ""
        raise SettingsError(f"data set {entry.name}: unknown format {entry.format!r}{hint}; expected one of: {', '.join(FORMATS)}")
    loaded: DataSet = import_module(f"{__name__}.{FORMATS[entry.format]}").load(entry, work)
    return loaded
