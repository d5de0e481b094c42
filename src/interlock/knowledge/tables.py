"""The tables in `tables/`: names of files, variables, hosts, packages and tools, and what each of them means."""

from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from interlock.lazy import LazyTable

Words = tuple[str, ...]
WordSet = frozenset[str]  # only in a `WordTable`, whose stored form has an order


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of names."""

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return iter(())

    def kinds(self) -> Iterator[str]:
        """Return every kind of effect that the table uses."""
        return iter(())


class WordTable(Table, frozen=True, forbid_unknown_fields=True):
    """A table of many lists of words: a `WordSet` where their order means nothing, `Words` where it does."""


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
    document_endings: Words  # of documents in which people note passwords
    password_lists: Words  # what people call such documents, in many languages
    about_passwords: Words  # words for documents about passwords that hold none
    public_paths: Words
    public_endings: Words
    public_words: Words  # words for certificates, whose files often end like keys
    issuers: Words  # services whose variables hold keys
    revealing_options: Words  # options by which programs show what they would otherwise hide
    asking: Words  # words of commands about settings, of which one is asked for by its name
    showing_verbs: Words  # with a word of `secret_nouns`, a command shows a secret: `token print`
    secret_nouns: Words
    diagnostics: tuple[
        Words, ...
    ]  # a program, and its subcommands that print logs, settings or a screen; none means all


class FetchingClient(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clients with the same commands."""

    programs: Words
    commands: Words  # the words by which they show a remote file or bring it here; an empty text for every call


class RemoteFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Clients that show files of other machines, containers and buckets, or bring them here."""

    clients: tuple[FetchingClient, ...]
    showing: Words  # commands that show a file, so that no operand is a destination
    naming: Words  # options whose value names a remote file
    buckets: Words  # words in the names of buckets for secrets


class CodeLanguage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A language of code."""

    also: Words = ()  # other names of the language
    programs: Words = ()  # they run a script whose first line names them
    endings: Words = ()  # of files, with the dot
    files: Words = ()  # names of files


class Languages(Table, frozen=True, forbid_unknown_fields=True):
    """How languages are called, and by what a file of code is recognised."""

    languages: Mapping[str, CodeLanguage]


class SystemLibraries(Table, frozen=True, forbid_unknown_fields=True):
    """Libraries and folders by which programs of a system are replaced for one person."""

    libraries: Words  # loaded by name
    program_folders: Words  # below home, in which shells look for programs
    library_folders: Words  # below home, in which loaders look for libraries


class FileOrigins(Table, frozen=True, forbid_unknown_fields=True):
    """Endings and names that say whether a person or a program made a file."""

    source_endings: Words  # what people write
    data_endings: Words  # what people collect
    lock_files: Words  # written by package managers
    tool_folders: Words  # below home, full of what programs made or fetched


