"""Records of what happened that are replaced by a copy from which entries were left out.

Leaving lines out of a copy of a log is harmless, and so is moving a file. Together they remove evidence.
"""

from __future__ import annotations

from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.additions import limit_subjects
from interlock.memory.calls.words import file_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.model import Concern, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.sanitise import quotable

RULE = "record_thinned"
#: Filters that leave entries out. Comments and empty lines are no entries.
_LEAVES_OUT = late(
    r"\b(?:e|f|z|rip)?grep\b[^\n|;&]{0,80}\s(?:-\w*v\w*|--invert-match)\s{1,9}(?:-\w{1,4}\s{1,9}){0,4}(?![\"']?\^(?:#|\$|\\s))"
    r"|\brg\b[^\n|;&]{0,80}\s-\w*v|-NotMatch\b|\bsed\b[^\n|;&]{0,80}[/|,\d](?<!\^\$/)(?<!\^#/)d\b"
    r"|\bawk\b[^\n|;&]{0,80}(?:!\s{0,3}/|!~|!=)|\b(?:jq|mlr|qsv|csvgrep|xsv)\b[^\n]{0,200}(?:!=|\bnot\b|del\(|-[iv]\b)"
    r"|\b(?:head|tail)\s{1,9}-(?:n\s{0,3})?[+-]?\d|\bnot in\b|\bif\b[^\n]{0,120}(?:!=|\bnot\b)"
    r"|\.filter\(|\breject\b|!~|\bremove_if\b"
)


def find_filtered_record(analysis: Analysis) -> Concern | None:
    """Return a concern about a copy of a record of what happened from which an action leaves entries out."""
    named = [(one.kind, one.resource.name) for one in analysis.effects if one.resource]
    written = [name for kind, name in named if kind == "fs.write"]
    record = next((name for kind, name in named if kind == "fs.read" and name not in written and is_record(name)), "")
    if not record or _LEAVES_OUT.search(analysis.text[:MAX_TEXT]) is None:
        return None
    copies = limit_subjects(name for name in written if name.startswith("/") and name != "/dev/null")
    return Concern(ConcernKind.FILTERED, quotable(record), files=copies) if copies else None


def is_record(path: str) -> bool:
    """Whether a file is a record of who did what, by its name.

    >>> is_record("/p/var/events.log"), is_record("/p/coverage/build.log")
    (True, False)
    """
    *folders, name = path.split("/")
    words = frozenset((*split_words(name), *split_words(folders[-1] if folders else "")))
    known = file_words()
    return (
        name.lower().endswith(known.log_endings)
        and not words.isdisjoint(known.record_words)
        and words.isdisjoint(known.output_words)
    )


def find_record_replaced(_: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action replaces such a record by a copy that the run has filtered."""
    for concern in (one for one in state.concerns if one.kind is ConcernKind.FILTERED):
        effect = _find_replacement(analysis, concern)
        if effect is not None:
            reason = f"Replaces `{concern.subject}` by a copy from which call {concern.call} has left entries out"
            return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(concern.call,))
    return None


def _find_replacement(analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect that writes to the record, if the action also reads or moves the copy."""
    taken = any(
        one.resource and one.resource.name in concern.files
        for one in analysis.effects
        if one.kind in ("fs.read", "fs.move")
    )
    if not taken:
        return None
    return next(
        (
            one
            for one in analysis.effects
            if one.kind in ("fs.write", "fs.delete") and one.resource and quotable(one.resource.name) == concern.subject
        ),
        None,
    )
