"""URLs whose mere visit has an effect: a confirmed deletion, a consent without a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.request_meaning import unquote
from interlock.analyse.tools.service_requests import URL_KEYS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import PageWords
from interlock.patterns import late

_WORDS = read_table("tool-pages", PageWords)
_STEPS = late(r"^[a-z][a-z0-9+.-]*://[^/?#]+/([^?#]*)\?([^#]*)")
_DONE = frozenset(
    {"remove", "pay", "transfer", "trade", "sign", "grant", "publish", "approve", "submit", "share", "send"}
)


def visit_meanings(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the effects of visiting the addresses among arguments."""
    for one in arguments:
        if isinstance(one.value, str) and "?" in one.value and one.key in URL_KEYS:
            found = _STEPS.match(one.value[:2000])
            if found:
                yield from _meanings_of_visit(found[1], found[2])


def _meanings_of_visit(path: str, query: str) -> Iterator[Meaning]:
    given = {
        unquote(name).lower().replace("-", "_"): unquote(value)
        for name, _, value in (part.partition("=") for part in query.split("&"))
    }
    steps = [step for step in path.split("/") if step]
    if not steps:
        return
    if steps[-1].lower() in _WORDS.consent_steps and _is_yes(
        given, _WORDS.consenting_parameters, given.get("prompt") == "none"
    ):
        scopes = set(given.get("scope", "").replace("+", " ").lower().split())
        if scopes - _WORDS.plain_scopes:
            yield meaning_of("grant_app_consent", "")
    elif _is_yes(given, _WORDS.confirming_parameters, False):
        meaning = operation_meaning("_".join([steps[-1], *steps[-2:-1]]))
        if meaning.verb in _DONE:
            yield meaning


def _is_yes(given: dict[str, str], names: frozenset[str], otherwise: bool) -> bool:
    return otherwise or any(given[name].lower() in _WORDS.yes_values for name in names & given.keys())