class PrivatePlaces(Table, frozen=True, forbid_unknown_fields=True):
    """Folders below home in which applications keep what is theirs, and names of files that can hold credentials."""

    containers: Words  # folders with one folder for each application
    settings: Words  # those of them that hold settings
    wholes: Words  # folders that hold these folders
    harmless: Words  # applications and folders that keep nothing private
    telling: Words  # words in the names of files that can hold credentials
    ordinary_endings: Words  # of files that hold none


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Environment variables with the same effect."""

    names: Words
    means: str
    values: Words = ()  # the values that turn a check off
    language: str = ""  # of the code that it holds


class Variables(Table, frozen=True, forbid_unknown_fields=True):
    """Environment variables that load code, run commands, redirect traffic or turn checks off."""

    variables: tuple[Variable, ...]


class Hosts(Table, frozen=True, forbid_unknown_fields=True):
    """Hosts, ports and sockets with a known meaning."""

    metadata: Words  # services that give cloud credentials to the machine
    collectors: Words  # show received requests to the owner of the URL
    drops: Words  # store uploads from anyone, or forward them to a chat
    models: Words  # the usual providers of models
    usual: Words  # forges, registries and model providers, in their usual use
    stores: Words  # object storage, where the account says whose it is
    echoes: Words  # public services for tests, which answer with what they are sent
    shorteners: Words  # links that hide where they lead
    local_endings: Words
    public_endings: Words  # suffixes under which anyone registers names, besides the last label
    well_known: Words  # domains whose names are imitated
    genuine: Words  # real domains whose names look like a well-known one
    carriers: Words  # domains below which others' whole domains stand: content networks, block lists
    endings_inside: Words  # endings that tell that a whole domain stands before another one
    false_endings: Words  # endings that do not exist and look like one that does
    mistyped_endings: Words  # endings that a slip of the finger makes of another one
    imitated: Words  # words in domains that imitate a place where packages and code come from
    root_ports: Words  # of daemons that execute requests as root
    root_sockets: Words
    raw_schemes: Words  # schemes that send arbitrary bytes
    issuers: dict[str, Words]  # services that issue keys → hosts that these are meant for


class Confusables(Table, frozen=True, forbid_unknown_fields=True):
    """Letters that look like plain ones, by the plain letter (a part of the data of Unicode UTS #39)."""

    letters: dict[str, str]
    pairs: dict[str, str]  # several plain letters that look like another one: `rn` and `m`
    dots: str  # characters that clients take for the dot of a host name


class SenderPrograms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a family of programs sends local content to another place."""

    programs: Words
    commands: Words = ()  # the subcommands that send; none if every call does
    options: Words = ()  # options whose value is the target
    variables: Words = ()  # environment variables that hold the target
    operands: str = ""  # which operands may be the target: `last`, `any`, `name`
    content: str = "files"  # `files`, `paths`: local paths; `input`: standard input or an option below; `always`
    carries: Words = ()  # options whose value is local content or a file with it
    store: str = ""  # `account`: without an address, the target is an account at a service
    account: Words = ()  # options, words or variables that name an account, or none


class Senders(Table, frozen=True, forbid_unknown_fields=True):
    """Programs that send local content to another place."""

    senders: tuple[SenderPrograms, ...]
    sending_verbs: Words  # of programs that are not listed
    fetching_verbs: Words
    modules: Words  # of Python, whose clients talk to other machines and services


class Packages(Table, frozen=True, forbid_unknown_fields=True):
    """Popular packages, which are imitated, and packages that a system depends on."""

    popular: Words
    genuine: Words  # real packages whose names look like a popular one
    critical: Words
    compromised: Words  # versions that are known to have carried malicious code
    sources: Words  # hosts of indexes, registries and mirrors that are usual for their ecosystem
    modules: Words  # beginnings of the names of well-known Go modules


class ToolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of tools with the same reader."""

    reader: str
    names: Words


class Tools(Table, frozen=True, forbid_unknown_fields=True):
    """Tools by name, the keys of their payloads, and the verbs in names of tools that are not listed."""

    tools: tuple[ToolNames, ...]
    searching: Words  # reading tools that search
    name_searching: Words  # those that find files by their names
    limiting_keys: Words  # of patterns for the names of the files that are searched
    bare_verbs: Words  # names that say what is done and not with what
    namespaces: Words  # words of names before them by which files, commands and code are meant
    command_keys: Words  # keys of a payload by what they hold, the most usual first
    code_keys: Words
    sql_keys: Words
    path_keys: Words
    content_keys: Words
    url_keys: Words
    patch_keys: Words
    body_keys: Words
    search_keys: Words
    whole_content_keys: Words  # of tools that write a whole file
    hosted_keys: Words  # of a repository at a code host
    database_tools: Words  # words in names of tools whose commands a database runs
    changing_statements: Words  # patterns of words in queries that change something
    destructive_verbs: Words
    mutating_verbs: Words
    reading_verbs: Words


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Verbs in the commands of service clients."""

    does: str  # `read`, `prepare`, `change` or `destroy`
    words: Words
    flags: Words = ()
    also_nouns: bool = False  # verbs only if there is no other one: `secrets versions destroy 1`


class ResourceWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class Labelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of commands that change nothing but labels or descriptions, and the options that they may have."""

    programs: Words
    verbs: Words
    labels: Words
    descriptions: Words  # on which nothing depends, whatever they describe
    tags: Words  # where they are labels and nothing else
    decisive: Words  # parts of words of things whose tags decide what somebody may do, or what runs
    options: Words


class Clients(Table, frozen=True, forbid_unknown_fields=True):
    """The vocabulary of service clients, and how to tell whether the system that they work on is local."""

    verbs: tuple[Verb, ...]
    resources: tuple[ResourceWords, ...]
    endpoints: tuple[Endpoint, ...]
    local_programs: Words  # clients that only talk to an emulator
    rehearsals: Words  # options with which a client only shows what it would do
    local_switches: Words  # options without a value that keep a client on this machine
    local_contexts: Words  # contexts of local clusters and container engines; `*` at the end stands for any ending
    local_profiles: Words
    cluster_makers: dict[str, str]  # a program and its words that make a local cluster → the context it selects
    tool_commands: Words  # first words of deployment tools that work on the project: `build`, `serve`
    api_hosts: Words  # hosts of the APIs by which clouds and services are managed
    own_commands: Words  # first words of commands about the client itself: its sign-in, settings, plug-ins
    labelling: Labelling

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return chain.from_iterable([*(verb.flags for verb in self.verbs), *(entry.flags for entry in self.resources)])


class ProgramGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Programs that are alike in one respect, and what that is."""

    what: str
    programs: Words


class ProgramGroups(Table, frozen=True, forbid_unknown_fields=True):
    """Groups of programs by name."""

    groups: Mapping[str, ProgramGroup]


class ProjectTasks(Table, frozen=True, forbid_unknown_fields=True):
    """Words in the names of a project's tasks and scripts, and of the environments that they are for."""

    runners: Words  # programs that run tasks by their names
    publishers: Words  # runners whose task `release` publishes
    deploys: Words
    uploads: Words  # with a word of `registries`, such a task publishes
    registries: Words
    destroys: Words
    changes: Words
    infrastructure: Words  # what `applies` changes whichever environment it is
    applies: Words
    harmless: Words  # a task with such a word looks, builds or rehearses
    mailings: Words  # messages to many people, if the task is told to reach `everyone`
    everyone: Words
    in_use: Words  # environments that others depend on
    practice: Words  # environments for trying things out
    unattended: Words  # options that skip a question
    rehearses: Words  # options with which nothing is changed


class GitSettingPatterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of git, as patterns, and the effect of setting them."""

    names: Words
    means: str


class GitSettings(Table, frozen=True, forbid_unknown_fields=True):
    """Settings that make git run a program, use other hooks or contact another host.

    `converters` are programs that only turn the content of a file into text, or back; `converted` are the settings by
    which a repository uses them.
    """

    settings: tuple[GitSettingPatterns, ...]
    converters: Words = ()
    converted: Words = ()


class HostAccess(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of options that give a container access to its host."""

    options: Words
    values: Words
    flags: Words


class Containers(Table, frozen=True, forbid_unknown_fields=True):
    """Options that give a container access to its host, and images that are programs."""

    host_access: tuple[HostAccess, ...]
    image_programs: dict[str, str]  # the name of an image → the program that is its entry point

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.host_access for flag in entry.flags)


