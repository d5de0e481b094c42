"""Effects that follow from the arguments of a call, whatever the name of the tool.

`{"visibility": "public"}` opens something, `{"role": "admin"}` gives rights and `{"delete": true}` deletes, also
if the tool's name says only that something is set. A reading tool is recognised by its name, and its arguments are
its query; of those, only destinations of the result, shown secrets and watched people count.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.tools.agent_limits import loosens_agent, orders_reader
from interlock.analyse.tools.arguments import Argument, roles_of
from interlock.analyse.tools.data_queries import looks_for_secrets, reads_everyone, reads_in_bulk, reads_people
from interlock.analyse.tools.disclosures import (
    delivers,
    displays_confidential,
    fills_web_root,
    gives_outsider,
    is_grave_message,
    sends_secret_file,
    shows_outsiders,
    uses_foreign_service,
)
from interlock.analyse.tools.gcode import runs_unsafe_code
from interlock.analyse.tools.group_members import joins_group, orders_adding
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.people import mail_addresses_in
from interlock.analyse.tools.publication import notifies_public, publishes_page
from interlock.analyse.tools.secret_requests import asks_for_secret, takes_over_session
from interlock.analyse.tools.service_limits import (
    exposes_browser,
    lifts_retention,
    opens_port,
    suppresses_alerts,
    takes_out_of_service,
)
from interlock.analyse.tools.surveillance import watches_person
from interlock.analyse.tools.switch_effects import effect_of_switch
from interlock.analyse.tools.switches import gives_high_role, is_true, opens
from interlock.analyse.tools.vocabulary import is_verb_only
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-arguments", ArgumentWords)
ArgumentEffect = tuple[str, frozenset[str]]
_READING = frozenset({"read", "draft"})
#: Words of tools whose visibility is that of a conversation.
_TALKING = frozenset({"message", "broadcast", "comfort"})


def argument_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield the effects that follow from the arguments of a call; `reads` says that the call only reads."""
    yield from rehearsal_effects(call, reads=reads)
    if call.has("rehearsed", "practice", "practice_name"):
        return
    yield from _data_effects(call, reads=reads)
    if call.meaning.verb not in _READING and call.keyed(_WORDS.trash_switches) and any(map(_trashes, call.arguments)):
        yield "record.delete", frozenset()
    if call.meaning.verb == "draft" and (
        any(effect_of_switch(one) == "content.publish" for one in call.arguments) or publishes_page(call)
    ):
        yield "content.publish", frozenset()
    if _sets(call) or (not reads and call.meaning.verb not in _READING):
        yield from _sharing_effects(call)
        yield from _change_effects(call)
    elif not is_verb_only(call.meaning.said) and orders_adding(call) and joins_group(call):
        yield "access.grant", frozenset({"admin"})  # `group_members {"group": "admins", "add": …}`


def rehearsal_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield effects that count even in a dry run: reads of personal data and secrets, instructions to agents."""
    if watches_person(call):
        yield "tool.change", frozenset({"watching"})
    revealing = [one for one in call.arguments if "revealing" in roles_of(one.key)]
    if any(map(is_true, revealing)) or takes_over_session(call):
        yield "secret.read", frozenset({"secret"})
    if call.has("instructions") and any(map(orders_reader, call.arguments)):
        yield "tool.change", frozenset({"instructions"})
    if ((not reads or call.meaning.verb == "draft") and loosens_agent(call)) or exposes_browser(call):
        yield "security.lower", frozenset({"lowered"})


def _data_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield the data that a call shows or sends, by its arguments."""
    if asks_for_secret(call, reads=reads) or (reads and looks_for_secrets(call)):
        yield "secret.read", frozenset({"secret"})
    quiet = reads or not call.meaning.verb
    if (
        reads_people(call)
        or reads_everyone(call)
        or (reads and reads_in_bulk(call))
        or (quiet and any(map(delivers, call.arguments)))
        or uses_foreign_service(call)
    ):
        yield "data.export", frozenset({"confidential"})
    if not reads and sends_secret_file(call):
        yield "data.export", frozenset({"confidential"})
    if call.names >= _BREAKING_GLASS and any(one.words >= _BREAKING_GLASS and is_true(one) for one in call.arguments):
        yield "data.export", frozenset({"confidential"})
    if fills_web_root(call):
        yield "document.share", frozenset({"public"})
    if displays_confidential(call) or (not reads and is_grave_message(call)):
        yield "message.send", frozenset()


def _sets(call: JudgedCall) -> bool:
    """Whether a tool that is named after a setting is given a value for it: `access_policy {"decision": "bypass"}`."""
    return call.meaning.said in _WORDS.settable_tools and call.has("lowered", "public", "admin")


def _sharing_effects(call: JudgedCall) -> Iterator[ArgumentEffect]:
    """Yield things opened to others. A message is as visible as its conversation."""
    if call.thing is not None and call.thing.name == "meeting":
        return
    talks = call.meaning.verb == "send" and call.meaning.said != "call"  # `call` may be that of a function
    talks = talks or (call.thing is not None and call.thing.name in _TALKING)
    if call.has("public") and not call.has("drafted") and (not talks or any(map(_permits_all, call.arguments))):
        yield "document.share", frozenset({"public"})
    if talks:
        return
    if gives_outsider(call) or shows_outsiders(call):
        yield "document.share", frozenset({"outside"})


