"""How a program is described. These types are the notation of the files in `programs/` and what the readers use.

`docs/knowledge.md` explains every key with examples.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from interlock.patterns import searcher

_NOT_JOINED: frozenset[int] = frozenset()
#: The most words of a client's command that an entry of `calls` may name.
MAX_CALL_WORDS = 4


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one option means."""

    flags: tuple[str, ...] = ()  # added to every effect of the command
    value: str = ""  # the role of its value; without a value it is a switch
    second: str = ""  # the role of the value after that one, as in `jq --rawfile NAME FILE`
    optional: bool = False  # the value may be missing, so only an attached one counts
    makes: str = ""  # the kind of effect that replaces the command's own
    replaces_operand: bool = False  # the value replaces the first operand, as in `grep -e`


class Operands(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The roles of a command's operands, by their position."""

    first: tuple[str, ...] = ()
    rest: str = ""  # any number, between the first and the last
    last: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.first or self.rest or self.last)

    @property
    def roles(self) -> tuple[str, ...]:
        """Every role, in order."""
        return (*self.first, *([self.rest] if self.rest else []), *self.last)


class ExampleEffect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An effect that an example must have: its kind, exactly these flags and, if given, its resource."""

    does: str
    flags: tuple[str, ...] = ()
    on: str = ""


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A command line and all the effects that it must have."""

    run: str
    effects: tuple[ExampleEffect, ...]


