"""Files that are sent to people outside, and files with private data that are passed to a tool."""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.calls.command_lines import spell_out
from interlock.memory.exposures.destinations import (
    EXTERNAL_FLAGS,
    INTERNAL_FLAGS,
    PRIVATE_DATA_FLAGS,
    TRANSFER_KINDS,
    is_read_by_everyone,
)
from interlock.memory.model import LEAK_RULE, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

MAX_PATH, MAX_TEXT = 300, 20_000
#: Exposures to sensitive data.
PRIVATE_KINDS = frozenset({ExposureKind.SECRET, ExposureKind.PRIVATE})
#: Flags of messages with private content.
_SENSITIVE_EXPOSURES = frozenset({"records", "personal", "secret", "environment"})
# A program with a verb by which a file goes to a service, and a file: `asciinema upload /tmp/a.cast`.
_UPLOAD = late(
    r"(?:^|[;&|\n])\s*[\w./-]{2,60}(?: [\w.-]{2,30}){0,2} (?:upload|share|submit|files\.create|publish|post)\b"
    r"[^\n;&|]{0,300}?[ =@](?:[\w.~-]*/)?[\w./*-]{1,200}\.\w{1,8}(?=\s|$)"
)
_FILE = late(r"(?:/|~/|\.{1,2}/)[^\n:?]*\.\w{1,8}")


def find_handed_copy(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool is given a file that this run has written private data or a secret into."""
    effect = next((one for one in analysis.effects if one.kind in TRANSFER_KINDS), None)
    if effect is None or not effect.flags.isdisjoint(INTERNAL_FLAGS):
        return None
    copies = {
        path: one.marks & PRIVATE_DATA_FLAGS
        for path, one in state.written.items()
        if not one.marks.isdisjoint(PRIVATE_DATA_FLAGS)
    }
    if not copies:
        return None
    if effect.kind == "message.send" and not effect.flags.isdisjoint(_SENSITIVE_EXPOSURES):
        return Finding(
            LEAK_RULE, Level.HIGH, "Sends private data that this run has copied", effect.span, reversible=False
        )
    for _, value in leaves(action.input_payload):
        if not isinstance(value, str) or len(value) > MAX_PATH or "\n" in value:
            continue
        path = value if value[:1] == "/" else f"{(action.cwd or '').rstrip('/')}/{value.removeprefix('./')}"
        held = next((name for name in copies if _is_run_file(path, name)), None)
        if held is not None:
            what = "a secret" if "secret" in copies[held] else "private data"
            reason = f"Hands over `{quotable(value[:80])}`, into which this run has put {what}"
            return Finding(LEAK_RULE, Level.HIGH, reason, effect.span, reversible=False)
    return None


def _is_run_file(path: str, name: str) -> bool:
    """Whether a path is a file of this run, inside a folder of it, or a pattern that matches one."""
    return path == name or path.startswith(name[:-1] if name.endswith("*") else name.rstrip("/") + "/")


def find_sent_file(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a file is sent to outsiders after the run has read something private.

    The content of the file is unknown. But it goes to a stranger, and the run has read private data.
    """
    private = next((one for one in state.exposures if one.kind in PRIVATE_KINDS), None)
    if private is None:
        return None
    effect = _find_upload(analysis)
    if effect is None:
        effect = next(
            (one for one in analysis.effects if one.kind in TRANSFER_KINDS and _leaves_organisation(one, action)), None
        )
        if effect is None or not any(_is_local_file(value) for _, value in leaves(action.input_payload)):
            return None
    what = "a secret" if private.kind is ExposureKind.SECRET else "private data"
    reason = f"Sends a file to people outside after call {private.call} has read {what} (`{private.what}`)"
    return Finding(LEAK_RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(private.call,))


def _find_upload(analysis: Analysis) -> Effect | None:
    """Return the effect of a program without a description that is told to send a file."""
    if not analysis.commands or not _UPLOAD.search(spell_out(analysis)[:MAX_TEXT]):
        return None
    return next((one for one in analysis.effects if one.kind == "process.run"), None)


def _leaves_organisation(effect: Effect, action: Action) -> bool:
    if not effect.flags.isdisjoint(INTERNAL_FLAGS):
        return False
    return not effect.flags.isdisjoint(EXTERNAL_FLAGS) or is_read_by_everyone(action)


def _is_local_file(value: object) -> bool:
    """Whether a value is the path of a file on this machine.

    >>> _is_local_file("/home/user/project/a.pdf"), _is_local_file("https://a.example/x.pdf"), _is_local_file("/v1/x y")
    (True, False, False)
    """
    return (
        isinstance(value, str) and value[:1] in "/~." and len(value) <= MAX_PATH and _FILE.fullmatch(value) is not None
    )
