"""Find every error in a configuration: invalid parts are removed, and the rest is checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.documents import Document, KeyPath
from interlock.errors import ConfigError, SeveralConfigError

#: How many errors of one file are reported.
MAX_ERRORS = 50
#: Keys that refer to names in a table. If a name was left out of the table, a failing reference is not reported.
_REFERENCES = {"modes": "mode", "rules": "rules_off"}


def find_all(document: Document, check: Callable[[Document], object], first: ConfigError) -> ConfigError:
    """Return all errors of a document, given the first that `check` raises."""
    errors, error, rest = [first], first, document
    while len(errors) < MAX_ERRORS and error.path and error.path[0] in rest.values:
        rest = _leave_out(rest, error.path)
        try:
            check(rest)
            break
        except ConfigError as found:
            if _follows(found.path, errors):
                error = ConfigError(found.message, path=found.path[:1])  # the whole table is left out
            else:
                errors.append(found)
                error = found
    return join_errors(errors)


def join_errors(errors: Iterable[ConfigError]) -> ConfigError:
    """Return several errors as one, each file's in the order of its lines."""
    parts = list({str(part): part for error in errors for part in error.parts}.values())
    files = list(dict.fromkeys(part.file for part in parts))
    parts.sort(key=lambda part: (files.index(part.file), part.line or 0))
    return parts[0] if len(parts) == 1 else SeveralConfigError(parts)


def _leave_out(document: Document, path: KeyPath) -> Document:
    rest = document.without(path)
    reference = _REFERENCES.get(str(path[0]))
    return rest.without((reference,)) if reference in rest.values else rest


def _follows(path: KeyPath, errors: list[ConfigError]) -> bool:
    """Whether an error only follows from a part that was removed before."""
    numbered = any(isinstance(part, int) for part in path)
    return not path or (not numbered and any(error.path[: len(path)] == path for error in errors))
