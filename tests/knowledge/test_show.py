"""`interlock knowledge show` and `list`: what a person is told about programs, clients and tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.cli import main


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own" / "knowledge"
    folder.mkdir(parents=True)
    monkeypatch.setenv("INTERLOCK_HOME", str(folder.parent))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["git", "push"], "git push --force origin main → vcs.push force"),
        (["/usr/bin/GIT.exe", "push"], "program git push"),
        (["aws", "ec2", "delete-volume"], "does infra.destroy: Something in a cloud or at a service is deleted."),
        (["aws"], "a verb among the first words of a command says what it does"),
        (["az"], "keyvault security-domain download, keyvault certificate download-pfx"),
        (["mcp__stripe__create_refund"], "does payment.send: Money is sent."),
        (["mcp__github__list_issues"], "does tool.read"),
    ],
)
def test_show_says_what_a_call_does(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "show", *words]) == 0
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "find"], "`find` is read by code alone"),
        (["show", "create_refund"], "name its server too: `mcp__bank__create_refund`"),
        (["list", "shipitt"], "no name or topic contains `shipitt`"),
        (["list", "--yours"], "you have no descriptions; they go into"),
    ],
)
def test_what_cannot_be_shown_is_explained(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", *words]) == 1
    assert said in capsys.readouterr().err


def test_list_names_first_what_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "list", "SUDO_KILLER"]) == 0
    assert "sudo_killer" in " ".join(capsys.readouterr().out.lower().split())
    assert main(["knowledge", "list", "Stripe"]) == 0
    assert "tools of Stripe" in " ".join(capsys.readouterr().out.split())


def test_a_draft_is_shown_as_one(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "shipit.toml").write_text('draft = true\nnames = ["shipit"]\ndoes = "process.run"\n')
    assert main(["knowledge", "show", "shipit"]) == 0
    assert "changes nothing until `draft = true` is removed" in " ".join(capsys.readouterr().out.split())
