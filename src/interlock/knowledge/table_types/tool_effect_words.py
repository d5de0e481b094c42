"""The words of rights and audiences: the tables `tool-rights` and `tool-audiences`.

A comment above each list in these tables says what its words mean.
"""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words, WordSet, WordTable


class RightWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of rights, roles, protections and settings that grant a right or turn a protection off."""

    setting_verbs: WordSet
    named_settings: WordSet
    on_values: WordSet
    off_values: WordSet
    looking_roles: WordSet
    naming_last_words: WordSet
    saying_last_words: WordSet
    ordering_words: WordSet
    manner_keys: WordSet
    inverted_tools: WordSet
    strict_manners: WordSet
    who_words: WordSet
    right_holders: WordSet
    right_keys: WordSet
    removing_words: WordSet
    owning_words: WordSet
    taking_verbs: WordSet
    yes_values: WordSet
    bypass_words: WordSet
    protected_from: WordSet
    level_keys: WordSet
    switch_keys: WordSet
    vague_keys: WordSet
    ordered_words: WordSet
    notifying_keys: WordSet
    measured_words: WordSet
    text_keys: WordSet
    variable_switches: WordSet
    no_values: WordSet
    revoking_verbs: WordSet
    ending_verbs: WordSet
    rights: WordSet
    credentials: WordSet
    not_rights: WordSet
    detached_things: WordSet
    more_than_taking: WordSet
    taking_keys: WordSet
    many_words: WordSet
    prose_keys: WordSet
    prompt_words: WordSet
    agent_tools: WordSet
    asking_settings: WordSet
    unasked_values: WordSet
    never_values: WordSet
    never_words: WordSet
    steering_words: WordSet
    document_keys: WordSet
    listed_things: WordSet
    forbidding_words: WordSet
    allowing_words: WordSet
    low_roles: WordSet
    identity_words: WordSet
    role_giving_verbs: WordSet
    role_words: WordSet
    enforced_values: WordSet
    standing_verbs: WordSet
    role_taking_verbs: WordSet
    described_last_words: WordSet
    protection_switches: WordSet
    lowering_verbs: WordSet
    protection_ending: WordSet
    record_type_keys: WordSet
    right_types: WordSet
    user_types: WordSet
    released_words: WordSet
    size_keys: WordSet
    origin_keys: WordSet
    anywhere_values: WordSet
    alarm_words: WordSet
    alarm_telling_words: WordSet
    setting_names: WordSet
    protection_names: WordSet
    setting_values: WordSet
    switched_values: WordSet
    selecting_keys: WordSet
    seconds: Mapping[str, float]
    unguarded: Mapping[str, Words]


class AudienceWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words for people who get or see something: recipients, rooms, websites, people who are watched."""

    recipient_keys: WordSet
    message_keys: WordSet
    getting_words: WordSet
    processor_keys: WordSet
    shown_words: WordSet
    outsider_words: WordSet
    displays: WordSet
    delivery_keys: WordSet
    result_words: WordSet
    output_keys: WordSet
    bucket_schemes: Words
    sending_schemes: Words
    others_words: WordSet
    web_roots: Words
    data_endings: Words
    list_keys: WordSet
    recipient_files: Words
    local_beginnings: Words
    own_things: WordSet
    standings: WordSet
    trial_people: WordSet
    trial_pages: Words
    site_keys: WordSet
    public_sites: WordSet
    publication_state_keys: WordSet
    live_states: Words
    page_keys: WordSet
    telling_words: WordSet
    told_crowds: WordSet
    watching_verbs: WordSet
    repeating_words: WordSet
    purpose_keys: WordSet
    unknowing_phrases: Words
    mailbox_keys: WordSet
    search_keys: WordSet
    private_matters: Words
    showing_words: WordSet
    person_keys: WordSet
    personal_things: WordSet
    disclosing_words: WordSet
    traces: WordSet
    conversations: WordSet
    private_conversations: WordSet
    public_message_tools: WordSet
    outsider_tools: WordSet
    passing_on_verbs: WordSet
    mailbox_words: WordSet
    internal_values: WordSet
    internal_keys: WordSet
    message_words: WordSet
    mentions: Words
    visibility_keys: WordSet
    support_desks: WordSet
    colleague_audiences: WordSet
    stranger_audiences: WordSet
    room_keys: WordSet
    worldwide_tools: WordSet
    privacy_keys: WordSet
    broadcasting_tools: WordSet
    about_people: WordSet
    scope_keys: WordSet
    owning_roles: WordSet
    unsharing_verbs: WordSet
    group_keys: WordSet
    sharing_keys: WordSet
    structure_switches: WordSet
    dumping_tools: WordSet
    exported_keys: WordSet
    exported_people: WordSet
    destination_words: WordSet
    telling_values: WordSet


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "tool-audiences": AudienceWords,
    "tool-rights": RightWords,
}
