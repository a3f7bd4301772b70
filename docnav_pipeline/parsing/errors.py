"""Faults of a source file that a reader of ours finds; `parse.py` turns them into a status.

SourceFault
├── CorruptSource      the file is broken
├── LockedSource       the file needs a password
├── OversizedSource    the file goes past a limit
├── UnsupportedSource  the file is whole, but of no kind that is read
└── MissingModels      the chosen tier of the parser has no model weights here
"""

from __future__ import annotations

from docnav_pipeline.parsing.block import DocumentStatus


class SourceFault(ValueError):
    """A fault of a source file; the text says what was expected, what was found and what to do."""


class CorruptSource(SourceFault):
    """The file is broken; the text says where."""


class LockedSource(SourceFault):
    """The file needs a password."""


class OversizedSource(SourceFault):
    """The file goes past a limit; the text names the limit and what to change."""


class UnsupportedSource(SourceFault):
    """The file is whole, but of a kind that is not read; the text says what to do instead."""


class MissingModels(SourceFault):
    """The tier that the settings choose needs model weights that are not on this machine."""


class ServerFault(SourceFault):
    """The MinerU server that the settings name did not answer, or with an error."""


_STATUS: dict[type[SourceFault], DocumentStatus] = {
    CorruptSource: DocumentStatus.CORRUPT,
    LockedSource: DocumentStatus.ENCRYPTED,
    OversizedSource: DocumentStatus.TOO_LARGE,
    UnsupportedSource: DocumentStatus.UNSUPPORTED,
    MissingModels: DocumentStatus.FAILED,
    ServerFault: DocumentStatus.FAILED,
}


def status_of(fault: SourceFault) -> DocumentStatus:
    """Status of a document whose parsing ended with this fault."""
    return _STATUS.get(type(fault), DocumentStatus.FAILED)
