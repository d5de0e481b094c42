"""The tables in `tables/`: names of files, variables, hosts, packages and tools, and what each of them means."""

from __future__ import annotations

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
    """Names in a path that say what it is. They are compared in lower case."""

    flags: Words = ()  # none for what is ordinary although it stands in a folder that is not
    folders: Words = ()  # a folder of this name, anywhere in the path
    paths: Words = ()  # several names in a row, anywhere in the path
    names: Words = ()  # the last name of the path
    endings: Words = ()  # how the last name ends
    below: str = ""  # the folder in which the endings mean this; anywhere if it is left out


class Files(Table, frozen=True, forbid_unknown_fields=True):
    """Files and folders that mean something: what must not be read, what runs by itself, what others obey."""

    files: tuple[FileNames, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.files for flag in entry.flags)


class SecretWords(Table, frozen=True, forbid_unknown_fields=True):
    """Secrets by the words that people call them by, and what is public although it looks like one."""

    secret: Words  # make a data file a secret: `db-password.txt`
    secret_pairs: tuple[tuple[str, str], ...]  # two words that together do: `api_key`
    secret_folders: Words  # folders whose data files are secrets
    variants: Words  # say which one it is: `credentials_prod.json`
    data_endings: Words  # of files that hold data; source text with such a name holds none
    public_paths: Words
    public_endings: Words
    public_words: Words  # certificates, which are public, often end like keys


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Environment variables that do more than hold a value."""

    names: Words
    means: str
    values: Words = ()  # the values that turn a check off


class Variables(Table, frozen=True, forbid_unknown_fields=True):
    """Environment variables that load code, run commands, redirect traffic or turn checks off."""

    variables: tuple[Variable, ...]


class Hosts(Table, frozen=True, forbid_unknown_fields=True):
    """Hosts, ports and sockets that mean something."""

    metadata: Words  # where a cloud hands its credentials to the machine
    collectors: Words  # show what was sent to them to the owner of the address
    drops: Words  # keep what anyone gives them, or pass it on to a chat
    models: Words  # the usual providers of models
    local_endings: Words
    root_ports: Words  # of daemons that do as root what they are asked
    root_sockets: Words
    raw_schemes: Words  # schemes that put any bytes on the wire


class Packages(Table, frozen=True, forbid_unknown_fields=True):
    """Packages that are imitated, and packages that a system cannot do without."""

    popular: Words
    genuine: Words  # real packages whose names look like a popular one
    critical: Words


class ToolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of tools that are read in the same way."""

    reader: str
    names: Words


class Tools(Table, frozen=True, forbid_unknown_fields=True):
    """Tools by name, the keys of their payloads, and the verbs in names of tools that are not listed."""

    tools: tuple[ToolNames, ...]
    searching: Words  # reading tools that look for something
    command_keys: Words  # under which a payload carries each thing, the most usual first
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
    """Verbs in the commands of services' clients."""

    does: str  # `read`, `change` or `destroy`
    words: Words
    flags: Words = ()
    also_nouns: bool = False  # verbs only where no other one stands: `secrets versions destroy 1`


class Resource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in the commands of services' clients that say what they are about."""

    flags: Words
    words: Words


class Clients(Table, frozen=True, forbid_unknown_fields=True):
    """The vocabulary of services' clients."""

    verbs: tuple[Verb, ...]
    resources: tuple[Resource, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return chain.from_iterable([*(verb.flags for verb in self.verbs), *(entry.flags for entry in self.resources)])


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of git, as patterns, and what setting them means."""

    names: Words
    means: str


class GitSettings(Table, frozen=True, forbid_unknown_fields=True):
    """Settings by which git runs a program, takes its hooks from a folder, or goes somewhere else."""

    settings: tuple[Setting, ...]


class HostAccess(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of a container's options that give it the machine it runs on."""

    options: Words
    values: Words
    flags: Words


class Containers(Table, frozen=True, forbid_unknown_fields=True):
    """Options that give a container the machine it runs on."""

    host_access: tuple[HostAccess, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.host_access for flag in entry.flags)


class Kubernetes(Table, frozen=True, forbid_unknown_fields=True):
    """Kinds of objects whose loss or change means more than others', under every name they have."""

    objects: tuple[Resource, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.objects for flag in entry.flags)


class Agents(Table, frozen=True, forbid_unknown_fields=True):
    """Options of coding agents that turn their own checks off."""

    unguarded_options: Words


#: Table → its type. Every file in `tables/` is one of these.
TABLES: dict[str, type[Table]] = {
    "agents": Agents,
    "clients": Clients,
    "containers": Containers,
    "git-settings": GitSettings,
    "hosts": Hosts,
    "kubernetes": Kubernetes,
    "packages": Packages,
    "secret-words": SecretWords,
    "secrets": Files,
    "settings-files": Files,
    "startup-files": Files,
    "tools": Tools,
    "variables": Variables,
}
