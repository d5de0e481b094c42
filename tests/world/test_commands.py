"""The command line of the store: what a person types, sees, and gets wrong."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from interlock import Action, ActionRefused, Gate
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import ApprovalState, ChallengeResult, GrantScope
from interlock.approval.rules import ApprovalRules
from interlock.audit.identity import user_name
from interlock.audit.journal import Journal
from interlock.audit.keys import SigningKey
from interlock.audit.record import Entry
from interlock.cli import main
from interlock.cli.local_time import zone_name
from interlock.cli.request_list import list_requests
from interlock.server.notify.stored_channels import StoredChannels
from interlock.store.clock import now
from interlock.store.database import Database
from interlock.store.migrate import prepare
from tests.reading import WHERE
from tests.world.requests import request_approval, yes


@pytest.fixture(autouse=True)
def usual(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERLOCK_STORE", store)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Run a command; return its exit status and what it printed."""
    status = main(list(words))
    printed = capsys.readouterr()
    return status, printed.out + printed.err


@pytest.mark.no_schema
def test_a_store_is_made_looked_at_and_migrated(capsys: pytest.CaptureFixture[str]) -> None:
    assert "created" in run(capsys, "store", "init")[1]
    assert "already exists" in run(capsys, "store", "init")[1]
    assert "is up to date" in run(capsys, "store", "migrate")[1]
    status, printed = run(capsys, "store", "status")
    assert status == 0
    assert re.search(r"records +0", printed)


