"""Filters of the list of requests: which requests are shown, in which order, and as which query of a URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

from interlock.approval.request import ApprovalState
from interlock.errors import InterlockError, nearest
from interlock.levels import Level
from interlock.model import Struct
from interlock.sanitise import clean

PENDING = ApprovalState.PENDING.value
STATES = (*(state.value for state in ApprovalState), "all")
LEVELS = tuple(level.value for level in Level)
#: How old a request is at least, in seconds.
AGES = {"5m": 300, "1h": 3_600, "1d": 86_400, "1w": 604_800}
#: The orders that every list has, and those of pending requests alone.
SORTS = ("newest", "oldest")
PENDING_SORTS = ("risk", "left")
#: Stands for the person who looks, so that a shared view shows each person their own.
ME = "me"
NOBODY = "nobody"
MAX_VALUE = 200


class RequestFilter(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A filter. Empty texts are not filtered by; `mine` are requests that the person can answer."""

    state: str = PENDING
    mine: bool = False
    agent: str = ""
    run: str = ""
    environment: str = ""
    level: str = ""
    tool: str = ""
    q: str = ""
    assignee: str = ""
    age: str = ""
    sort: str = "newest"
    group: bool = True

    @property
    def is_pending(self) -> bool:
        """Whether only pending requests are shown."""
        return self.state == PENDING

    @property
    def narrows(self) -> bool:
        """Whether anything but the state, the order and the grouping is chosen."""
        return self != RequestFilter(state=self.state, sort=self.sort, group=self.group)

    def to_query(self, **changes: Any) -> str:
        """Return the filter as the query of a URL, without what is usual.

        >>> RequestFilter(environment="production", sort="risk").to_query(mine=True)
        'mine=1&environment=production&sort=risk'
        """
        given = msgspec.structs.replace(self, **changes)
        usual = RequestFilter()
        chosen = {name: getattr(given, name) for name in FIELDS if getattr(given, name) != getattr(usual, name)}
        return urlencode({name: _word(value) for name, value in chosen.items()})


FIELDS = RequestFilter.__struct_fields__
_FLAGS = ("mine", "group")
_CHOICES = {"state": STATES, "level": ("", *LEVELS), "age": ("", *AGES), "sort": (*SORTS, *PENDING_SORTS)}


def _word(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def parse_filter(query: Mapping[str, str]) -> RequestFilter:
    """Return the filter in the query of a URL, or raise; parameters that no filter has are ignored.

    >>> parse_filter({"level": "high", "group": "0", "utm": "x"}).to_query()
    'level=high&group=0'
    """
    given: dict[str, Any] = {}
    for name in FIELDS:
        text = clean(query.get(name, "")).strip()[:MAX_VALUE]
        if name in _FLAGS and text:
            given[name] = text not in ("0", "false", "no")
        elif text:
            given[name] = _check_choice(name, text)
    found = RequestFilter(**given)
    if found.sort in PENDING_SORTS and not found.is_pending:
        found = msgspec.structs.replace(found, sort=SORTS[0])  # only what is pending has time left
    return found


def _check_choice(name: str, text: str) -> str:
    choices = _CHOICES.get(name)
    if choices is not None and text not in choices:
        raise InterlockError(f"`{name}` cannot be `{text[:40]}`{nearest(text, choices)}")
    return text
