"""Texts: letters that imitate others, words of languages, and hazards in written files."""

from collections.abc import Iterator, Mapping

import msgspec

from interlock.knowledge.table_types import Table, Words


class Confusables(Table, frozen=True, forbid_unknown_fields=True):
    """Letters that look like plain ones, by the plain letter (a part of the data of Unicode UTS #39)."""

    letters: dict[str, str]
    pairs: dict[str, str]  # several plain letters that look like another one: `rn` and `m`
    dots: str  # characters that clients take for the dot of a host name


class AttackTexts(Table, frozen=True, forbid_unknown_fields=True):
    """Texts that attack the application that is sent them, as patterns."""

    talking_hosts: Words  # where such a text is a search or an example
    injected_sql: Words
    injected_code: Words
    statements: Words  # a value that begins like this is a query
    file_values: str
    file_keys: Words
    internal_values: str
    encoded_path: str


class ReaderOrders(Table, frozen=True, forbid_unknown_fields=True):
    """Orders to a model in texts that it reads later, as patterns."""

    readers: Words
    acting: Words
    concealing: Words
    silencing: Words
    skipping: Words
    hiding: Words
    negating: str


class KeyShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The shape of the keys of a service."""

    service: str
    begins: Words
    then: str = r"[\w-]{16,}"
    before: str = ""
    common: bool = False  # ordinary words begin like that too
    masked_only: bool = False  # nothing of value can be done with such a key


class KeyShapes(Table, frozen=True, forbid_unknown_fields=True):
    """What the keys and tokens of services look like."""

    password_schemes: Words
    placeholder_passwords: Words
    keys: tuple[KeyShape, ...]


class StatementWords(Table, frozen=True, forbid_unknown_fields=True):
    """Words that tell whether a text can be a program of its language."""

    continues: Words  # no program begins with them
    keywords: Words  # beside which other words may stand
    tcl: Words  # the commands of Tcl, Tk and expect


class Hazard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A hazard: what a text with certain signals would do."""

    name: str
    what: str
    all: Words
    unless: Words = ()  # signals that rule it out
    together: bool = False  # the signals may be in different files of a run
    unread: bool = False  # only in files whose commands are not read by task


class WrittenHazards(Table, frozen=True, forbid_unknown_fields=True):
    """Hazards in files that a run has written, found by combinations of signals."""

    prose: Words  # endings of files that nothing runs
    read_files: Words  # whose commands are read by task
    read_endings: Words
    read_folders: Words
    signals: Mapping[str, Words]  # patterns
    hazards: tuple[Hazard, ...]


class PowerShellAliases(Table, frozen=True, forbid_unknown_fields=True):
    """The aliases that PowerShell has from the start."""

    programs: Words  # aliases that are also programs
    aliases: dict[str, Words]  # cmdlet → its aliases


class ApplicationRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that a script can tell an application to do."""

    matches: str  # what stands in the script
    does: str
    flags: Words = ()
    applications: Words = ()  # their names; any application if there are none
    without: str = ""  # what must not stand in the script


class Applications(Table, frozen=True, forbid_unknown_fields=True):
    """Requests of scripts to the applications of a Mac."""

    requests: tuple[ApplicationRequest, ...]

    def flags(self) -> Iterator[str]:
        """Return every flag that the table uses."""
        return (flag for entry in self.requests for flag in entry.flags)


#: Table → its type.
TABLES: dict[str, type[Table]] = {
    "applications": Applications,
    "attack-texts": AttackTexts,
    "confusables": Confusables,
    "key-shapes": KeyShapes,
    "powershell-aliases": PowerShellAliases,
    "reader-orders": ReaderOrders,
    "statement-words": StatementWords,
    "written-hazards": WrittenHazards,
}
