"""Effects that the arguments of a call tell by themselves, whatever the tool is called.

`{"visibility": "public"}` opens something, `{"role": "admin"}` gives rights and `{"delete": true}` deletes, also where the
tool's name says only that something is set. A tool that reads is told from its name, and its arguments are what it looks
for; of those, only where the result goes, secrets that are shown, and people who are watched count.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.hosts import is_url
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.name import meaning_of
from interlock.analyse.tools.people import addresses_in
from interlock.analyse.tools.sensitive import PERSONAL, SECRET
from interlock.analyse.tools.switches import gives_high_role, is_true

Told = tuple[str, frozenset[str]]
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
_STRICT_ROLES = frozenset(
    "role roles role_name permission permissions access_level accesslevel privilege privileges policy_arn policy policy_document "
    "is_admin admin is_owner is_superuser member_role scopes capabilities user_type group_dn dn action actions grants".split()
)
_STRICT_WORDS = frozenset(
    "admin admins administrator administrators owner superuser superadmin root fullaccess fullcontrol maintainer sudo".split()
)
#: Words of tools whose visibility is that of a conversation.
_TALKING = frozenset({"message", "meeting", "broadcast", "comfort"})
_WATCHING = frozenset("track watch monitor locate spy follow surveil observe log record stalk geolocate trace".split())
_REPEATING = frozenset("every interval continuous continuously live realtime always frequency until".split())


def told_effects(call: Call) -> Iterator[Told]:
    """Yield the effects that the arguments of a call tell."""
    if watches_person(call):
        yield "tool.change", frozenset({"watching"})
    if any(_reveals(one) for one in call.arguments):
        yield "secret.read", frozenset({"secret"})
    if call.has("rehearsed", "practice"):
        return
    if reads_people(call) or (call.meaning.verb == "read" and any(_delivers(one) for one in call.arguments)):
        yield "data.export", frozenset({"confidential"})
    if call.meaning.verb not in _READING:
        yield from _told_changes(call)


def _told_changes(call: Call) -> Iterator[Told]:
    if call.has("public") and not (call.thing and call.thing.name in _TALKING):
        yield "document.share", frozenset({"public"})
    if any(one.key in _STRICT_ROLES and _is_strictly_high(one) for one in call.arguments):
        yield "access.grant", frozenset({"admin"})
    if call.has("lowered"):
        yield "security.lower", frozenset({"lowered"})
    for one in call.arguments:
        if is_true(one, one.text.strip().lower()):
            kind = _ADDED.get(meaning_of(one.key, "").verb)
            if kind and "effective" not in one.roles | {""} | ({"effective"} if _is_past(one.key) else set()):
                yield kind, frozenset({"final"})
            elif kind == "content.publish" and one.key in ("publish", "publish_now", "go_live"):
                yield kind, frozenset({"public"})


def _is_past(key: str) -> bool:
    """Whether a switch tells what has been done: `include_deleted`, `signed`."""
    return any(word.endswith("ed") and word not in ("embed", "feed") for word in key.split("_"))


def _is_strictly_high(one: Argument) -> bool:
    low = one.text.strip().lower()
    if not gives_high_role(one, low):
        return False
    if isinstance(one.value, str) and not low.isdigit():
        words = frozenset(low.replace("-", "_").replace(" ", "_").replace(":", "_").split("_"))
        return low == "*" or not words.isdisjoint(_STRICT_WORDS) or "administrator" in low or "fullaccess" in low
    return True


def watches_person(call: Call) -> bool:
    """Whether a person is watched: covertly, or again and again in what is nobody else's business."""
    if not any("person" in one.roles and isinstance(one.value, str) and one.value for one in call.arguments):
        return False
    covert = any(_is_covert(one) for one in call.arguments)
    watched = any(_is_watched(one) for one in call.arguments)
    tracking = call.words(_WATCHING)
    again = any(not one.words.isdisjoint(_REPEATING) for one in call.arguments)
    people = "recipient" not in {role for one in call.arguments for role in one.roles} or call.meaning.verb != "send"
    return people and ((covert and (tracking or watched or call.meaning.verb == "read")) or (watched and (tracking or again)))


def _is_covert(one: Argument) -> bool:
    """Whether somebody is not to notice: `hidden: true`, `notify_employee: false`."""
    low = one.text.strip().lower()
    if is_true(one, low):
        return not one.words.isdisjoint(VALUES["covert"])
    return one.value is False and not one.words.isdisjoint(("notify", "notification", "inform", "disclose", "visible"))


def _is_watched(one: Argument) -> bool:
    low = one.text.strip().lower()
    if is_true(one, low):
        return one.key in VALUES["watched"] or not one.words.isdisjoint(VALUES["watched"])
    return low in VALUES["watched"] and "fields" in one.roles


def _reveals(one: Argument) -> bool:
    return one.key in VALUES["revealing"] and is_true(one, one.text.strip().lower())


def reads_people(call: Call) -> bool:
    """Whether a call asks for secrets of people, or for several things about them that are nobody else's business."""
    asked = {
        one.text.strip().lower().replace(" ", "_").replace("-", "_")
        for one in call.of_role("fields")
        if isinstance(one.value, str) and len(one.value) < 40
    }
    asked |= {word.replace("dateofbirth", "date_of_birth") for word in asked}
    plain = {_snake(one.text) for one in call.of_role("fields") if isinstance(one.value, str) and len(one.value) < 40}
    asked |= plain
    return not asked.isdisjoint(SECRET) or len(asked & PERSONAL) > 1


def _snake(text: str) -> str:
    from interlock.analyse.payloads.payload import plain_key

    return plain_key(text.strip())


def _delivers(one: Argument) -> bool:
    """Whether the result of a read goes to an address or a place on the web."""
    if one.words.isdisjoint(VALUES["delivering"]) or not isinstance(one.value, str):
        return False
    if one.words.isdisjoint(("to", "destination", "webhook", "callback", "url", "sink")):
        return False
    return bool(addresses_in(one.text)) or is_url(one.text)
