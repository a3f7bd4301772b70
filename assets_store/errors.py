"""Errors of the store, its settings and its models.

    DocnavError
    ├── SettingsError            a setting is unknown, out of range or missing
    ├── SourceError              a path given by a person does not exist or cannot be used
    ├── StoreError
    │   ├── NoStore              the folder holds no store, or no snapshot yet
    │   ├── StoreVersionError    written by a newer version
    │   ├── SchemaError          rows do not keep the promises of their table
    │   └── UnknownSnapshot      no snapshot of that id
    ├── UnknownNode              no node of that id in the snapshot
    ├── UnknownDocument          a document name matches nothing
    └── ModelError               a model cannot be had, or does not fit the stored vectors
        ├── RequestRefused       the endpoint of a language model answers, but refuses one request
        └── OverBudget           a call would pass the cap of the run

The text of each says what was expected, what was found and the next step. The command line prints it and exits 2.
"""

from __future__ import annotations


class DocnavError(Exception):
    """Base of every error that a person can act on."""


class SettingsError(DocnavError):
    """A setting is unknown, out of range or missing."""


class SourceError(DocnavError):
    """A path given by a person does not exist or cannot be used."""


class StoreError(DocnavError):
    """Base of errors of the store."""


class NoStore(StoreError):
    """The folder holds no store, or the store has no snapshot yet."""


class StoreVersionError(StoreError):
    """The store or one of its files was written by a newer version of docnav."""


class SchemaError(StoreError):
    """Rows do not keep the promises of their table."""


class UnknownSnapshot(StoreError):
    """The store has no snapshot of that id."""


class UnknownNode(DocnavError):
    """The snapshot has no node of that id."""


class UnknownDocument(DocnavError):
    """A document name matches nothing in the snapshot."""


class ModelError(DocnavError):
    """A model cannot be had, or does not fit the vectors that the store holds."""


class RequestRefused(ModelError):
    """The endpoint of a language model answers, but refuses one request: too long, or against its rules."""


class OverBudget(ModelError):
    """A call of a language model would pass the cap of the run."""