def _permits_all(one: Argument) -> bool:
    """Whether everyone may read or write something: `read_permission: guest`."""
    return one.key.endswith(("_permission", "_permissions")) and opens(one)


def _change_effects(call: JudgedCall) -> Iterator[ArgumentEffect]:
    if _gives_high_role(call) or joins_group(call):
        yield "access.grant", frozenset({"admin"})
    yield from _limit_effects(call)
    if call.keyed(_WORDS.forwarding_words) and any(map(_forwards, call.arguments)):
        yield "automation.install", frozenset({"outside"})
    if not call.meaning.verb and call.has("final", "bank_account", "deceptive"):
        yield "record.change", frozenset()
    if (
        call.keyed(_TASKS)
        and any(map(_gives_tasks, call.arguments))
        and any(one.key in _WORDS.member_keys for one in call.arguments)
    ):
        yield "access.grant", frozenset({"admin"})
    if not call.has("drafted") and (_posts(call) or publishes_page(call)):
        yield "content.publish", frozenset()
    if notifies_public(call):
        yield "message.send", frozenset({"many"})
    if call.keyed(_BY) and any(map(_claims_approval, call.arguments)):
        yield "contract.sign", frozenset()
    for one in filter(is_true, call.arguments):
        kind = effect_of_switch(one)
        if kind and not (call.has("drafted") and kind in _WAITING):
            yield kind, frozenset({"final"})


def _limit_effects(call: JudgedCall) -> Iterator[ArgumentEffect]:
    """Yield protections that are lowered, and services and machines that are put out of service."""
    lifted = lifts_retention(call) or opens_port(call) or suppresses_alerts(call)
    if call.has("lowered") or _declassifies(call) or lifted:
        yield "security.lower", frozenset({"lowered"})
    if takes_out_of_service(call):
        yield "infra.destroy", frozenset({"live"})
    if call.words(_WORDS.machine_tools) and any(map(runs_unsafe_code, call.arguments)):
        yield "device.operate", frozenset({"hazard", "lowered"})
    if call.words(_WORDS.management_boards) and any(map(_powers_off, call.arguments)):
        yield "device.operate", frozenset({"hazard"})


def _declassifies(call: JudgedCall) -> bool:
    """Whether a document loses its confidentiality label: `sensitivity_label {"label": "Public"}`."""
    named = call.words(_CLASSIFYING)
    if not named and not call.keyed(_CLASSIFYING):
        return False
    return any(
        (named and one.key in _WORDS.label_keys) or not one.words.isdisjoint(_CLASSIFYING)
        for one in call.arguments
        if one.low in _WORDS.unclassified_values or (one.value == "" and not one.words.isdisjoint(_CLASSIFYING))
    )


_CLASSIFYING = frozenset({"sensitivity", "classification", "confidentiality"})
_BREAKING_GLASS = frozenset({"break", "glass"})


def _powers_off(one: Argument) -> bool:
    """Whether a machine is switched off without being shut down: `{"action": "ForceOff"}`."""
    return isinstance(one.value, str) and one.low.replace("_", "").replace("-", "") in _WORDS.power_off_values


_WAITING = frozenset({"content.publish", "document.share"})
_CLAIMED = ("approved_by", "signed_by", "authorized_by", "authorised_by")
_BY = frozenset({"by"})
_TASKS = frozenset({"tasks", "duties", "abilities"})


def _trashes(one: Argument) -> bool:
    return one.key in _WORDS.trash_switches and is_true(one)


def _gives_tasks(one: Argument) -> bool:
    """Whether somebody may manage something: `tasks: [MANAGE]`, `duties: ["admin"]`."""
    return one.key in _TASKS and one.low in (
        "manage",
        "admin",
        "full_control",
    )


def _is_outlet(one: Argument) -> bool:
    """Whether a value is an account at a network: `linkedin`, `x_main`, `fb_page`."""
    return isinstance(one.value, str) and not _WORDS.social_networks.isdisjoint(split_words(one.value[:80])[:1])


def _posts(call: JudgedCall) -> bool:
    """Whether a text goes to accounts at social networks."""
    if not call.keyed(_WORDS.outlet_keys):
        return False
    if not any(one.key in _WORDS.outlet_keys and _is_outlet(one) for one in call.arguments):
        return False
    return any(one.key in _WORDS.prose_keys or one.key in ("caption", "post") for one in call.arguments)


def _claims_approval(one: Argument) -> bool:
    """Whether a call writes down that somebody approved or signed something."""
    return one.key.endswith(_CLAIMED) and isinstance(one.value, str) and bool(one.value.strip())


def _forwards(one: Argument) -> bool:
    """Whether future items are forwarded to an address or a URL."""
    if one.words.isdisjoint(_WORDS.forwarding_words) or not isinstance(one.value, str):
        return False
    return bool(mail_addresses_in(one.text)) or is_url(one.text)


def _gives_high_role(call: JudgedCall) -> bool:
    return call.keyed(_WORDS.role_keys) and any(
        one.key in _WORDS.role_keys and _is_strictly_high(one) for one in call.arguments
    )


def _is_strictly_high(one: Argument) -> bool:
    low = one.low
    if not gives_high_role(one):
        return False
    if isinstance(one.value, str) and not low.isdigit():
        return low == "*" or not _WORDS.high_roles.isdisjoint(split_words(one.text)) or "fullaccess" in low
    return True
