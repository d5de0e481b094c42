"""Switches to live systems: of a client, a variable or a setting that later calls use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interlock.memory.calls.switches import ENVIRONMENT, find_switches
from interlock.memory.calls.words import memory_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.model import Exposure, ExposureKind
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

if TYPE_CHECKING:
    from interlock.memory.calls.text_edits import Edit

_LIVE = r"(?<![a-z])(?:prod|production|live|prd)(?![a-z])"
_LIVE_WORD = late(rf"(?i){_LIVE}")
# Words for a data store at the other end of a tunnel.
_STORE = late(
    r"(?i)sql|postgres|pg|maria|mongo|redis|valkey|elastic|opensearch|cassandra|rabbit|kafka|clickhouse|oracle"
    r"|database|alloydb|pscale"
    r"|(?<![a-z])db(?![a-z])|(?<!\d)(?:5432|5433|3306|3307|27017|6379|1433|1521|9200|5672|9092|8123|9042|26257)(?!\d)"
)
# Statements that switch a connection to a database or a schema.
_SQL_SWITCHES = late(
    r"(?i)(?:^|;)\s{0,99}(?:use|attach|alter session set current_schema|set (?:local |session )?(?:search_path|schema))"
    r"\b[^\n;]{0,200}"
)
_PRACTICE = late(
    r"(?i)(?<![a-z])(?:sandbox|test|testing|dev|development|staging|local|localhost|demo|mock|dry|false)(?![a-z])"
)
_SETTINGS = late(
    r"(?i)\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|py|rb|js|ts|php|exs?|xml|tfvars|hcl|mk|sh|gradle|kts|tf|rc)$|(?:^|/)\.env[^/]*$|(?:^|/)(?:Makefile|Justfile|justfile|Procfile|Rakefile|Vagrantfile)$"
)
# Code and settings that load the variables of a live system.
_LOADED = late(r"(?i)(?:dotenv|env[-_]?file|source|load)[^\n]{0,40}\.env\.(?:prod|production|live|prd)\b")
# A setting that names a machine or an address.
_MACHINE = late(
    r"(?im)(?P<key>[\w.-]{0,40}(?:url|uri|endpoint|host|broker|server|dsn|gateway|address|database)[\w-]{0,40})"
    r"[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?"
    r"(?P<at>[^\s\"',]{4,200})"
)
MAX_NAME = 80
_HOST = late(r"(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?P<domain>[\w-]+\.[a-z]{2,12})(?![\w.-])")


def find_switch(action: Action, analysis: Analysis) -> Iterator[Exposure]:
    """Yield what an action switches to production: the first thing of each client."""
    found = [*_find_switches_of_clients(analysis)]
    if analysis.languages == ("sql",):
        statements = _SQL_SWITCHES.finditer(analysis.text[:MAX_TEXT])
        found += [(ENVIRONMENT, one[0].strip("; \n\t")) for one in statements]
    found += [("", text) for text in (*_edits(action, analysis), *_tool_switches(action))]
    live: dict[str, str] = {}
    for client, text in found:
        if _LIVE_WORD.search(text):
            live.setdefault(client, text)
    for client, text in live.items():
        yield Exposure(ExposureKind.LIVE, quotable(text), client=client)


def _find_switches_of_clients(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the clients whose target the commands of an action set, with the commands."""
    for one in find_switches(analysis):
        if one.sets == "target":
            yield one.client, one.text
        elif one.sets == "tunnel" and _STORE.search(one.text):
            yield ENVIRONMENT, one.text


def _tool_switches(action: Action) -> Iterator[str]:
    """Yield the name and the argument of a tool that switches later calls to another system."""
    if action.tool_name.isalpha() and action.tool_name[1:].islower():
        return  # one word, such as `Bash`, says nothing about a system
    from interlock.knowledge.tool_names import split_words

    words = frozenset(split_words(action.tool_name))
    if not words.isdisjoint(memory_words().selecting) and not words.isdisjoint(memory_words().selected):
        for _, value in leaves(action.input_payload):
            if isinstance(value, str) and len(value) <= MAX_NAME and _LIVE_WORD.search(value):
                yield f"{action.tool_name} {value}"


def _edits(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the words for a live system that replace words for a test system in an edit of settings."""
    if analysis.languages and not any(one.kind == "fs.write" for one in analysis.effects):
        return  # commands and code that write nothing
    from interlock.memory.calls.text_edits import find_edits

    for edit in find_edits(action, analysis):
        if not _SETTINGS.search(edit.path):
            continue
        loaded = _LOADED.search(edit.new)
        if loaded is not None and not _LIVE_WORD.search(edit.path.rpartition("/")[2]):
            yield loaded[0]
        yield from _find_edited_switch(edit)


def _find_edited_switch(edit: Edit) -> Iterator[str]:
    """Yield the new text of an edit that switches from a test system to a live one."""
    old, new = edit.old, edit.new
    practice = _PRACTICE.search(old) is not None
    if edit.loose and not practice:
        named = next((one for one in _MACHINE.finditer(new) if _LIVE_WORD.search(one["at"])), None)
        if named is not None and not _LIVE_WORD.search(edit.path.rpartition("/")[2]):
            yield named[0]
    elif practice and _LIVE_WORD.search(new) and not _LIVE_WORD.search(old):
        yield " ".join(new.split())
    elif practice and not _PRACTICE.search(new) and _is_moved(old, new):
        yield f"no longer {' '.join(old.split())}: live"


def _is_moved(old: str, new: str) -> bool:
    """Whether the same setting names a machine before and after, and another one; or a machine of the same domain."""
    before, after = _MACHINE.search(old), _MACHINE.search(new)
    if before and after:
        return before["key"].lower() == after["key"].lower() and before["at"] != after["at"]
    first, second = _HOST.search(old), _HOST.search(new)
    return bool(first and second and first["domain"].lower() == second["domain"].lower() and first[0] != second[0])
