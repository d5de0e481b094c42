"""Libraries that programs call: clients of services, and names with a meaning."""

from collections.abc import Iterator

import msgspec

from interlock.knowledge.table_types import Table, Words


class PythonNames(Table, frozen=True, forbid_unknown_fields=True):
    """Names in Python that mean something in any library, or wherever they stand."""

    run_commands: Words
    send_requests: Words
    take_sql: Words
    inject_code: Words
    delete_files: Words
    write_files: Words
    save_files: Words  # to a path that is their first argument
    read_contents: Words
    write_contents: Words
    program_modules: Words  # beginnings of names whose last part is a program
    identifying_programs: Words
    model_owners: Words  # of repositories that are loaded as usual
    program_endings: Words
    foreign_endings: Words  # of files that are no native libraries
    without_import: dict[str, str]  # name → what it stands for if nothing defines it


class SecretCalls(Table, frozen=True, forbid_unknown_fields=True):
    """Functions of Python libraries that give secrets, and functions that show what they are given."""

    functions: Words  # full names of functions that give a secret
    methods: Words  # methods of any object that give a secret
    settings: Words  # methods that give variables by their names
    attributes: Words  # attributes and keys that hold a secret
    holders: Words  # objects of which `token` is a secret too
    printers: Words  # functions that show what they are given
    writers: Words  # functions that write their first argument to an open file
    printing_methods: Words  # methods of loggers and consoles that do
    transparent: Words  # functions whose result still shows what they were given


class ServiceLibraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries whose objects stand for services of one field."""

    field: str  # `infra`, `cluster`, `container`, `message`, `payment` or `tool`
    packages: Words


class TellingMethods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Methods whose names alone say what they do."""

    means: str  # a kind of effect and its flags
    methods: Words


class ServiceEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signs that an object of an unknown library stands for a service."""

    words: Words
    makers: Words
    arguments: Words


class NearServices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signs that a service runs on this machine or is for tests."""

    texts: Words
    trials: Words
    contexts: Words
    words: Words
    rehearsing: Words
    mocking: Words
    variables: dict[str, Words]  # variable → beginnings of names
    domain_endings: Words


class ServiceMethods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What words in the names of methods mean, beyond the verbs of command lines."""

    neutral: Words
    preparing: Words  # first words
    handles: Words  # last words
    direct: Words
    destroying: Words
    loose: Words  # what is removed from something that stays
    changing: Words
    serious: Words
    money: Words
    messages: Words
    many: Words
    secrets: Words
    secret_facts: Words  # last words
    public_posts: Words
    uploading: Words
    announcing: Words  # of libraries that are not listed


class LocalLibraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries that work in memory or with files."""

    packages: Words
    standard: Words  # modules of Python itself


class ServiceClients(Table, frozen=True, forbid_unknown_fields=True):
    """Client libraries of services, and how their objects and methods are distinguished from local ones."""

    services: tuple[ServiceLibraries, ...]
    telling: tuple[TellingMethods, ...]
    evidence: ServiceEvidence
    near: NearServices
    methods: ServiceMethods
    opening: dict[str, tuple[str | bool, ...]]  # argument → values that open something to everyone
    local: LocalLibraries

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.telling for flag in entry.means.split()[1:])


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions of one language that change what they are given, by what they do to it."""

    appending: Words = ()
    prepending: Words = ()
    inserting: Words = ()  # behind a position
    splicing: Words = ()  # in place of a part: a position, a length, and what comes there
    replacing: Words = ()  # all of it
    merging: Words = ()  # the pairs of other hashes
    storing: Words = ()  # under a key
    reversing: Words = ()
    ordering: Words = ()  # by the elements themselves, if no function is given
    shuffling: Words = ()  # in another order
    taking_first: Words = ()
    taking_last: Words = ()
    changing: Words = ()  # in a way that is not followed
    naming: Words = ()  # a variable: its name or none, and a value


class ChangingFunctions(Table, frozen=True, forbid_unknown_fields=True):
    """Functions of script languages that change a list, a hash or a text in place."""

    languages: dict[str, Changes]


class ScriptService(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries of a script language whose objects stand for services of one field."""

    language: str
    field: str
    packages: Words


class ScriptStore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries of a script language whose objects are clients of stores of one family."""

    language: str
    family: str
    packages: Words


class NamedPackages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries that have something in common."""

    packages: Words


class StatementMethods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Methods that take a statement."""

    methods: Words


class ScriptClients(Table, frozen=True, forbid_unknown_fields=True):
    """Client libraries of script languages."""

    services: tuple[ScriptService, ...]
    stores: tuple[ScriptStore, ...]
    files: NamedPackages
    memory: NamedPackages
    statements: StatementMethods


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "changing-functions": ChangingFunctions,
    "python-names": PythonNames,
    "script-clients": ScriptClients,
    "secret-calls": SecretCalls,
    "service-clients": ServiceClients,
}
