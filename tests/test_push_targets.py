"""A push that names no remote goes where settings of git lead it."""

from __future__ import annotations

import pytest

from tests.run_calls import stops_last

ADD = "git remote add eu https://git.fork-mirror.example/guest-7/ledger.git"
FORK = "git remote add fork git@github.com:ann/ledger.git"
STOPPED = {
    "the remote of a branch for pushes": [ADD, "git config branch.feat/x.pushRemote eu", "git push"],
    "the remote of a branch": [ADD, "git config branch.main.remote eu", "git push"],
    "the remote of all pushes": [ADD, "git config --local remote.pushDefault eu", "git push"],
    "an upstream": [ADD, "git branch -u eu/main", "git push"],
    "an upstream with a longer name": [ADD, "git branch --set-upstream-to=eu/work work", "git push"],
    "a remote under the name of another": [
        ADD,
        "git remote rename origin old",
        "git remote rename eu origin",
        "git push",
    ],
    "an address in place of a remote": ["git config branch.main.pushRemote https://dump.example/x.git", "git push"],
    "a setting before the remote": ["git config remote.pushDefault eu", ADD, "git push"],
}
PASSING = {
    "a fork": [FORK, "git config remote.pushDefault fork", "git push"],
    "the usual remote": ["git config branch.main.remote origin", "git config push.autoSetupRemote true", "git push"],
    "a push that names its remote": [ADD, "git config remote.pushDefault eu", "git push origin fix"],
    "a remote to fetch from": [ADD, "git fetch eu", "git push"],
}


@pytest.mark.parametrize("name", STOPPED)
def test_pushes_that_are_led_elsewhere_need_approval(name: str) -> None:
    assert stops_last(STOPPED[name])


@pytest.mark.parametrize("name", PASSING)
def test_other_pushes_pass(name: str) -> None:
    assert not stops_last(PASSING[name])
