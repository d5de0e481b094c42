"""Laws of switches: however a command is spelled that sets what later ones work as or on, those are stopped.

A text that only mentions such a command changes nothing, and neither do later commands that do not follow it.
"""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, RunState
from interlock.memory.model import ExposureKind
from tests.laws.rewriting import PYTHON, SHELL, fields_of
from tests.laws.test_rewriting import MENTIONS
from tests.reading import ENGINE
from tests.run_calls import WHERE, stops_last

#: A command that sets something, and a later one that passes without it.
SWITCHES = {
    "git config user.name Mallory": "git commit -m x",
    "git -C . config --local user.email m@zed.io": "git commit -m x",
    "gh auth switch --user release-bot": "gh pr review 4 --approve",
    "git remote set-url origin git@github.com:other/app.git": "git push",
    "git branch --set-upstream-to=origin/main": "git push",
    "git switch release/2": "git push --force-with-lease",
    "gh repo set-default other/app": "gh pr create -t x -b y",
    "az login --identity": "az account show",
    "kubectl config use-context prod": "make sync",
    "kubectl --kubeconfig k.yaml config use-context prod": "python scripts/seed.py",
    "kubectx prod": "./scripts/seed",
    "gcloud config set project acme-prod": "npm run seed",
    "az account set --subscription=acme-prod": "npm run seed",
    "terraform workspace select prod": "make sync",
    "docker context use prod": "docker compose up -d",
    "heroku git:remote -a acme-prod": "make sync",
    "export DATABASE_URL=postgres://db.prod.acme.io/app": "npm test",
    "export AWS_PROFILE=prod": "npm test",
    "kubectl port-forward svc/postgres-prod 5432": "npm test",
    "ssh -N -L 5432:db-prod:5432 bastion": "npm test",
    "ln -s /home/user/Pictures build": "make clean",
    "sshfs nas:/photos build": "make clean",
}


#: Ways to run a command.
WRAPPERS = (
    "sudo {plain}", "env A=b {plain}", "timeout 60 nice -n 3 {plain}", "nohup {plain} > /dev/null", "({plain})",
    "cd infra && {plain}", "if true; then {plain}; fi", "for i in 1 2; do {plain}; done", "f() {{ {plain}; }}; f",
    "pwsh -c {quoted}", "sh -ec {quoted}", "true | {plain}", "{plain} | tee log", "{plain} 2>&1 >/dev/null",
    "node -e 'require(\"child_process\").execSync({json})'", "PROGRAM={program}; $PROGRAM {rest}",
    "$(which {program}) {rest}",
    "alias zz={program}; zz {rest}", "parallel ::: {quoted}", "$UNKNOWN <<< {quoted}", "/usr/bin/{program} {rest}",
)  # fmt: skip
#: Other spellings of the same arguments.
SPELLINGS = {
    "git config user.name Mallory": [
        "git config 'user.name' \"Mallory\"", "git config --global --replace-all user.name Mallory",
        "git config set user.name Mallory", "git --no-pager config --add USER.NAME Mallory",
        "git config user.na''me Mallory",
        "export GIT_AUTHOR_NAME=Mallory",
    ],
    "git branch --set-upstream-to=origin/main": [
        "git branch -u origin/main", "git branch -uorigin/main", "git branch --set-upstream-to origin/main topic",
    ],
    "git remote set-url origin git@github.com:other/app.git": [
        "git remote set-url --push origin git@github.com:other/app.git",
        "git config remote.origin.pushurl git@github.com:other/app.git",
        "git -C . remote set-url 'origin' \"git@github.com:other/app.git\"",
    ],
    "kubectl config use-context prod": [
        "kubectl config --kubeconfig=k.yaml use-context prod", "kubectl -v 5 config use-context prod",
        "kubectl config use prod",
        "oc project prod", "kubens prod", "aws eks update-kubeconfig --name=prod", "export KUBECONFIG=~/.kube/prod",
        "gcloud container clusters get-credentials prod-eu", "set -gx KUBECONFIG ~/.kube/prod",
        "declare -x KUBECONFIG=prod.yaml",
        "KUBECONFIG=prod.yaml; export KUBECONFIG", "pwsh -c '$env:KUBECONFIG = \"prod.yaml\"'",
        "setx KUBECONFIG prod.yaml",
        "$KUBE config use-context prod",
    ],
    "ssh -N -L 5432:db-prod:5432 bastion": [
        "ssh -NfL5432:db-prod:5432 bastion", "autossh -M 0 bastion -N -L 5432:db-prod:5432",
    ],
    "ln -s /home/user/Pictures build": [
        "ln -sfn '/home/user/Pictures' build", "cp -as /home/user/Pictures build", "ln --symbolic ~/Pictures ./build",
        "python3 -c 'import os; os.symlink(\"/home/user/Pictures\", \"build\")'",
        "ln -s -t . ~/Pictures && mv Pictures build",
        "node -e 'require(\"fs\").symlinkSync(\"/home/user/Pictures\", \"build\")'", "ln -s -- ~/Pictures build",
        "pwsh -c 'New-Item -ItemType SymbolicLink -Path build -Target /home/user/Pictures'",
        "pwsh -c 'ni -type Junction build -Value /home/user/Pictures'",
    ],
}  # fmt: skip
#: Commands that change no live system, whichever client was switched to one.
NEIGHBOURS = (
    "npm run lint", "npm run lint:fix", "pnpm format --check", "make lint", "ruff check .", "python -m mypy src",
    "tsc --noEmit",
    "git status", "cargo fmt", "eslint . | head", "find . -name '*.py' | xargs grep -n x", "cat README.md",
)  # fmt: skip
#: Commands that do not follow a switch of the cluster's client, which others follow.
APART = (
    "npm test", "make build", "cargo build", "pytest -q", "docker compose up -d", "npx vitest run",
    "skaffold dev --kube-context kind-dev", "kubectl --context kind-dev apply -f app.yaml", "kubectl get pods",
    "kubectl config use-context kind-dev",
)  # fmt: skip


