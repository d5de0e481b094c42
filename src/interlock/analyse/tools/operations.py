"""Operations inside the arguments of a call: requests, GraphQL mutations, named actions, buttons that are pressed.

Many tools can do anything: they send any request, run any action of a service, or press any button. What such
a call does is read from its arguments, as if the operation were the name of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from interlock.analyse.tools.arguments import PLAIN, VALUES, Argument
from interlock.analyse.tools.browser_actions import button_meanings, is_browsing, is_setting_up
from interlock.analyse.tools.chosen_operations import (
    LEADING,
    chosen_meanings,
    is_grave_noun,
    is_named_after_thing,
    may_be_thing,
    only_asks,
)
from interlock.analyse.tools.generic_tools import has_no_meaning
from interlock.analyse.tools.graphql import bulk_exports_in, documents_in, mutations_in
from interlock.analyse.tools.judges.infrastructure import JOB_KEYS, RELEASING
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.orders_in_words import order_meanings
from interlock.analyse.tools.request_meaning import METHODS, ServiceRequest, meaning_of_request, request_flags
from interlock.analyse.tools.secret_requests import withholds_values
from interlock.analyse.tools.service_requests import endpoints_in, requests_in
from interlock.analyse.tools.visited_addresses import visit_meanings
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)
Flags = frozenset[str]
_NOTHING: Flags = frozenset()
_IDENTIFIER = late(r"[A-Za-z][\w.:/-]{1,80}")
#: Stages of a MongoDB pipeline that write their result into a collection.
_WRITING_STAGES = frozenset({"$out", "$merge"})
_LONGEST_PHRASE = 60
_OUTER = 4
#: Methods of requests that mean the same as names of operations.
_MEANT = frozenset({"DELETE", "PURGE"})


class Operations(NamedTuple):
    """The operations in the arguments of a call."""

    meanings: tuple[Meaning, ...] = ()
    flags: Flags = _NOTHING
    requests: tuple[ServiceRequest, ...] = ()
    found: bool = False  # the arguments say what is done, be it only a read
    chosen: int = 0  # how many of the meanings stand under keys that hold other things as often


NONE = Operations()


def selects_operation(tool_name: str, arguments: Sequence[Argument], inside: Operations) -> bool:
    """Whether an argument selects the operation of a tool named after a thing: `domain_transfer {"op": "status"}`.

    A call with an amount does what its name says, so that no word beside the amount makes a payment look like a read.
    """
    if inside.requests or any("amount" in one.roles and one.value not in _UNSET for one in arguments):
        return False
    if is_grave_noun(tool_name) and any(one.verb != "read" for one in inside.meanings):
        return False  # `refund {"action": "add_note"}`
    return is_named_after_thing(tool_name)


_UNSET = (None, False, "", 0, ())


def operations_of(tool_words: Sequence[str], arguments: Sequence[Argument], tool_name: str = "") -> Operations:
    """Return the operations in the arguments of a call; `tool_name` is that of a tool without a description."""
    documents = documents_in(arguments)
    if documents:
        mutations = tuple(operation_meaning(name) for text in documents for name in mutations_in(text))
        mutations += tuple(meaning_of(f"export_{name}", "") for name in bulk_exports_in(arguments))
        others = tuple(one for one in requests_in(tool_words, arguments) if _is_apart(one))
        requests = (*endpoints_in("POST" if mutations else "GET", arguments), *others)
        meanings = (*mutations, *map(meaning_of_request, others))
        return Operations(meanings, _find_shared_flags(requests), requests, found=True)
    requests = tuple(requests_in(tool_words, arguments))
    acts = _WORDS.examining_verbs.isdisjoint(tool_words)
    keyed = list(_find_named_operations(arguments, requested=bool(requests), acts=acts))
    if tool_name and meaning_of(tool_name, "").said in _WORDS.examining_verbs:
        keyed = [
            one for one in keyed if one[0] not in _WORDS.callable_keys
        ]  # `lambda_get_function {"FunctionName": "export"}`
    if tool_name and not requests and not is_browsing(tool_words):
        keyed = _credible(tool_name, arguments, keyed)
    named = (*(meaning for _, meaning in keyed), *_jobs(tool_words, arguments))
    if requests:
        return Operations(
            (*map(meaning_of_request, requests), *named), _find_shared_flags(requests), requests, found=True
        )
    visits = tuple(visit_meanings(arguments)) if not requests else ()
    if is_browsing(tool_words):
        done = (*button_meanings(tool_words, arguments), *(one for one in named if one.things), *visits)
        return Operations(done, found=bool(done) or not is_setting_up(tool_words))
    if visits:
        return Operations((*visits, *named), found=True)
    chosen = tuple(chosen_meanings(tool_name, arguments)) if tool_name and may_be_thing(tool_name) else ()
    chosen = tuple(one for one in chosen if one not in named)
    return Operations((*named, *chosen), found=True, chosen=len(chosen)) if named or chosen else NONE


def _is_apart(request: ServiceRequest) -> bool:
    """Whether a request has its own effect, independent of a query beside it."""
    return request.method in ("PUT", "PATCH", "DELETE") or (
        request.method == "POST" and "graphql" not in request.address.lower()
    )


def _credible(
    tool_name: str, arguments: Sequence[Argument], named: Sequence[tuple[str, Meaning]]
) -> list[tuple[str, Meaning]]:
    """Return the operations that arguments name, without reads that other arguments contradict.

    Next to a text, a role, an amount or a recipient, `{"event": "view"}` does not decide what a tool does if its
    name says so. A read of a secret always counts.
    """
    reads = {key for key, meaning in named if meaning.verb == "read"}
    if not reads or has_no_meaning(tool_name):
        return list(named)
    grave = is_grave_noun(tool_name)
    if (not grave or reads <= LEADING) and only_asks(arguments, {key for key, _ in named}, strictly=grave):
        return list(named)
    withheld = withholds_values(arguments)
    return [one for one in named if one[1].verb != "read" or (_reveals(one[1]) and not withheld)]


def _reveals(meaning: Meaning) -> bool:
    return bool(meaning.things) and meaning.things[0].read not in ("", "tool.read")


def _jobs(tool_words: Sequence[str], arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the releases among the jobs that a tool starts: `{"workflow": "deploy-production.yml"}`."""
    if _WORDS.starting_verbs.isdisjoint(tool_words) or tool_words[0] in _WORDS.examining_verbs:
        return  # `get_build_log`
    for one in arguments:
        words = split_words(one.value[:200]) if one.key in JOB_KEYS and isinstance(one.value, str) else ()
        if not RELEASING.isdisjoint(words) and VALUES["practice"].isdisjoint(words):
            yield meaning_of("deploy", "")


