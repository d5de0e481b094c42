"""The tables about commands of the shell: what they fetch, generate, compile and decode, and what they name."""

import msgspec

from interlock.knowledge.tables import Table, Words


class Generator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Programs with the same options."""

    programs: Words
    options: Words  # their value is the file or folder for the output; a plain word is a subcommand before it


class Generators(Table, frozen=True, forbid_unknown_fields=True):
    """Compilers and generators that fill a folder from files of the project."""

    generators: tuple[Generator, ...]


class TestRepositories(Table, frozen=True, forbid_unknown_fields=True):
    """Repositories of test frameworks and test suites that projects clone to run their own tests."""

    repositories: dict[str, Words]  # owner → names


class Naming(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """How clients name the server, the things that they change, and what holds these."""

    programs: Words
    servers: Words = ()  # options whose value is a server
    things: Words = ()  # options whose value is a thing: a topic, a queue, a bucket
    holders: Words = ()  # options whose value holds things: a database, a virtual host
    command: int = -1  # the number of operands before the names; -1 if no operand is a name


class BrokerClients(Table, frozen=True, forbid_unknown_fields=True):
    """Clients of brokers and stores, which tell by names whether a thing is made for a trial."""

    clients: tuple[Naming, ...]
    keys: Words  # names that stand as `key=value` among operands


class Toolchain(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """How programs are given code in a language."""

    programs: Words
    language: str
    codes: Words = ()  # options and subcommands whose value is code
    runs: Words = ()  # subcommands and options that run a file; `*` for a program that always does
    reads_input: bool = False  # without a file it reads standard input
    output: str = ""  # the program that it makes of a file: a name, or `*` for that of the file


class Toolchains(Table, frozen=True, forbid_unknown_fields=True):
    """Compilers and interpreters of compiled languages."""

    toolchains: tuple[Toolchain, ...]
    inputs: Words  # files that stand for standard input
    partial: Words  # options with which a compiler makes no program
    builds: Words  # subcommands that run none of the files that they are given
    outputs: Words  # options whose value is the program that is made


TABLES: dict[str, type[Table]] = {
    "broker-clients": BrokerClients,
    "generators": Generators,
    "test-repositories": TestRepositories,
    "toolchains": Toolchains,
}
