"""What the routing profiles of a language model take, found before it is asked, and who gets one under a cap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from assets_store.models.language_model import TOKENIZER_SLACK
from assets_store.models.usage import Spending, Usage
from assets_store.settings import ProfileSettings
from assets_store.tokens import count_tokens
from docnav_pipeline.prompts import read_prompt
from docnav_pipeline.transforms.routing_profiles_input import Scope, entry_tokens

# Tokens of a line beside its text: label and terms; those of a joined part; and what stands around the lines of a call.
_BESIDE, PART_TOKENS, _AROUND = 110, 450, 120
# Tokens of a usual reply, for estimates that nobody is held to.
_USUAL_REPLY = 220


def most_usage(scope: Scope, settings: ProfileSettings) -> Usage:
    """What the profile of a scope takes at most when every reply is of the asked form."""
    usual = usual_usage([(entry.n_tokens, bool(entry.scope)) for entry in scope.entries], settings)
    return Usage(usual.llm_calls, math.ceil(usual.prompt_tokens * TOKENIZER_SLACK), usual.llm_calls * settings.output_tokens)


def usual_usage(children: Sequence[tuple[int, bool]], settings: ProfileSettings) -> Usage:
    """What the profile of a scope takes as a rule. children: tokens of each, and whether it is a scope of its own."""
    most = entry_tokens(len(children), settings)
    sizes = [(most if is_scope else min(n_tokens, most)) + _BESIDE for n_tokens, is_scope in children]
    calls = prompt = 0
    while True:
        parts = _count_parts(sizes, settings.input_tokens)
        calls += parts
        prompt += sum(sizes) + parts * (_instruction_tokens() + _AROUND)
        if parts <= 1:
            return Usage(calls, prompt, calls * _USUAL_REPLY)
        sizes = [PART_TOKENS] * parts


def affordable(scopes: Iterable[Scope], spending: Spending, settings: ProfileSettings) -> set[str]:
    """Node ids of the scopes to ask about: those with most text below, equal ones by id, until what the next takes at most does not fit.

    A scope that no run could pay is passed over.
    """
    # Scopes hold text; of a whole corpus only their sizes are held at a time.
    wishes = sorted((-s.n_tokens, s.node_id, most_usage(s, settings) if spending.is_capped else Usage()) for s in scopes)
    chosen: set[str] = set()
    total = Usage()
    for _, node_id, more in wishes:
        if not spending.allows(more):
            continue
        if not spending.fits(total + more):
            break
        chosen.add(node_id)
        total += more
    return chosen


def _count_parts(sizes: Sequence[int], limit: int) -> int:
    """Parts that lines of these sizes fill, one after another."""
    parts, room = 0, -1
    for size in sizes:
        if size > room:
            parts, room = parts + 1, limit
        room -= size
    return max(parts, 1)


@lru_cache(maxsize=1)
def _instruction_tokens() -> int:
    return count_tokens(read_prompt("routing_profile"))
