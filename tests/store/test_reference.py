"""Reference pages are what the code prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assets_store.reference import PAGES, main, settings_markdown, tables_markdown
from assets_store.schemas import TABLES
from assets_store.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", PAGES)
def test_page_on_disk_is_what_the_code_prints(page: str) -> None:
    printed = PAGES[page]()
    assert (DOCS / f"{page}.md").read_text(encoding="utf-8") == printed, f"run: python -m assets_store.reference {page} > docs/{page}.md"


def test_every_setting_has_a_row_with_its_variable_and_a_sentence() -> None:
    rows = re.findall(r"^\| `(\w+)` \| \w+ \| .* \| (.+) \| `(DOCNAV_\w+)` \|$", settings_markdown(), flags=re.MULTILINE)
    variables = {variable for _, _, variable in rows}
    for name, field in Settings.model_fields.items():
        keys = getattr(field.annotation, "model_fields", {})
        wanted = {f"DOCNAV_{name}__{key}".upper() for key in keys} or {f"DOCNAV_{name}".upper()}
        assert wanted <= variables
    assert all(len(sentence.split()) > 2 and sentence.endswith(".") for _, sentence, _ in rows)


def test_a_variable_of_the_page_changes_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "DOCNAV_PARAGRAPHS__MAX_TOKENS" in settings_markdown()
    monkeypatch.setenv("DOCNAV_PARAGRAPHS__MAX_TOKENS", "321")
    assert Settings().paragraphs.max_tokens == 321


def test_every_column_of_every_table_is_printed() -> None:
    page = tables_markdown()
    for spec in TABLES.values():
        section = page.split(f"\n## {spec.name}\n", 1)[1].split("\n## ", 1)[0]
        assert re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE) == list(spec.names)


def test_an_unknown_page_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "tables, settings" in capsys.readouterr().err
