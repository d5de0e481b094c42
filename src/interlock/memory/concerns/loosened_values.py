"""Values that an edit loosens: the next program that reads them acts for real, sends, trusts or has no limit.

Nothing happens when `dry_run: true` becomes `false`, when a limit is removed or when a test bucket is replaced by that
of the customers. The script that runs next looks the same as before. So the value is compared with the one that it
replaces, whatever the file is and whatever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.run_memory import LoosenedValues
from interlock.knowledge.table_types.tool_calls import ArgumentRoles
from interlock.knowledge.tool_names import split_words
from interlock.memory.additions import MAX_SUBJECT
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.values import find_assignments, split_long
from interlock.memory.calls.words import file_words
from interlock.memory.model import Concern, ConcernKind
from interlock.patterns import late
from interlock.sanitise import quotable

MAX_TEXT, MAX_SHOWN, MAX_TEST_NAME = 4_000, 60, 7
#: A number that grows by so much is no longer the same limit.
MANY_TIMES = 100
#: What is kept for a tenth of the time, or not at all, is lost.
SMALL_PART = 10
_TESTED = late(
    r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|fixtures?|e2e)(?:[/_.-]|$)|(?:^|/)(?:ts|js)config[\w.-]*\.json$"
)
_PROSE = late(r"(?i)\.(?:md|rst|adoc|html?|css|scss|svg|po|lock|tex|bib|map|mdx)$")
_CODE, _STRING = late(r"[\[\](){};]"), late(r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'")
_NUMBER = late(r"-?\d[\d_]*(?:\.\d+)?")
_HOST = late(
    r"(?:(?:https?|wss?|amqps?|smtps?|s?ftps?|ssh|git)://(?:[^\s/@\"']{1,80}@)?(?P<host>[\w-]+(?:\.[\w-]+)+)"
    r"|(?:s3|gs|az|abfss?|b2|r2)://(?P<bucket>[\w.-]+))"
)
#: Lines that let something happen only to some, or only after somebody agreed.
_GUARD = late(
    r"(?i)^\W{0,4}(?:if|unless|when|guard|assert|require|ensure|check|verify|confirm|where|and|filter|needs|environment|exclud\w*|ignor\w*|skip\w*|deny\w*|block\w*|except|approv\w*|only)\b"
    r"|\b(?:opted?_?(?:in|out)|unsubscribed?|suppress\w*|approv\w+|confirm\w*|consent|dry_?run|is_test)\b"
)
#: Conditions that everything meets.
_UNFILTERED = late(
    r"(?i)\bwhere\s+(?:true|1\s*=\s*1|1)\b|\b(?:filter|match|selector|pattern)\w*[\"']?\s*[:=]+\s*[\"'](?:\.\*|\*|%)?[\"']"
)
_QUOTED = late(r"[\"'=:#@\d]")
_TRUE = frozenset({"true", "yes", "on", "1", "enabled", "always"})
_LIVE = frozenset({"live", "prod", "production", "real", "prd", "mainnet"})
_FALSE = frozenset({"false", "no", "off", "0", "disabled", "none", "null", "nil", "never"})


def find_loosening(edits: Iterable[Edit]) -> Concern | None:
    """Return a concern about a switch, a safeguard or a limit that an edit loosens."""
    for edit in _in_settings(edits):
        before = dict(find_assignments(edit.old[:MAX_TEXT]))
        for key, value in find_assignments(edit.new[:MAX_TEXT]):
            old = before.get(key)
            if value == old or not (edit.old or edit.loose):
                continue
            if _is_loosened(key, old, value) or _is_enabled(key, old, value, edit):
                return Concern(ConcernKind.LOOSENED, _shorten(f"{key}: {'…' if old is None else old} → {value}"))
    return None


def find_real_target(edits: Iterable[Edit]) -> Concern | None:
    """Return a concern about a value that no longer stands for a test or for a machine of the same owner."""
    for edit in _in_settings(edits):
        if _drops_guard(edit) or (_UNFILTERED.search(edit.new) and _UNFILTERED.sub("", edit.old) == edit.old != ""):
            return Concern(ConcernKind.REAL_TARGET, _shorten(f"{edit.old} → {edit.new}"), files=_pushed(edit))
        old, new = _find_difference(edit.old[:MAX_TEXT], edit.new[:MAX_TEXT])
        if (
            not old
            or not new
            or not (_QUOTED.search(edit.new) or not edit.path.endswith(file_words().analysed_endings))
        ):
            continue
        if _leaves_practice(old, new, edit) or _widens(old, new) or _changes_host(edit) or _eases_selection(edit):
            return Concern(ConcernKind.REAL_TARGET, _shorten(f"{old} → {new}"))
    return None


def _drops_guard(edit: Edit) -> bool:
    """Whether an edit only removes lines, and one of them is a condition, a check or an approval."""
    before = [line.strip() for line in edit.old.split("\n") if line.strip()]
    after = [line.strip() for line in edit.new.split("\n") if line.strip()]
    if len(after) >= len(before) or not set(after) <= set(before):
        return False
    return any(_GUARD.search(line) for line in before if line not in after)


def _pushed(edit: Edit) -> tuple[str, ...]:
    """Return the file of an edit if it takes effect where it is pushed to."""
    return (edit.path[:MAX_SUBJECT],) if any(part in edit.path for part in file_words().pushed_files) else ()


def _is_enabled(key: str, old: str | None, value: str, edit: Edit) -> bool:
    """Whether a switch turns something on that acts on others, by the words around it."""
    if key not in _words()["switches"] or old is None:
        return False
    turned = (
        (old.lower() in _FALSE and value.lower() in _TRUE)
        if key[:2] in ("en", "ac", "on")
        else (old.lower() in _TRUE and value.lower() in _FALSE)
    )
    return turned and not _words()["acting"].isdisjoint(split_long(edit.old[:MAX_TEXT]))


def _eases_selection(edit: Edit) -> bool:
    """Whether a switch is turned off that may only say how something is shown, or a threshold falls to a small part."""
    after, known = dict(find_assignments(edit.new[:MAX_TEXT])), _words()
    for key, old in find_assignments(edit.old[:MAX_TEXT]):
        value = after.get(key, old)
        if key in known["ambiguous"] and old.lower() in _TRUE and value.lower() in _FALSE:
            return True
        if not known["thresholds"].isdisjoint(key.split("_")) and value != old and _shrinks(old, value):
            return True
    return False


def _in_settings(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits of settings and code that other programs read: neither text for people nor tests."""
    for edit in edits:
        if not _PROSE.search(edit.path) and not _TESTED.search(edit.path):
            yield edit


