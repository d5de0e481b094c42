"""Values that an edit loosens: the next program that reads them acts for real, sends, trusts or has no limit.

Nothing happens when `dry_run: true` becomes `false`, when a limit is removed or when a test bucket is replaced by that
of the customers. The script that runs next looks the same as before. So the value is compared with the one that it
replaces, whatever the file is and whatever reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.run_memory import LoosenedValues
from interlock.knowledge.table_types.tool_calls import ArgumentRoles
from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.values import find_assignments, narrow, split_long
from interlock.memory.model import Concern, ConcernKind
from interlock.patterns import late
from interlock.sanitise import quotable

MAX_SHOWN = 60
#: A number that grows by so much is no longer the same limit.
MANY_TIMES = 100
#: What is kept for a tenth of the time, or not at all, is lost.
SMALL_PART = 10
_TESTED = late(
    r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|fixtures?|e2e)(?:[/_.-]|$)|(?:^|/)(?:ts|js)config[\w.-]*\.json$"
)
_PROSE = late(r"(?i)\.(?:md|rst|adoc|html?|css|scss|svg|po|lock|tex|bib|map|mdx)$")
_NUMBER = late(r"-?\d[\d_]*(?:\.\d+)?")
TRUE = frozenset({"true", "yes", "on", "1", "enabled", "always"})
FALSE = frozenset({"false", "no", "off", "0", "disabled", "none", "null", "nil", "never"})
_LIVE = frozenset({"live", "prod", "production", "real", "prd", "mainnet"})


def find_loosening(edits: Iterable[Edit]) -> Concern | None:
    """Return a concern about a switch, a safeguard or a limit that an edit loosens."""
    for edit in in_settings(edits):
        changed = narrow(edit)
        before = dict(find_assignments(changed.old))
        for key, value in find_assignments(changed.new):
            old = before.get(key)
            if value == old or not (edit.old or edit.loose):
                continue
            if _is_loosened(key, old, value) or _is_enabled(key, old, value, edit):
                return Concern(ConcernKind.LOOSENED, shorten(f"{key}: {'…' if old is None else old} → {value}"))
    return None


def _is_enabled(key: str, old: str | None, value: str, edit: Edit) -> bool:
    """Whether a switch turns something on that acts on others, by the words around it."""
    if key not in known_words()["switches"] or old is None:
        return False
    turned = (
        (old.lower() in FALSE and value.lower() in TRUE)
        if key[:2] in ("en", "ac", "on")
        else (old.lower() in TRUE and value.lower() in FALSE)
    )
    return turned and not known_words()["acting"].isdisjoint(split_long(edit.old))


def in_settings(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits of settings and code that other programs read: neither text for people nor tests."""
    return (edit for edit in edits if not _PROSE.search(edit.path) and not _TESTED.search(edit.path))


def shorten(text: str) -> str:
    return quotable(" ".join(text.split())[:MAX_SHOWN])


def _is_loosened(key: str, old: str | None, value: str) -> bool:
    """Whether a key with a new value lets more happen than before; an unknown old value may be any."""
    known, words = known_words(), frozenset(key.split("_"))
    on, off = value.lower() in TRUE, value.lower() in FALSE
    if off and (old is None or old.lower() in TRUE):
        rehearses = not words.isdisjoint(known["rehearsing"]) or key in known["rehearsals"]
        guards = not words.isdisjoint(known["safeguards"]) or key in known["safeguard_keys"]
        if rehearses or guards:
            return True
    if on and (old is None or old.lower() in FALSE):
        guards = not words.isdisjoint(known["safeguards"])
        if key in known["effective"] or (not guards and (not words.isdisjoint(known["outward"]) or _allows(words))):
            return True
    if old is not None and key.rpartition("_")[2] not in known["described"] and _goes_live(old, value):
        return True
    if not words.isdisjoint(known["acts"]) and _multiplies(old, value):
        return True
    if not words.isdisjoint(known["kept"]) and shrinks(old, value):
        return True
    return not words.isdisjoint(known["limits"]) and words.isdisjoint(known["sizes"]) and _lifts(words, old, value)


def _allows(words: frozenset[str]) -> bool:
    """Whether a switch allows something that acts on others, by the words of its key: `allow_real_transfers`."""
    known = known_words()
    return (
        not words.isdisjoint(known["allowing"])
        and not words.isdisjoint(known["acting"])
        and words.isdisjoint(known["shown"])
    )


def shrinks(old: str | None, value: str) -> bool:
    """Whether a number becomes a small part of what it was."""
    if old is None or not _NUMBER.fullmatch(old) or not _NUMBER.fullmatch(value):
        return False
    first, second = float(old.replace("_", "")), float(value.replace("_", ""))
    return 0 <= second * SMALL_PART <= first and first > 0


def _goes_live(old: str, value: str) -> bool:
    """Whether a word for a test is replaced by one for what is real."""
    before, after = frozenset(split_words(old)), frozenset(split_words(value))
    known = known_words()
    return (
        not before.isdisjoint(known["practice"]) and after.isdisjoint(known["practice"]) and not after.isdisjoint(_LIVE)
    )


def _lifts(words: frozenset[str], old: str | None, value: str) -> bool:
    """Whether a limit no longer holds, or is many times as high."""
    known, low = known_words(), value.lower()
    if low in known["unlimited"] or (low == "0" and not words.isdisjoint(known["zero_unlimited"])):
        return old is not None and old.lower() not in known["unlimited"]
    return _multiplies(old, value)


def _multiplies(old: str | None, value: str) -> bool:
    """Whether a number becomes many times as large."""
    if old is None or not _NUMBER.fullmatch(old) or not _NUMBER.fullmatch(value):
        return False
    first, second = float(old.replace("_", "")), float(value.replace("_", ""))
    return 0 < first * MANY_TIMES <= second


@cache
def known_words() -> Mapping[str, frozenset[str]]:
    """Return the lists of `loosened-values.toml` as sets."""
    table, roles = read_table("loosened-values", LoosenedValues), read_table("argument-roles", ArgumentRoles)
    found = {name: frozenset(getattr(table, name)) for name in table.__struct_fields__}
    everything = frozenset(roles.values["all_words"])
    return {**found, "everything": everything, "practice": found["practice"] | frozenset(roles.values["practice"])}
