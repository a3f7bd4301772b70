"""What the routing profiles of a language model would take, for `docnav index --plan`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import polars as pl

from assets_store.models.usage import Spending, Usage
from assets_store.settings import Settings
from assets_store.store import Store
from docnav_pipeline.stages import ROUTING_PROFILES
from docnav_pipeline.transforms.profiles import in_routing_scope
from docnav_pipeline.transforms.routing_profiles_cost import usual_usage
from docnav_pipeline.transforms.routing_profiles_input import UNFINISHED

# Tokens of a paragraph and scopes per paragraph, where no document tells: units of 200 to 400 tokens, and R_d begins at 2,000.
_PARAGRAPH_TOKENS, _SCOPES_PER_PARAGRAPH = 300, 0.1


def planned_profiles(
    store: Store, stale: Collection[str], new: Collection[str], paragraphs_of: Callable[[str], float]
) -> tuple[int, Usage]:
    """Scopes that would be asked about at most, and what that takes under the caps of a run; nothing where routing is extractive.

    stale: documents whose profiles would be made. new: those among them whose tree is not known or will change; their scopes are
    estimated from their paragraphs. paragraphs_of: paragraphs of a document, estimated.
    """
    settings = store.settings
    if settings.profiles.routing != "llm" or not stale:
        return 0, Usage()
    wishes = _of_known(store, set(stale) - set(new))
    rate = _scopes_per_paragraph(store)
    for doc_id in sorted(set(stale) & set(new)):
        paragraphs = paragraphs_of(doc_id)
        for share in range(1, 1 + max(1, round(paragraphs * rate))):
            n_tokens = round(paragraphs * _PARAGRAPH_TOKENS / share)
            children = [(_PARAGRAPH_TOKENS, False)] * max(1, n_tokens // _PARAGRAPH_TOKENS)
            wishes.append((n_tokens, f"{doc_id}/{share}", usual_usage(children[:100], settings.profiles)))
    return _under_caps(wishes, settings)


def _of_known(store: Store, doc_ids: Collection[str]) -> list[tuple[int, str, Usage]]:
    """n_tokens, id and usage of the scopes of documents whose tree stays as it is."""
    tree = _tree(store, ["doc_id", "node_id", "parent_id"]).filter(pl.col("doc_id").is_in(list(doc_ids)))
    # Text that stays as it is keeps a profile that was made with the settings of today.
    today = ROUTING_PROFILES.settings(store.settings)
    shards = [shard for shard in store.shard_keys if store.provenance("routing_profiles", shard).maker.get("settings") == today]
    done = store.read("routing_profiles", shards, ["node_id", "made_by"]).filter(pl.col("made_by") != UNFINISHED)["node_id"]
    scopes = tree.filter(pl.col("in_R") & (pl.col("n_tokens") > 0)).join(done.to_frame(), on="node_id", how="anti")
    children = tree.filter(pl.col("n_tokens") > 0).group_by("parent_id").agg("n_tokens", "in_R")
    rows = scopes.select("node_id", below="n_tokens").join(children, left_on="node_id", right_on="parent_id")
    return [
        (below, node_id, usual_usage(list(zip(sizes, are_scopes, strict=True)), store.settings.profiles))
        for node_id, below, sizes, are_scopes in rows.sort("node_id").iter_rows()
    ]


def _scopes_per_paragraph(store: Store) -> float:
    tree = _tree(store, [])
    paragraphs = tree.filter(kind="paragraph").height
    return tree.filter("in_R").height / paragraphs if paragraphs else _SCOPES_PER_PARAGRAPH


def _tree(store: Store, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of the tree with kind, n_tokens and in_R as the settings of today decide it."""
    tree = store.read("tree", columns=[*columns, "kind", "height", "n_tokens"])
    return tree.with_columns(in_R=in_routing_scope(store.settings.profiles))


def _under_caps(wishes: list[tuple[int, str, Usage]], settings: Settings) -> tuple[int, Usage]:
    """How many scopes, most text first, fit the caps, and what they take."""
    llm, caps = settings.llm, settings.profiles
    spending = Spending(caps.max_tokens, caps.max_cost, llm.prompt_price, llm.completion_price)
    taken, total = 0, Usage()
    for _, _, more in sorted(wishes, key=lambda wish: (-wish[0], wish[1])):
        if spending.allows(more):
            if not spending.fits(total + more):
                break
            taken, total = taken + 1, total + more
    return taken, total
