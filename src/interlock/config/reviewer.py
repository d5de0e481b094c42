"""The model that reviews requests: its endpoint, its protocol, and the variable that holds its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from interlock.config.addresses import describe_kind, find_address_problem
from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.levels import Level
from interlock.patterns import late

PROTOCOLS = ("openai", "anthropic")
MAX_SECONDS = 600
CHARS = (500, 200_000)

#: Keys under which people enter the secret itself, which must not be in a file.
_KEYS_THEMSELVES = frozenset("key api_key apikey token api_token auth_token secret password bearer".split())
_CALLS = ("/chat/completions", "/messages")
_NAME = late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MODEL = late(r"[!-~]{1,200}")
# Upper case only: most keys have a lower-case letter or a dash, so a key written here by mistake is rejected.
_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")


class ReviewerSettings(msgspec.Struct, frozen=True):
    """How to reach the reviewing model. The settings hold the name of the variable with the key, never the key."""

    name: str
    protocol: str
    endpoint: str
    model: str
    key_variable: str | None = None
    timeout_seconds: float = 20
    max_chars: int = 20_000
    lifts: str = "none"

    @property
    def lifts_up_to(self) -> Level | None:
        """The highest level of requests that the model may lift, or None if it may lift none."""
        return None if self.lifts == "none" else Level(self.lifts)

    def __post_init__(self) -> None:
        for key, problem_of in _CHECKS.items():
            problem = problem_of(getattr(self, key))
            if problem:
                raise ConfigError(problem)


def read_reviewer(document: Document, key: str, value: Any) -> ReviewerSettings:
    """Return the reviewer of the table `[reviewer]`, or raise with the line and a correction."""
    if not isinstance(value, dict):
        raise document.error(f"`{key}` must be a table, found {describe_kind(value)}; write `[{key}]`", key)
    for name, given in value.items():
        _check(document, key, name, given)
    for name in _NEEDED:
        if name not in value:
            raise document.error(f"a reviewer needs `{name}`", key)
    return ReviewerSettings(**value)


def _check(document: Document, key: str, name: str, given: Any) -> None:
    if name.lower().replace("-", "_") in _KEYS_THEMSELVES:
        raise document.error(
            f"`{name}` must not be in a file; put the key into an environment variable, and write the "
            "variable's name as `key_variable`",
            key,
            name,
        )
    if name not in _CHECKS:
        raise document.error(f"unknown key `{name}` in a reviewer{nearest(name, _CHECKS)}", key, name)
    problem = _CHECKS[name](given)
    if problem:
        raise document.error(problem, key, name)


def _name(value: Any) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value):
        return ""
    return f"`name` must be up to 64 letters, digits, `.`, `_` or `-`, found `{value!r}`"


def _protocol(value: Any) -> str:
    return "" if value in PROTOCOLS else f"unknown protocol `{value}`{nearest(value, PROTOCOLS)}"


def _endpoint(value: Any) -> str:
    problem = find_address_problem("endpoint", value)
    if problem:
        return problem
    path = urlsplit(value).path.rstrip("/")
    call = next((call for call in _CALLS if path.endswith(call)), None)
    return "" if call is None else f"`endpoint` is the URL without `{call}`; remove it"


def _model(value: Any) -> str:
    if isinstance(value, str) and _MODEL.fullmatch(value):
        return ""
    return f"`model` must be the name of a model, without spaces, found `{value!r}`"


def _key_variable(value: Any) -> str:
    if value is None or (isinstance(value, str) and _VARIABLE.fullmatch(value)):
        return ""
    return "`key_variable` must be the name of a variable in capital letters, as `REVIEWER_KEY`; never the key itself"


def _timeout_seconds(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MAX_SECONDS:
        return ""
    return f"`timeout_seconds` must be a number above zero and up to {MAX_SECONDS}, found `{value!r}`"


def _max_chars(value: Any) -> str:
    low, high = CHARS
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return ""
    return f"`max_chars` must be a whole number from {low} to {high}, found `{value!r}`"


LIFTS = ("none", "medium", "high")


def _lifts(value: Any) -> str:
    return "" if value in LIFTS else f"`lifts` must be one of {', '.join(LIFTS)}, found `{value!r}`"


#: The check of each key: what is wrong with the value, or an empty text. Files and library calls use the same checks.
_CHECKS: dict[str, Callable[[Any], str]] = {
    "name": _name,
    "protocol": _protocol,
    "endpoint": _endpoint,
    "model": _model,
    "key_variable": _key_variable,
    "timeout_seconds": _timeout_seconds,
    "max_chars": _max_chars,
    "lifts": _lifts,
}
_NEEDED = ("name", "protocol", "endpoint", "model")
