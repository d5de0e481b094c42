"""Changes of how something is called, described or shown, which anybody can turn back."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import GRAVE, Call
from interlock.analyse.tools.narrowing import SETTING

#: Keys of what people read about a thing and nothing depends on.
_DISPLAY = frozenset(
    (
        "name display_name friendly_name short_description long_description meta_description alt_text subtitle "
        "nickname title job_title description notes note comment comments remark "
        "memo tags tag "
        "labels label color colour icon avatar emoji photo photo_url picture pronouns locale language lang timezone "
        "time_zone tz theme location office desk floor building extension phone_extension work_phone_extension "
        "birthday_display sort_order position_in_list category categories priority folder alias_note greeting "
        "preferred_name preferred_language "
        "timezone_name date_format currency_display bio_internal department_note t_shirt_size "
        "dietary dietary_preference wish seat_preference newsletter_language internal_name caption due_date"
    ).split()
)
#: Of these, what is harmless for people and things that others rely on as well.
_PERSONAL_WISHES = frozenset("language preferred_language locale timezone time_zone pronouns preferred_name".split())
#: Effects that concern more than a display even where only a text changes: everyone can read it, or it is sent.
_READ_BY_OTHERS = frozenset(
    "content.publish message.send document.share data.export contract.sign deploy.release infra.change".split()
)
#: Effects of which a verb other than these does more than its arguments say.
_WEIGHTY = frozenset({"payment.send", "order.place", "access.grant", "account.change", "device.operate"})
_DESCRIBING = SETTING | frozenset("annotate rename label relabel tag untag mark correct amend fix".split())
_NAMED_THINGS = frozenset("infrastructure data access secret security policy health official payee package".split())
_REFERRING = frozenset(
    {"id", "ids", "sid", "email", "arn", "gid", "uuid", "key", "ref", "number", "no", "code", "urn", "slug", "token"}
)


def changes_display(kind: str, call: Call) -> bool:
    """Whether a call sets nothing but names, notes, colours and the like: `update_campaign {"id": 1, "name": "x"}`."""
    if kind in _READ_BY_OTHERS or call.meaning.verb != "change" or not call.flags.isdisjoint(GRAVE | {"lowered"}):
        return False
    if kind in _WEIGHTY and call.meaning.said not in _DESCRIBING:
        return False  # a note beside it does not make an upgrade a note
    if kind == "access.grant" and any("person" in one.roles or "recipient" in one.roles for one in call.arguments):
        return False
    named = call.thing is not None and call.thing.name in _NAMED_THINGS
    others = [one for one in call.arguments if one.key not in (_PERSONAL_WISHES if named else _DISPLAY)]
    return 0 < len(others) < len(call.arguments) and all(_refers(one, call) for one in others)


def _refers(one: Argument, call: Call) -> bool:
    """Whether an argument says which thing is meant: an identifier, or the thing by its name."""
    return not _REFERRING.isdisjoint(one.key.split("_")[-1:]) or one.key in call.meaning.words
