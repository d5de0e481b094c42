"""The words of pages, requests, code, secrets and summaries, as the tables about the content of tool calls list them.

A comment above each list in these tables says what its words mean.
"""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words, WordSet, WordTable


class PageWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of pages and screens that tools operate: buttons, forms, dialogs, orders in words."""

    page_tools: WordSet
    page_words: WordSet
    operating_words: WordSet
    order_keys: WordSet
    button_keys: WordSet
    question_keys: WordSet
    answering_tools: WordSet
    answer_keys: WordSet
    no_answers: WordSet
    finding_keys: WordSet
    shortcut_keys: WordSet
    window_keys: WordSet
    handling_words: WordSet
    field_keys: WordSet
    typing_words: WordSet
    ordinary_fields: WordSet
    browser_settings: WordSet
    typed_keys: WordSet
    narrowing_words: Words
    confirming_verbs: Words
    confirming_parameters: WordSet
    consenting_parameters: WordSet
    yes_values: WordSet
    consent_steps: WordSet
    plain_scopes: WordSet
    clause_words: Words
    negations: Words
    page_furniture: Words
    showing_verbs: Words
    looking_verbs: WordSet
    mass_message_verbs: WordSet
    counted_things: Words
    pressing_words: WordSet
    deleting_verbs: WordSet
    button_parts: WordSet
    practice_words: WordSet
    for_good: WordSet
    committing_words: WordSet
    completing_verbs: WordSet
    booked_things: WordSet
    opening_words: WordSet
    secret_words: WordSet
    sign_in_codes: WordSet
    about_secrets: WordSet
    counted_states: Words
    shortcuts: Mapping[str, Words]
    telling_fields: Mapping[str, Words]
    nouns_of_verbs: Mapping[str, str]


class RequestWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of requests, of addresses, and of files that tools work on."""

    network_words: WordSet
    method_keys: WordSet
    address_keys: WordSet
    path_keys: WordSet
    body_keys: WordSet
    request_tools: WordSet
    service_keys: WordSet
    asking_steps: WordSet
    empty_steps: WordSet
    overriding_keys: WordSet
    action_parameters: Words
    registry_keys: WordSet
    server_keys: WordSet
    carrying_words: WordSet
    relaying_words: WordSet
    database_clients: WordSet
    database_schemes: Words
    bringing_words: WordSet
    service_words: WordSet
    address_words: WordSet
    mode_keys: WordSet
    uploading_words: WordSet
    starting_words: WordSet
    body_payload_keys: Words
    secret_words: WordSet
    looking_at_code: WordSet
    running_code: WordSet
    plain_looks: WordSet
    recording_verbs: WordSet
    recorded_things: WordSet


class CodeWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words that identify code and command lines in the arguments of tools."""

    text_keys: WordSet
    shell_keys: WordSet
    sql_keys: WordSet
    code_keys: WordSet
    stores: WordSet
    statement_keys: WordSet
    sql_statements: Words
    language_keys: WordSet
    cypher_statements: Words
    injected_statements: Words
    typing_tools: WordSet
    line_keys: WordSet
    free_keys: WordSet
    piece_keys: WordSet
    head_keys: WordSet
    envelope_keys: WordSet
    wrapping_words: WordSet
    plain_words: WordSet
    package_managers: WordSet
    cluster_keys: WordSet
    looking_words: WordSet
    shell_programs: WordSet
    shell_words: WordSet
    common_commands: WordSet
    told_otherwise: WordSet
    cloud_services: WordSet
    manifest_keys: WordSet
    deleting_methods: Words
    revealing_methods: Words
    apex_quiet_calls: WordSet
    apex_quiet_classes: WordSet
    apex_quiet_methods: WordSet
    apex_collections: WordSet
    apex_keywords: WordSet
    typed_keys: WordSet
    ambiguous_languages: WordSet
    enclosing_programs: WordSet
    option_names: Mapping[str, str]
    languages: Mapping[str, Words]


class SecretRequestWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Words of calls that ask for a secret or contain one."""

    wanted_keys: WordSet
    store_readers: WordSet
    store_keys: WordSet
    structure_words: WordSet
    picked_keys: WordSet
    file_keys: WordSet
    kind_keys: WordSet
    whole_outputs: WordSet
    showing_words: WordSet
    hidden_words: WordSet
    uncovering_words: WordSet
    hiding_words: WordSet
    session_tables: WordSet
    including_words: WordSet
    browser_words: WordSet
    glancing_words: WordSet
    kept_by_browsers: WordSet
    deed_keys: WordSet
    taking_values: WordSet
    whole_values: WordSet
    ordered_keys: WordSet
    operation_keys: WordSet
    keyed_services: WordSet
    revealing_system_paths: Words
    code_endings: Words
    not_secret: Words
    fetching_verbs: Words
    listed_keys: Words
    selecting_parameters: Words
    key_endings: Words
    practice_documents: Words
    password_names: Words
    password_names_before_value: Words
    written_password_names: Words
    titles: Words
    password_columns: WordSet
    greetings: WordSet
    after_password_names: Words
    user_names: Words


class SummaryKeys(WordTable, frozen=True, forbid_unknown_fields=True):
    """Keys of the arguments that the sentence about a call shows to people."""

    target_keys: Words
    release_keys: Words
    thing_keys: Words
    person_keys: Words
    group_keys: Words
    payee_keys: Words
    account_keys: WordSet
    text_keys: Words
    quantity_keys: WordSet
    order_keys: Words
    export_keys: Words
    contract_keys: Words
    device_keys: Words


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "tool-code": CodeWords,
    "tool-pages": PageWords,
    "tool-requests": RequestWords,
    "tool-secrets": SecretRequestWords,
    "tool-summaries": SummaryKeys,
}
