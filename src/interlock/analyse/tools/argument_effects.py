"""Effects that the arguments of a call tell by themselves, whatever the tool is called.

`{"visibility": "public"}` opens something, `{"role": "admin"}` gives rights and `{"delete": true}` deletes, also
where the tool's name says only that something is set. A tool that reads is told from its name, and its arguments are
what it looks for; of those, only where the result goes, secrets that are shown, and people who are watched count.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.hosts import is_url
from interlock.analyse.tools.agent_limits import loosens_agent, orders_reader
from interlock.analyse.tools.arguments import Argument, roles_of
from interlock.analyse.tools.disclosures import (
    delivers,
    displays_matter,
    fills_web_root,
    gives_outsider,
    hands_over,
    is_grave_message,
    sends_secret_file,
    shows_outsiders,
)
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.machine_code import runs_unsafe_code
from interlock.analyse.tools.name import meaning_of
from interlock.analyse.tools.people import mail_addresses_in
from interlock.analyse.tools.publication import goes_live, tells_crowd
from interlock.analyse.tools.secret_requests import asks_for_secret, fields_in_query, takes_session
from interlock.analyse.tools.sensitive import PERSONAL, SECRET, names_confidential, seeks_secrets
from interlock.analyse.tools.service_limits import (
    exposes_browser,
    lifts_retention,
    opens_port,
    silences,
    takes_out_of_service,
)
from interlock.analyse.tools.surveillance import watches_person
from interlock.analyse.tools.switches import gives_high_role, is_true, opens
from interlock.analyse.tools.words import is_verb_only
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-arguments", ArgumentWords)

ArgumentEffect = tuple[str, frozenset[str]]
_READING = frozenset({"read", "draft"})
#: Verbs that a switch can add to what a tool does, and the effect of each.
_ADDED = {
    "remove": "record.delete",
    "publish": "content.publish",
    "sign": "contract.sign",
    "pay": "payment.send",
    "trade": "order.place",
    "share": "document.share",
    "grant": "access.grant",
}
#: Words of tools whose visibility is that of a conversation.
_TALKING = frozenset({"message", "broadcast", "comfort"})


def argument_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield the effects that the arguments of a call tell; `reads` says that the call only looks something up."""
    yield from rehearsal_effects(call, reads=reads)
    if call.has("rehearsed", "practice", "practice_name"):
        return
    yield from _data_effects(call, reads=reads)
    if call.meaning.verb not in _READING and any(map(_trashes, call.arguments)):
        yield "record.delete", frozenset()
    if call.meaning.verb == "draft" and (
        any(_effect_of_switch(one) == "content.publish" for one in call.arguments) or goes_live(call)
    ):
        yield "content.publish", frozenset()
    if _sets(call) or (not reads and call.meaning.verb not in _READING):
        yield from _sharing_effects(call)
        yield from _change_effects(call)
    elif not is_verb_only(call.meaning.said) and _orders_adding(call) and _joins_group(call):
        yield "access.grant", frozenset({"admin"})  # `group_members {"group": "admins", "add": …}`