def _shorten(text: str) -> str:
    return quotable(" ".join(text.split())[:MAX_SHOWN])


def _is_loosened(key: str, old: str | None, value: str) -> bool:
    """Whether a key with a new value lets more happen than before; an unknown old value may be any."""
    known, words = _words(), frozenset(key.split("_"))
    on, off = value.lower() in _TRUE, value.lower() in _FALSE
    if off and (old is None or old.lower() in _TRUE):
        rehearses = not words.isdisjoint(known["rehearsing"]) or key in known["rehearsals"]
        guards = not words.isdisjoint(known["safeguards"]) or key in known["safeguard_keys"]
        if rehearses or guards:
            return True
    if on and (old is None or old.lower() in _FALSE):
        guards = not words.isdisjoint(known["safeguards"])
        if key in known["effective"] or (not guards and (not words.isdisjoint(known["outward"]) or _allows(words))):
            return True
    if old is not None and key.rpartition("_")[2] not in known["described"] and _goes_live(old, value):
        return True
    if not words.isdisjoint(known["acts"]) and _multiplies(old, value):
        return True
    if not words.isdisjoint(known["kept"]) and _shrinks(old, value):
        return True
    return not words.isdisjoint(known["limits"]) and words.isdisjoint(known["sizes"]) and _lifts(words, old, value)


def _allows(words: frozenset[str]) -> bool:
    """Whether a switch allows something that acts on others, by the words of its key: `allow_real_transfers`."""
    known = _words()
    return (
        not words.isdisjoint(known["allowing"])
        and not words.isdisjoint(known["acting"])
        and words.isdisjoint(known["shown"])
    )


