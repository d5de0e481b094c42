"""Codex's trust, as a real Codex (0.166.0) noted it after `Trust all` was chosen there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.agents.coding.codex import AGENT as CODEX
from interlock.agents.coding.codex_trust import digest
from interlock.agents.settings.command import InstallOptions, settings_file
from interlock.agents.settings.health import check_agent
from interlock.agents.settings.installer import install, plan_install
from interlock.agents.settings.jsonc import JsonDocument

#: What is trusted, and the digest that Codex wrote.
NOTED: list[tuple[str | None, dict[str, Any], str]] = [
    (
        "*",
        {"command": "interlock hook codex || (echo 'é \"x\"' >&2; exit 2)", "timeout": 30},
        "34a48ab665bd138fde1ac4fdd09aac274a0108b432d759d6c45a4d857dd9fd69",
    ),
    (
        None,
        {"command": "interlock hook codex"},
        "a0236cb59a4ef00373a1f9c6809c817a6da6608600ac3e2a92e8bebda90e1dc6",
    ),
    (
        None,
        {"command": "interlock hook codex", "timeout": 5, "statusMessage": "asking"},
        "7fbdd9db9dae5fe1bc70405787c7dd7cf9ae0b3366a4e63042c744348a75aa12",
    ),
]


@pytest.mark.parametrize(("matcher", "handler", "noted"), NOTED)
def test_a_digest_is_the_one_that_codex_notes(matcher: str | None, handler: dict[str, Any], noted: str) -> None:
    assert digest("PreToolUse", matcher, {"type": "command", **handler}) == f"sha256:{noted}"


#: Events as Codex spells them in its settings.
LABELS = {
    "PreToolUse": "pre_tool_use",
    "PermissionRequest": "permission_request",
    "PostToolUse": "post_tool_use",
    "UserPromptSubmit": "user_prompt_submit",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return tmp_path


def trust(project: Path | None = None, **more: Any) -> None:
    """Note in Codex's settings that everything in a file of hooks is trusted, as it does itself."""
    file = settings_file(CODEX, project)
    lines = []
    for event, groups in JsonDocument(file.read_text(), "x").root.value["hooks"].items():
        label = LABELS[event]
        for at, group in enumerate(groups):
            for index, handler in enumerate(group["hooks"]):
                lines.append(f'[hooks.state."{file}:{label}:{at}:{index}"]')
                values = {"trusted_hash": digest(event, group.get("matcher"), handler), **more}
                lines += [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    if project is not None:
        lines += [f'[projects."{project}"]', 'trust_level = "trusted"']
    state = settings_file(CODEX, None).with_name("config.toml")
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text("\n".join(lines) + "\n")


def troubles(project: Path | None = None) -> str:
    return " ".join(check_agent(CODEX, project).problems)


@pytest.mark.parametrize("where", ["home", "project"])
def test_a_hook_runs_once_it_is_trusted(home: Path, where: str) -> None:
    project = None if where == "home" else home / "shop"
    install(plan_install(CODEX, InstallOptions(), project))
    assert "until you trust it" in troubles(project)
    trust(project)
    assert "Codex" not in troubles(project)
    for off in (False, "false"):
        trust(project, enabled=off)
        assert "switched off in Codex" in troubles(project)


def test_a_hook_that_was_changed_since_is_said_to_be(home: Path) -> None:
    install(plan_install(CODEX, InstallOptions()))
    trust()
    install(plan_install(CODEX, InstallOptions(wait=9)))
    assert "changed since you trusted it" in troubles()


STATES = ["[[[", "hooks = 1", "[hooks]\nstate = 1", '[hooks.state]\n"x" = 1', "\0", f"x = {'[' * 5000}{']' * 5000}"]
STATES += ['[hooks.state."\\u0000:pre_tool_use:0:0"]\nx = 1', "features = 1\nprojects = 1"]


@pytest.mark.parametrize("state", STATES)
def test_settings_that_say_nothing_are_no_trust(home: Path, state: str) -> None:
    install(plan_install(CODEX, InstallOptions()))
    settings_file(CODEX, None).with_name("config.toml").write_text(state)
    assert "until you trust it" in troubles()


@pytest.mark.parametrize("name", ["hooks", "codex_hooks"])
def test_hooks_that_are_switched_off_are_said_to_be(home: Path, name: str) -> None:
    install(plan_install(CODEX, InstallOptions()))
    trust()
    state = settings_file(CODEX, None).with_name("config.toml")
    state.write_text(f"{state.read_text()}[features]\n{name} = false\n")
    assert "switched off in" in troubles()


def test_a_project_that_is_not_trusted_has_no_hooks(home: Path) -> None:
    install(plan_install(CODEX, InstallOptions(), home / "shop"))
    trust(home / "shop")
    state = settings_file(CODEX, None).with_name("config.toml")
    state.write_text(state.read_text().replace('"trusted"', '"untrusted"'))
    assert "does not trust this project" in troubles(home / "shop")


@pytest.mark.parametrize(
    "beside", ["// a comment\n", '"Stop": "x",', '"Stop": [{"hooks": [{"type": "command", "timeout": "5"}]}],']
)
def test_a_file_that_codex_cannot_read_is_said_to_be(home: Path, beside: str) -> None:
    install(plan_install(CODEX, InstallOptions()))
    trust()
    file = settings_file(CODEX, None)
    file.write_text(file.read_text().replace('"hooks": {', f'"hooks": {{ {beside}', 1))
    assert "Codex cannot read this file" in troubles()


def test_a_path_that_is_spelled_otherwise_is_another_one(home: Path) -> None:
    install(plan_install(CODEX, InstallOptions()))
    trust()
    state = settings_file(CODEX, None).with_name("config.toml")
    state.write_text(state.read_text().replace("/.codex/", "/.codex/../.codex/"))
    assert "until you trust it" in troubles()


def test_other_hooks_beside_ours_are_none_of_our_business(home: Path) -> None:
    file = settings_file(CODEX, None)
    file.parent.mkdir()
    file.write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "lint"}]}]}}')
    install(plan_install(CODEX, InstallOptions()))
    trust()
    assert not troubles()
