"""Where settings come from: each names the file and line, the variable or the store that decides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.cli import main
from interlock.config.load import load
from interlock.config.origins import Setting
from interlock.documents import Layer
from interlock.gate.settings_in_force import list_settings


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("own", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "own"


def settings() -> dict[str, Setting]:
    layers: list[Layer] = []
    config = load(layers=layers)
    return {setting.key: setting for setting in list_settings(config, layers)}


def where(setting: Setting) -> list[str]:
    return [str(origin).rpartition("/")[2] for origin in setting.origins]


def test_every_kind_of_setting_names_its_origin(own: Path) -> None:
    (own / "interlock.toml").write_text(
        'mode = "full"\nsensitive_paths = ["a/**"]\n\n[approvals]\nexpire_hours = 5\n[roles]\nleads = ["bob"]\n'
        '[[policies]]\npolicy_id = "p"\naction = "block"\nwhen = "true"\n[crisis]\ncontext_bypass = true\n'
    )
    Path("interlock.toml").write_text('\nmode = "assist"\nsensitive_paths = ["b/**"]\n')
    found = settings()
    assert where(found["mode"]) == ["interlock.toml:2"]
    assert [(one.value, one.origin.line) for one in found["mode"].replaced] == [("full", 1)]
    assert found["sensitive_paths"].value == ["a/**", "b/**"]
    assert where(found["sensitive_paths"]) == ["interlock.toml:2", "interlock.toml:3"]
    lines = {"approvals.expire_hours": 5, "roles.leads": 7, "policies.p": 8, "crisis.context_bypass": 13}
    assert {key: found[key].origins[0].line for key in lines} == lines
    assert found["approvals.remember_days"].is_default


def test_a_table_replaces_the_whole_table_of_a_farther_file(own: Path, tmp_path: Path) -> None:
    (own / "interlock.toml").write_text("[server]\nport = 9000\nrate = 5\n")
    other = tmp_path / "other.toml"
    other.write_text("[server]\nrate = 7\n")
    layers: list[Layer] = []
    config = load(other, trusting=True, layers=layers)
    found = {setting.key: setting for setting in list_settings(config, layers)}
    assert (found["server.port"].value, found["server.port"].is_default) == (8700, True)
    assert [one.value for one in found["server.port"].replaced] == [9000]
    assert (found["server.rate"].value, found["server.rate"].replaced[0].value) == (7, 5)


def test_a_variable_is_stronger_and_passwords_are_masked(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "interlock.toml").write_text('store = "postgresql://u:hunter22@one.example/x"\n')
    monkeypatch.setenv("INTERLOCK_STORE", "postgresql://u:hunter33@two.example/x")
    store = settings()["store"]
    assert where(store) == ["environment variable INTERLOCK_STORE"]
    assert (store.value, store.replaced[0].value) == (
        "postgresql://u:***@two.example/x",
        "postgresql://u:***@one.example/x",
    )


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_the_command_line_shows_and_checks(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "interlock.toml").write_text('mode = "full"\n')
    assert main(["config", "show", "mode", "--origin"]) == 0
    assert "interlock.toml:1" in capsys.readouterr().out
    assert main(["config", "show", "mod"]) == 1
    assert "did you mean `mode`?" in capsys.readouterr().err
    (own / "interlock.toml").write_text('mod = "full"\nautomation = 1\n')
    assert main(["config", "check"]) == 1
    assert [line.count(f"interlock.toml:{number}: ") for number, line in enumerate(said(capsys), 1)] == [1, 1]
