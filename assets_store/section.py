"""What every section of docnav.toml is."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section of docnav.toml: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)
