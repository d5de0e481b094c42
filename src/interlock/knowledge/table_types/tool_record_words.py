"""The words of records, infrastructure and devices: the tables `tool-records` and `machine-codes`.

A comment above each list in these tables says what its words mean.
"""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words, WordSet, WordTable


class RecordWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of records, infrastructure, devices, orders and automations that decide whether a change is routine."""

    editing_verbs: WordSet
    note_writing_verbs: WordSet
    note_text_keys: WordSet
    identifying_last_words: WordSet
    operation_keys: WordSet
    type_keys: WordSet
    dns_record_types: WordSet
    address_keys: WordSet
    reaching_keys: WordSet
    sign_in_keys: WordSet
    selecting_keys: WordSet
    single_keys: WordSet
    reason_keys: WordSet
    secret_place_keys: WordSet
    found_by_id: WordSet
    display_keys: WordSet
    wish_keys: WordSet
    note_last_words: WordSet
    label_last_words: WordSet
    describing_verbs: WordSet
    relied_on_objects: WordSet
    referring_last_words: WordSet
    around_things: WordSet
    managing_verbs: WordSet
    told_keys: WordSet
    naming_last_words: WordSet
    named_keys: WordSet
    beside_keys: WordSet
    name_endings: WordSet
    job_verbs: WordSet
    trial_words: WordSet
    labelling_verbs: WordSet
    safe_when_on: WordSet
    copying_verbs: WordSet
    restoring_verbs: WordSet
    lifetime_words: WordSet
    link_rights: WordSet
    job_keys: WordSet
    releasing_words: WordSet
    check_words: WordSet
    pipeline_words: WordSet
    unrelated_keys: WordSet
    small_records: WordSet
    weighty_fields: WordSet
    keeping_words: WordSet
    beside_documents: WordSet
    document_words: WordSet
    branches: WordSet
    holders: WordSet
    spare_parts: WordSet
    condition_keys: WordSet
    field_keys: WordSet
    run_keys: WordSet
    beside_runs: WordSet
    single_columns: Words
    doing_keys: WordSet
    waiting_keys: WordSet
    sorting_names: WordSet
    wrapping_keys: WordSet
    labelling_keys: WordSet
    labelling_steps: WordSet
    hiding_labels: WordSet
    leading_away: WordSet
    device_values: WordSet
    device_verbs: WordSet
    appearance_words: WordSet
    harmless_aspects: WordSet
    aspect_keys: WordSet
    device_value_keys: WordSet
    quieting_verbs: WordSet
    guarding_keys: WordSet
    order_note_verbs: WordSet
    order_states: WordSet
    own_field_keys: WordSet
    order_substance: WordSet
    traded_words: WordSet
    paid_words: WordSet
    list_position_keys: WordSet
    beside_original: WordSet
    only_if_merged: WordSet
    only_if_empty: WordSet
    only_if_unused: WordSet
    synonyms: Mapping[str, Words]
    seconds: Mapping[str, int]


class MachineCodes(WordTable, frozen=True, forbid_unknown_fields=True):
    """Codes for machine tools and printers that disable a protection or overheat a part."""

    always: WordSet
    unsafe: Mapping[str, Words]
    hottest: Mapping[str, int]


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "machine-codes": MachineCodes,
    "tool-records": RecordWords,
}
