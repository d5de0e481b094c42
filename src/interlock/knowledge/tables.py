"""The tables in `tables/`: names of files, variables, hosts, packages and tools, and what each of them means."""

from collections.abc import Iterator
from itertools import chain

import msgspec

Words = tuple[str, ...]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of names."""

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return iter(())


class FileNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Names in a path with a known meaning. They are compared in lower case."""

    flags: Words = ()  # none for an ordinary path inside a special folder
    folders: Words = ()  # a folder of this name, anywhere in the path
    paths: Words = ()  # several names in a row, anywhere in the path
    names: Words = ()  # the last name of the path
    endings: Words = ()  # the ending of the last name
    below: str = ""  # the folder that the endings are limited to, if any


class Files(Table, frozen=True, forbid_unknown_fields=True):
    """Files and folders with a known meaning: secrets, startup files, settings of other programs."""

    files: tuple[FileNames, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.files for flag in entry.flags)


class SecretWords(Table, frozen=True, forbid_unknown_fields=True):
    """Words in the names of files that hold secrets, and names that look like secrets but are public."""

    secret: Words  # last words of secret data files: `db-password.txt`
    secret_pairs: tuple[tuple[str, str], ...]  # pairs of words with the same meaning: `api_key`
    secret_folders: Words  # folders whose data files are secrets
    variants: Words  # words after a secret word: `credentials_prod.json`
    data_endings: Words  # of data files; source code with such a name is not a secret
    public_paths: Words
    public_endings: Words
    public_words: Words  # words for certificates, whose files often end like keys


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Environment variables with the same effect."""

    names: Words
    means: str
    values: Words = ()  # the values that turn a check off


class Variables(Table, frozen=True, forbid_unknown_fields=True):
    """Environment variables that load code, run commands, redirect traffic or turn checks off."""

    variables: tuple[Variable, ...]


class Hosts(Table, frozen=True, forbid_unknown_fields=True):
    """Hosts, ports and sockets with a known meaning."""

    metadata: Words  # services that give cloud credentials to the machine
    collectors: Words  # show received requests to the owner of the URL
    drops: Words  # store uploads from anyone, or forward them to a chat
    models: Words  # the usual providers of models
    local_endings: Words
    root_ports: Words  # of daemons that execute requests as root
    root_sockets: Words
    raw_schemes: Words  # schemes that send arbitrary bytes


class Packages(Table, frozen=True, forbid_unknown_fields=True):
    """Popular packages, which are imitated, and packages that a system depends on."""

    popular: Words
    genuine: Words  # real packages whose names look like a popular one
    critical: Words


class ToolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of tools with the same reader."""

    reader: str
    names: Words


class Tools(Table, frozen=True, forbid_unknown_fields=True):
    """Tools by name, the keys of their payloads, and the verbs in names of tools that are not listed."""

    tools: tuple[ToolNames, ...]
    searching: Words  # reading tools that search
    command_keys: Words  # keys of a payload by what they hold, the most usual first
    code_keys: Words
    sql_keys: Words
    path_keys: Words
    content_keys: Words
    url_keys: Words
    patch_keys: Words
    body_keys: Words
    destructive_verbs: Words
    mutating_verbs: Words
    reading_verbs: Words


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Verbs in the commands of service clients."""

    does: str  # `read`, `prepare`, `change` or `destroy`
    words: Words
    flags: Words = ()
    also_nouns: bool = False  # verbs only if there is no other one: `secrets versions destroy 1`


class Resource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in the commands of service clients that name resources."""

    flags: Words
    words: Words


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Options and variables by which clients are told which system they work on."""

    options: Words = ()
    variables: Words = ()  # `*` at the end stands for any ending
    programs: Words = ()  # only for these programs; none means all
    names: str = "address"  # what the value names: `address`, `context`, `file` or `profile`
    emulates: bool = False  # a system for tests, whose secrets are made up


class Clients(Table, frozen=True, forbid_unknown_fields=True):
    """The vocabulary of service clients, and how to tell whether the system that they work on is local."""

    verbs: tuple[Verb, ...]
    resources: tuple[Resource, ...]
    endpoints: tuple[Endpoint, ...]
    local_programs: Words  # clients that only talk to an emulator
    local_switches: Words  # options without a value that keep a client on this machine
    local_contexts: Words  # contexts of local clusters and container engines; `*` at the end stands for any ending
    local_profiles: Words
    cluster_makers: dict[str, str]  # a program and its words that make a local cluster → the context it selects
    tool_commands: Words  # first words of deployment tools that work on the project: `build`, `serve`
    api_hosts: Words  # hosts of the APIs by which clouds and services are managed
    own_commands: Words  # first words of commands about the client itself: its sign-in, settings, plug-ins

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return chain.from_iterable([*(verb.flags for verb in self.verbs), *(entry.flags for entry in self.resources)])


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of git, as patterns, and the effect of setting them."""

    names: Words
    means: str


class GitSettings(Table, frozen=True, forbid_unknown_fields=True):
    """Settings that make git run a program, use other hooks or contact another host."""

    settings: tuple[Setting, ...]


class HostAccess(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of options that give a container access to its host."""

    options: Words
    values: Words
    flags: Words


class Containers(Table, frozen=True, forbid_unknown_fields=True):
    """Options that give a container access to its host."""

    host_access: tuple[HostAccess, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.host_access for flag in entry.flags)


class Kubernetes(Table, frozen=True, forbid_unknown_fields=True):
    """Kinds of objects whose loss or change is severe, with all their names."""

    objects: tuple[Resource, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.objects for flag in entry.flags)


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
    program_endings: Words
    foreign_endings: Words  # of files that are no native libraries
    without_import: dict[str, str]  # name → what it stands for if nothing defines it


class PowerShellAliases(Table, frozen=True, forbid_unknown_fields=True):
    """The aliases that PowerShell has from the start."""

    programs: Words  # aliases that are also programs
    aliases: dict[str, Words]  # cmdlet → its aliases


class Agents(Table, frozen=True, forbid_unknown_fields=True):
    """Coding agents: what turns their own checks off, or starts them without the hooks of their settings."""

    unguarded_options: Words
    settings_options: Words
    settings_words: Words
    unguarded_values: dict[str, Words]
    forcing_options: dict[str, Words]
    packages: dict[str, str]


#: Table → its type. Every file in `tables/` is one of these.
TABLES: dict[str, type[Table]] = {
    "agents": Agents,
    "clients": Clients,
    "containers": Containers,
    "git-settings": GitSettings,
    "hosts": Hosts,
    "kubernetes": Kubernetes,
    "packages": Packages,
    "powershell-aliases": PowerShellAliases,
    "python-names": PythonNames,
    "secret-words": SecretWords,
    "secrets": Files,
    "settings-files": Files,
    "startup-files": Files,
    "tools": Tools,
    "variables": Variables,
}
