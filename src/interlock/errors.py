"""The errors that Interlock raises. A message says where, what was found, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class InterlockError(Exception):
    """The base of every error that Interlock raises on purpose."""


class InvalidActionError(InterlockError):
    """The given value is not a valid action."""


class StoreError(InterlockError):
    """The store cannot be reached, read or written, or its schema is not the expected one.

    `again` says that a retry may succeed: another process holds the lock, a server restarts, a connection was lost.
    """

    def __init__(self, message: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(message)


class TamperedError(StoreError):
    """Data in the store differs from what was written to it, and is not used."""


class MissingError(InterlockError):
    """Nothing with that name or id exists."""


class InvalidFieldsError(InterlockError):
    """Several fields are not valid. `errors` maps their names to messages."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.errors = tuple(problems.items())
        super().__init__("; ".join(f"`{name}`: {message}" for name, message in self.errors))


class ConflictError(InterlockError):
    """The current state does not allow this."""


class ForbiddenError(InterlockError):
    """The caller has no right to do this."""


class ApprovalError(InterlockError):
    """An answer to an approval request was not accepted."""


class MissingApprovalError(ApprovalError, MissingError):
    """No approval request has that id."""


class EndedError(ApprovalError, ConflictError):
    """The approval request has already ended."""


class NotYoursError(ApprovalError, ForbiddenError):
    """The caller may not answer this request."""


class QuizFailedError(ApprovalError):
    """An answer to the quiz of an approval request was wrong; it can be taken again later."""


class QuizPauseError(ApprovalError, ConflictError):
    """The quiz of an approval request was failed a moment ago, and cannot be taken again yet."""


class ActionRefused(InterlockError):  # noqa: N818 - the verdict on an action, not a mistake
    """The action may not run. `reason` says why, `how` what to do about it, `decision` has the details."""

    def __init__(self, reason: str, decision: Any = None, how: str = "", approval_id: str | None = None) -> None:
        self.reason, self.decision, self.how, self.approval_id = reason, decision, how, approval_id
        super().__init__(reason + (f"; {how}" if how else ""))


class ServerError(InterlockError):
    """An Interlock server rejected a request, or gave no valid answer.

    `status` is the HTTP status of its answer, or None. `again` says that a retry may succeed. `errors` says what is
    wrong with parts of the request, by their names.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        *,
        again: bool = False,
        errors: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.status, self.again, self.errors = status, again, errors
        super().__init__(message)


class ConfigError(InterlockError):
    """A configuration, policy or rule does not load.

    >>> str(ConfigError("unknown key `mod`; did you mean `mode`?", file="interlock.toml", line=3))
    'interlock.toml:3: unknown key `mod`; did you mean `mode`?'
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, path: tuple[str | int, ...] = ()
    ) -> None:
        self.message, self.file, self.line, self.path = message, file, line, path
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(where + message)

    @property
    def parts(self) -> tuple[ConfigError, ...]:
        """The single errors, in the order of their lines."""
        return (self,)

    def at(self, file: str | None, line: int | None, path: tuple[str | int, ...] = ()) -> ConfigError:
        """Return the same error with file, line and key filled in where they are missing."""
        return ConfigError(self.message, file=self.file or file, line=self.line or line, path=self.path or path)


class SeveralConfigError(ConfigError):
    """Several errors in a configuration: one per line of the text.

    >>> str(SeveralConfigError([ConfigError("no", file="a", line=1), ConfigError("never", file="a", line=2)]))
    'a:1: no\\na:2: never'
    """

    def __init__(self, errors: Iterable[ConfigError]) -> None:
        self._parts = tuple(part for error in errors for part in error.parts)
        first = self._parts[0]
        super().__init__(first.message, file=first.file, line=first.line, path=first.path)

    @property
    def parts(self) -> tuple[ConfigError, ...]:
        """The single errors, in the order of their lines."""
        return self._parts

    def __str__(self) -> str:
        return "\n".join(map(str, self._parts))


class InvalidPoliciesError(ConfigError):
    """Some of several policies do not load. `errors` maps their ids to messages."""

    def __init__(self, errors: Iterable[tuple[str, str]]) -> None:
        self.errors = tuple(errors)
        super().__init__(_one_by_one(self.errors))


class PolicyConflictError(ConflictError):
    """Some policies were changed elsewhere. `errors` maps their ids to messages."""

    def __init__(self, errors: Iterable[tuple[str, str]]) -> None:
        self.errors = tuple(errors)
        super().__init__(_one_by_one(self.errors))


def _one_by_one(errors: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"policy `{policy_id}`: {text}" for policy_id, text in errors)


def nearest(found: object, allowed: Iterable[str], otherwise: str = "") -> str:
    """Return the end of an error message: the closest valid word, or all of them.

    `otherwise` is shown instead of a list that is too long.

    >>> nearest("ful", ["full", "assist", "off"])
    '; did you mean `full`?'
    >>> nearest("xyz", ["full", "assist", "off"], otherwise="docs/modes.md lists them")
    '; docs/modes.md lists them'
    """
    words = list(allowed)
    return (
        near_miss(found, words)
        or (f"; {otherwise}" if otherwise else "")
        or "; write one of " + ", ".join(f"`{word}`" for word in words)
    )


def near_miss(found: object, allowed: Iterable[str]) -> str:
    """Return the end of an error message that names the closest valid word, or nothing if none is close.

    >>> near_miss("gti", ["gi", "git"]), near_miss("frobnicate", ["net.listen"])
    ('; did you mean `git`?', '')
    """
    best = nearest_word(found, allowed)
    return f"; did you mean `{best}`?" if best else ""


def nearest_word(found: object, allowed: Iterable[str]) -> str:
    """Return the closest valid word, or nothing if none is close."""
    from difflib import get_close_matches  # loaded only once there is an error to report

    word = str(found)
    close = get_close_matches(word, list(allowed), n=20, cutoff=0.5 if len(word) < _LONG else 0.65)
    letters = sorted(word)  # two letters in the wrong order are the likeliest mistake
    return next((one for one in close if sorted(one) == letters), close[0] if close else "")


_LONG = 8
