"""Documents that include other files, and lists of files."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import file_words
from interlock.memory.exposures.private_names import find_strictest, source_kind
from interlock.memory.model import DataFlow
from interlock.memory.taint.command_paths import (
    MAX_PATHS,
    MAX_TEXT,
    ActionCommand,
    find_quoted_paths,
    full_path,
    is_path,
)
from interlock.model import Action, Analysis


def find_document_flow(action: Action, analysis: Analysis, document: str) -> Iterator[DataFlow]:
    """Yield the files that a written document includes, by the names in its text."""
    name, known = document.lower(), file_words()
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


def _find_listed_files(text: str, action: Action) -> Iterator[str]:
    """Yield the sensitive files of a list, one on each line."""
    for line in map(str.strip, text.split("\n")):
        path = full_path(line, action) if line and is_path(line) else ""
        if path and source_kind(path, action):
            yield path
