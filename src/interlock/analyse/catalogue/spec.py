"""How a program is described: one `Spec`, from which the one option parser and the one reader work.

Roles say what a value is. A role is a kind of effect (`fs.read`, `net.fetch`, …), or one of:

| role | the value is |
|---|---|
| `-` | data, of no interest |
| `command` | a program with its arguments, to the end of the line |
| `script` | a file that is run, followed by its own arguments |
| `code:LANGUAGE` | program text (`code:shell`, `code:python`, `code:sql`, `code:perl`, …) |
| `chdir` | the folder that the rest happens in |
| `upload` | data that is sent; `@name` is a file |
| `mount` | a folder of this machine that a container may write, up to the first `:` |
| `pattern` | what is looked for: a search for keys is told from any other |
| `history` | what is looked for in all that was ever committed |
| `repository` | where a repository is fetched from; `ext::…` is a command |

`default` is the operand where none is given: `ls` lists the working folder. `bare` is what the program does where
none is given: `swapon` alone only lists. `verb` is how many operands stand before the subcommand: one in
`service NAME start`.

`operands` lists the roles of the operands; one of them may end in `*` and takes all that are left over.

`options` maps the names of an option to what it means: `""` a switch without meaning here, `+word` a switch
that puts a flag on every effect, `=role` an option with a value, `!kind` a switch that makes the operands
something else (`sed -i` writes what it would only read), `^` an option that stands for the first operand
(`grep -e`). Several may be combined: `"!fs.write +in_place"`. `stdin` is the language of what comes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec

from interlock.effects import KINDS

ROLES = frozenset({"-", "command", "script", "chdir", "upload", "mount", "pattern", "history", "repository"})


class Option(NamedTuple):
    """What one option means."""

    flags: tuple[str, ...] = ()
    role: str | None = None
    kind: str | None = None
    optional: bool = False
    first: bool = False


class Operands(NamedTuple):
    """The roles of operands: those before, the one that repeats, those after."""

    head: tuple[str, ...] = ()
    star: str | None = None
    tail: tuple[str, ...] = ()


class Spec(msgspec.Struct, frozen=True, dict=True):
    """What is known about a program or one of its subcommands."""

    names: str
    does: str = ""
    operands: str = ""
    options: Mapping[str, str] = {}
    sub: Mapping[str, Spec | str] = {}
    flags: str = ""
    filters: bool = False
    default: str = ""
    bare: str = ""
    verb: int = 0
    stdin: str = ""

    @cached_property
    def option_table(self) -> dict[str, Option]:
        """Every spelling of every option."""
        return {name: parse_option(meaning) for names, meaning in self.options.items() for name in names.split()}

    @cached_property
    def long_options(self) -> tuple[str, ...]:
        """The long spellings, for abbreviations."""
        return tuple(name for name in self.option_table if name.startswith("--"))

    @cached_property
    def operand_roles(self) -> Operands:
        """The operand roles, taken apart."""
        roles = self.operands.split()
        stars = [index for index, role in enumerate(roles) if role.endswith("*")]
        if not stars:
            return Operands(tuple(check_role(role) for role in roles))
        at = stars[0]
        return Operands(
            tuple(check_role(role) for role in roles[:at]),
            check_role(roles[at][:-1]),
            tuple(check_role(role) for role in roles[at + 1 :]),
        )

    @cached_property
    def subcommands(self) -> dict[str, Spec]:
        """Every spelling of every subcommand."""
        return {name: as_spec(name, spec) for names, spec in self.sub.items() for name in names.split() or [""]}

    @cached_property
    def effect_flags(self) -> frozenset[str]:
        """The flags that every effect of this program carries."""
        return frozenset(self.flags.split())

    @cached_property
    def own_operands(self) -> int:
        """How many operands belong to this program, where another one's words follow them; else 0."""
        if self.sub:
            return 1
        head = self.operand_roles.head
        return len(head) if head and head[-1] in ("command", "script") else 0


def as_spec(name: str, spec: Spec | str) -> Spec:
    """Return a subcommand's description; a plain string is short for what it does."""
    if isinstance(spec, Spec):
        return spec
    if "*" in spec or spec.split()[0] in ROLES:
        return Spec(name, operands=spec)
    return Spec(name, does=spec)


def check_role(role: str) -> str:
    """Return the role, or raise for one that nobody knows."""
    if role in KINDS or role in ROLES or role.startswith("code:"):
        return role
    raise ValueError(f"unknown role `{role}`")


def parse_option(meaning: str) -> Option:
    """Return what an option means."""
    flags, role, kind, optional, first = [], None, None, False, False
    for word in meaning.split():
        if word == "^":
            first = True
        elif word[0] == "+":
            flags.append(word[1:])
        elif word[0] == "=":
            optional = word.endswith("?")
            role = check_role(word[1:].rstrip("?") or "-")
        elif word[0] == "!":
            kind = check_role(word[1:])
        else:
            raise ValueError(f"unknown meaning `{word}`; write `+flag`, `=role`, `!kind` or `^`")
    return Option(tuple(flags), role, kind, optional, first)
