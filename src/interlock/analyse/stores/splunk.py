"""Splunk's search language: searches whose commands delete events, overwrite lookups, send mail or run programs."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.command_form import is_balanced
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import StoreCommands
from interlock.patterns import late

MAX_CHARS = 20_000
MAX_DEPTH = 5
_COMMANDS = read_table("store-commands", StoreCommands).stores["splunk"].meanings()
_CAP = frozenset({"cap"})
_SECRET = frozenset({"secret"})
_TEXT = late(r'"((?:[^"\\]|\\.)*)"')
_STAGE = late(r"[|\[]\s*([a-zA-Z_]\w*)([^|\[\]]*)")
_EMPTY_STAGE = late(r"\|\s*(?:\||$)")
_APPENDING = late(r"(?i)\bappend\s*=\s*(?:t|true|1)\b")
_SECRET_PATH = late(r"(?i)/storage/passwords|clear_password|/authorization/tokens|/auth/")


def read_splunk(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse a search by its commands, those in subsearches and in `map` included."""
    if len(text) > MAX_CHARS:
        reading.unread("a search too long to be read", site, flags=_CAP)
    elif not is_balanced(text) or _EMPTY_STAGE.search(_TEXT.sub('""', text)):
        reading.reject("spl", site)
    for name, rest in _commands_in(text[:MAX_CHARS], 0):
        _report_command(reading, name, rest, site)
    return UNKNOWN


def _commands_in(search: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each command of a search with its arguments."""
    texts = _TEXT.findall(search)
    plain = _TEXT.sub('""', search)
    start = plain.lstrip()
    if start[:1] not in ("|", "["):
        plain = f"| search {start}"
    yield from ((found[1].lower(), found[2]) for found in _STAGE.finditer(plain))
    yield from (("rest", text) for text in texts if _SECRET_PATH.search(text))
    if depth < MAX_DEPTH and _MAPPING.search(plain):
        for text in texts:
            yield from _commands_in(text.replace('\\"', '"'), depth + 1)


_MAPPING = late(r"(?i)\|\s*(?:map|savedsearch)\b")


def _report_command(reading: Reading, name: str, rest: str, site: Site) -> None:
    if name == "rest" and _SECRET_PATH.search(rest):
        reading.emit("secret.read", site, "passwords that Splunk keeps", _SECRET)
    else:
        kind, *flags = _COMMANDS.get(name, ["db.read"])
        if kind == "record.change" and _APPENDING.search(rest):
            kind, flags = "db.write", []
        reading.emit(kind, site, name, frozenset(flags))
