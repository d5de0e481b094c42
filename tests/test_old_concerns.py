"""Concerns that earlier versions stored as sentences mean the same in this version."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from interlock import Action, Engine, RunState, Verdict
from interlock.memory.decode import read_changes, read_state
from interlock.memory.model import Concern, ConcernKind, MemoryChanges
from tests.reading import WHERE

K = ConcernKind
PROJECT = WHERE["workspace"]
FILE = f"{PROJECT}/a.txt"
CASES: list[tuple[dict[str, Any], Concern]] = [
    (
        {
            "why": "Secrets would leave",
            "files": [FILE],
            "names": ["C-17"],
            "exports": True,
            "usedBy": ["git add"],
        },
        Concern(K.PREPARED, "Secrets would leave", 3, (FILE,), ("C-17",), exports=True, used_by=("git add",)),
    ),
    ({"why": "Reads a secret", "files": [FILE], "holds": True}, Concern(K.COPY, "Reads a secret", 3, (FILE,))),
    (
        {"why": "mining (`a.sh`)", "usedBy": ["sh a.sh"]},
        Concern(K.HAZARD, "mining a.sh", 3, used_by=("sh a.sh",)),
    ),
    (
        {"why": "a hazard of another version (`a.sh`)", "usedBy": ["sh a.sh"]},
        Concern(K.HAZARD, "a hazard of another version (`a.sh`)", 3, used_by=("sh a.sh",)),
    ),
    (
        {"why": "`update_list` changed what a name stands for", "names": ["beta"]},
        Concern(K.REDEFINED, "update_list", 3, names=("beta",)),
    ),
    (
        {"why": "`chat_set_profile`", "names": ["chat"], "verbs": ["post", "send"]},
        Concern(K.PROFILE, "chat_set_profile", 3, names=("chat",)),
    ),
    (
        {"why": "`git config user.name Ann`", "verbs": ["commit", "push"]},
        Concern(K.IDENTITY, "git config user.name Ann", 3),
    ),
    (
        {"why": "`aws configure set role_arn x`", "programs": ["aws"]},
        Concern(K.ROLE, "aws configure set role_arn x", 3, programs=("aws",)),
    ),
    (
        {"why": "it changed who may do what in `roles.yaml`", "verbs": ["apply", "sync"]},
        Concern(K.ACCESS_RULES, "roles.yaml", 3),
    ),
    (
        {"why": "`git remote set-url origin x`", "verbs": ["push"]},
        Concern(K.REDIRECTED_PUSH, "git remote set-url origin x", 3),
    ),
    ({"why": "`git switch main`", "verbs": ["push"]}, Concern(K.SHARED_BRANCH, "git switch main", 3)),
    ({"why": "", "setting": "out_dir: ~/Pictures"}, Concern(K.FOLDER, "out_dir: ~/Pictures", 3)),
    ({"why": "", "setting": "out: ~/x", "host": "url: a.example.io"}, Concern(K.FOLDER, "out: ~/x", 3)),
    ({"why": "", "host": "url: a.example.io"}, Concern(K.HOST, "url: a.example.io", 3)),
    ({"why": "", "setting": "host https://a-b.io"}, Concern(K.SIMILAR_HOST, "https://a-b.io", 3)),
    ({"why": "", "setting": "recipient a@b.io"}, Concern(K.RECIPIENT, "a@b.io", 3)),
    ({"why": "", "setting": "download conftest.py"}, Concern(K.DOWNLOAD, "conftest.py", 3)),
    ({"why": "", "host": "details +43 660 1234567"}, Concern(K.DETAILS, "+43 660 1234567", 3)),
    ({"why": "it looked for `auditd`", "files": [FILE]}, Concern(K.PROCESS_IDS, "auditd", 3, (FILE,))),
    (
        {"why": "a file is named like an option (`--x=y`)", "files": [FILE]},
        Concern(K.OPTION_NAME, "--x=y", 3, (FILE,)),
    ),
    (
        {"why": "it takes code from `code.zed.io`", "programs": ["pip"]},
        Concern(K.MANIFEST_SOURCE, "code.zed.io", 3, programs=("pip",)),
    ),
    ({"why": "it unpacked `/tmp/a.zip`", "files": [FILE]}, Concern(K.UNPACKED, "/tmp/a.zip", 3, (FILE,))),
    (
        {"why": "", "setting": "ln -s ~/Documents build", "parked": [FILE]},
        Concern(K.LINK, "ln -s ~/Documents build", 3, aliases=(FILE,)),
    ),
    (
        {"why": "", "setting": "sshfs a:/ build", "parked": [FILE]},
        Concern(K.MOUNT, "sshfs a:/ build", 3, aliases=(FILE,)),
    ),
    (
        {"why": "`git diff > a.txt` put work there", "parked": [FILE]},
        Concern(K.PARKED_WORK, "git diff > a.txt", 3, aliases=(FILE,)),
    ),
    ({"why": "`create view v`", "parked": ["v"]}, Concern(K.VIEW, "create view v", 3, aliases=("v",))),
]


def test_there_is_a_case_of_every_kind() -> None:
    assert {new.kind for _, new in CASES} == set(ConcernKind) - LATER


#: Kinds that earlier versions did not have.
LATER = {K.DEFAULT_REPOSITORY, K.LOOSENED, K.REAL_TARGET, K.FILTERED}


@pytest.mark.parametrize(("old", "new"), CASES, ids=[new.kind.value for _, new in CASES])
def test_an_old_concern_gets_its_kind(old: dict[str, Any], new: Concern) -> None:
    assert read_state({"concerns": [{**old, "call": 3}]}).concerns == (new,)
    assert read_changes({"concern": {**old, "call": 3}}).concern == new


@pytest.mark.parametrize("new", [new for _, new in CASES], ids=[new.kind.value for _, new in CASES])
def test_a_concern_of_this_version_is_read_as_it_was_stored(new: Concern) -> None:
    changes = MemoryChanges(concern=new)
    assert read_changes(msgspec.to_builtins(changes)) == changes
    assert read_state(msgspec.to_builtins(RunState(concerns=(new,)))).concerns == (new,)


#: A command that uses what an old concern is about, and needs no approval without it.
USES = [
    ({"why": "Reads a secret", "files": [FILE], "holds": True}, "cat a.txt"),
    ({"why": "`aws configure set role_arn x`", "programs": ["aws"]}, "aws s3 ls"),
    ({"why": "`git remote set-url origin x`", "verbs": ["push"]}, "git push"),
    ({"why": "", "setting": "out_dir: ~/Pictures"}, "make build"),
    ({"why": "", "setting": "recipient a@b.io"}, "make notify"),
    ({"why": "it looked for `auditd`", "files": [FILE]}, "xargs kill < a.txt"),
    ({"why": "", "setting": "sshfs a:/ build", "parked": [f"{PROJECT}/build"]}, "rm -rf build"),
]


@pytest.mark.parametrize(("old", "command"), USES)
def test_an_old_concern_stops_what_it_stopped(old: dict[str, Any], command: str) -> None:
    state = read_state({"calls": {"Bash": 3}, "concerns": [{**old, "call": 3}]})
    decision = Engine().decide(Action.shell(command, **WHERE), state)
    assert decision.verdict is Verdict.REQUIRE_APPROVAL
    assert decision.assessment.findings[0].calls == (3,)
    assert Engine().decide(Action.shell(command, **WHERE), RunState()).verdict < Verdict.REQUIRE_APPROVAL
