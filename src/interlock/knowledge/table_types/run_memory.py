"""Words of tool calls for the memory of a run: which read private data, and which can send it out."""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words


class RunMemory(Table, frozen=True, forbid_unknown_fields=True):
    """Words by which the memory of a run classifies tools and arguments."""

    public: Words  # in names of tools that read public data
    listed: Words  # what tools list that say where things are
    internal: Words  # in names of tools that read data of the organisation itself
    outside: Words  # in arguments: places and readers outside the organisation
    opening: Words  # arguments that share something with outsiders if they are true
    closing: Words  # arguments that share something with outsiders if they are false
    answering: Words  # verbs of tools that reply to somebody
    team: Words  # in names of servers that only a team writes to
    inside: Words  # in names of tools that write for colleagues only
    conversations: Words  # in names of tables with messages between people
    open_platforms: Words  # services where everyone can read what is written
    timers: Words  # in names of tools and arguments that schedule something
    browsers: Words  # in names of tools that operate web pages
    copying: Words  # in names of such tools and on buttons that copy something
    pasting: Words  # in names of such tools and on buttons that paste something
    inner_hosts: Words  # parts of host names of internal pages
    typing: Words  # verbs of such tools that type something
    chats: Words  # services where colleagues chat
    rooms: Words  # arguments that name a chat channel
    readers: Words  # arguments that say who can read something
    customers: Words  # values of such arguments that include outsiders
    outward: Words  # in names of tools that always write to outsiders
    preparing: Words  # rules about calls that prepare something for later calls
    triggering: Words  # verbs of tools that trigger something
    defining: Words  # verbs of tools that change the meaning of a name
    definitions: Words  # objects that stand for others, such as lists and views
    naming: Words  # last words of arguments with the name of what a call sets
    standing: Words  # in names of tools whose settings apply to all later calls of their service
    states: Words  # last words of arguments that say whether something is in effect
    looking: Words  # subcommands that only show a state
    secret_naming: Words  # arguments that name the content of another argument
    secret_values: Words  # arguments whose content is named by another one
    texts: Words  # arguments with text for people
    place_ids: Words  # endings of arguments that name a place
    defaults: Words  # in names of tools that set defaults
    places: Words  # arguments that hold a place
    sharing: Words  # in names of tools that list who can see something
    first_verbs: Words  # first words of tool names without the name of a service
    creating: Words  # verbs of tools that submit something
    approving: Words  # verbs of tools that approve something
    verdicts: Words  # arguments that set the state of something
    payments: Words  # in names of tools that pay or claim
    amounts: Words  # arguments that hold an amount
    tracking: Words  # in names of tools that locate people or things
    parties: Words  # arguments that name the payee
    claims: Words  # in names of tools that pay, claim or request
    writing: Words  # verbs of tools that write a text somewhere
    owners: Words  # arguments that name the owner of a place
    hiding: Words  # arguments that keep something from others unless they are false
    visible: Words  # arguments that make something visible
    asking: Words  # arguments with a question to a tool
    elements: Words  # arguments that select an element of a page
    saving: Words  # verbs of tools that save something
    memories: Words  # in names of tools that write to an agent's memory
    speaking: Words  # of calls that tell somebody something
    profiles: Words  # in names of tools that set whom the agent appears as
    selecting: Words  # verbs of tools that select something for later calls
    selected: Words  # objects that such tools select


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

    documents: Mapping[str, Words]  # topics of documents that few people may read
    subjects: Mapping[str, Words]  # the people or things that rows are about
    fields: Mapping[str, Words]  # facts about one person in columns


class LoosenedValues(Table, frozen=True, forbid_unknown_fields=True):
    """Words of settings by which the next program that reads them does more than before."""

    rehearsing: Words  # in keys of switches by which nothing happens yet
    rehearsals: Words  # whole keys of such switches
    ambiguous: Words  # whole keys of switches that may also say how something is shown
    switches: Words  # keys that only say that something is on
    outward: Words  # in keys of switches by which something goes out
    allowing: Words  # in keys of switches that allow something
    shown: Words  # beside them: what is only shown or built
    kept: Words  # in keys of how long something is kept
    effective: Words  # whole keys of switches by which something happens for real
    safeguards: Words  # in keys of safeguards
    safeguard_keys: Words  # whole keys of safeguards
    thresholds: Words  # in keys of numbers from which on something is accepted
    limits: Words  # in keys of limits
    sizes: Words  # in keys of limits that protect nobody
    acts: Words  # in keys of how much is done to others
    unlimited: Words  # values that set no limit
    zero_unlimited: Words  # in keys of limits that 0 lifts
    practice: Words  # in values that affect nobody else
    described: Words  # last words of keys of values that are only shown
    acting: Words  # in names of programs and jobs that act on others or on data
    quiet_programs: Words  # programs that only check, build or show something
    task_runners: Words  # programs that run tasks by name
    quiet_words: Words  # such tasks that only check, build or show something


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "loosened-values": LoosenedValues,
    "private-sources": PrivateSources,
    "private-words": PrivateWords,
    "run-memory": RunMemory,
}
