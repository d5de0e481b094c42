"""Names of options, verbs and subcommands that mean the same in most programs."""

from interlock.knowledge.table_types import Table, Words, WordSet, WordTable


class CommandWords(WordTable, frozen=True, forbid_unknown_fields=True):
    """Options and subcommands by their meaning in programs without a description."""

    writing_options: Words
    reading_options: Words
    configuring_options: Words
    signing_in_options: Words
    logging_options: Words
    code_endings: Words
    text_options: WordSet
    destroying_commands: WordSet
    sending_commands: WordSet
    unattended_options: WordSet
    command_options: WordSet
    command_names: WordSet


class CmdletVerbs(WordTable, frozen=True, forbid_unknown_fields=True):
    """Verbs and nouns in the names of cmdlets."""

    reading: WordSet
    destroying: WordSet
    cloud_nouns: Words
    shared_nouns: Words
    secret_nouns: Words


class NotificationServices(WordTable, frozen=True, forbid_unknown_fields=True):
    """Services to which notifications may be sent, by the schemes of their Apprise URLs."""

    secure: WordSet
    plain: WordSet
    refused_parameters: WordSet


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "cmdlet-verbs": CmdletVerbs,
    "command-words": CommandWords,
    "notification-services": NotificationServices,
}
