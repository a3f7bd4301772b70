"""Tests of the CSV reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from docnav_pipeline.parsing.delimited import parse_csv


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(separator.join(row) for row in (("Part", "Size"), ("Bolt", "5"), ("Nut", "6"))), encoding="utf-8")
    (table,) = parse_csv(path).blocks
    assert table.text == "Part | Size\nBolt | 5\nNut | 6"
    assert table.html is not None
    assert "<th>Part</th>" in table.html


def test_long_tables_are_cut_and_repeat_the_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,name\n" + "".join(f"{number},n{number}\n" for number in range(1201)), encoding="utf-8")
    blocks = parse_csv(path).blocks
    assert [block.text.split("\n")[0] for block in blocks] == ["id | name"] * 3
    assert sum(len(block.text.split("\n")) - 1 for block in blocks) == 1201
    assert [block.continues_previous for block in blocks] == [False, True, True]
