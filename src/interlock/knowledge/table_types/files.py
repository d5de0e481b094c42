"""Files with a known meaning: secrets, settings, code, private data, and files that programs create or fetch."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.table_types import Table, Words


class FileNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Names in a path with a known meaning. They are compared in lower case."""

    flags: Words = ()  # none for an ordinary path inside a special folder
    folders: Words = ()  # a folder of this name, anywhere in the path
    paths: Words = ()  # several names in a row, anywhere in the path
    names: Words = ()  # the last name of the path
    endings: Words = ()  # the ending of the last name
    below: str = ""  # the folder that the endings are limited to, if any


class Files(Table, frozen=True, forbid_unknown_fields=True):
    """Files and folders with a known meaning: secrets, startup files, settings of other programs."""

    files: tuple[FileNames, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.files for flag in entry.flags)


class SecretWords(Table, frozen=True, forbid_unknown_fields=True):
    """Words in the names of files that hold secrets, and names that look like secrets but are public."""

    secret: Words  # last words of secret data files: `db-password.txt`
    secret_pairs: tuple[tuple[str, str], ...]  # pairs of words with the same meaning: `api_key`
    secret_folders: Words  # folders whose data files are secrets
    variants: Words  # words after a secret word: `credentials_prod.json`
    data_endings: Words  # of data files; source code with such a name is not a secret
    document_endings: Words  # of documents in which people note passwords
    password_lists: Words  # what people call such documents, in many languages
    about_passwords: Words  # words for documents about passwords that hold none
    public_paths: Words
    public_endings: Words
    public_words: Words  # words for certificates, whose files often end like keys
    issuers: Words  # services whose variables hold keys
    revealing_options: Words  # options by which programs show what they would otherwise hide
    asking: Words  # words of commands about settings, of which one is asked for by its name
    showing_verbs: Words  # with a word of `secret_nouns`, a command shows a secret: `token print`
    secret_nouns: Words
    diagnostics: tuple[
        Words, ...
    ]  # a program, and its subcommands that print logs, settings or a screen; none means all
    diagnostic_folders: Words


class FileOrigins(Table, frozen=True, forbid_unknown_fields=True):
    """Endings and names that say whether a person or a program made a file."""

    source_endings: Words  # what people write
    data_endings: Words  # what people collect
    lock_files: Words  # written by package managers
    tool_folders: Words  # below home, full of what programs made or fetched
    packed: dict[str, Words]
    media_endings: Words
    generated_scripts: Words
    script_endings: Words


class PrivatePlaces(Table, frozen=True, forbid_unknown_fields=True):
    """Folders below home in which applications keep what is theirs, and names of files that can hold credentials."""

    containers: Words  # folders with one folder for each application
    settings: Words  # those of them that hold settings
    wholes: Words  # folders that hold these folders
    harmless: Words  # applications and folders that keep nothing private
    telling: Words  # words in the names of files that can hold credentials
    ordinary_endings: Words  # of files that hold none


class FetchingClient(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clients with the same commands."""

    programs: Words
    commands: Words  # the words by which they show a remote file or bring it here; an empty text for every call


class RemoteFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Clients that show files of other machines, containers and buckets, or bring them here."""

    clients: tuple[FetchingClient, ...]
    showing: Words  # commands that show a file, so that no operand is a destination
    naming: Words  # options whose value names a remote file
    buckets: Words  # words in the names of buckets for secrets


class CodeLanguage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A language of code."""

    also: Words = ()  # other names of the language
    programs: Words = ()  # they run a script whose first line names them
    endings: Words = ()  # of files, with the dot
    files: Words = ()  # names of files


class Languages(Table, frozen=True, forbid_unknown_fields=True):
    """The names of languages, and how their files are recognised."""

    languages: Mapping[str, CodeLanguage]


class CodeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Files from which programs run code by default."""

    programs: Words
    names: Words
    language: str = ""  # the language of the file, where it can be read


class CodeFiles(Table, frozen=True, forbid_unknown_fields=True):
    """Which program reads which file in which language."""

    inputs: tuple[CodeFile, ...]


class Loading(Table, frozen=True, forbid_unknown_fields=True):
    """The origin of code that a command runs or loads, and how commands specify it."""

    toolchains: Words  # folders below home with installed programs
    generators: Words  # commands that print code for a shell
    generating_words: Words  # words before the name of a shell, by which any program prints such code
    shells: Words
    option_words: Words  # parts of names of options whose values are loaded or run
    other_words: Words  # names in which such a part means something else
    data_endings: Words
    checkers: Words  # programs that run none of the files they are given
    module_endings: Words


class SystemLibraries(Table, frozen=True, forbid_unknown_fields=True):
    """Libraries and folders by which programs of a system are replaced for one person."""

    libraries: Words  # loaded by name
    program_folders: Words  # below home, in which shells look for programs
    library_folders: Words  # below home, in which loaders look for libraries


class KnownPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders of a place, with the points that their effects count more or less."""

    place: str
    points: int
    folders: Words


class Folders(Table, frozen=True, forbid_unknown_fields=True):
    """Where folders are, and which of them programs recreate."""

    places: tuple[KnownPlaces, ...]  # of several folders that hold a path, the longest counts
    homes: Words
    caches: Words
    temporary: Words
    rebuilt: Words
    peripherals: Words


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "code-files": CodeFiles,
    "file-origins": FileOrigins,
    "folders": Folders,
    "languages": Languages,
    "loading": Loading,
    "private-places": PrivatePlaces,
    "remote-files": RemoteFiles,
    "secret-words": SecretWords,
    "secrets": Files,
    "settings-files": Files,
    "startup-files": Files,
    "system-libraries": SystemLibraries,
}
