"""Settings of where documents come from and when they are looked at: `[[source]]` and `[refresh]` of docnav.toml."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from assets_store.section import Section

_Word = Annotated[str, Field(min_length=1, max_length=500)]
_Words = Annotated[tuple[_Word, ...], Field(max_length=1000)]
_Label = Annotated[str, Field(pattern=r"^[\w./-]+$", max_length=317)]
_LabelValue = Annotated[str, Field(pattern=r"^[\w.-]*$", max_length=63)]
_WAYS = ("folder", "bucket", "urls", "url_list")


class SourceSettings(Section):
    """One place that documents come from: a folder, a bucket, or a list of addresses. Exactly one of the four is set."""

    folder: str = Field("", description="Folder or file, relative to the docnav.toml that names it.")
    bucket: str = Field("", pattern=r"^$|^(s3|gs|gcs|file)://", description="Address of a bucket and prefix, as `s3://BUCKET/PREFIX`.")
    urls: Annotated[tuple[Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2000)], ...], Field(max_length=10_000)] = Field(
        (), description="Addresses of single documents, `http` or `https`."
    )
    url_list: str = Field("", description="File with one such address a line, relative to the docnav.toml; `#` begins a comment.")
    kb: str = Field("default", min_length=1, max_length=200, description="Knowledge base that the documents belong to.")
    product_version: str = Field("", max_length=200, description="Version of the product that they describe.")
    labels: _Words = Field((), description="Access labels of which a reader needs at least one; none means public.")
    include: _Words = Field((), description="Only files whose path or name matches one of these globs.")
    exclude: _Words = Field((), description="No files whose path or name matches one of these globs.")
    mirror: str = Field("", description="Folder for the copies of a bucket or of addresses; empty for one in the user's cache.")

    @model_validator(mode="after")
    def one_place(self) -> SourceSettings:
        named = [way for way in _WAYS if getattr(self, way)]
        if len(named) != 1:
            raise ValueError(f"expected exactly one of {', '.join(_WAYS)}, found {' and '.join(named) or 'none'}")
        return self


class RefreshSettings(Section):
    """When `docnav ui` and a cluster look at the sources, and how work is cut into runs."""

    watch: bool = Field(True, description="Look at the sources again and again while `docnav ui` is open, and index what changed.")
    every_s: int = Field(30, ge=1, le=86_400, description="Seconds between two looks at the sources, and at what must run.")
    shards_per_run: int = Field(
        0, ge=0, le=99, description="Shards in one run; 0 puts all that changed into one. 1 lets workers share best."
    )
    reindex: bool = Field(False, description="Run every shard by schedule too, which tries failed documents again.")
    reindex_cron: str = Field("0 3 * * *", pattern=r"^\S+( \S+){4}$", description="When: minute, hour, day, month, weekday, in UTC.")
    fresh_hours: float = Field(0.0, ge=0, le=87_600, description="Hours after which a snapshot is shown as overdue; 0 = never.")
    gpu_queue: str = Field("", pattern=r"^[\w.-]*$", max_length=100, description="Celery queue of runs that need a GPU; empty for none.")
    gpu_nodes: Annotated[dict[_Label, _LabelValue], Field(max_length=20)] = Field(
        {}, description="Labels of the Kubernetes nodes where runs that need a GPU go, and ask for one; none leaves them beside the others."
    )
    gpu_resource: str = Field("nvidia.com/gpu", pattern=r"^[\w./-]+$", max_length=100, description="Kubernetes' name of a GPU.")
