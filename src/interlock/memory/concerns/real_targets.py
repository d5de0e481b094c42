"""Values that no longer stand for a test: a bucket for customers, all members, a machine of others, no condition.

A program that acts on others by its name then reaches people or data that it did not reach before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from interlock.memory.additions import MAX_SUBJECT
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.values import find_assignments, narrow, split_long
from interlock.memory.calls.words import file_words
from interlock.memory.concerns.loosened_values import FALSE, TRUE, in_settings, known_words, shorten, shrinks
from interlock.memory.model import Concern, ConcernKind
from interlock.patterns import late

MAX_TEST_NAME = 7
_CODE, _STRING = late(r"[\[\](){};]"), late(r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'")
_HOST = late(
    r"(?:(?:https?|wss?|amqps?|smtps?|s?ftps?|ssh|git)://(?:[^\s/@\"']{1,80}@)?(?P<host>[\w-]+(?:\.[\w-]+)+)"
    r"|(?:s3|gs|az|abfss?|b2|r2)://(?P<bucket>[\w.-]+))"
)
#: Lines that let something happen only to some, or only after somebody agreed.
_GUARD = late(
    r"(?i)^\W{0,4}(?:if|unless|when|guard|assert|require|ensure|check|verify|confirm|where|and|filter|needs|environment|"
    r"exclud\w*|ignor\w*|skip\w*|deny\w*|block\w*|except|approv\w*|only)\b"
    r"|\b(?:opted?_?(?:in|out)|unsubscribed?|suppress\w*|approv\w+|confirm\w*|consent|dry_?run|is_test)\b"
)
#: Conditions that everything meets.
_UNFILTERED = late(
    r"(?i)\bwhere\s+(?:true|1\s*=\s*1|1)\b"
    r"|\b(?:filter|match|selector|pattern)\w*[\"']?\s*[:=]+\s*[\"'](?:\.\*|\*|%)?[\"']"
)
_QUOTED = late(r"[\"'=:#@\d]")


def find_real_target(edits: Iterable[Edit]) -> Concern | None:
    """Return a concern about a value that no longer stands for a test or for a machine of the same owner."""
    for edit in map(narrow, in_settings(edits)):
        if _drops_guard(edit) or _drops_filter(edit):
            return Concern(ConcernKind.REAL_TARGET, shorten(f"{edit.old} → {edit.new}"), files=_pushed(edit))
        old, new = _find_difference(edit.old, edit.new)
        is_code = edit.path.endswith(file_words().analysed_endings)
        if not old or not new or (is_code and not _QUOTED.search(edit.new)):
            continue
        if _leaves_practice(old, new, edit) or _widens(old, new) or _changes_host(edit) or _eases_selection(edit):
            return Concern(ConcernKind.REAL_TARGET, shorten(f"{old} → {new}"), files=_pushed(edit))
    return None


def _drops_guard(edit: Edit) -> bool:
    """Whether an edit only removes lines, and one of them is a condition, a check or an approval."""
    return not edit.new.strip() and any(_GUARD.search(line.strip()) for line in edit.old.split("\n"))


def _drops_filter(edit: Edit) -> bool:
    """Whether a condition becomes one that everything meets."""
    return bool(edit.old) and _UNFILTERED.search(edit.new) is not None and _UNFILTERED.search(edit.old) is None


def _pushed(edit: Edit) -> tuple[str, ...]:
    """Return the file of an edit if it takes effect where it is pushed to."""
    return (edit.path[:MAX_SUBJECT],) if any(part in edit.path for part in file_words().pushed_files) else ()


def _eases_selection(edit: Edit) -> bool:
    """Whether a switch is turned off that may only say how something is shown, or a threshold falls to a small part."""
    after, known = dict(find_assignments(edit.new)), known_words()
    for key, old in find_assignments(edit.old):
        value = after.get(key, old)
        if key in known["ambiguous"] and old.lower() in TRUE and value.lower() in FALSE:
            return True
        if not known["thresholds"].isdisjoint(key.split("_")) and value != old and shrinks(old, value):
            return True
    return False


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
    keys = [key for key, _ in find_assignments(edit.new)]
    return not keys or any(key.rpartition("_")[2] not in known_words()["described"] for key in keys)


def _is_value(old: str, edit: Edit) -> bool:
    """Whether a text that is replaced is part of a value, not of the code around it."""
    if not _CODE.search(edit.old):
        return True
    values = (value for _, value in find_assignments(edit.old))
    return any(old.strip() in value for value in (*values, *_STRING.findall(edit.old)))


def _is_practice(word: str) -> bool:
    """Whether a word stands for a test, also with a few more letters: `testco`, `mockito`."""
    return word in known_words()["practice"] or (word[:4] in ("test", "demo", "mock") and len(word) <= MAX_TEST_NAME)


def _widens(old: str, new: str) -> bool:
    """Whether a selection becomes everything."""
    before, after, everything = split_long(old), split_long(new), known_words()["everything"]
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
