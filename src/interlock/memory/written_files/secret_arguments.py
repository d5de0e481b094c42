"""Functions of this run that report to another machine, and edits that pass passwords to them.

Neither file is wrong by itself: one counts page views, and the other one calls it where a form is sent.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.levels import Level
from interlock.memory.calls.text_edits import Edit, find_edits
from interlock.memory.state import RunState
from interlock.memory.written_files.signals import find_file_signals
from interlock.model import Action, Analysis, Finding
from interlock.patterns import compile_once, late
from interlock.sanitise import quotable

RULE = "secret_handed_to_sender"
MAX_FILES = 20
_DEFINED = late(
    r"(?m)^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:pub\s+)?"
    r"(?:function|const|let|class|def|func|fn)\s+(?P<name>\w{3,60})"
    r"|\bexports\.(?P<exported>\w{3,60})\s*="
)
_NAMES = (
    r"(?:passw(?:or)?d|passphrase|\botp\b|\bpin\b|\bcvv\b|\bcvc\b|card_?number|\biban\b|\bssn\b|credential|secret"
    r"|api_?key|private_?key|mnemonic|seed_?phrase|auth_?token|access_?token|session_?id|cookie)"
)
_QUOTED = late(r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"")


def find_secret_argument(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an edit passes a secret to a function of this run that reports to another machine."""
    edits = [edit for edit in find_edits(action, analysis) if edit.new]
    if not edits or not analysis.effects:
        return None
    for name, path in _reporters(state):
        if any(_passes_secret(edit, name) for edit in edits):
            file = quotable(path.rpartition("/")[2])
            reason = f"Hands a secret to `{quotable(name)}`, which reports to another machine: this run wrote `{file}`"
            return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    return None


def _reporters(state: RunState) -> Iterator[tuple[str, str]]:
    """Yield the functions in files of this run that report something to another machine, each with its file."""
    for path in list(state.written)[: -MAX_FILES - 1 : -1]:
        text = state.written[path].text
        if text and {"host", "reports"} <= find_file_signals(path, state.written[path]):
            for found in _DEFINED.finditer(text):
                yield found["name"] or found["exported"], path


def _passes_secret(edit: Edit, name: str) -> bool:
    """Whether a text calls a function and names a secret on the same line, outside of prose."""
    called = compile_once(rf"(?i)\b{name}(?:\.\w+)?\((?=[^\n]{{0,300}}{_NAMES})")
    return called.search(_QUOTED.sub('""', edit.new)) is not None and called.search(edit.old) is None
