"""A git repository with policies, and the command line that applies them to a server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.cli import main
from tests.server.client import Client

REMOTE = "https://ci:hunter2secret@github.com/acme/{}.git"


def policy_text(policy_id: str, action: str, tool: str = "", **more: str) -> str:
    """Return a policy about one tool as TOML; the values of other keys are TOML too."""
    lines = "".join(f"{key} = {value}\n" for key, value in more.items())
    conditions = f'conditions = ["toolName={tool or policy_id}"]\n' if "when" not in more else ""
    return f'[[policies]]\npolicy_id = "{policy_id}"\naction = "{action}"\n{conditions}{lines}\n'


class PolicyRepository:
    """A repository whose folder `policies` is applied. Its name is that of its remote."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root, self.folder = folder / name, folder / name / "policies"
        self.folder.mkdir(parents=True)
        self.origin = f"github.com/acme/{name}/policies"
        self._git("init", "--quiet")
        self._git("remote", "add", "origin", REMOTE.format(name))

    def _git(self, *words: str) -> str:
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, **files: str | None) -> str:
        """Write files of the folder, or remove those that are None, and commit; return the commit."""
        for name, text in files.items():
            file = self.folder / f"{name}.toml"
            if text is None:
                file.unlink()
            else:
                file.write_text(text)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", "change")
        return self._git("rev-parse", "HEAD")


class Interlock:
    """The command line, as somebody with a key uses it at a server."""

    def __init__(self, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch, self._capsys = patch, capsys

    def run(self, caller: Client, *words: object) -> tuple[int, str, str]:
        """Run a command at the server of a caller; return its status, and what it printed."""
        self._patch.setenv("INTERLOCK_KEY", caller.headers["authorization"].removeprefix("Bearer "))
        status = main([*map(str, words), "--server", f"http://127.0.0.1:{caller.port}"])
        printed = self._capsys.readouterr()
        return status, printed.out, printed.err

    def json(self, caller: Client, *words: object, status: int = 0) -> Any:
        """Run a command with `--json`, check its status, and return what it printed."""
        found, out, err = self.run(caller, *words, "--json")
        assert found == status, out + err
        return json.loads(out)

    def apply(self, caller: Client, repository: PolicyRepository, *words: object, status: int = 0) -> Any:
        """Apply the policies of a repository; return what was printed as JSON."""
        return self.json(caller, "policy", "apply", repository.folder, *words, status=status)
