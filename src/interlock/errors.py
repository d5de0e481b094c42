"""One base error. Every message says where, what was found, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class InterlockError(Exception):
    """The base of every error that Interlock raises on purpose."""


class InvalidActionError(InterlockError):
    """What was given is not an action."""


class StoreError(InterlockError):
    """The store cannot be reached, read or written, or is not what it should be.

    `again` says that a retry may succeed: the store is locked, a server restarts, or a connection was lost.
    """

    def __init__(self, message: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(message)


class TamperedError(StoreError):
    """Something in the store is not what was written; nothing is built on it."""


class MissingError(InterlockError):
    """There is nothing by that name."""


class ConflictError(InterlockError):
    """It is not, or no longer, in a state in which this can be done."""


class ForbiddenError(InterlockError):
    """This is not for you to do."""


class ApprovalError(InterlockError):
    """An answer that cannot be taken."""


class MissingApprovalError(ApprovalError, MissingError):
    """There is no such request."""


class EndedError(ApprovalError, ConflictError):
    """The request has ended."""


class NotYoursError(ApprovalError, ForbiddenError):
    """Somebody else has to answer this."""


class ActionRefused(InterlockError):  # noqa: N818 - it is what happened, not a mistake
    """The action may not run. `reason` says why, `how` what could be done about it, `decision` has the rest."""

    def __init__(self, reason: str, decision: Any = None, how: str = "", approval_id: str | None = None) -> None:
        self.reason, self.decision, self.how, self.approval_id = reason, decision, how, approval_id
        super().__init__(reason + (f"; {how}" if how else ""))


class ConfigError(InterlockError):
    """A configuration, policy or rule that does not load.

    >>> str(ConfigError("unknown key `mod`; did you mean `mode`?", file="interlock.toml", line=3))
    'interlock.toml:3: unknown key `mod`; did you mean `mode`?'
    """

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        self.message, self.file, self.line = message, file, line
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(where + message)

    def at(self, file: str | None, line: int | None) -> ConfigError:
        """Return the same error with the place filled in where it was not known."""
        return ConfigError(self.message, file=self.file or file, line=self.line or line)


def nearest(found: object, allowed: Iterable[str], otherwise: str = "") -> str:
    """Return the end of an error message: the nearest right word, or the whole choice.

    `otherwise` takes the place of a choice that is too long to be listed.

    >>> nearest("ful", ["full", "assist", "off"])
    '; did you mean `full`?'
    >>> nearest("xyz", ["full", "assist", "off"], otherwise="docs/modes.md lists them")
    '; docs/modes.md lists them'
    """
    from difflib import get_close_matches  # when something is wrong is soon enough

    words = list(allowed)
    close = get_close_matches(str(found), words, n=1, cutoff=0.5)
    if close:
        return f"; did you mean `{close[0]}`?"
    if otherwise:
        return f"; {otherwise}"
    return "; write one of " + ", ".join(f"`{word}`" for word in words)
