"""Descriptions of concerns for people."""

from __future__ import annotations

from interlock.memory.model import Concern, ConcernKind

#: How a concern is described. The subject of a kind that is not listed is a command, shown between backticks.
_DESCRIPTIONS = {
    ConcernKind.PREPARED: "{}",
    ConcernKind.COPY: "{}",
    ConcernKind.REDEFINED: "`{}` changed what a name stands for",
    ConcernKind.ACCESS_RULES: "it changed who may do what in `{}`",
    ConcernKind.PROCESS_IDS: "it looked for `{}`",
    ConcernKind.OPTION_NAME: "a file is named like an option (`{}`)",
    ConcernKind.MANIFEST_SOURCE: "it takes code from `{}`",
    ConcernKind.FILTERED: "it left entries of `{}` out",
    ConcernKind.UNPACKED: "it unpacked `{}`",
    ConcernKind.PARKED_WORK: "`{}` put work there",
}
#: What a program may do because of a setting, and what the call has done.
_SETTINGS = {
    ConcernKind.FOLDER: ("May write to or empty a folder outside the project", "set `{}`"),
    ConcernKind.SIMILAR_HOST: ("May talk to another machine under a similar name", "set `{}`"),
    ConcernKind.RECIPIENT: ("May write to somebody new", "added `{}`"),
    ConcernKind.DOWNLOAD: ("May run or follow what came from elsewhere", "saved `{}`"),
    ConcernKind.LOOSENED: ("May act without a safeguard or a limit", "set `{}`"),
    ConcernKind.REAL_TARGET: ("May act on other people or data than before", "set `{}`"),
    ConcernKind.HOST: ("May report to another machine", "set `{}`"),
    ConcernKind.DETAILS: ("Publishes other details", "put in `{}`"),
}


def describe_concern(concern: Concern) -> str:
    """Describe a concern."""
    return _DESCRIPTIONS.get(concern.kind, "`{}`").replace("{}", concern.subject)


def describe_setting(concern: Concern) -> str:
    """Describe the possible effect of a setting, and name the call that has set it."""
    does, did = _SETTINGS[concern.kind]
    return f"{does}: call {concern.call} {did.replace('{}', concern.subject)}"