def _find_shared_flags(requests: Sequence[ServiceRequest]) -> Flags:
    """Return the flags that all requests have."""
    return frozenset.intersection(*(request_flags(one) for one in requests)) if requests else _NOTHING


def _find_named_operations(
    arguments: Sequence[Argument], *, requested: bool, acts: bool
) -> Iterator[tuple[str, Meaning]]:
    """Yield the operations that arguments name, with their outermost keys: `{"op": "ScheduleKeyDeletion"}`.

    `requested` says that they describe a request, of which a method such as `DELETE` is a part; `acts` that the name
    of the tool does not say that it only looks at something.
    """
    if [one for one in arguments if not _WRITING_STAGES.isdisjoint(one.keys)]:
        yield "", meaning_of("export_database", "")
    wrapping = [one for one in arguments if len(one.keys) > 1 and one.keys[-2] in _WORDS.wrapped_arguments]
    for one in arguments:
        names = one.key in _WORDS.operation_keys or (
            wrapping and one.key in _WORDS.wrapped_names and len(one.keys) < _OUTER
        )
        if (not names and "operation" not in one.roles) or one.roles >= PLAIN:
            continue
        if not isinstance(one.value, str):
            continue
        if one.key in _WORDS.phrase_keys and " " in one.value.strip() and len(one.value) <= _LONGEST_PHRASE:
            # the name of a stored request: "Terminate employee"
            yield from ((one.keys[0], meaning) for meaning in order_meanings(one.value))
            continue
        if not _IDENTIFIER.fullmatch(one.value.strip()):
            continue
        method = one.value.strip().upper()
        if method in METHODS and (requested or (method not in _MEANT and one.key not in _WORDS.verb_keys)):
            continue
        meaning = operation_meaning(one.value.strip())
        if meaning.verb and meaning.said != "control":  # `doorControl` is what a device can do
            yield one.keys[0], meaning
            if acts and meaning.words == (meaning.said,):
                yield from ((one.keys[0], whole) for whole in _find_whole_operations(one, arguments))


def _find_whole_operations(verb: Argument, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what a verb does with the thing named beside it: `{"resource": "payouts", "operation": "create"}`."""
    for one in arguments:
        if one.keys[:-1] != verb.keys[:-1] or one.key not in _WORDS.resource_keys:
            continue
        if isinstance(one.value, str) and _IDENTIFIER.fullmatch(one.value.strip()):
            words = split_words(one.value.strip())
            whole = meaning_of("_".join([verb.value.strip().lower(), *words]), "")
            if whole.things:
                yield whole
