"""Faults that other systems have with Markdown, HTML and text files: what is a heading, and its text. Numbers are those of CASES.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from docnav_pipeline.parsing.block import BlockType
from tests.cases.reader import Reading, read_file


def read_text(folder: Path, text: str, name: str = "made.md") -> Reading:
    (folder / name).write_text(text, encoding="utf-8")
    return read_file(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# Care\n## Filter\n## Seals\n### Inner seal\nGrease it once a year.\n# Disposal\n"),
        (
            "a.html",
            "<html><body><h1>Care</h1><h2>Filter</h2><h2>Seals</h2><h3>Inner seal</h3><p>Grease it once a year.</p>"
            "<h1>Disposal</h1></body></html>",
        ),
    ],
    ids=["markdown", "html"],
)
def test_case_4_headings_right_after_each_other_keep_their_nodes(tmp_path: Path, name: str, text: str) -> None:
    read = read_text(tmp_path, text, name)
    assert read.outline == [(1, "Care"), (2, "Filter"), (2, "Seals"), (3, "Inner seal"), (1, "Disposal")]
    assert read.everything == "Grease it once a year."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# One\n\ntext\n\n## [Use](use.md) of the **big** *pump* `P-7`\n\nbody\n\n## [Only a link](x.md)\n\nmore\n\n# Two\n"),
        (
            "a.html",
            "<html><body><h1>One</h1><p>text</p><h2><a href='use.html'>Use</a> of the <b>big</b> <i>pump</i> <code>P-7</code></h2>"
            "<p>body</p><h2><a href='x.html'><span>Only</span> a link</a></h2><p>more</p><h1>Two</h1></body></html>",
        ),
    ],
    ids=["markdown", "html"],
)
def test_case_12_links_and_emphasis_in_a_heading_are_part_of_it(tmp_path: Path, name: str, text: str) -> None:
    read = read_text(tmp_path, text, name)
    assert read.outline == [(1, "One"), (2, "Use of the big pump P-7"), (2, "Only a link"), (1, "Two")]
    assert read.under("One", "Use of the big pump P-7") == "body"
    assert read.under("One", "Only a link") == "more"
    assert all(step for path in read.paragraphs["path"] for step in path)


def test_case_28_steps_of_a_numbered_list_in_a_text_file_are_no_titles(tmp_path: Path) -> None:
    steps = (
        "1. Turn off the pump and wait until the pressure gauge shows zero before you touch it.",
        "2. Loosen the four screws of the cover with a key of size seven.",
        "3. Take out the old filter and put it into the bin that stands beside the door.",
        "4. Close the cover.",
    )
    text = "CHANGING THE FILTER\n\nThe filter lies under the cover of the pump and is changed\nonce a year, before the wet season.\n\n"
    text += "\n\n".join(steps) + "\n\nSTORING THE PUMP\n\nEmpty the tank and dry the housing before you put the pump\ninto its box.\n"
    read = read_text(tmp_path, text, "manual.txt")
    assert [title for _, title in read.outline] == ["CHANGING THE FILTER", "STORING THE PUMP"]
    flowing = " ".join(read.everything.split())
    assert all(step in flowing for step in steps)


def test_case_32_a_slash_in_a_heading_does_not_split_it(tmp_path: Path) -> None:
    read = read_text(tmp_path, "# Service\n\ntext\n\n## 24/7 Support\n\nCall us.\n\n### Day / Night > Weekend\n\nAny time.\n\n# Other\n")
    assert read.paragraphs["path"].to_list() == [
        ["Service"],
        ["Service", "24/7 Support"],
        ["Service", "24/7 Support", "Day / Night > Weekend"],
    ]
    assert read.outline == [(1, "Service"), (2, "24/7 Support"), (3, "Day / Night > Weekend"), (1, "Other")]


FENCES = """# Setup

Run this:

```sh
# install the parser
make install
```

