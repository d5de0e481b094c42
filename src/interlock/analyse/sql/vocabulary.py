"""The vocabulary of SQL: effects of statements by their first words, and functions with effects beyond tables."""

from __future__ import annotations

from typing import NamedTuple

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import Sql

_TABLE = read_table("sql", Sql)


class StatementMeaning(NamedTuple):
    """What a statement does: the kind of its effect, and flags."""

    kind: str
    flags: frozenset[str] = frozenset()


#: First word → kind of effect, for statements that the parser does not analyse.
KEYWORDS = {word: entry.does for entry in _TABLE.keywords for word in entry.words}
#: First words of a statement → what it does. The longest prefix wins, before any other analysis.
STATEMENT_PREFIXES = {
    words: StatementMeaning(entry.does, frozenset(entry.flags)) for entry in _TABLE.statements for words in entry.words
}
#: Function or procedure with effects beyond tables → flag.
FUNCTIONS = {name: entry.flag for entry in _TABLE.functions for name in entry.names}
#: Setting of a session that protects → the values with which it does.
GUARDED_SETTINGS = {name: frozenset(entry.protecting) for entry in _TABLE.settings for name in entry.names}
#: First part of the names of functions that reach files, programs or other machines: a package, or a family.
OUTSIDE_FAMILIES = _TABLE.outside_families
#: Procedures, by the beginning of their names, that only show something.
SHOWING_PROCEDURES = _TABLE.showing_procedures
#: First words of the name of a procedure or function that only reads, and of one that deletes.
READING_VERBS, DELETING_VERBS = frozenset(_TABLE.reading_verbs), frozenset(_TABLE.deleting_verbs)
#: Functions of DuckDB that read the files whose paths they are given.
FILE_READERS = frozenset(_TABLE.file_readers)
#: Table functions of ClickHouse that read files, addresses, programs and other servers.
REMOTE_READERS = frozenset(_TABLE.remote_readers)
#: Extensions that the makers of DuckDB publish.
EXTENSIONS = frozenset(_TABLE.extensions)
#: Procedures that run dynamic SQL.
DYNAMIC = frozenset(_TABLE.dynamic)
#: Languages whose functions run with the rights of the server process.
UNTRUSTED = frozenset(_TABLE.untrusted)
#: Tables in which a server keeps the jobs, routines and libraries that it runs.
RUNNING_TABLES = frozenset(_TABLE.running_tables)
#: Extensions that add such languages, or access to files or other servers.
REACHING_EXTENSIONS = frozenset(_TABLE.reaching_extensions)
#: Tables in which servers keep credentials beside other columns.
CREDENTIAL_TABLES = frozenset(_TABLE.credential_tables)
#: These tables, and columns in which servers and browsers keep credentials.
CREDENTIALS = CREDENTIAL_TABLES.union(_TABLE.credential_columns)
