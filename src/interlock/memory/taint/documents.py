"""Documents that include other files, and lists of files."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import file_words
from interlock.memory.exposures.private_names import find_strictest, source_kind, sources
from interlock.memory.model import Content, DataFlow
from interlock.memory.taint.command_paths import (
    MAX_PATHS,
    MAX_TEXT,
    ActionCommand,
    find_quoted_paths,
    full_path,
    is_path,
)
from interlock.model import Action, Analysis
from interlock.patterns import late

#: Calls that give the cookies and tokens of a browser, and the files beside them.
_SESSION = late(r"(?i)storage_?state|(?:get|all|save|dump)_?cookies|\bcookies\(\)|cookie_?jar|session_?storage\(")
_ADDRESS = late(r"https?://([\w.-]+)")
_DATA_PATH = late(r"[\"'`](?P<path>[\w./-]{1,120}\.(?:json|txt|pkl|ya?ml|cookies|har|zip))[\"'`]")


def find_document_flow(action: Action, analysis: Analysis, document: str) -> Iterator[DataFlow]:
    """Yield the files that a written document includes, by the names in its text."""
    name, known = document.lower(), file_words()
    yield from _find_kept_session(action, document)
    takes_in = name.endswith((*known.document_endings, *known.list_endings))
    if not takes_in or not any(one.kind == "fs.write" for one in analysis.effects):
        return
    given = action.input_payload
    text = next((given[key] for key in ("content", "new_string", "new_source") if isinstance(given.get(key), str)), "")
    found = (
        _find_listed_files(text[:MAX_TEXT], action)
        if name.endswith(known.list_endings)
        else find_quoted_paths(ActionCommand(text[:MAX_TEXT], document.rpartition("/")[0], action, analysis))
    )
    inputs = tuple(dict.fromkeys(found))[:MAX_PATHS]
    yield DataFlow(inputs, (full_path(document, action),), find_strictest(source_kind(path, action) for path in inputs))


def _find_kept_session(action: Action, document: str) -> Iterator[DataFlow]:
    """Yield the files into which written code puts the cookies of a browser: whoever has them is signed in."""
    if not document.lower().endswith(sources().script_endings):
        return
    for text in _written_texts(action):
        hosts = _ADDRESS.findall(text)
        if hosts and all(host.startswith(("localhost", "127.", "0.0.0.0")) for host in hosts):  # noqa: S104 - compared
            continue
        lines = [line for line in text.split("\n") if _SESSION.search(line)]
        found = (one["path"] for line in lines for one in _DATA_PATH.finditer(line))
        outputs = tuple(full_path(path, action) for path in dict.fromkeys(found))[:MAX_PATHS]
        if outputs:
            yield DataFlow((), outputs, Content.SECRET)


def without_sessions(code: str) -> str:
    """Return code without the lines that keep a session: what they name is written, not read."""
    return "\n".join(line for line in code[:MAX_TEXT].split("\n") if not _SESSION.search(line))


def _written_texts(action: Action) -> Iterator[str]:
    given = action.input_payload
    for key in ("content", "new_string", "new_source"):
        if isinstance(given.get(key), str):
            yield given[key][:MAX_TEXT]


def _find_listed_files(text: str, action: Action) -> Iterator[str]:
    """Yield the sensitive files of a list, one on each line."""
    for line in map(str.strip, text.split("\n")):
        path = full_path(line, action) if line and is_path(line) else ""
        if path and source_kind(path, action):
            yield path