class Kubernetes(Table, frozen=True, forbid_unknown_fields=True):
    """Kinds of objects whose loss or change is severe, with all their names."""

    objects: tuple[ResourceWords, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.objects for flag in entry.flags)


class StatementWords(Table, frozen=True, forbid_unknown_fields=True):
    """Words that tell whether a text can be a program of its language."""

    continues: Words  # no program begins with them
    keywords: Words  # beside which other words may stand
    tcl: Words  # the commands of Tcl, Tk and expect


class Agents(Table, frozen=True, forbid_unknown_fields=True):
    """Coding agents: how they are called, what turns their own checks off, or starts them without their hooks."""

    names: Words  # in those of programs, packages, folders and terminal sessions
    ordinary_names: Words  # words with another meaning, too
    unguarded_options: Words
    settings_options: Words
    settings_words: Words
    unguarded_values: dict[str, Words]
    unguarded_commands: dict[str, Words]
    forcing_options: dict[str, Words]
    packages: dict[str, str]


class CodeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Files that programs take code from without being told."""

    programs: Words
    names: Words
    language: str = ""  # the language of the file, where it can be read


class Loading(Table, frozen=True, forbid_unknown_fields=True):
    """Where code comes from that a command runs or loads, and how a command says so."""

    toolchains: Words  # folders below home with installed programs
    generators: Words  # commands that print code for a shell
    generating_words: Words  # words before the name of a shell, by which any program prints such code
    shells: Words
    option_words: Words  # parts of names of options whose values are loaded or run
    other_words: Words  # names in which such a part means something else
    data_endings: Words
    checkers: Words  # programs that run none of the files they are given


class CodeFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Which program reads which file in which language."""

    inputs: tuple[CodeFile, ...]


