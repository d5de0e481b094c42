"""The vocabulary page: every kind of effect and every flag, made from the tables that the engine loads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from interlock.effects import BASES, KINDS
from interlock.flags import GROUPS

HEAD = """# Vocabulary

Every word for what an action does. This page is made by `make docs` from `src/interlock/effects.py` and
`src/interlock/flags.py`.

An *effect* is one thing that an action would do: its **kind** says what happens, its **flags** say how, to what or
with which data. `git push -f` has an effect of the kind `vcs.push` with the flag `force`; `interlock explain` shows
the effects of any command. Descriptions of programs and rules, yours too, use only these words: another one is
refused when the file is loaded, with the nearest right word.
"""

KINDS_HEAD = """## Kinds

The *resource* is what the effect is on. The *category* gives the base points of a score.
"""

FLAGS_HEAD = """## Flags

A flag may stand on effects of many kinds. One that has several meanings names them all; the kind says which one holds.
"""


def page() -> str:
    """Return the vocabulary as Markdown."""
    flags = [
        f"### {heading}\n\n" + _table(("flag", "meaning"), [(f"`{flag}`", says) for flag, says in group.items()])
        for heading, group in GROUPS.items()
    ]
    return "\n".join([HEAD, KINDS_HEAD, _kinds(), FLAGS_HEAD, *flags])


def _kinds() -> str:
    rows = [
        (f"`{name}`", kind.says, kind.resource, kind.category, str(BASES[kind.category]))
        for name, kind in KINDS.items()
    ]
    return _table(("kind", "meaning", "resource", "category", "points"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
