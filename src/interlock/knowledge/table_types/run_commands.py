"""What the memory of a run knows of commands and files."""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words


class RunCommands(Table, frozen=True, forbid_unknown_fields=True):
    """Programs, and words of commands."""

    wrappers: Words  # words before the name of a program
    runners: Words  # programs and words after which another program follows
    applying: Words  # by which rules come into force
    signing: Words  # by which an identity signs
    plain_options: Words  # whose options run nothing
    interpreters: Words  # that run code
    folder_takers: Words  # that take folders by bare names
    no_folders: Words  # words after those that name none
    without_output: Words  # that take nothing from one file into another
    uploading: Words  # by which a program passes something on
    printing: Words  # that print files
    deploying: Words  # that put a project on the web
    looking: Words  # beginnings of commands that only look
    unpacking: Words  # that unpack archives
    inert: Words  # that run nothing of what was written
    readers: Words  # whose files need no search
    scanners: Words  # that scan machines
    guards: Words  # parts of names of processes that watch over something
    hooked: Words  # commands of those that run hooks
    families: Mapping[str, Words]  # program → others that follow its settings
    load_testers: Words  # that test loads


class RunFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Endings of files, folders, schemas and hosts."""

    domains: Words  # last parts of host names
    usual_hosts: Words  # hosts that many projects name
    store_endings: Words  # of databases and account books
    original_endings: Words  # of what somebody made
    collected_folders: Words  # with what was collected
    pushed_files: Words  # that take effect with a push
    built_folders: Words  # that builds fill
    document_endings: Words  # of documents that are turned into others
    list_endings: Words  # of lists of files
    published_schemas: Words  # that an API publishes
    template_endings: Words  # of files that may be filled in
    loaded_endings: Words  # of files that builds and tests load
    loaded_folders: Words  # that hold such files
    followed_endings: Words  # of templates and rules
    data_words: Words  # in names of archives with data
    analysed_endings: Words  # of code that is analysed when it runs
    log_endings: Words  # of records of what happened
    media_endings: Words  # of files that may exist nowhere else


class RecordNames(Table, frozen=True, forbid_unknown_fields=True):
    """Names of files and tables that hold people's data, a whole database, or something confidential."""

    packed: Words  # endings of packed files
    stores: Words  # endings of whole databases, mailboxes and dumps
    data: Words  # endings of tables and documents with data
    documents: Words  # endings of documents that people make
    filed: Words  # endings of documents that are filed
    subjects: Words  # in names of files about people or money
    confidential: Words  # in names of documents that few should read
    folders: Words  # folders of such documents
    offices: Words  # folders in which all data counts


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "record-names": RecordNames,
    "run-commands": RunCommands,
    "run-files": RunFiles,
}
