"""Concerns of earlier versions, which stored the displayed sentence (`why`) instead of a kind.

Only this module interprets such sentences. An unknown one becomes a concern of a kind that asks at
least as often.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import WrittenHazards
from interlock.memory.model import ConcernKind
from interlock.patterns import late

#: The sentences of each kind, with their subjects.
_SENTENCES = (
    (ConcernKind.REDEFINED, late(r"`(?P<subject>.*)` changed what a name stands for")),
    (ConcernKind.ACCESS_RULES, late(r"it changed who may do what in `(?P<subject>.*)`")),
    (ConcernKind.PROCESS_IDS, late(r"it looked for `(?P<subject>.*)`")),
    (ConcernKind.OPTION_NAME, late(r"a file is named like an option \(`(?P<subject>.*)`\)")),
    (ConcernKind.UNPACKED, late(r"it unpacked `(?P<subject>.*)`")),
    (ConcernKind.MANIFEST_SOURCE, late(r"it takes code from `(?P<subject>.*)`")),
    (ConcernKind.PARKED_WORK, late(r"`(?P<subject>.*)` put work there")),
)
#: The first words of settings whose kind was not stored otherwise.
_SETTINGS = (
    ("recipient ", ConcernKind.RECIPIENT),
    ("host ", ConcernKind.SIMILAR_HOST),
    ("download ", ConcernKind.DOWNLOAD),
)
_HAZARD = late(r"(?P<what>.*) \(`(?P<file>.*)`\)")
_SUBJECTS = ("files", "names", "programs", "exports")


def upgrade_concern(old: Mapping[str, Any]) -> dict[str, Any]:
    """Return a concern of an earlier version as this version stores it."""
    kind, subject = _find_kind(old)
    kept = ("call", *_SUBJECTS, "usedBy")
    new = {name: old[name] for name in kept if name in old}
    aliases = {"aliases": old["parked"]} if old.get("parked") else {}
    return {"kind": kind.value, "subject": subject, **new, **aliases}


def _find_kind(old: Mapping[str, Any]) -> tuple[ConcernKind, str]:
    """Return the kind and the subject of an old concern."""
    why, setting, host = old.get("why", ""), old.get("setting", ""), old.get("host", "")
    if old.get("parked") and setting:
        return ConcernKind.LINK if setting.startswith("ln ") else ConcernKind.MOUNT, setting
    if setting:
        beginning, kind = next((one for one in _SETTINGS if setting.startswith(one[0])), ("", ConcernKind.FOLDER))
        return kind, setting.removeprefix(beginning)
    if host:
        is_details = host.startswith("details")
        return ConcernKind.DETAILS if is_details else ConcernKind.HOST, host.removeprefix("details ")
    if old.get("holds"):
        return ConcernKind.COPY, why
    for kind, sentence in _SENTENCES:
        found = sentence.fullmatch(why)
        if found:
            return kind, found["subject"]
    return _find_command_kind(old, why)


def _find_command_kind(old: Mapping[str, Any], why: str) -> tuple[ConcernKind, str]:
    """Return the kind and the subject of an old concern whose sentence was a command, a reason or a hazard."""
    subject, verbs = why.strip("`"), old.get("verbs", ())
    if old.get("parked"):
        return ConcernKind.VIEW, subject
    if verbs and old.get("names"):
        return ConcernKind.PROFILE, subject
    if "push" in verbs and len(verbs) == 1:
        is_switch = subject.startswith(("git switch", "git checkout"))
        return ConcernKind.SHARED_BRANCH if is_switch else ConcernKind.REDIRECTED_PUSH, subject
    if verbs:
        return ConcernKind.IDENTITY, subject
    if any(old.get(name) for name in _SUBJECTS):
        return (ConcernKind.ROLE, subject) if why[:1] == "`" else (ConcernKind.PREPARED, why)
    return ConcernKind.HAZARD, _hazard_subject(why)


def _hazard_subject(why: str) -> str:
    """Return the hazard and the file that a sentence is about; a sentence that is not known agrees to nothing."""
    found = _HAZARD.fullmatch(why)
    hazards = read_table("written-hazards", WrittenHazards).hazards
    name = next((one.name for one in hazards if found and one.what == found["what"]), "")
    return f"{name} {found['file']}" if found and name else why
