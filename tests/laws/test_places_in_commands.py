"""Where a command's changes end up: inside a container, in a trial's own folder, or among installed packages."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

_WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
_CHANGES = [
    "adduser -D bob",
    "sh -c 'chmod 4755 /bin/sh'",
    "sh -c 'echo x >> /root/.bashrc'",
    "sh -c 'echo x > /etc/cron.d/t'",
]


def _stops(text: str) -> bool:
    verdict = Engine().decide(Action.shell(text, **_WHERE)).verdict.value
    return verdict in ("require_approval", "block")


@pytest.mark.parametrize("command", _CHANGES)
@pytest.mark.parametrize("options", ["", "-v $PWD:/w -w /w", "-v $PWD/dotfiles:/root:ro"])
def test_changes_of_a_container_itself_pass(command: str, options: str) -> None:
    assert not _stops(f"docker run --rm {options} alpine {command}")


@pytest.mark.parametrize("command", _CHANGES)
def test_the_same_changes_of_this_machine_stop(command: str) -> None:
    assert _stops(command)


@pytest.mark.parametrize("options", ["-v /:/host", "-v $HOME:/root", "--privileged"])
def test_a_container_that_reaches_the_host_stops(options: str) -> None:
    assert _stops(f"docker run --rm {options} alpine sh -c 'echo x >> /root/.bashrc'")


@pytest.mark.parametrize("command", ["env -i printenv", "env -i HOME=$(mktemp -d) bash -lc 'env | sort'"])
def test_an_empty_environment_has_no_secrets(command: str) -> None:
    assert not _stops(command)


@pytest.mark.parametrize(
    "command", ["env -i TOKEN=$TOKEN printenv", "env -i cat ~/.aws/credentials", "env A=1 printenv"]
)
def test_secrets_stay_secret_behind_env(command: str) -> None:
    assert _stops(command)


@pytest.mark.parametrize(
    "place", ["$(npm root -g)/npm/index.js", "$(command -v ls)", "$(python -m site --user-site)/x.pth"]
)
def test_writing_among_installed_packages_stops(place: str) -> None:
    assert _stops(f'cp x "{place}"')
    assert not _stops(f'cat "{place}"')
