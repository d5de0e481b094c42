"""Distractors: plausible wrong answers for quiz questions, made from the context of an action. None may be true."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from interlock.analyse.addresses.hosts import host_of
from interlock.approval.challenge.targets import ActionTarget
from interlock.approval.request import Approval
from interlock.patterns import late
from interlock.payload import leaves, text_of

# Common names of each type, for invented answers.
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
MAX_NEARBY = 2
ADDRESSES = frozenset({"url", "host"})
_URLS = late(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>|;,)]+", re.IGNORECASE)
_PATTERN = late(r"[*?\[{$]")


def fallback_distractors(target: ActionTarget) -> Sequence[str]:
    """Return wrong answers that always fit, for when the context yields too few."""
    printing = ("nothing: it only prints a text", "something that is not shown here")
    return printing if target.reads else ("nothing: it only reads", *printing)


def make_distractors(target: ActionTarget, approval: Approval, targets: Sequence[ActionTarget]) -> Iterator[str]:
    """Yield wrong answers to a question about `target`, those from its context first."""
    nearby = _hosts(approval, targets) if target.type in ADDRESSES else _nearby_names(target, approval, targets)
    invented = sorted(_invent_names(target), key=lambda name: shuffle_key(approval, name))
    right = list(_right_answers(target, targets))
    wrong = [name for name in dict.fromkeys(nearby) if not _is_right(name, right)]
    yield from wrong[:MAX_NEARBY]
    yield from (name for name in invented if not _is_right(name, right))


def _right_answers(target: ActionTarget, targets: Sequence[ActionTarget]) -> Iterator[str]:
    """Yield all right answers: to a question about a change everything that is changed, about a read every target."""
    for other in targets:
        if other.name and (target.reads or not other.reads):
            if target.kind == "net.send" and other.kind == "net.fetch":
                continue  # data is fetched from there, not sent there
            yield other.host


def _is_right(name: str, right: Iterable[str]) -> bool:
    return any(_is_within(name.casefold(), known.casefold()) for known in right)


def _is_within(name: str, known: str) -> bool:
    """Whether a path is a known one or inside it: deleting a folder deletes everything in it."""
    pattern = _PATTERN.search(known)
    folder = known[: known.rfind("/", 0, pattern.start()) + 1] if pattern else known.rstrip("/") + "/"
    return name == known or posixpath.join(name, "").startswith(folder or "/")


def _nearby_names(target: ActionTarget, approval: Approval, targets: Sequence[ActionTarget]) -> Iterator[str]:
    """Yield the other targets of the same type, the parent folder, and the agent's folders."""
    yield from (other.name for other in targets if other.type == target.type and other.name)
    if target.type == "file" and target.name.startswith("/"):
        yield posixpath.dirname(target.name.rstrip("/"))
        for place in ("cwd", "workspace", "home"):
            yield str(approval.action.get(place) or "")


def _hosts(approval: Approval, targets: Sequence[ActionTarget]) -> Iterator[str]:
    """Yield the hosts that the action or its text mentions."""
    yield from (target.host for target in targets if target.type in ADDRESSES and target.name)
    for _, value in leaves(approval.action.get("inputPayload")):
        for url in _URLS.findall(text_of(value) or ""):
            yield host_of(url)


def _invent_names(target: ActionTarget) -> Iterator[str]:
    """Yield plausible names of the same type."""
    if target.type == "file":
        yield from _sibling_paths(target)
    elif target.type == "recipient" and "@" in target.name:
        yield from (f"{name}@{target.name.rpartition('@')[2]}" for name in MAILBOXES)
    elif target.name.isascii() and target.name.isdigit():
        yield from (str(int(target.name[:18]) + more) for more in (1, 10, 100))
    elif target.type in ADDRESSES:
        yield from SIBLINGS["url"]
    else:
        before, space, _ = target.name.rpartition(" ")
        yield from (f"{before}{space}{name}" for name in SIBLINGS.get(target.type, ELSEWHERE))


def _sibling_paths(target: ActionTarget) -> Iterator[str]:
    """Yield files or folders beside a path, or nothing if the path is a wildcard for all of them."""
    folder, base = posixpath.split(target.name.rstrip("/"))
    if not base.strip("~.*"):
        return
    suffix = posixpath.splitext(base)[1]
    names = [name + suffix for name in FILES] if suffix and "recursive" not in target.flags else FOLDERS
    yield from (posixpath.join(folder, name) for name in names)


def shuffle_key(approval: Approval, text: str) -> bytes:
    """Return a sort key that gives a random order, but the same one for a request each time."""
    return hashlib.sha256(f"{approval.approval_id}\0{text}".encode("utf-8", "replace")).digest()
