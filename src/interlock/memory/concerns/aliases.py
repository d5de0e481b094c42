"""Aliases: links, mounts, parked work and views, through which important data can be deleted or overwritten.

`rm -rf tmp` is harmless, but not after `mv journals tmp`. `make clean` is harmless, but not after a drive was mounted
into `build/`.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.additions import limit_subjects
from interlock.memory.calls.words import file_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.exposures.record_names import is_records_file
from interlock.memory.model import Concern, ConcernKind
from interlock.memory.taint.command_paths import full_path
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

_WORD = r"(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s;|&<>'\"]{1,200})"
_LINK = late(rf"\bln (?P<options>(?:-\w+ )*)(?P<source>{_WORD}) (?P<target>{_WORD})")
_MOUNT = late(
    rf"\b(?:rclone mount|sshfs|s3fs|gcsfuse|bindfs|curlftpfs|davfs2|mount --bind|mount -t \w+|juicefs mount"
    rf"|goofys|blobfuse2? mount)"
    rf" (?:-\S+ )*(?P<source>{_WORD}) (?P<target>{_WORD})"
)
_PARKED = late(
    rf"\bgit (?:diff|stash show)[^\n;&|>]{{0,60}}>\s*(?P<target>{_WORD})"
    rf"(?=[\s\S]{{0,80}}\b(?:apply -R|checkout|restore|reset|clean)\b)"
    rf"|\bls-files (?:-o|--others)\b[^\n;]{{0,80}}\bmv -t (?P<moved>{_WORD})"
    rf"|\bcd (?P<tree>/tmp/{_WORD}) && git stash (?:pop|apply)\b|--separate-git-dir[= ](?P<dir>{_WORD})"
    rf"|\bdocker (?:volume |container )?rename \S+ (?P<renamed>{_WORD})"
)
_VIEW = late(r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:view|synonym)\s+(?P<name>[\w.\"`]+)")
_SCRATCH = late(r"(?i)(?:^|/)(?:logs?|tmp|temp|cache|build|dist|out|target)/|\.(?:log|tmp|bak|cache)$")


def find_alias(action: Action, analysis: Analysis) -> Concern | None:
    """Return a concern about an alias that an action gives to something outside the project, or to stored data."""
    text = analysis.text[:MAX_TEXT] if "shell" in analysis.languages else ""
    for found in _LINK.finditer(text):
        source, target = found["source"].strip("'\""), found["target"].strip("'\"")
        is_store = source.endswith(file_words().store_endings) or is_records_file(source)
        is_store = is_store or source.lower().endswith(file_words().original_endings)
        if _leads_out(source, action) or (is_store and ("s" not in found["options"] or _SCRATCH.search(target))):
            return _concern(ConcernKind.LINK, " ".join(found[0].split())[:80], target, action)
    mounted = _MOUNT.search(text)
    if mounted:
        command = " ".join(mounted[0].split())[:80]
        return _concern(ConcernKind.MOUNT, command, mounted["target"].strip("'\""), action)
    parked = _PARKED.search(text)
    if parked:
        target = next(value for value in parked.groupdict().values() if value)
        return _concern(ConcernKind.PARKED_WORK, parked[0], target, action)
    view = next((one for one in map(_VIEW.search, _statements(action, analysis)) if one), None)
    if view is None:
        return None
    return Concern(ConcernKind.VIEW, quotable(view[0]), aliases=limit_subjects([view["name"].strip('"`')]))


def _concern(kind: ConcernKind, command: str, target: str, action: Action) -> Concern:
    return Concern(kind, quotable(command), aliases=limit_subjects([_resolve(target, action)]))


def _resolve(path: str, action: Action) -> str:
    """Return the absolute path; the name of a container or a table stays as it is."""
    path = path.strip("'\"")
    return full_path(path, action)


def _leads_out(source: str, action: Action) -> bool:
    """Whether a link points to a file of the user outside the project that does not belong to a program."""
    project = (action.workspace or action.cwd or "").rstrip("/")
    if source.startswith("../.."):
        return not source.strip("./")
    full = source.replace("~", action.home or "~", 1).replace("$HOME", action.home or "~", 1)
    return (
        bool(project) and full[:1] == "/" and not full.startswith((f"{project}/", "/tmp/", "/usr/", "/opt/", "/nix/"))
    )


def _statements(action: Action, analysis: Analysis) -> Iterator[str]:
    yield analysis.text[:MAX_TEXT]
    yield from (value[:MAX_TEXT] for _, value in leaves(action.input_payload) if isinstance(value, str))
