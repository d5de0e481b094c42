"""The tables about tool calls: verbs, objects, arguments, people, content, and hosts of services."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.tables import Table, Words


class ToolVerbs(Table, frozen=True, forbid_unknown_fields=True):
    """Verbs in the names and descriptions of tools."""

    groups: Mapping[str, Words]
    nouns: Words  # verbs that are nouns as well
    outcomes: Words  # last words that make a name a read
    questions: Words  # first words that make a name a read
    connecting: Words
    prepositions: Words
    keeping: Words  # beginnings after which a verb means the same
    reversing: Words  # beginnings after which a verb means the opposite
    brands: Words  # names of services that are one word
    carriers: Words  # last words of tools that run what they are given
    hazardous: Words  # what may hurt people or property, on any device
    revealing: Words  # that reveal hidden people or things
    effacing: Words  # verbs that make a record unreadable for good
    drafts: Words  # words that make a name a draft
    glancing: Words  # what looks at secrets without showing them
    naming: Words  # what changes only how something is called or shown
    bringing: Words  # what brings figures, if the name ends in one of them
    figures: Words
    ambiguous: Words  # what trades goods or money, but not anything else
    launching: Words  # what lets something go that was waiting
    controlling: Words  # last words of tools that do to a device what they are told
    wrappers: Words  # last words that name the tool itself
    nominals: Mapping[str, str]  # noun at the end of a name → the verb that it stands for


class RunMemory(Table, frozen=True, forbid_unknown_fields=True):
    """What tools that read let into a run, and by what a call can carry data out."""

    public: Words  # in names of tools that read what everyone may know
    internal: Words  # in names of tools whose data the organisation has put there
    outside: Words  # in arguments: places and readers outside
    opening: Words  # arguments that open something to people outside if they are true
    closing: Words  # those that do if they are false
    answering: Words  # verbs of tools that answer somebody
    team: Words  # in names of servers that a team writes to among itself
    inside: Words  # in names of tools that write for colleagues alone
    conversations: Words  # in names of tables in which people write to each other
    open_platforms: Words  # services at which everyone reads what is written
    timers: Words  # in names of tools and arguments by which something runs at set times
    browsers: Words  # in names of tools that fill in pages
    copying: Words  # in names of such tools and on buttons by which something is copied
    pasting: Words  # those by which it is pasted
    inner_hosts: Words  # parts of host names of internal pages
    typing: Words  # verbs of such tools that enter something
    chats: Words  # services in which colleagues talk
    rooms: Words  # arguments that name a channel of a chat
    readers: Words  # arguments that say who may read something
    customers: Words  # values of those that let people outside read it
    outward: Words  # in names of tools that write to people outside by their nature
    preparing: Words  # rules about calls that prepare something
    triggering: Words  # verbs of tools that set something off
    defining: Words  # verbs of tools that change what a name stands for
    definitions: Words  # things that stand for others
    naming: Words  # last words of arguments that name what a call sets
    standing: Words  # in names of tools that set what holds for all later calls of their service
    states: Words  # last words of arguments that say whether something is in effect
    looking: Words  # subcommands that only show how things are
    secret_naming: Words  # arguments that name what another one holds
    secret_values: Words  # arguments that hold what those name
    texts: Words  # arguments with text for people
    place_ids: Words  # endings of arguments that name a place
    defaults: Words  # in names of tools that set defaults
    places: Words  # arguments that hold a place
    sharing: Words  # in names of tools that ask who can see something
    first_verbs: Words  # first words of names of tools that name no service
    creating: Words  # verbs of tools that hand something in
    approving: Words  # by which something is approved
    verdicts: Words  # arguments that put something into a state
    payments: Words  # in names of tools that pay or claim
    amounts: Words  # arguments that hold an amount
    tracking: Words  # in names of tools that locate
    parties: Words  # arguments that name who is paid
    claims: Words  # in names of tools that pay, claim or request
    writing: Words  # verbs of tools that put a text somewhere
    owners: Words  # arguments that say whose place it is
    visible: Words  # arguments that make something visible
    asking: Words  # arguments by which a tool is asked something
    elements: Words  # arguments that say where in a page
    saving: Words  # verbs of tools that save something
    memories: Words  # in names of tools that write into an agent's memory
    speaking: Words  # of calls that tell somebody something
    profiles: Words  # in names of tools that say who the agent is
    selecting: Words  # verbs of tools that choose something for later calls
    selected: Words  # what those choose


class Hazard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What texts would do in which certain signals occur."""

    name: str
    what: str
    all: Words
    unless: Words = ()  # signals that rule it out
    together: bool = False  # the signals may stand in different files of a run
    unread: bool = False  # only in files whose commands are not read by task


class DependencyManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files that name dependencies, and the programs that fetch these."""

    names: Words
    programs: Words


class Manifests(Table, frozen=True, forbid_unknown_fields=True):
    """The manifests of all ecosystems, and the hosts at which projects keep their repositories."""

    forges: Words
    manifests: tuple[DependencyManifest, ...]


class WrittenHazards(Table, frozen=True, forbid_unknown_fields=True):
    """What files that a run has written would do, by what stands in them side by side."""

    prose: Words  # endings of files that nothing runs
    read_files: Words  # whose commands are read by task
    read_endings: Words
    read_folders: Words
    signals: Mapping[str, Words]  # patterns
    hazards: tuple[Hazard, ...]


class PrivateSources(Table, frozen=True, forbid_unknown_fields=True):
    """Names of sensitive data, and commands that put such data into files."""

    secret_words: Words
    key_endings: Words
    setting_endings: Words
    networks: Words
    private_folders: Words
    kept_by_programs: Words
    personal_folders: Words
    system_folders: Words
    ambiguous_endings: Words
    dumps: Words
    code_endings: Words
    script_endings: Words
    table_endings: Words
    patterns: Mapping[str, Words]


class PrivateWords(Table, frozen=True, forbid_unknown_fields=True):
    """Words in several languages for sensitive data, by concept."""

    documents: Mapping[str, Words]  # what documents are about that few people may read
    subjects: Mapping[str, Words]  # who or what rows are about
    fields: Mapping[str, Words]  # what columns hold about one person


class ToolObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that tools act on, and the effect of each group of verbs on it."""

    name: str
    words: Words = ()
    keys: Words = ()  # of arguments that say that this is changed
    safe: Words = ()  # verbs that need not be asked about
    service: bool = False  # the words are names of services, which count last
    any: str = ""  # of the groups that are not listed
    read: str = ""
    watch: str = ""
    draft: str = ""
    make: str = ""
    change: str = ""
    remove: str = ""
    send: str = ""
    publish: str = ""
    share: str = ""
    grant: str = ""
    pay: str = ""
    transfer: str = ""
    trade: str = ""
    book: str = ""
    approve: str = ""
    submit: str = ""
    sign: str = ""
    operate: str = ""
    run: str = ""
    install: str = ""
    export: str = ""
    flags: Words = ()


class ToolObjects(Table, frozen=True, forbid_unknown_fields=True):
    """What tools act on; more telling objects stand first."""

    objects: tuple[ToolObject, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for thing in self.objects for flag in thing.flags)


class ArgumentRoles(Table, frozen=True, forbid_unknown_fields=True):
    """Roles of arguments by the words of their keys, and the values that tell."""

    keys: Mapping[str, Words]
    values: Mapping[str, Words]
    wrappers: Words = ()


class HostedService(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Services of one field, and what a request to them does where its path does not tell."""

    field: str
    effect: str
    hosts: Words
    names: Words


class ServiceHosts(Table, frozen=True, forbid_unknown_fields=True):
    """Well-known services by the hosts of their interfaces."""

    services: tuple[HostedService, ...]


class ToolPrograms(Table, frozen=True, forbid_unknown_fields=True):
    """Programs that tools are named after, the commands that tools are named after, and what stands without options."""

    programs: Mapping[str, Words]
    commands: Mapping[str, Words]
    positions: Mapping[str, Words]


class PeopleWords(Table, frozen=True, forbid_unknown_fields=True):
    """Who is inside and who is not, by addresses and by the names of rooms and lists."""

    free_mail: Words  # providers at which anybody has an address
    outside_words: Words  # in addresses
    outside_endings: Words  # of domains
    shared_rooms: Words  # words in names of rooms that outsiders are in
    wide_rooms: Words  # words in names of rooms that a whole company reads
    lists: Words  # words in names of mailing lists
    crowds: Words  # groups of people outside
    all_words: Words  # for all of a group
    colleagues: Words  # groups of people inside


class ContentWords(Table, frozen=True, forbid_unknown_fields=True):
    """What the values of a call carry: patterns for texts, and names of keys and columns."""

    confidential: Words
    mentioning: Words
    telling_files: Words
    personal: Words
    secret: Words
    secret_names: Words
    phishing: Words
    binding: Words
    doxxing: Words
    addressed: Words
    orders: Words
    active: Words
    undermining: Words
    sign_in_secrets: Words
    about_secrets: Words
    weighty_documents: Words


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "argument-roles": ArgumentRoles,
    "service-hosts": ServiceHosts,
    "tool-programs": ToolPrograms,
    "people": PeopleWords,
    "content": ContentWords,
    "tool-objects": ToolObjects,
    "tool-verbs": ToolVerbs,
    "run-memory": RunMemory,
    "manifests": Manifests,
    "written-hazards": WrittenHazards,
    "private-sources": PrivateSources,
    "private-words": PrivateWords,
}
