"""Host aliases: names for machines in files that a run wrote, such as `staging` with an address next to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from interlock.levels import Level
from interlock.memory.calls.command_lines import spell_out
from interlock.memory.exposures.private_names import is_people_folder, source_kind
from interlock.memory.state import RunState
from interlock.memory.taint.command_paths import paths_of
from interlock.model import Action, Analysis, Finding
from interlock.patterns import late
from interlock.sanitise import quotable

RULE = "renamed_machine_used"
MAX_TEXT, MAX_FILES, MAX_NAMES = 20_000, 40, 20
#: Hosts of `ssh`, sections of clients' settings, and lists of other names.
_DEFINED = (
    late(
        r"(?im)^[ \t]*Host[ \t]+(?P<name>[\w.-]{2,60})[ \t]*\n"
        r"(?P<between>(?:[ \t]+[^\n]{0,200}\n){0,10}?)[ \t]+HostName[ \t]+(?P<host>\S{3,100})"
    ),
    late(
        r"(?im)^\[(?:profile )?(?P<name>[\w-]{2,60})\][ \t]*\n(?P<between>(?:[^\[\n]{0,200}\n){0,10}?)"
        r"[ \t]*(?:host|hostaddr|endpoint_url|endpoint|url|address)[ \t]*=[ \t]*(?:https?://)?(?P<host>[^\s/:]{3,100})"
    ),
    late(r"(?m)^(?P<name>[a-z][\w-]{1,60})[ \t]+(?P<between>)(?P<host>[\w-]{1,60}(?:\.[\w-]{1,60}){1,5})[ \t]*$"),
)
_INTERNAL_ADDRESS = late(
    r"(?i)^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]+$)|\.(?:local|internal|lan|test)$"
)
_LIVE = late(r"(?i)(?<![a-z])(?:prod|production|live)(?![a-z])")
_LISTS = late(r"(?i)hosts?[^/]{0,20}$|(?:ssh|service|config|credentials|rclone|\.cnf|\.conf|\.ini)[^/]{0,20}$")
#: Options with which a client sends credentials, and words for changes.
_SIGNED_IN = late(r"(?:^|\s)(?:-n|--netrc|-u|--user|--cert|--negotiate)(?:\s|=|$)|(?i:authorization:|bearer )")
_CHANGING = late(
    r"(?i)(?:^|[\s-])(?:overwrite|import|load|restore|migrate|apply|write|delete|drop|sync|copy|push|truncate)\b"
)


class HostAlias(msgspec.Struct, frozen=True):
    """A name, its machine, whether that machine is outside, and whether it is a live system."""

    name: str
    host: str
    outside: bool
    live: bool


def find_host_alias_use(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a command sends something to a machine under a name that this run has given it."""
    if not analysis.commands or not analysis.effects:
        return None
    text = spell_out(analysis)[:MAX_TEXT]
    for one in _find_names(state):
        if not re.search(rf"(?:^|[@/=\s\"']){re.escape(one.name)}(?=[:/\s\"']|$)", text):
            continue
        if (one.outside and _sends_private_data(action, analysis, text)) or (one.live and _CHANGING.search(text)):
            reason = f"By `{quotable(one.name)}` it reaches `{quotable(one.host)}`, as this run has written"
            return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    return None


def _sends_private_data(action: Action, analysis: Analysis, text: str) -> bool:
    """Whether a command names personal data, or sends credentials."""
    if _SIGNED_IN.search(text):
        return True
    return any(source_kind(path, action) or is_people_folder(path) for path in paths_of(action, analysis))


def _find_names(state: RunState) -> Iterator[HostAlias]:
    """Yield the names for machines in the files of a run."""
    for path in list(state.written)[: -MAX_FILES - 1 : -1]:
        file = state.written[path]
        if not file.text or file.state not in ("whole", "part") or not _LISTS.search(path.rpartition("/")[2]):
            continue
        for pattern in _DEFINED:
            for found in list(pattern.finditer(file.text[:MAX_TEXT]))[:MAX_NAMES]:
                host, line = found["host"], file.text[found.start() : found.end() + 80]
                yield HostAlias(found["name"], host, not _INTERNAL_ADDRESS.search(host), _LIVE.search(line) is not None)