class Command(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The description of a program or one of its subcommands."""

    also: tuple[str, ...] = ()  # other subcommands with this description
    does: str = ""
    flags: tuple[str, ...] = ()
    operands: Operands = Operands()
    default_operand: str = ""  # the operand if none is given: `ls` lists the working folder
    without_operands: str = ""  # the effect if no operand is given: `swapon` alone only lists
    stdin: str = ""  # the language of the program text that it reads from standard input
    filters: bool = False  # prints its input, changed or in part
    operands_before_command: int = 0  # one in `service NAME start`
    options: Mapping[str, Option] = {}
    commands: "Mapping[str, Command]" = {}
    alone: "Command | None" = None  # without a subcommand
    otherwise: "Command | None" = None  # with a subcommand that is not described
    examples: tuple[Example, ...] = ()

    @cached_property
    def option_table(self) -> dict[str, Option]:
        """Every spelling of every option."""
        return {name: option for names, option in self.options.items() for name in names.split()}

    @cached_property
    def long_options(self) -> tuple[str, ...]:
        """The long spellings, for abbreviations."""
        return tuple(name for name in self.option_table if name.startswith("--"))

    @cached_property
    def subcommands(self) -> "dict[str, Command]":
        """Every spelling of every subcommand."""
        return {name: sub for key, sub in self.commands.items() for name in (key, *sub.also)}

    @cached_property
    def has_subcommands(self) -> bool:
        """Whether the first operand is a subcommand."""
        return bool(self.commands or self.alone or self.otherwise)

    @cached_property
    def has_operands(self) -> bool:
        """Whether operands have roles."""
        return bool(self.operands)

    @cached_property
    def effect_flags(self) -> frozenset[str]:
        """The flags that every effect of this command carries."""
        return frozenset(self.flags)

    @cached_property
    def own_operands(self) -> int:
        """The number of operands before the command that this program wraps, or 0 if it wraps none."""
        if self.has_subcommands:
            return 1
        first = self.operands.first
        return len(first) if first and first[-1] in ("command", "script") else 0


class Client(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the commands of a service client are read: by a verb among their words."""

    reads: str = "infra.read"
    changes: str = "infra.change"
    destroys: str = "infra.destroy"
    prepares: str = "local.change"  # what changes nothing but this machine: a sign-in, a build
    verb_from: int = 1  # the least number of words before the verb
    verb_within: int = 5  # the number of words that are searched for it
    skip: tuple[str, ...] = ()  # first words without meaning

    @property
    def kinds(self) -> tuple[str, str, str, str]:
        """The kinds of effects of reads, local changes, changes and deletions."""
        return self.reads, self.prepares, self.changes, self.destroys


class ClientCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The effect of commands of a client whose verb does not tell it."""

    commands: tuple[str, ...] = ()  # the first words of the command
    anywhere: tuple[str, ...] = ()  # a word, or two in a row, at any depth
    makes: str = ""
    flags: tuple[str, ...] = ()
    value: str = ""  # the role of the arguments after the words

    @property
    def keys(self) -> tuple[str, ...]:
        """The words by which the entry is looked up."""
        return (*self.commands, *self.anywhere)


class OptionValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The flags of certain values of options: `--acl public-read`."""

    options: tuple[str, ...]
    matches: str
    flags: tuple[str, ...]


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """An effect that a call has besides if all conditions hold. Of the words of one condition, one is enough."""

    does: str
    flags: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()  # it is called by this name
    commands: tuple[str, ...] = ()  # these are the first words of the command
    options: tuple[str, ...] = ()  # this option is given
    without: tuple[str, ...] = ()  # no such option is given
    without_commands: tuple[str, ...] = ()  # the call does not begin with these words
    words: tuple[str, ...] = ()  # such an argument, or as many words in a row, is given at any place
    without_words: tuple[str, ...] = ()  # nothing such is given
    values: tuple[str, ...] = ()  # the option, or else an operand, has such a value
    value_in: tuple[str, ...] = ()  # … or a value of such a group
    not_values: tuple[str, ...] = ()  # it has another value than these
    not_in: tuple[str, ...] = ()  # the value is of no such group
    operand_in: tuple[str, ...] = ()  # besides, an operand has a value of such a group


class Phrase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A pattern over all arguments of a program, for an effect that no single option has."""

    matches: str
    does: str
    flags: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()  # only for these names of the program


class Program(Command, frozen=True, dict=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The description of a program with all of its names."""

    names: tuple[str, ...]
    docs: str = ""
    draft: bool = False  # not in force until a person has filled it in and removed this key
    checked: str = ""  # the version whose manual the options were compared with
    syntax: str = ""  # `windows`: options in any case, after `/` or `-`, possibly abbreviated
    client: Client | None = None
    calls: tuple[ClientCall, ...] = ()
    values: tuple[OptionValue, ...] = ()
    when: tuple[When, ...] = ()
    phrases: tuple[Phrase, ...] = ()

    @cached_property
    def option_table(self) -> dict[str, Option]:
        """Every spelling of every option, and for a service client the options that almost all of them have."""
        own = {name: option for names, option in self.options.items() for name in names.split()}
        return {**CLIENT_OPTIONS, **own} if self.client else own

    @cached_property
    def call_table(self) -> dict[tuple[str, ...], ClientCall]:
        """The commands of a client that the description lists."""
        return {tuple(words.split()): call for call in self.calls for words in call.commands}

    @cached_property
    def anywhere(self) -> dict[str, ClientCall]:
        """The words of a client that the description lists for any position."""
        return {word: call for call in self.calls for word in call.anywhere}

    @cached_property
    def value_table(self) -> dict[str, tuple[Callable[[str], bool], tuple[str, ...]]]:
        """The options of a client whose values have flags."""
        return {
            name: (searcher(value.matches, self.names[0]), value.flags)
            for value in self.values
            for name in value.options
        }

    @cached_property
    def phrases_by_name(self) -> dict[str, tuple[Phrase, ...]]:
        """The phrases for each name of the program."""
        named = {name for phrase in self.phrases for name in (phrase.programs or self.names)}
        return {name: tuple(one for one in self.phrases if name in (one.programs or self.names)) for name in named}

    @property
    def conditions(self) -> "tuple[When | Phrase, ...]":
        """Effects that depend on several arguments."""
        return (*self.when, *self.phrases)

    @property
    def as_client(self) -> Client:
        """How the commands of a client are read."""
        if self.client is None:
            raise ValueError(f"`{self.names[0]}` is not a client")
        return self.client

    def find_call(self, words: list[str], joined: frozenset[int] = _NOT_JOINED) -> tuple[ClientCall, int] | None:
        """Return the longest entry of `calls` that a command begins with, and how many words that is.

        `joined` are the words that belong to the one before: `addons:create` is not `addons`.
        """
        table = self.call_table
        for count in range(min(len(words), MAX_CALL_WORDS), -1 if not words else 0, -1):
            found = table.get(tuple(words[:count]))
            if found is not None and count not in joined:
                return found, count
        known = self.anywhere
        for at, word in enumerate(words) if known else ():
            for key in (word, " ".join(words[at : at + 2])):
                if key in known:
                    return known[key], at + 1
        return None


#: Options with the same meaning in almost every client. Not `--dry-run`: many clients ignore unknown options.
CLIENT_OPTIONS = {
    "--help": Option(flags=("help",)),
    **dict.fromkeys(
        "--yes --force --quiet --auto-approve --no-confirm --skip-confirmation --assume-yes --confirm".split(), Option()
    ),
    "--recursive": Option(flags=("recursive",)),
}