def run(switch: Action | str, use: str) -> bool:
    """Whether a switch, or what follows it, is stopped."""
    return stops_last([switch]) or stops_last([switch, use])


@pytest.mark.parametrize("switch", SWITCHES)
def test_what_follows_a_switch_is_stopped(switch: str) -> None:
    assert not stops_last(["ls", SWITCHES[switch]])
    assert not stops_last([switch])
    assert stops_last([switch, SWITCHES[switch]])


@pytest.mark.parametrize("name", SHELL)
def test_no_spelling_in_the_shell_hides_a_switch(name: str) -> None:
    spelled = {SHELL[name].format(**fields_of(switch)): use for switch, use in SWITCHES.items()}
    assert [text for text, use in spelled.items() if not run(text, use)] == []


@pytest.mark.parametrize("name", PYTHON)
def test_no_spelling_in_python_hides_a_switch(name: str) -> None:
    spelled = {PYTHON[name].format(**fields_of(switch)): use for switch, use in SWITCHES.items()}
    assert [text for text, use in spelled.items() if not run(Action.python(text, **WHERE), use)] == []


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_no_wrapper_hides_a_switch(wrapper: str) -> None:
    spelled = {wrapper.format(**fields_of(switch)): use for switch, use in SWITCHES.items()}
    assert [text for text, use in spelled.items() if not run(text, use)] == []


@pytest.mark.parametrize(("switch", "spelled"), [(switch, text) for switch, ways in SPELLINGS.items() for text in ways])
def test_no_other_argument_hides_a_switch(switch: str, spelled: str) -> None:
    assert stops_last([spelled, SWITCHES[switch]])


@pytest.mark.parametrize("use", NEIGHBOURS)
def test_what_looks_at_files_alone_follows_no_switch(use: str) -> None:
    live = [switch for switch in SWITCHES if "prod" in switch or switch.startswith(("ln", "sshfs"))]
    assert [switch for switch in live if stops_last([switch, use])] == []


@pytest.mark.parametrize("use", APART)
def test_only_what_uses_a_cluster_follows_a_switch_to_it(use: str) -> None:
    assert not stops_last(["kubectl config use-context prod", use])


@pytest.mark.parametrize(
    "made",
    [
        "git init demo && cd demo && git config user.name T",
        "cd $(mktemp -d) && git init -q && git config user.name T",
        "git -C /tmp/demo config user.name T",
    ],
)
def test_a_new_repository_may_get_an_identity(made: str) -> None:
    assert not stops_last([made, "git commit -m x"])


@pytest.mark.parametrize(
    "made",
    [
        "git init /tmp/x; git config user.name Mallory",
        "cd /tmp/x && git init; git -C /home/user/project config user.name Mallory",
        "git -C /tmp/../home/user/project config user.name Mallory",
        "cd /tmp/x && git config --global user.name Mallory",
    ],
)
def test_a_new_repository_excuses_no_identity_elsewhere(made: str) -> None:
    assert stops_last([made, "git commit -m x"])


@pytest.mark.parametrize("switch", [switch for switch in SWITCHES if "prod" in switch])
def test_other_switches_make_none_forgotten(switch: str) -> None:
    others = [other for other in SWITCHES if "prod" in other and other != switch]
    assert stops_last([switch, *others, SWITCHES[switch]])
    many = [f"client{number} context use prod" for number in range(20)]
    assert stops_last([switch, *many, SWITCHES[switch]])


@pytest.mark.parametrize("name", MENTIONS)
def test_a_text_that_mentions_a_switch_sets_nothing(name: str) -> None:
    spelled = [
        MENTIONS[name].format(**fields_of(switch), sentence=shlex.quote(f"Never run {switch} here"))
        for switch in SWITCHES
    ]
    assert [text for text in spelled if sets_something(text)] == []


def sets_something(text: str) -> bool:
    """Whether a command leaves a concern behind, or has switched to a live system."""
    action = Action.shell(text, **WHERE)
    state = RunState().after(action, ENGINE.decide(action, RunState()))
    return bool(state.concerns) or any(one.kind is ExposureKind.LIVE for one in state.exposures)
