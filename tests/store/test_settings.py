"""Settings: typed, bounded, unknown keys refused; flags over variables over the file."""

import pytest

from assets_store.errors import SettingsError
from assets_store.settings import load_settings, settings_to_toml


def test_flags_win_over_variables_and_variables_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[agent]\nmax_steps = 3\nbudget_tokens = 300\nmax_seconds = 30\n"
    monkeypatch.setenv("DOCNAV_AGENT__MAX_STEPS", "4")
    monkeypatch.setenv("DOCNAV_AGENT__BUDGET_TOKENS", "400")
    agent = load_settings(text, overrides={"agent": {"max_steps": 5}}).agent
    assert (agent.max_steps, agent.budget_tokens, agent.max_seconds) == (5, 400, 30)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[paragraphs]\nmin_token = 3", "paragraphs.min_token"),
        ("[paragraphs]\nmin_tokens = 500", "must not exceed max_tokens"),
        ("[search]\nrrf_k = 0", "greater than or equal to 1"),
        ("profile = 'fast'", "profile"),
        ("profile = ['paper']", "profile"),
        ("surplus = 1", "surplus"),
        ("[paragraphs", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings(text, "made-up.toml")


@pytest.mark.parametrize("name", ["DOCNAV_AGENTS__MAX_STEPS", "DOCNAV_AGENT__STEPS", "DOCNAV_TYPO", "docnav_typo"])
def test_a_variable_that_names_no_setting_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(SettingsError, match=name):
        load_settings()


def test_a_section_given_as_one_variable_says_how_to_name_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_AGENT", "fast")
    with pytest.raises(SettingsError, match="section and key"):
        load_settings()


def test_a_profile_from_the_environment_brings_its_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_PROFILE", "paper")
    assert load_settings("profile = 'local'").parsing.tier == "standard"


def test_a_profile_sets_other_defaults_and_the_file_still_wins() -> None:
    assert load_settings("profile = 'paper'").parsing.tier == "standard"
    assert load_settings("profile = 'paper'\n[parsing]\ntier = 'flash'").parsing.tier == "flash"


def test_a_language_model_writes_routing_profiles_in_the_profile_paper_only() -> None:
    assert load_settings().profiles.routing == "extractive"
    assert load_settings("profile = 'paper'").profiles.routing == "llm"


def test_written_settings_are_read_back() -> None:
    settings = load_settings("profile = 'paper'\nshards = 4")
    assert load_settings(settings_to_toml(settings)) == settings
