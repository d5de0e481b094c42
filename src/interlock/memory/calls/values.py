"""Keys and values in texts of any format: `key: value`, `key = value`, `"key": value`, `key=value` in a call."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.knowledge.tool_names import join_words, split_words
from interlock.memory.calls.text_edits import Edit
from interlock.patterns import late

MAX_VALUES = 2_000
_ASSIGNMENT = late(
    r"(?P<key>[A-Za-z_][\w.-]{0,60})[\"']?\s{0,4}"
    r"(?::\s{0,4}(?:&'?\w{1,20} ?)?[A-Za-z]\w{0,20}(?:<\w{1,20}>|\[\])?\s{0,4}=(?!=)|=>|:=|[?+]?=(?!=)|:)\s{0,4}"
    r"(?P<value>\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s,;(){}\[\]\"'#]{1,200})"
)


def find_assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and values in a text, the keys in snake case and the values without quotes.

    >>> list(find_assignments('maxUsd: 20, "dry_run": true'))
    [('max_usd', '20'), ('dry_run', 'true')]
    """
    for at, found in enumerate(_ASSIGNMENT.finditer(text)):
        if at >= MAX_VALUES:
            return
        yield join_words(found["key"].rpartition(".")[2] or found["key"]), found["value"].strip("\"'")


def split_long(text: str) -> frozenset[str]:
    """Return the words of a text of any length."""
    return frozenset(word for part in text.split() for word in split_words(part))


def narrow(edit: Edit) -> Edit:
    """Return an edit without the lines that it leaves as they are, so that many of them hide nothing."""
    before, after = edit.old.split("\n"), edit.new.split("\n")
    same = {line.strip() for line in before} & {line.strip() for line in after}
    old, new = ("\n".join(line for line in lines if line.strip() not in same) for lines in (before, after))
    return Edit(edit.path, old, new, edit.loose)
