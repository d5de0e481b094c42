"""Changes of how something is named, described or sorted, which nobody depends on."""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.tools.arguments import roles_of
from interlock.analyse.tools.judges.call import GRAVE, Call

#: Keys of what is only shown.
_SHOWN = frozenset(
    (
        "description desc label labels tag tags color colour icon avatar emoji time_zone timezone locale language "
        "nickname sort_order pinned starred favorite cover internal_note internal_notes custom_label new_name new_title"
    ).split()
)
#: Keys of texts that can stand beside any change.
_BESIDE = frozenset("note notes comment comments annotation annotations remark remarks summary reason".split())
#: Keys of names: new ones, if another key says which thing it is.
_NAMES = frozenset({"name", "title", "display_name"})
_NAMING = frozenset("id ids owner repo repository project workspace region entry version etag key number slug".split())
_ENDINGS = ("_id", "_ids", "_key", "_number", "_slug", "_uuid")
#: Roles of keys that say more than which thing it is.
_TELLING = frozenset({"role", "amount", "visibility", "final"})
_MATTERING = GRAVE - {"admin"} | {"lowered", "luring", "confidential"}
_EDITING = frozenset("update edit patch modify set change put rename annotate tag label describe upsert".split())
_LABELLING = frozenset("rename annotate tag label describe".split())
#: Effects that a change of a name or a label does not have.
_EDITED = frozenset({"order.place", "record.change", "account.change", "automation.install"})
#: Effects for which what is shown is what matters.
_SHOWING = frozenset({"content.publish", "data.export", "message.send", "document.share", "deploy.release"})


def is_display_change(kind: str, call: Call) -> bool:
    """Whether a change only touches a name, a note, a label or a language."""
    said, words = call.meaning.said, call.meaning.words
    if said not in _EDITING or not call.flags.isdisjoint(_MATTERING):
        return False
    labelling = said in _LABELLING or words[-1] in _SHOWN or words[-1] in _NAMES
    if kind in _SHOWING and said not in _LABELLING:
        return False
    if not labelling and kind not in _EDITED:
        return False
    uses = {
        "naming" if labelling and one.key in words and one.roles.isdisjoint(_TELLING) else _use_of(one.key)
        for one in call.arguments
    }
    if "other" in uses:
        return False
    named = "name" in uses and "naming" in uses and kind != "account.change"
    return named or ("name" not in uses and ("shown" in uses or (labelling and "beside" in uses)))


@lru_cache(maxsize=4096)
def _use_of(key: str) -> str:
    if key in _SHOWN:
        return "shown"
    if key in _BESIDE or key in _NAMES:
        return "beside" if key in _BESIDE else "name"
    naming = key in _NAMING or (key.endswith(_ENDINGS) and roles_of(key).isdisjoint(_TELLING))
    return "naming" if naming else "other"