~~~~python
# a comment
```
# still inside the fence
~~~~

- in a list:

  ```toml
  # a comment in a list
  a = 1
  ```

> ```sh
> # a comment in a quotation
> ```

    # indented code

<!--
# a commented heading
-->

## Use

\\# escaped, and #hashtag without a space

# Teardown

```
# a fence that never ends
"""


def test_case_34_comments_in_code_are_no_headings(tmp_path: Path) -> None:
    read = read_text(tmp_path, FENCES)
    assert read.outline == [(1, "Setup"), (2, "Use"), (1, "Teardown")]
    for comment in (
        "# install the parser",
        "# still inside the fence",
        "# a comment in a list",
        "# indented code",
        "# a fence that never ends",
    ):
        assert comment in read.everything
    assert "# a comment in a quotation" in read.everything
    assert read.under("Setup", "Use") == "# escaped, and #hashtag without a space"


def test_case_34_underlined_headings_are_headings_and_rules_are_none(tmp_path: Path) -> None:
    text = "Guide\n=====\n\nUse of the\nsmall pump\n---\n\nOpen it.\n\n---\n\nClose it.\n\n"
    text += "| a | b |\n|---|---|\n| 1 | 2 |\n\nCare\n====\n\n- item\n---\n"
    read = read_text(tmp_path, text)
    assert read.outline == [(1, "Guide"), (2, "Use of the small pump"), (1, "Care")]
    assert read.under("Guide", "Use of the small pump") == "Open it.\n\nClose it.\n\na | b\n1 | 2"


def test_case_34_several_top_headings_keep_name_and_level(tmp_path: Path) -> None:
    read = read_text(tmp_path, "# Pump\n\none\n\n## Use\n\ntwo\n\n# Valve\n\nthree\n\n# Pump\n\nfour\n\n## Use\n\nfive\n")
    assert read.outline == [(1, "Pump"), (2, "Use"), (1, "Valve"), (1, "Pump"), (2, "Use")]
    assert [row["text"] for row in read.paragraphs.to_dicts()] == ["one", "two", "three", "four", "five"]
    assert read.tree["node_id"].n_unique() == read.tree.height


def test_case_34_a_first_line_of_front_matter_or_byte_order_mark_hides_no_heading(tmp_path: Path) -> None:
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbf# First\r\n\r\ntext\r\n\r\n# Second\r\n")
    assert read_file(tmp_path / "bom.md").outline == [(1, "First"), (1, "Second")]
    read = read_text(tmp_path, "---\ntitle: Pumps\n# a comment of YAML\n---\n# First\n\ntext\n\n# Second\n")
    assert (read.outline, read.title) == ([(1, "First"), (1, "Second")], "Pumps")


def test_case_33_headings_stay_in_the_document(tmp_path: Path) -> None:
    read = read_text(tmp_path, "# Manual\n\nintro\n\n## Use\n\none\n\n### Daily\n\ntwo\n\n## Care\n\nthree\n")
    assert read.title == "Manual"
    assert [block.text for block in read.blocks(BlockType.TITLE)] == ["Manual", "Use", "Daily", "Care"]
    assert read.tree["title"].to_list() == ["Manual", "", "Use", "", "Daily", "", "Care", ""]


@pytest.mark.parametrize(
    ("name", "above", "below"),
    [
        ("a.md", "Table 3: Torque of each screw\n\n", "| Screw | Torque |\n|---|---|\n| M4 | 2.4 |\n\n"),
        ("a.md", "**Torque of each screw**\n\n", "| Screw | Torque |\n|---|---|\n| M4 | 2.4 |\n\n"),
        (
            "a.html",
            "<p>Torque of each screw</p>",
            "<table><tr><th>Screw</th><th>Torque</th></tr><tr><td>M4</td><td>2.4</td></tr></table>",
        ),
        (
            "a.html",
            "<table><caption>Torque of each screw</caption>",
            "<tr><th>Screw</th><th>Torque</th></tr><tr><td>M4</td><td>2.4</td></tr></table>",
        ),
    ],
    ids=["markdown, named", "markdown, bold", "html, paragraph", "html, caption"],
)
def test_case_25_a_title_line_above_a_table_stays_with_the_table(tmp_path: Path, name: str, above: str, below: str) -> None:
    is_html = name.endswith("html")
    for n in range(1, 45, 3):
        prose = " ".join(f"Sentence {at} says how a screw is fastened to the cover." for at in range(n))
        prose = f"<h1>Cover</h1><p>{prose}</p>" if is_html else f"# Cover\n\n{prose}\n\n"
        read = read_text(tmp_path, f"{prose}{above}{below}", name)
        (unit,) = [text for text in read.paragraphs["text"] if "M4 | 2.4" in text]
        assert "Torque of each screw\nScrew | Torque\nM4 | 2.4" in unit
