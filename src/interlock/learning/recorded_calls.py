"""The calls of an unknown program or tool that are on record, without their values where those do not matter."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.analyse.action import analyse
from interlock.audit.journal import Journal
from interlock.model import Action, Effect
from interlock.patterns import late

#: How many calls are read: the newest ones.
MAX_CALLS = 500
_MASKED = late(r"‹\d+ masked›")
_REDIRECTION = late(r"[0-9]*[<>].*|&>.*")
_BOUNDS = """
    SELECT sum(count), min(first_seq), max(last_seq) FROM interlock_usage
    WHERE what = :what AND name = :name AND at >= :since
"""
_CALLS = """
    SELECT body FROM interlock_records WHERE kind = 'decision' AND seq >= :first AND seq <= :last
    AND (name = :name OR body LIKE :like) ORDER BY seq DESC LIMIT :most
"""


class ProgramCall(NamedTuple):
    """A call of a program: the words after its name, and the other kinds of effects that its words suggest."""

    words: list[str]
    kinds: tuple[str, ...]


class _CallData(msgspec.Struct):
    text: str = ""
    fields: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    action: dict[str, Any] = {}


class _CallRecord(msgspec.Struct):
    name: str | None = None
    data: _CallData = msgspec.field(default_factory=_CallData)


_DECODER = msgspec.json.Decoder(_CallRecord)


def count_calls(journal: Journal, what: str, name: str, since: int) -> int:
    """Return how many calls of an unknown program or tool are counted since a day."""
    with journal.database.read() as connection:
        return int(connection.tuples(_BOUNDS, what=what, name=name, since=since)[0][0] or 0)


def _records(journal: Journal, what: str, name: str, since: int) -> Iterator[_CallRecord]:
    """Yield the newest decisions about a program or a tool."""
    with journal.database.read() as connection:
        count, first, last = connection.tuples(_BOUNDS, what=what, name=name, since=since)[0]
        if not count:
            return
        bounds = {"first": first, "last": last, "name": name, "like": f'%"program:{name}"%', "most": MAX_CALLS}
        bodies = connection.values(_CALLS, **bounds)
    for body in bodies:
        yield _DECODER.decode(body.encode("utf-8", "surrogatepass"))


def program_calls(journal: Journal, what: str, name: str, since: int) -> list[ProgramCall]:
    """Return the calls of a program on record. Secrets in them are masked."""
    return [call for record in _records(journal, what, name, since) for call in calls_in(record.data.text, name)]


def calls_in(text: str, name: str) -> Iterator[ProgramCall]:
    """Yield the calls of a program in a recorded command line.

    >>> list(calls_in("cd app && frob get ./x --all > out.txt", "frob"))
    [ProgramCall(words=['get', './x', '--all'], kinds=())]
    """
    text = _MASKED.sub("‹masked›", text)
    effects = analyse(Action.shell(text)).effects
    spans = dict.fromkeys(effect.span for effect in effects if _is_run_of(effect, name))
    for span in spans:
        words = _split(text[slice(*span)].removesuffix("…"), is_cut=text.endswith("…") and span[1] == len(text))
        at = next((at for at, word in enumerate(words) if word.rpartition("/")[2] == name), None)
        if at is not None:
            kinds = {effect.kind for effect in effects if effect.span == span} - {"process.run"}
            other = sorted(kind for kind in kinds if not kind.startswith(("fs.", "code.", "out.")))
            yield ProgramCall(_until_redirection(words[at + 1 :]), tuple(other))


def _is_run_of(effect: Effect, name: str) -> bool:
    return effect.kind == "process.run" and effect.resource is not None and effect.resource.name == name


def _split(command: str, *, is_cut: bool) -> list[str]:
    """Return the words of a command; the last one is left out if the record has only a part of it."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quote that is not closed
        words = command.split()
    return words[:-1] if is_cut else words


def _until_redirection(words: list[str]) -> list[str]:
    end = next((at for at, word in enumerate(words) if _REDIRECTION.fullmatch(word)), len(words))
    return words[:end]


def tool_calls(journal: Journal, what: str, name: str, since: int) -> list[Mapping[str, Any]]:
    """Return the arguments of a tool's calls on record; a value that was not recorded is None."""
    return [_arguments(record.data) for record in _records(journal, what, name, since) if record.name == name]


def _arguments(data: _CallData) -> Mapping[str, Any]:
    for given in (data.action.get("inputPayload"), _decode(data.text)):
        if isinstance(given, dict):
            return given
    return dict.fromkeys(data.fields)


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None  # only a part of it was recorded
