"""Calls of tools: verbs, objects, the roles of arguments, people, content, and hosts of services."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.table_types import Table, Words


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
    attacking: Mapping[str, Words]  # programs that scan and attack; they have no commands
    commands: Mapping[str, Words]
    positions: Mapping[str, Words]


class PeopleWords(Table, frozen=True, forbid_unknown_fields=True):
    """Insiders and outsiders, by addresses and by the names of rooms and lists."""

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
    """The content of the values of a call: patterns for texts, and names of keys and columns."""

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
    mailed_secrets: Words
    about_secrets: Words
    weighty_documents: Words


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "argument-roles": ArgumentRoles,
    "content": ContentWords,
    "people": PeopleWords,
    "service-hosts": ServiceHosts,
    "tool-objects": ToolObjects,
    "tool-programs": ToolPrograms,
    "tool-verbs": ToolVerbs,
}