def _shrinks(old: str | None, value: str) -> bool:
    """Whether a number becomes a small part of what it was."""
    if old is None or not _NUMBER.fullmatch(old) or not _NUMBER.fullmatch(value):
        return False
    first, second = float(old.replace("_", "")), float(value.replace("_", ""))
    return 0 <= second * SMALL_PART <= first and first > 0


def _goes_live(old: str, value: str) -> bool:
    """Whether a word for a test is replaced by one for what is real."""
    before, after = frozenset(split_words(old)), frozenset(split_words(value))
    known = _words()
    return (
        not before.isdisjoint(known["practice"]) and after.isdisjoint(known["practice"]) and not after.isdisjoint(_LIVE)
    )


def _lifts(words: frozenset[str], old: str | None, value: str) -> bool:
    """Whether a limit no longer holds, or is many times as high."""
    known, low = _words(), value.lower()
    if low in known["unlimited"] or (low == "0" and not words.isdisjoint(known["zero_unlimited"])):
        return old is not None and old.lower() not in known["unlimited"]
    return _multiplies(old, value)


def _multiplies(old: str | None, value: str) -> bool:
    """Whether a number becomes many times as large."""
    if old is None or not _NUMBER.fullmatch(old) or not _NUMBER.fullmatch(value):
        return False
    first, second = float(old.replace("_", "")), float(value.replace("_", ""))
    return 0 < first * MANY_TIMES <= second


def _find_difference(old: str, new: str) -> tuple[str, str]:
    """Return the part of a text that is replaced, and the part that replaces it, at the borders of words.

    >>> _find_difference('bucket = "acme-scratch"', 'bucket = "acme-invoices"')
    ('scratch', 'invoices')
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while start and (old[start - 1].isalnum() or new[start - 1 : start].isalnum()):
        start -= 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while end and old[len(old) - end].isalnum():
        end -= 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _leaves_practice(old: str, new: str, edit: Edit) -> bool:
    """Whether words for a test, a draft or one's own machine are replaced by others, in a value that is used."""
    before, after = split_long(old), split_long(new)
    if not any(map(_is_practice, before)) or any(map(_is_practice, after)) or not after:
        return False
    if not _is_value(old, edit):
        return False
    keys = [key for key, _ in find_assignments(edit.new[:MAX_TEXT])]
    return not keys or any(key.rpartition("_")[2] not in _words()["described"] for key in keys)


def _is_value(old: str, edit: Edit) -> bool:
    """Whether a text that is replaced is part of a value, not of the code around it."""
    if not _CODE.search(edit.old):
        return True
    values = (value for _, value in find_assignments(edit.old[:MAX_TEXT]))
    return any(old.strip() in value for value in (*values, *_STRING.findall(edit.old[:MAX_TEXT])))


def _is_practice(word: str) -> bool:
    """Whether a word stands for a test, also with a few more letters: `testco`."""
    return word in _words()["practice"] or (word[:4] in ("test", "demo") and len(word) <= MAX_TEST_NAME)


def _widens(old: str, new: str) -> bool:
    """Whether a selection becomes everything."""
    before, after, everything = split_long(old), split_long(new), _words()["everything"]
    return bool(before) and before.isdisjoint(everything) and not after.isdisjoint(everything)


def _changes_host(edit: Edit) -> bool:
    """Whether an address is replaced by one of another owner; an unknown one may have been anybody's."""
    before, after = _HOST.search(edit.old), _HOST.search(edit.new)
    if before is None and edit.loose and after is not None:
        return not (after["host"] or "").startswith(("localhost", "127."))
    return before is not None and after is not None and _owner(before) != _owner(after)


def _owner(address: re.Match[str]) -> str:
    host = address["host"]
    return ".".join(host.lower().split(".")[-2:]) if host else address["bucket"]


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """Return the lists of `loosened-values.toml` as sets."""
    table, roles = read_table("loosened-values", LoosenedValues), read_table("argument-roles", ArgumentRoles)
    found = {name: frozenset(getattr(table, name)) for name in table.__struct_fields__}
    everything = frozenset(roles.values["all_words"])
    return {**found, "everything": everything, "practice": found["practice"] | frozenset(roles.values["practice"])}
