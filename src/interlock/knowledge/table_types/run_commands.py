"""Words of commands and files for the memory of a run."""

from collections.abc import Mapping

from interlock.knowledge.table_types import Table, Words


class RunCommands(Table, frozen=True, forbid_unknown_fields=True):
    """Programs, and words in commands."""

    wrappers: Words  # words that can stand before the name of a program
    runners: Words  # programs and words that are followed by another program
    applying: Words  # words of commands that put rules into force
    signing: Words  # words of commands that sign with an identity
    plain_options: Words  # programs whose options run nothing
    interpreters: Words  # programs that run code
    folder_takers: Words  # programs that take bare names as folders
    no_folders: Words  # words of such programs whose operands are not folders
    without_output: Words  # programs that copy nothing from one file into another
    uploading: Words  # programs and verbs that send something
    sending_names: Words  # in names of scripts that send something
    printing: Words  # programs that print files
    deploying: Words  # programs and verbs that publish a project on the web
    looking: Words  # prefixes of commands that only show something
    unpacking: Words  # programs that unpack archives
    inert: Words  # programs that run no written code
    readers: Words  # programs whose files need not be searched
    scanners: Words  # programs that scan machines
    guards: Words  # parts of names of processes that guard something
    hooked: Words  # commands that run hooks
    families: Mapping[str, Words]  # program → others that follow its settings
    load_testers: Words  # programs for load tests


class RunFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Endings of file names, folders, schemas and hosts."""

    domains: Words  # last parts of host names
    usual_hosts: Words  # hosts that many projects name
    store_endings: Words  # of databases and account books
    original_endings: Words  # of people's own work
    collected_folders: Words  # folders for collected files
    pushed_files: Words  # files that take effect when they are pushed
    built_folders: Words  # folders for build output
    document_endings: Words  # of documents that are converted to others
    list_endings: Words  # of lists of files
    published_schemas: Words  # database schemas that an API publishes
    template_endings: Words  # of files that may be templates
    loaded_endings: Words  # of files that builds and tests load
    loaded_folders: Words  # folders with such files
    followed_endings: Words  # of templates and rules
    data_words: Words  # in names of archives with data
    analysed_endings: Words  # of code that is analysed when it runs
    log_endings: Words  # of logs
    record_words: Words  # in names of records of who did what
    output_words: Words  # in names of logs that only tell what a program printed
    carrying_endings: Words  # of files that run code when a program loads them
    media_endings: Words  # of media files, which may exist nowhere else


class RecordNames(Table, frozen=True, forbid_unknown_fields=True):
    """Names of files and tables that hold people's data, a whole database, or something confidential."""

    packed: Words  # endings of compressed files
    stores: Words  # endings of whole databases, mailboxes and dumps
    data: Words  # endings of tables and documents with data
    documents: Words  # endings of documents that people write
    filed: Words  # endings of archived documents
    subjects: Words  # in names of files about people or money
    confidential: Words  # in names of confidential documents
    folders: Words  # folders of such documents
    codes: Words  # that somebody can use who has them
    redeemed: Words  # beside them: what they are for
    offices: Words  # folders in which all data counts


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "record-names": RecordNames,
    "run-commands": RunCommands,
    "run-files": RunFiles,
}
