"""Names in commands and calls: hosts, groups of programs, tasks, settings of git, coding agents, tools."""

from collections.abc import Mapping

import msgspec

from interlock.knowledge.table_types import Table, Words


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
    shared_ports: Words


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
    file_options: Words
    topic_options: Words
    account_options: Words
    harmless_options: Words


class ProgramGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of programs with something in common, and a description of that."""

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


class Agents(Table, frozen=True, forbid_unknown_fields=True):
    """Coding agents: their names, and options that turn their checks off or start them without their hooks."""

    names: Words  # in those of programs, packages, folders and terminal sessions
    ordinary_names: Words  # words with another meaning, too
    unguarded_options: Words
    settings_options: Words
    settings_words: Words
    unguarded_values: dict[str, Words]
    unguarded_commands: dict[str, Words]
    forcing_options: dict[str, Words]
    packages: dict[str, str]


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


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "agents": Agents,
    "git-settings": GitSettings,
    "hosts": Hosts,
    "program-groups": ProgramGroups,
    "project-tasks": ProjectTasks,
    "senders": Senders,
    "tools": Tools,
}
