"""The words in names and arguments of tools, as the tables `tool-names` and `tool-arguments` list them.

A comment above each list in these tables says what its words mean.
"""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words, WordSet, WordTable


class ToolNameWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words in names of tools, and of the operations that arguments name, besides verbs and objects."""

    settable_last_words: WordSet
    sendable_last_words: WordSet
    looks: WordSet
    firm_looks: WordSet
    about_secrets: WordSet
    named_in_code: WordSet
    kept_records: WordSet
    locked_software: WordSet
    device_states: WordSet
    devices: WordSet
    articles: WordSet
    negations: WordSet
    accessed_secrets: WordSet
    opening_words: WordSet
    calling_words: WordSet
    giving_back: WordSet
    listed_last_words: WordSet
    remarks: WordSet
    instruments: WordSet
    wielded_instruments: WordSet
    about_rights: WordSet
    setting_keys: WordSet
    deeds: WordSet
    unset_values: WordSet
    marking_words: WordSet
    spans: WordSet
    right_keys: WordSet
    leading_keys: WordSet
    remote_devices: WordSet
    opening_keys: WordSet
    asking_keys: WordSet
    narrowing_keys: WordSet
    referring_last_words: WordSet
    giving_keys: WordSet
    place_last_words: WordSet
    setpoint_keys: WordSet
    device_settings: WordSet
    operation_keys: WordSet
    resource_keys: WordSet
    transport_words: WordSet
    performed_words: WordSet
    managing_words: WordSet
    request_words: WordSet
    method_words: WordSet
    wrapped_arguments: WordSet
    phrase_keys: WordSet
    wrapped_names: WordSet
    verb_keys: WordSet
    examining_verbs: WordSet
    callable_keys: WordSet
    starting_verbs: WordSet
    all_words: WordSet
    several_words: WordSet
    address_holders: WordSet
    running_verbs: WordSet
    trading_words: WordSet
    single_columns: Words
    beside_call: WordSet
    company_rooms: WordSet
    chats: WordSet
    loose_selectors: WordSet
    carrying_looks: WordSet
    right_words: WordSet
    list_words: Words


class ArgumentWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of keys and values of arguments that say what a call does besides what its name says."""

    role_keys: WordSet
    high_roles: WordSet
    group_keys: WordSet
    member_keys: WordSet
    forwarding_words: WordSet
    unmasking_keys: WordSet
    prose_keys: WordSet
    settable_tools: WordSet
    keeping_tools: WordSet
    mail_tools: WordSet
    people_records: WordSet
    size_keys: WordSet
    counting_keys: WordSet
    knowing_tools: WordSet
    search_keys: WordSet
    sign_in_subjects: WordSet
    private_people: WordSet
    about_people: WordSet
    contact_fields: WordSet
    whole_switches: WordSet
    page_words: WordSet
    unclassified_values: WordSet
    machine_tools: WordSet
    management_boards: WordSet
    power_off_values: WordSet
    trash_switches: WordSet
    outlet_keys: WordSet
    social_networks: WordSet
    adding_words: WordSet
    not_deleting: WordSet
    condition_words: WordSet
    referring_last_words: WordSet
    about_words: WordSet
    removing_keys: WordSet
    binding_words: WordSet
    record_type_keys: WordSet
    type_keys: WordSet
    grave_objects: WordSet
    field_keys: WordSet
    relied_on_objects: WordSet
    device_keys: WordSet
    launched_states: WordSet
    device_objects: WordSet
    heat_words: WordSet
    looking_verbs: WordSet
    carrying_out: WordSet
    task_keys: WordSet
    taken_back_states: WordSet
    outcome_keys: WordSet
    done_keys: WordSet
    device_setting_keys: WordSet
    device_units: WordSet
    device_positions: WordSet
    hazard_modes: WordSet
    payee_keys: WordSet
    present_keys: WordSet
    off_words: WordSet
    watched_otherwise: WordSet
    harmless_entities: WordSet
    neutral_keys: WordSet
    pointing_words: WordSet
    switch_states: WordSet
    naming_keys: Words
    host_keys: WordSet
    live_switches: WordSet
    real_in_domains: WordSet
    place_keys: WordSet
    whole_place_keys: WordSet
    thing_keys: WordSet
    live_words: WordSet
    test_key_beginnings: Words
    suggested_values: WordSet
    repository_keys: WordSet
    text_keys: WordSet
    aside_keys: WordSet
    manner_keys: WordSet
    rehearsing_manners: WordSet
    colleague_words: WordSet
    website_endings: Words
    saving_places: WordSet
    saved_names: WordSet
    saved_from: WordSet
    saved_content: WordSet
    label_keys: WordSet
    all_words: WordSet
    long_durations: Mapping[str, int]


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "tool-arguments": ArgumentWords,
    "tool-names": ToolNameWords,
}
