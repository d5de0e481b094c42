"""The effect that a switch adds to that of its tool: `delete: true`, `approve_and_pay: true`."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords

_WORDS = read_table("tool-arguments", ArgumentWords)

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


_RELEASED = {"send": "message.send", "publish": "content.publish"}


def effect_of_switch(one: Argument) -> str:
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


def effect_of_release(one: Argument) -> str:
    """Return the effect of a switch by which a draft does not stay one: `send_now: true`, `publish: true`."""
    if one.low not in ("true", "yes") or _is_past(one.key) or "data" in one.roles:
        return ""
    return _RELEASED.get(meaning_of(one.key, "").verb, "")


def _is_past(key: str) -> bool:
    """Whether a switch describes a past state: `include_deleted`, `signed`."""
    return any(word.endswith(("ed", "ing", "able")) or word in _WORDS.condition_words for word in key.split("_"))
