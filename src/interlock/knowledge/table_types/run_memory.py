"""What the memory of a run knows of calls: what lets private data in, and what carries it out."""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words


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


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "private-sources": PrivateSources,
    "private-words": PrivateWords,
    "run-memory": RunMemory,
}