def test_reading_commands_do_not_create_a_store(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words in (["approvals"], ["runs"], ["audit", "verify"], ["store", "status"]):
        status, printed = run(capsys, *words, "--store", f"sqlite:///{tmp_path}/nowhere.db")
        assert status == 1
        assert "`interlock store init` creates one" in printed
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["approvals", "show", "zzz"], "there is no request `zzz`"),
        (["approvals", "reject", "zzz"], "there is no request"),
        (["approvals", "cancel", "zzz"], "there is no request"),
        (["grants", "revoke", "zzz"], "there is no grant `zzz`"),
        (["approvals", "--state", "wating"], "unknown state `wating`"),
        (["runs", "show", "zzz"], "there is no run `zzz`"),
        (["runs", "resume", "zzz"], "there is no run"),
        (["audit", "--kind", "decison"], "did you mean `decision`"),
        (["audit", "export", "--format", "xml"], "unknown format `xml`"),
        (["audit", "verify", "--key", "nonsense"], "is not a public key"),
        (["audit", "verify", "--checkpoint", "nowhere.json"], "cannot be read"),
        (["store", "prune", "--older-than", "soon"], "is not an age"),
        (["runs", "--limit", "0"], "limit"),
        (["approvals", "--limit", str(10**30)], "limit"),
        (["approvals", "stamps", "--days", "-3"], "days"),
        (["audit", "--before", "-1"], "before"),
        (["approvals", "show", "\udcff"], "is not UTF-8 text"),
        (["store", "backup", "/nonexistent/folder/x.db"], "does not exist; create it first"),
        (["approvals", "--store", "postgresql://u:s3cr3t@h:notaport/db"], "is not the URL of a store"),
        (["approvals", "--store", "sqlite:///~nobodyxyz/x.db"], "cannot be found; write the whole path"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    main(["store", "init"])
    capsys.readouterr()
    status, printed = run(capsys, *words)
    assert status == 1
    assert said in printed
    assert "s3cr3t" not in printed
    assert printed.count("\n") == 1


def test_a_request_is_listed_shown_and_rejected(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    approval = request_approval(journal)
    short = approval.approval_id[:8]
    assert short in run(capsys, "approvals")[1]
    shown = run(capsys, "approvals", "show", short)[1]
    for part in ("git push --force origin main", "cannot be undone", "bot", "pending"):
        assert part in shown
    assert json.loads(run(capsys, "approvals", "--json")[1])["approvalId"] == approval.approval_id
    status, printed = run(capsys, "approvals", "reject", short, "--reason", "not today")
    assert (status, "rejected" in printed) == (0, True)
    assert "no pending requests" in run(capsys, "approvals")[1]
    assert "not today" in run(capsys, "approvals", "show", short)[1]
    status, printed = run(capsys, "approvals", "reject", short)
    assert status == 1
    assert "is rejected already" in printed


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_list_shows_the_action_of_each_request_in_every_terminal(journal: Journal, width: int) -> None:
    own = request_approval(journal)
    screen = Console(file=io.StringIO(), width=width)
    screen.print(list_requests([own], {own.approval_id: "rita"}, width))
    listed = str(screen.file.getvalue())  # type: ignore[attr-defined]  # it is the text file from above
    for part in (own.approval_id[:8], "high", "git push", "rita", "left"):
        assert part in listed, listed
    assert "…" not in listed, "nothing is cut"


def test_a_list_names_who_can_approve(
    journal: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    def listed() -> dict[str, str]:
        lines = run(capsys, "approvals")[1].splitlines()
        return {line.split()[0]: line for line in lines if line.strip()}

    theirs = request_approval(journal, started_by="somebody").approval_id[:8]
    assert "can approve" not in listed()["id"], "the user can approve all of them"
    own = request_approval(journal, run_id="run-2", started_by=user_name()).approval_id[:8]
    assert " not you " in listed()[own]
    People(journal).add("rita", Role.REVIEWER, "test")
    named = request_approval(journal, run_id="run-3", who=(("dan",),)).approval_id[:8]
    found = listed()
    assert f"asked ({zone_name()})" in found["id"]
    for short, names in ((theirs, "you, rita"), (own, "rita"), (named, "dan")):
        assert re.search(rf"(min|s) +{names} +git push", found[short]), found[short]


def test_approving_needs_a_terminal(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    approval = request_approval(journal)
    status, printed = run(capsys, "approvals", "approve", approval.approval_id[:8])
    assert status == 1
    assert "a person has to run it at a terminal" in printed
    assert ApprovalRepository(journal, ApprovalRules()).get(approval.approval_id).state is ApprovalState.PENDING


def test_a_request_is_cancelled(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    approval = request_approval(journal)
    assert "cancelled" in run(capsys, "approvals", "cancel", approval.approval_id[:8])[1]
    assert ApprovalRepository(journal, ApprovalRules()).get(approval.approval_id).state is ApprovalState.CANCELLED


def test_grants_are_listed_revoked_and_restored(
    journal: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    register = ApprovalRepository(journal, ApprovalRules())
    register.answer(request_approval(journal).approval_id, yes(scope=GrantScope.ALWAYS))
    printed = run(capsys, "grants")[1]
    assert "always" in printed
    assert "never" in printed
    assert f"until ({zone_name()})" in printed
    grant = printed.splitlines()[1].split()[0]
    assert "is revoked" in run(capsys, "grants", "revoke", grant)[1]
    assert "no active grants" in run(capsys, "grants")[1]
    assert "revoked" in run(capsys, "grants", "--all")[1]
    status, printed = run(capsys, "changes", "grants", "--json")
    change = json.loads(printed)
    assert (change["what"].split(":")[0], change["cannotUndo"]) == ("revoked a grant", "")
    monkeypatch.setattr("interlock.cli.person.is_at_terminal", lambda: False)
    assert "a person has to run it" in run(capsys, "changes", "undo", change["recordId"], "--yes")[1]
    monkeypatch.setattr("interlock.cli.person.is_at_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert "nothing was changed" in run(capsys, "changes", "undo", change["recordId"])[1]
    assert "no active grants" in run(capsys, "grants")[1]
    monkeypatch.setattr("builtins.input", lambda _: "y")
    status, printed = run(capsys, "changes", "undo", str(change["seq"]))
    assert (status, "Restore the grant of bob" in printed) == (0, True)
    assert "always" in run(capsys, "grants")[1]
    assert f"when ({zone_name()})" in run(capsys, "changes")[1]
    assert "did you mean `grants`?" in run(capsys, "changes", "grant")[1]


def test_undo_asks_for_replaced_secrets(
    journal: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    channels = StoredChannels(journal, list)
    channels.create("bot", "telegram", {}, {"token": "1:old"}, "ann")
    channels.change("bot", "ann", secrets={"token": "1:new"})
    change = json.loads(run(capsys, "changes", "channels", "--json")[1].splitlines()[0])
    monkeypatch.setattr("interlock.cli.person.is_at_terminal", lambda: True)
    monkeypatch.setattr("interlock.cli.changes.getpass", lambda asked: "" if asked == "Previous token: " else asked)
    status, printed = run(capsys, "changes", "undo", str(change["seq"]), "--yes")
    assert (status, "`token`: enter the previous value again" in printed) == (1, True)
    monkeypatch.setattr("interlock.cli.changes.getpass", lambda _: "1:old")
    status, printed = run(capsys, "changes", "undo", str(change["seq"]), "--yes")
    assert (status, "enter the previous token again" in printed) == (0, True)
    assert channels.get_with_secrets("bot")[1] == {"token": "1:old"}


def test_rubber_stamps_are_listed(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no rubber stamps" in run(capsys, "approvals", "stamps")[1]
    quick = ChallengeResult(kind="quiz", passed=True, seconds=3.1)
    ApprovalRepository(journal, ApprovalRules()).answer(request_approval(journal).approval_id, yes(challenge=quick))
    assert "bob" in run(capsys, "approvals", "stamps")[1]


@pytest.fixture
def session(store: str) -> str:
    """A run of some actions; its id."""
    with Gate(store=store) as gate, gate.run(agent_id="bot\x1b[31m", workspace="/home/u/project") as run_:
        for command in ("ls", "git status", "rm -rf /"):
            try:
                gate.check(Action.shell(command, **WHERE))
            except ActionRefused:
                continue
        return run_.run_id


def test_a_run_is_a_timeline(session: str, capsys: pytest.CaptureFixture[str]) -> None:
    listed = run(capsys, "runs")[1]
    assert session[:12] in listed
    assert "\x1b" not in listed
    shown = run(capsys, "runs", "show", session[:12])[1]
    for part in ("run.started", "Bash: git status", "block", "critical", "run.ended"):
        assert part in shown
    page = run(capsys, "runs", "show", session[:12], "--limit", "2")[1]
    assert "more: interlock runs show" in page
    after = page.rsplit("--after ", 1)[1].strip()
    assert "run.started" not in run(capsys, "runs", "show", session[:12], "--after", after)[1]


@pytest.mark.usefixtures("session")
def test_the_chain_is_shown_verified_and_exported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "git status" in run(capsys, "audit")[1]
    assert run(capsys, "audit", "show", "--kind", "run", "--limit", "5")[1].count("run.") == 2
    status, printed = run(capsys, "audit", "verify")
    assert (status, printed.startswith("verified")) == (0, True)
    assert json.loads(run(capsys, "audit", "verify", "--json")[1])["good"] is True
    kept = tmp_path / "kept.json"
    assert "keep it where those" in run(capsys, "audit", "checkpoint", "--out", str(kept))[1]
    assert run(capsys, "audit", "verify", "--checkpoint", str(kept))[0] == 0
    assert run(capsys, "audit", "key")[1].startswith("ed25519:")
    out = tmp_path / "out.jsonl"
    assert "lines in" in run(capsys, "audit", "export", "--out", str(out))[1]
    assert json.loads(out.read_text().splitlines()[0])["seq"] == 1
    status, printed = run(capsys, "audit", "export", "--out", str(out))
    assert (status, "does not overwrite" in printed) == (1, True)
    for format_ in ("csv", "ocsf"):
        assert run(capsys, "audit", "export", "--format", format_)[0] == 0


@pytest.mark.usefixtures("session")
def test_faults_of_the_chain_are_named(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    from interlock.store.database import Database

    with Database(store).write() as connection:
        connection.run("UPDATE interlock_records SET body = replace(body, 'git status', 'git stash') WHERE seq > 3")
    status, printed = run(capsys, "audit", "verify")
    assert status == 2
    assert "not verified" in printed
    assert re.search(r"record \d+ was changed", printed)


@pytest.mark.usefixtures("session")
def test_a_store_is_backed_up_and_pruned(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    assert "rows in" in run(capsys, "store", "backup", str(target))[1]
    assert run(capsys, "audit", "verify", "--store", f"sqlite:///{target}")[0] == 0
    assert "nothing is older" in run(capsys, "store", "prune", "--older-than", "1d")[1]
    time.sleep(0.01)
    status, printed = run(capsys, "store", "prune", "--older-than", "0h")
    assert status == 1
    assert "confirm with `--yes`" in printed
    assert "records removed" in run(capsys, "store", "prune", "--older-than", "0h", "--yes")[1]
    assert run(capsys, "audit", "verify")[0] == 0
    assert re.search(r"\(\d+ pruned\)", run(capsys, "store", "status")[1])


DAMAGED = [
    "UPDATE interlock_approvals SET request = 'garbage'",
    "UPDATE interlock_approvals SET request = '{}'",
    "UPDATE interlock_approvals SET state = 'bogus'",
    "UPDATE interlock_answers SET answer = 'garbage'",
    "UPDATE interlock_approvals SET created_at = 'x', lasts = 'x'",
    "UPDATE interlock_runs SET started_at = 'x', workspace = x'ff00'",
    "UPDATE interlock_head SET seq = 'x'",
    "UPDATE interlock_records SET at = 'x', body = 'garbage'",
]


@pytest.mark.parametrize("edit", DAMAGED)
def test_a_damaged_store_is_reported_in_one_line(
    edit: str, tmp_path: Path, own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite lets anything stand in any column; no command answers with a traceback."""
    database = Database(f"sqlite:///{tmp_path / 'damaged.db'}")
    prepare(database)
    journal = Journal(database, SigningKey.at(own), own)
    approval = request_approval(journal)
    ApprovalRepository(journal, ApprovalRules()).answer(approval.approval_id, yes(scope=GrantScope.ALWAYS))
    with database.write() as connection:
        connection.run(edit)
    monkeypatch.setenv("INTERLOCK_STORE", database.shown)
    for words in (
        ["approvals", "--state", "all"],
        ["approvals", "show", approval.approval_id],
        ["approvals", "stamps"],
        ["grants"],
        ["runs"],
        ["runs", "show", "run-1"],
        ["audit"],
        ["audit", "export"],
        ["audit", "verify"],
        ["store", "status"],
    ):
        status, printed = run(capsys, *words)
        assert status in (0, 1, 2)
        assert "Traceback" not in printed
    assert run(capsys, "audit", "verify")[0] == 2


def _typed(words: list[str], answers: dict[str, str]) -> tuple[int, str]:
    """Run a command at a real terminal, and type an answer to each question; return the status and the screen."""
    child, screen = pty.fork()
    if child == 0:
        os.environ.pop("INTERLOCK_PROMPT", None)
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-m", "interlock", *words])
    seen, left = "", dict(answers)
    while True:
        if not select.select([screen], [], [], 30)[0]:
            os.kill(child, 9)
            break
        try:
            part = os.read(screen, 4096).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
        for question in [question for question in left if question in seen]:
            os.write(screen, left.pop(question).encode())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen


def test_a_request_is_approved_at_a_terminal(journal: Journal, own: Path) -> None:
    own.mkdir(exist_ok=True)
    (own / "interlock.toml").write_text("[approvals]\none_person = true\n")
    approval = request_approval(
        journal, challenge="confirm", started_by="somebody", terms=ApprovalRules(one_person=True)
    )
    status, screen = _typed(
        ["approvals", "approve", approval.approval_id[:8]], {"o, r, a or n ›": "o\r", "reason (or just Enter) ›": "\r"}
    )
    assert status == 0, screen
    assert "git push --force origin main" in screen
    found = ApprovalRepository(journal, ApprovalRules()).get(approval.approval_id)
    assert found.state is ApprovalState.APPROVED
    assert found.answers[0].challenge is not None
    assert found.answers[0].challenge.seconds >= 3


def test_a_timeline_shows_the_environment_and_no_escaped_line_breaks(
    journal: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"text": "python3 - <<'EOF'\nprint(1)\nEOF", "level": "high", "environment": "production", "call": 1}
    entry = Entry(kind="decision", at=now().wall, actor="bot", name="Bash", outcome="require_approval", data=data)
    journal.commit(lambda transaction: transaction.append(entry))
    listed = " ".join(run(capsys, "audit")[1].split())
    assert "production call 1: Bash: python3 - <<'EOF' ⏎ print(1) ⏎ EOF" in listed


def test_nobody_approves_for_themselves_at_a_terminal_once_there_are_two_people(
    journal: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("interlock.cli.approvals.require_person", lambda command: None)
    own = request_approval(journal, started_by=user_name(), terms=ApprovalRules(one_person=True)).approval_id
    People(journal).add(user_name(), Role.ADMIN, "test")
    if journal.database.is_sqlite:
        assert "can approve" not in run(capsys, "approvals")[1], "the only person approves for themselves"
    People(journal).add("rita", Role.REVIEWER, "test")
    assert re.search(r"(min|s) +rita +git push", run(capsys, "approvals")[1])
    status, said = run(capsys, "approvals", "approve", own)
    assert (status, said) == (
        1,
        f"interlock: `{user_name()}` started the run, so another person has to approve this; `rita` can approve this\n",
    ), "before the quiz"
