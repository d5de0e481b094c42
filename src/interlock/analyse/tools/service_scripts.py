"""Scripts that run inside a service (Apex, Groovy in Jenkins): what their statements and calls do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.apex import only_looks
from interlock.analyse.tools.argument_flags import find_argument_flags
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.analyse.tools.reported_effects import call_of, report_effect, report_meanings
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.model import Action
from interlock.patterns import late

_WORDS = read_table("tool-code", CodeWords)

#: Languages in which services are scripted.
SERVICE_LANGUAGES = frozenset({"java", "groovy"})
#: Statements that change records at once: `delete [SELECT …]`, `update accounts`, `Database.delete(…)`.
_STATEMENT = late(
    r"(?im)(?:^|[;{})])\s*(?:Database\.)?(delete|insert|update|upsert|merge|undelete)\s*[\s(](\[|new\s+\w+|\w+)"
)
_CALLED = late(rf"\.?\b({'|'.join(_WORDS.deleting_methods)})\s*\(")
_REVEALING = late(f"(?i){'|'.join(_WORDS.revealing_methods)}")
_MANY = late(r"(?i)\[\s*select|list<|\.each\b|\bfor\s*\(|getAllItems|forEach")
_STARTING = late(r"['\"]\s*\.execute\(\)|ProcessBuilder|Runtime\.getRuntime")
_TELLING = frozenset({"remove", "send", "pay", "grant", "publish", "export", "share", "trade"})
MAX_SCRIPT = 20_000
_SECRET = frozenset({"secret"})


def report_service_script(reading: Reading, action: Action, script: str, arguments: list[Argument]) -> None:
    """Report the effects of a script that runs inside a service."""
    script = script[:MAX_SCRIPT]
    report_meanings(reading, action, meanings_in(script), arguments, many=_MANY.search(script) is not None)
    if _REVEALING.search(script):
        reading.emit("secret.read", Site((0, 0)), "credentials of the service", _SECRET)
    if _STARTING.search(script):
        reading.unread("a program that the service starts", Site((0, 0)))


def report_apex(reading: Reading, action: Action, script: str, arguments: list[Argument]) -> None:
    """Report what anonymous Apex does in the organisation, or on the sandbox, that the call names."""
    report_service_script(reading, action, script, arguments)
    if not only_looks(script):
        flags = find_argument_flags(arguments, action.input_payload, reading.organisation or NO_ORGANISATION)
        report_effect(reading, action, "infra.change", call_of(reading, _RUNNING, arguments, flags))


_RUNNING = Meaning("change", (), ("execute",), "execute")


def meanings_in(script: str) -> Iterator[Meaning]:
    """Yield the meanings of the statements and calls of a script.

    >>> [meaning.verb for meaning in meanings_in("delete [SELECT Id FROM Account];")]
    ['remove']
    """
    for found in _STATEMENT.finditer(script):
        yield operation_meaning(f"{found[1].lower()}_{_NOT_A_NAME.sub('', found[2])}")
    for found in _CALLED.finditer(script):
        meaning = operation_meaning(found[1])
        if meaning.verb in _TELLING and (meaning.things or meaning.verb == "remove"):
            yield meaning


_NOT_A_NAME = re.compile(r"\W|^new\s+")
