"""Clients of a service: `aws ec2 delete-volume`, `heroku pg:reset`. Their verbs say what they do.

Such a program is a `Cli`: a `Spec` whose commands are words rather than a tree. One of the words is a verb of
`verbs.VERBS`; the words around it say what it is done to (`resources.CLASSES`). What the verb does not tell stands
in three tables of the program:

| table | says |
|---|---|
| `calls` | what certain commands mean: `"iam create-access-key": "+credential"` |
| `options` | what an option means, as in any `Spec` |
| `values` | what an option's value means: `"--acl": "public-read.* +public"`, a pattern and a flag |

A meaning is `!kind`, `+flag`, or both. In `calls`, `a/b` is either word, and `… word` is that word at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import product

from interlock.analyse.catalogue.spec import Option, Spec, parse_option

NONE: frozenset[int] = frozenset()

#: Options that mean the same to almost every client. `--dry-run` is not among them: many ignore what they do not know.
COMMON = {
    "--help": "+help",
    "--yes --force --quiet --auto-approve --no-confirm --skip-confirmation --assume-yes --confirm": "",
    "--recursive": "+recursive",
}


class Cli(Spec, frozen=True, dict=True):
    """What is known about the client of a service.

    `kinds` are what its reads, changes and deletions are. The verb stands at `at` or later, within `span` words;
    `skip` are words that say nothing.
    """

    kinds: str = "infra.read infra.change infra.destroy"
    calls: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    skip: str = ""
    at: int = 1
    span: int = 5

    @cached_property
    def option_table(self) -> dict[str, Option]:
        """Every spelling of every option, the common ones too."""
        both = {**COMMON, **self.options}
        return {name: parse_option(meaning) for names, meaning in both.items() for name in names.split()}

    @cached_property
    def call_table(self) -> dict[tuple[str, ...], Option]:
        """The commands whose meaning is written down."""
        return {
            words: parse_option(meaning)
            for key, meaning in self.calls.items()
            for words in product(*(word.split("/") for word in key.split()))
        }

    @cached_property
    def value_table(self) -> dict[str, tuple[re.Pattern[str], str]]:
        """The options whose values mean something."""
        table = {}
        for names, meaning in self.values.items():
            pattern, flag = meaning.rsplit(" +", 1)
            for name in names.split():
                table[name] = (re.compile(pattern, re.IGNORECASE), flag)
        return table

    @cached_property
    def skipped(self) -> frozenset[str]:
        """The words that say nothing."""
        return frozenset(self.skip.split())

    @cached_property
    def three_kinds(self) -> tuple[str, str, str]:
        """What reads, changes and deletions are."""
        read, change, destroy = self.kinds.split()
        return read, change, destroy

    def meaning(self, words: list[str], joined: frozenset[int] = NONE) -> tuple[Option, int] | None:
        """Return what is written down about a command, and how many words that is: the longest entry that fits.

        `joined` are the words that belong to the one before: `addons:create` is not `addons`.
        """
        table = self.call_table
        for count in range(min(len(words), 4), -1 if not words else 0, -1):
            found = table.get(tuple(words[:count]))
            if found is not None and count not in joined:
                return found, count
        return next(((table["…", word], at + 1) for at, word in enumerate(words) if ("…", word) in table), None)
