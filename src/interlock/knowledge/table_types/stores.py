"""Data stores: the effects of their clients' methods and of statements, and their secret columns."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.table_types import Table, Words


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


class SqlStatements(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Statements that begin with certain words, and what they do."""

    does: str
    words: Words
    flags: Words = ()


class SqlFunctions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions that give a statement a flag."""

    flag: str
    names: Words


class SqlSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a session that protect with certain values only."""

    names: Words
    protecting: Words


class Sql(Table, frozen=True, forbid_unknown_fields=True):
    """What SQL does: statements by their first words, functions by name, and names that databases have of their own."""

    keywords: tuple[SqlStatements, ...]
    statements: tuple[SqlStatements, ...]
    functions: tuple[SqlFunctions, ...]
    settings: tuple[SqlSettings, ...]
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
    sending_functions: Words
    fetching_functions: Words
    remote_tables: Words
    links: Words

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        yield from (flag for entry in (*self.keywords, *self.statements) for flag in entry.flags)
        yield from (entry.flag for entry in self.functions)

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return (entry.does for entry in (*self.keywords, *self.statements))


class DatabaseSecrets(Table, frozen=True, forbid_unknown_fields=True):
    """Words in the names of database columns and tables that hold secrets or access rights."""

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


class StoreCommandGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Commands that do the same."""

    does: str
    commands: Words  # a command, or a command with its first argument
    flags: Words = ()


class CommandedStore(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A store that takes commands, and the ports on which it takes them in lines of text."""

    groups: tuple[StoreCommandGroup, ...]
    ports: Words = ()

    def meanings(self) -> dict[str, tuple[str, ...]]:
        """Return the kind of effect of each command, and its flags."""
        return {name: (group.does, *group.flags) for group in self.groups for name in group.commands}


class StoreCommands(Table, frozen=True, forbid_unknown_fields=True):
    """The effects of the commands of data stores."""

    stores: Mapping[str, CommandedStore]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for store in self.stores.values() for group in store.groups for flag in group.flags)

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return (group.does for store in self.stores.values() for group in store.groups)


class StoreRequests(Table, frozen=True, forbid_unknown_fields=True):
    """Ports and paths of stores that are spoken to over HTTP."""

    ports: Words
    shared_ports: Words
    statement_ports: Words
    accounts: Words


class Connections(Table, frozen=True, forbid_unknown_fields=True):
    """Options and variables by which commands are told the server, the database and the environment."""

    host_options: Words
    port_options: Words
    name_options: Words
    url_options: Words
    task_options: Words
    task_url_options: Words
    environment_variables: Words
    database_variables: Words
    file_clients: Words


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "connections": Connections,
    "database-secrets": DatabaseSecrets,
    "sql": Sql,
    "store-clients": StoreClients,
    "store-commands": StoreCommands,
    "store-requests": StoreRequests,
}