def rehearsal_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield what matters in a rehearsal too: people and secrets that are looked at, agents that are told something."""
    if watches_person(call):
        yield "tool.change", frozenset({"watching"})
    if any(map(_reveals, call.arguments)) or takes_session(call):
        yield "secret.read", frozenset({"secret"})
    if call.has("instructions") and any(map(orders_reader, call.arguments)):
        yield "tool.change", frozenset({"instructions"})
    if ((not reads or call.meaning.verb == "draft") and loosens_agent(call)) or any(
        map(exposes_browser, call.arguments)
    ):
        yield "security.lower", frozenset({"lowered"})


def _data_effects(call: JudgedCall, *, reads: bool) -> Iterator[ArgumentEffect]:
    """Yield what a call shows or passes on by its arguments."""
    if asks_for_secret(call, reads=reads) or (reads and _looks_for_secrets(call)):
        yield "secret.read", frozenset({"secret"})
    quiet = reads or not call.meaning.verb
    if reads_people(call) or (quiet and any(map(delivers, call.arguments))) or hands_over(call):
        yield "data.export", frozenset({"confidential"})
    if not reads and sends_secret_file(call):
        yield "data.export", frozenset({"confidential"})
    if any(one.words >= _BREAKING_GLASS and is_true(one) for one in call.arguments):
        yield "data.export", frozenset({"confidential"})
    if any(map(fills_web_root, call.arguments)):
        yield "document.share", frozenset({"public"})
    if displays_matter(call) or (not reads and is_grave_message(call)):
        yield "message.send", frozenset()


def _sets(call: JudgedCall) -> bool:
    """Whether a tool that is named after a setting is given a value for it: `access_policy {"decision": "bypass"}`."""
    return call.meaning.said in _WORDS.settable_tools and call.has("lowered", "public", "admin")


def _looks_for_secrets(call: JudgedCall) -> bool:
    """Whether what people keep is searched for passwords, codes or keys."""
    return (
        not call.words(_WORDS.knowing_tools) and call.words(_WORDS.keeping_tools) and any(map(_seeks, call.arguments))
    )


def _seeks(one: Argument) -> bool:
    return (
        one.key in _WORDS.search_keys
        and isinstance(one.value, str)
        and len(one.value) < 400
        and seeks_secrets(one.value)
    )


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
    if any(gives_outsider(one) or shows_outsiders(one) for one in call.arguments):
        yield "document.share", frozenset({"outside"})


def _permits_all(one: Argument) -> bool:
    """Whether everyone may read or write something: `read_permission: guest`."""
    return one.key.endswith(("_permission", "_permissions")) and opens(one)


def _change_effects(call: JudgedCall) -> Iterator[ArgumentEffect]:
    if any(one.key in _WORDS.role_keys and _is_strictly_high(one) for one in call.arguments) or _joins_group(call):
        yield "access.grant", frozenset({"admin"})
    yield from _limit_effects(call)
    if any(map(_forwards, call.arguments)):
        yield "automation.install", frozenset({"outside"})
    if not call.meaning.verb and call.has("final", "bank_account", "deceptive"):
        yield "record.change", frozenset()
    if any(map(_gives_tasks, call.arguments)) and any(one.key in _WORDS.member_keys for one in call.arguments):
        yield "access.grant", frozenset({"admin"})
    if not call.has("drafted") and (_posts(call) or goes_live(call)):
        yield "content.publish", frozenset()
    if any(map(tells_crowd, call.arguments)):
        yield "message.send", frozenset({"many"})
    if any(map(_claims_approval, call.arguments)):
        yield "contract.sign", frozenset()
    for one in call.arguments:
        kind = _effect_of_switch(one)
        if kind and not (call.has("drafted") and kind in _WAITING):
            yield kind, frozenset({"final"})


def _limit_effects(call: JudgedCall) -> Iterator[ArgumentEffect]:
    """Yield protections that are lowered, and services and machines that are put out of service."""
    lifted = lifts_retention(call) or opens_port(call) or any(map(silences, call.arguments))
    if call.has("lowered") or _declassifies(call) or lifted:
        yield "security.lower", frozenset({"lowered"})
    if takes_out_of_service(call):
        yield "infra.destroy", frozenset({"live"})
    if call.words(_WORDS.machine_tools) and any(map(runs_unsafe_code, call.arguments)):
        yield "device.operate", frozenset({"hazard", "lowered"})
    if call.words(_WORDS.management_boards) and any(map(_powers_off, call.arguments)):
        yield "device.operate", frozenset({"hazard"})


def _declassifies(call: JudgedCall) -> bool:
    """Whether a document loses the label that says for whom it is: `sensitivity_label {"label": "Public"}`."""
    named = call.words(_CLASSIFYING)
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


def _trashes(one: Argument) -> bool:
    return one.key in _WORDS.trash_switches and is_true(one)


def _gives_tasks(one: Argument) -> bool:
    """Whether somebody may manage something: `tasks: [MANAGE]`, `duties: ["admin"]`."""
    return one.key in ("tasks", "duties", "abilities") and one.low in (
        "manage",
        "admin",
        "full_control",
    )


def _is_outlet(one: Argument) -> bool:
    """Whether a value is an account at a network: `linkedin`, `x_main`, `fb_page`."""
    return isinstance(one.value, str) and not _WORDS.social_networks.isdisjoint(split_words(one.value[:80])[:1])


def _posts(call: JudgedCall) -> bool:
    """Whether a text goes to accounts at social networks."""
    if not any(one.key in _WORDS.outlet_keys and _is_outlet(one) for one in call.arguments):
        return False
    return any(one.key in _WORDS.prose_keys or one.key in ("caption", "post") for one in call.arguments)


def _claims_approval(one: Argument) -> bool:
    """Whether a call writes down that somebody approved or signed something."""
    return one.key.endswith(_CLAIMED) and isinstance(one.value, str) and bool(one.value.strip())


def _joins_group(call: JudgedCall) -> bool:
    """Whether somebody is put into a group or on a list that is not for everyone."""
    if any(map(_adds_to_admins, call.arguments)):
        return True
    groups = [one.text for one in call.arguments if one.key in _WORDS.group_keys and isinstance(one.value, str)]
    members = any((one.key in _WORDS.member_keys and one.text) or _adds_somebody(one) for one in call.arguments)
    return members and any(
        names_confidential(text) or not _WORDS.high_roles.isdisjoint(split_words(text)) for text in groups
    )


def _orders_adding(call: JudgedCall) -> bool:
    """Whether a key is a verb for adding members, and nothing else."""
    return any(not _WORDS.adding_words.isdisjoint(one.keys) for one in call.arguments)


def _adds_somebody(one: Argument) -> bool:
    """Whether an argument adds members to a group: `add: ["svc-bot"]`."""
    named = not isinstance(one.value, bool) and bool(one.text)
    return named and any(
        not _WORDS.adding_words.isdisjoint((key, *key.split("_")[:1], *key.split("_")[-1:])) for key in one.keys
    )


def _adds_to_admins(one: Argument) -> bool:
    """Whether a change of a directory, written as LDIF, puts somebody into a group of administrators."""
    if not isinstance(one.value, str) or not _LDIF_MEMBER.search(one.low[:MAX_LDIF]):
        return False
    return any(not _WORDS.high_roles.isdisjoint(split_words(name)) for name in _LDIF_NAME.findall(one.low[:MAX_LDIF]))


_LDIF_MEMBER = late(r"(?m)^(?:add|replace): *(?:unique)?member(?:uid)?\s*$")
_LDIF_NAME = late(r"(?m)^dn: *(.{1,200})$")
MAX_LDIF = 20_000


def _forwards(one: Argument) -> bool:
    """Whether what comes in later is passed on to an address or a place on the web."""
    if one.words.isdisjoint(_WORDS.forwarding_words) or not isinstance(one.value, str):
        return False
    return bool(mail_addresses_in(one.text)) or is_url(one.text)


def _effect_of_switch(one: Argument) -> str:
    """Return the effect that a switch adds, such as `delete: true` or `approve_and_pay: true`; `post: "1"` is an id."""
    if (
        one.value == "1"
        or not is_true(one)
        or _is_past(one.key)
        or one.key.endswith("_id")
        or not one.roles.isdisjoint(("data", "private"))
    ):
        return ""
    meaning = meaning_of(one.key, "")
    return _ADDED.get(meaning.verb, "") if one.key.partition("_")[0] not in _WORDS.not_deleting else ""


def _is_past(key: str) -> bool:
    """Whether a switch tells what has been done: `include_deleted`, `signed`."""
    return any(word.endswith(("ed", "ing", "able")) or word in _WORDS.condition_words for word in key.split("_"))


def _is_strictly_high(one: Argument) -> bool:
    low = one.low
    if not gives_high_role(one):
        return False
    if isinstance(one.value, str) and not low.isdigit():
        return low == "*" or not _WORDS.high_roles.isdisjoint(split_words(one.text)) or "fullaccess" in low
    return True


def _reveals(one: Argument) -> bool:
    return "revealing" in roles_of(one.key) and is_true(one)


def reads_people(call: JudgedCall) -> bool:
    """Whether a call asks for secrets of people, or for several things about them that are nobody else's business."""
    asked = {
        plain_key(one.text.strip().rpartition(".")[2]).replace(" ", "_")
        for one in call.of_role("fields")
        if isinstance(one.value, str) and len(one.value) < 40
    }
    for one in call.arguments:
        asked |= {plain_key(name) for name in fields_in_query(one)}
    if any(one.key in _WORDS.unmasking_keys and plain_key(one.text.strip()) in PERSONAL for one in call.arguments):
        return True
    for one in call.arguments:
        if isinstance(one.value, str) and one.value[:20].lstrip()[:6].lower() == "select":
            asked |= _columns(one.value)
    return not asked.isdisjoint(SECRET) or len(asked & PERSONAL) > 1


def _columns(statement: str) -> set[str]:
    """Return the columns that a query of all rows asks for."""
    low = statement[:2000].lower()
    if " where " in low or " from " not in low:
        return set()
    return {word.removesuffix("__c") for word in _COLUMN.findall(low.partition(" from ")[0])}


_COLUMN = late(r"[a-z_]\w*")
