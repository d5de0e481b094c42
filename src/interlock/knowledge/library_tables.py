"""The tables about libraries that programs call: clients of services and stores, and telling names."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.tables import Table, Words


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


class ServiceLibraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Libraries whose objects stand for services of one field."""

    field: str  # `infra`, `cluster`, `container`, `message`, `payment` or `tool`
    packages: Words


class TellingMethods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Methods that say by their name alone what they do."""

    means: str  # a kind of effect and its flags
    methods: Words


class ServiceEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells that an object of an unknown library stands for a service."""

    words: Words
    makers: Words
    arguments: Words


class NearServices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells that a service is on this machine or made for tests."""

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
    """Client libraries of services, and how their objects and methods are told from local ones."""

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


class StoreMethods(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Methods of the clients of stores that do the same."""

    does: str
    names: Words
    flags: Words = ()  # `filter`: whatever the filter among the arguments says
    family: str = ""  # of stores; any object has such a method if there is none

    @property
    def meaning(self) -> str:
        """The kind of the effect and its flags."""
        return " ".join((self.does, *self.flags))


class StoreClients(Table, frozen=True, forbid_unknown_fields=True):
    """Client libraries of stores, and what their methods do by name."""

    libraries: Mapping[str, Words]  # by the family of stores
    in_memory: Words
    memory_by_default: Words
    memory_always: Words
    local_by_default: Words
    creating: Words
    statements: Words
    dropping: Words
    deleting: Words
    containers: Words
    granting: Words
    accounts: Words
    setting: Words
    settings: Words
    build_folders: Words
    methods: tuple[StoreMethods, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.methods for flag in entry.flags if flag != "filter")

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return (entry.does for entry in self.methods)


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
class SqlStatements(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Statements that begin with certain words, and what they do."""

    does: str
    words: Words
    flags: Words = ()


class SqlFunctions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions that give a statement a flag."""

    flag: str
    names: Words


class Sql(Table, frozen=True, forbid_unknown_fields=True):
    """What SQL does: statements by their first words, functions by name, and names that databases have of their own."""

    keywords: tuple[SqlStatements, ...]
    statements: tuple[SqlStatements, ...]
    functions: tuple[SqlFunctions, ...]
    outside_families: Words
    showing_procedures: Words
    reading_verbs: Words
    deleting_verbs: Words
    file_readers: Words
    remote_readers: Words
    extensions: Words
    dynamic: Words
    untrusted: Words
    running_tables: Words
    reaching_extensions: Words
    credential_tables: Words
    credential_columns: Words

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        yield from (flag for entry in (*self.keywords, *self.statements) for flag in entry.flags)
        yield from (entry.flag for entry in self.functions)

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return (entry.does for entry in (*self.keywords, *self.statements))


class ApplicationRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that a script can tell an application to do."""

    matches: str  # what stands in the script
    does: str
    flags: Words = ()
    applications: Words = ()  # their names; any application if there are none
    without: str = ""  # what must not stand in the script


class Applications(Table, frozen=True, forbid_unknown_fields=True):
    """What scripts tell the applications of a Mac to do."""

    requests: tuple[ApplicationRequest, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.requests for flag in entry.flags)


class PowerShellAliases(Table, frozen=True, forbid_unknown_fields=True):
    """The aliases that PowerShell has from the start."""

    programs: Words  # aliases that are also programs
    aliases: dict[str, Words]  # cmdlet → its aliases


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


class DatabaseSecrets(Table, frozen=True, forbid_unknown_fields=True):
    """Words in the names of columns and tables of databases that hold secrets, or decide who may do what."""

    secret: Words  # words for secrets in columns
    secret_pairs: tuple[tuple[str, str], ...]
    ambiguous: Words  # secrets only in tables that are about signing in
    harmless: Words  # last words of columns that say something about a secret
    tables: Words  # words in tables that are about signing in
    stores: Words  # tables of which every row is a secret
    settings: Words  # functions that show a setting
    logs: Words  # words in tables that record what others typed or sent
    rights: Words  # words in columns that decide what an account may do
    granting: Words  # values of these that give more rights
    accounts: Words  # words in tables of accounts
    rights_tables: Words  # words in tables that say who may do what
    leading: Words  # words in columns that say where people or tokens are sent
    money_columns: Words  # words in columns that say how much somebody has or gets, and where it goes
    money_tables: Words  # words in tables of which such columns count
    transfers: Words  # words in tables of which every new row moves money


TABLES: dict[str, type[Table]] = {
    "applications": Applications,
    "powershell-aliases": PowerShellAliases,
    "secret-calls": SecretCalls,
    "database-secrets": DatabaseSecrets,
    "python-names": PythonNames,
    "script-clients": ScriptClients,
    "service-clients": ServiceClients,
    "store-clients": StoreClients,
    "sql": Sql,
}
