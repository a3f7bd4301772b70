"""`docnav init`: a store from a settings file, and one that is there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.store import Store
from docnav_agent.cli import run

CONFIG = 'shards = 3\n\n[refresh]\nshards_per_run = 1\n\n[[source]]\nfolder = "/var/lib/documents"\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "docnav.toml"
    path.write_text(CONFIG)
    return path


def test_a_settings_file_becomes_that_of_the_store(tmp_path: Path, config: Path) -> None:
    assert run(["init", "--store", str(tmp_path / "store"), "--config", str(config)]) == 0
    store = Store.open(tmp_path / "store")
    assert (tmp_path / "store" / "docnav.toml").read_text() == CONFIG
    assert store.settings.shards == 3
    assert store.settings.source[0].folder == "/var/lib/documents"


def test_a_store_that_is_there_is_left_alone_or_an_error(tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "store")
    assert run(["init", "--store", store]) == 0
    before = (tmp_path / "store" / "docnav.toml").read_text()
    assert run(["init", "--store", store, "--config", str(config), "--if-missing"]) == 0
    assert "nothing was changed" in capsys.readouterr().out
    assert (tmp_path / "store" / "docnav.toml").read_text() == before
    assert run(["init", "--store", store, "--config", str(config)]) == 2
    assert "differs from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [("shards = 0\n", "shards"), ("[refresh]\nunknown = 1\n", "unknown"), ("no toml", "docnav.toml"), (None, "cannot be read")],
)
def test_a_bad_settings_file_makes_no_store(tmp_path: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "docnav.toml"
    if text is not None:
        config.write_text(text)
    assert run(["init", "--store", str(tmp_path / "store"), "--config", str(config)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "store" / "store.json").exists()


def test_profile_and_config_go_not_together(tmp_path: Path, config: Path) -> None:
    assert run(["init", "--store", str(tmp_path / "store"), "--config", str(config), "--profile", "paper"]) == 2