class ProjectSettings(Table, frozen=True, forbid_unknown_fields=True):
    """Words in settings of the project that need approval, in lower case."""

    pipelines: Words  # of CI systems
    shells: Words  # in start-up files of shells that the project keeps
    packages: Words  # of package managers
    editors: Words
    build_files: Words  # settings of build tools, by the ends of their paths
    builds: Words
    action_owners: Words


class SecondOpinion(Table, frozen=True, forbid_unknown_fields=True):
    """The learned model: an action whose features weigh more than `threshold` together is asked about.

    Below `calm`, the rules about what tools do need not ask.
    """

    threshold: float
    bias: float
    weights: Mapping[str, float]
    calm: float = -1e9


#: Table → its type. Types that a shell command seldom needs are imported when their table is read.
TABLES: LazyTable[type[Table]] = LazyTable(
    "interlock.knowledge",
    {
        "tool_tables:TABLES": (
            "argument-roles",
            "service-hosts",
            "tool-programs",
            "people",
            "content",
            "tool-objects",
            "tool-verbs",
            "run-memory",
            "manifests",
            "written-hazards",
            "private-sources",
            "private-words",
        ),
        "command_tables:TABLES": (
            "broker-clients",
            "generators",
            "test-repositories",
            "toolchains",
        ),
        "memory_tables:TABLES": ("record-names", "run-commands", "run-files"),
        "library_tables:TABLES": (
            "applications",
            "powershell-aliases",
            "secret-calls",
            "database-secrets",
            "python-names",
            "script-clients",
            "service-clients",
            "sql",
            "store-clients",
        ),
        "tool_name_words:TABLES": ("tool-names", "tool-arguments"),
        "tool_effect_words:TABLES": ("tool-rights", "tool-audiences"),
        "tool_record_words:TABLES": ("tool-records", "machine-codes"),
        "tool_content_words:TABLES": ("tool-pages", "tool-requests", "tool-code", "tool-secrets", "tool-summaries"),
    },
    ready={
        "file-origins": FileOrigins,
        "languages": Languages,
        "remote-files": RemoteFiles,
        "system-libraries": SystemLibraries,
        "agents": Agents,
        "clients": Clients,
        "code-files": CodeFiles,
        "confusables": Confusables,
        "containers": Containers,
        "git-settings": GitSettings,
        "hosts": Hosts,
        "kubernetes": Kubernetes,
        "loading": Loading,
        "packages": Packages,
        "private-places": PrivatePlaces,
        "project-settings": ProjectSettings,
        "second-opinion": SecondOpinion,
        "second-opinion-calls": SecondOpinion,
        "secret-words": SecretWords,
        "secrets": Files,
        "program-groups": ProgramGroups,
        "project-tasks": ProjectTasks,
        "senders": Senders,
        "settings-files": Files,
        "startup-files": Files,
        "statement-words": StatementWords,
        "tools": Tools,
        "variables": Variables,
    },
)
