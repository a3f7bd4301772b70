"""Tests of the JSON form of documents."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.parsing import wire
from docnav_pipeline.parsing.block import Block, BlockType, DocumentStatus, Line, ParsedDocument

texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
boxes = st.tuples(*[st.floats(0, 1, allow_nan=False)] * 4)
lines = st.builds(Line, texts, boxes, st.none() | st.floats(1, 99), st.none() | st.sampled_from([400, 700]), st.none() | st.booleans())
sized = st.builds(
    Block,
    st.sampled_from(BlockType),
    texts,
    page=st.none() | st.integers(1, 9),
    bbox=st.none() | boxes,
    level=st.none() | st.integers(1, 9),
    sub_type=st.none() | texts,
    html=st.none() | texts,
    anchor=st.none() | texts,
    target=st.none() | texts,
    links=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    continues_previous=st.booleans(),
    size_pt=st.none(),
    weight=st.none() | st.just(700),
    lines=st.lists(lines, max_size=2).map(tuple),
)


@given(st.lists(sized, max_size=3))
def test_a_document_comes_back_as_it_was_sent(blocks: list[Block]) -> None:
    document = ParsedDocument(tuple(blocks), "p 1", DocumentStatus.OK, title="T", n_pages=2, pages_without_text=(1,), warnings=("w",))
    assert wire.document_from_json(json.loads(json.dumps(wire.document_to_json(document)))) == document


def test_typography_comes_back_as_it_was_sent() -> None:
    block = Block(BlockType.TITLE, "T", size_pt=12.0, weight=700, italic=False)
    assert wire.block_from_json(json.loads(json.dumps(wire.block_to_json(block)))) == block
