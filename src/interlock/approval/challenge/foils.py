"""Foils: wrong answers that look right, made from the surroundings of an action. None of them may be true."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from interlock.analyse.hosts import host_of
from interlock.analyse.payloads.payload import leaves, text_of
from interlock.approval.challenge.touched import Touch
from interlock.approval.request import Approval
from interlock.patterns import late

# What stands beside a thing of each type in most projects.
SIBLINGS = {
    type_: tuple(names.split())
    for type_, names in {
        "url": "github.com cdn.internal mirror.internal hooks.slack.com storage.googleapis.com api.internal",
        "table": "users orders sessions events invoices customers",
        "user": "root nobody www-data postgres admin",
        "package": "requests lodash left-pad numpy express",
        "process": "nginx postgres node redis-server",
        "service": "nginx postgresql redis cron",
        "device": "/dev/sdb /dev/sdc /dev/sdd /dev/nvme1n1",
        "repository": "main develop release staging",
        "program": "git npm make docker python",
        "tool": "read_file send_email search_web list_users update_record",
    }.items()
}
ELSEWHERE = ("staging", "test", "backup", "archive", "demo")
FOLDERS = ("src", "build", "docs", "tests", "data", "config", "assets")
FILES = ("main", "index", "config", "settings", "notes", "report")
MAILBOXES = ("team", "support", "billing", "admin")
MAX_NEAR = 2
ADDRESSES = frozenset({"url", "host"})
_URLS = late(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>|;,)]+", re.IGNORECASE)
_PATTERN = late(r"[*?\[{$]")


def nothings(touch: Touch) -> Sequence[str]:
    """Return wrong answers for where the surroundings give too few."""
    printing = ("nothing: it only prints a text", "something that is not shown here")
    return printing if touch.reads else ("nothing: it only reads", *printing)


def foils(one: Touch, approval: Approval, touches: Sequence[Touch]) -> Iterator[str]:
    """Yield wrong answers to what would happen to `one`, the nearest first."""
    near = _hosts(approval, touches) if one.type in ADDRESSES else _near(one, approval, touches)
    made = sorted(_made(one), key=lambda name: shuffled(approval, name))
    true = list(_true(one, touches))
    wrong = [name for name in dict.fromkeys(near) if not _is_true(name, true)]
    yield from wrong[:MAX_NEAR]
    yield from (name for name in made if not _is_true(name, true))


def _true(one: Touch, touches: Sequence[Touch]) -> Iterator[str]:
    """Yield what would be a right answer too: for a change all that is changed, for a read all that is touched."""
    for touch in touches:
        if touch.name and (one.reads or not touch.reads):
            if one.kind == "net.send" and touch.kind == "net.fetch":
                continue  # data comes from there, and is not sent there
            yield touch.host


def _is_true(name: str, true: Iterable[str]) -> bool:
    return any(_within(name.casefold(), known.casefold()) for known in true)


def _within(name: str, known: str) -> bool:
    """Whether a name is a known one or lies in it: who deletes a folder deletes what is in there."""
    pattern = _PATTERN.search(known)
    folder = known[: known.rfind("/", 0, pattern.start()) + 1] if pattern else known.rstrip("/") + "/"
    return name == known or posixpath.join(name, "").startswith(folder or "/")


def _near(one: Touch, approval: Approval, touches: Sequence[Touch]) -> Iterator[str]:
    """Yield what else the action speaks of, the folder above, and where the agent works."""
    yield from (touch.name for touch in touches if touch.type == one.type and touch.name)
    if one.type == "file" and one.name.startswith("/"):
        yield posixpath.dirname(one.name.rstrip("/"))
        for place in ("cwd", "workspace", "home"):
            yield str(approval.action.get(place) or "")


def _hosts(approval: Approval, touches: Sequence[Touch]) -> Iterator[str]:
    """Yield the other hosts that the action or its text speaks of."""
    yield from (touch.host for touch in touches if touch.type in ADDRESSES and touch.name)
    for _, value in leaves(approval.action.get("inputPayload")):
        for url in _URLS.findall(text_of(value) or ""):
            yield host_of(url)


def _made(one: Touch) -> Iterator[str]:
    """Yield names that could stand beside the one that is meant."""
    if one.type == "file":
        yield from _beside(one)
    elif one.type == "recipient" and "@" in one.name:
        yield from (f"{name}@{one.name.rpartition('@')[2]}" for name in MAILBOXES)
    elif one.name.isascii() and one.name.isdigit():
        yield from (str(int(one.name[:18]) + more) for more in (1, 10, 100))
    elif one.type in ADDRESSES:
        yield from SIBLINGS["url"]
    else:
        before, space, _ = one.name.rpartition(" ")
        yield from (f"{before}{space}{name}" for name in SIBLINGS.get(one.type, ELSEWHERE))


def _beside(one: Touch) -> Iterator[str]:
    """Yield files or folders beside a path; none where the path stands for everything there is."""
    folder, base = posixpath.split(one.name.rstrip("/"))
    if not base.strip("~.*"):
        return
    suffix = posixpath.splitext(base)[1]
    names = [name + suffix for name in FILES] if suffix and "recursive" not in one.flags else FOLDERS
    yield from (posixpath.join(folder, name) for name in names)


def shuffled(approval: Approval, text: str) -> bytes:
    """Return a key to sort by that looks like chance, and is the same for a request each time."""
    return hashlib.sha256(f"{approval.approval_id}\0{text}".encode("utf-8", "replace")).digest()
