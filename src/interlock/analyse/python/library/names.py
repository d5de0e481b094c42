"""Names in Python that mean something in any library, from the table `python-names`."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.libraries import PythonNames

NAMES = read_table("python-names", PythonNames)

RUN_COMMANDS = frozenset(NAMES.run_commands)
SEND_REQUESTS = frozenset(NAMES.send_requests)
TAKE_SQL = frozenset(NAMES.take_sql)
INJECT_CODE = frozenset(NAMES.inject_code)
SAVE_FILES = frozenset(NAMES.save_files)
#: Method → the effect that it has on a path, whatever object it is called on.
PATH_METHODS = {**dict.fromkeys(NAMES.delete_files, "fs.delete"), **dict.fromkeys(NAMES.write_files, "fs.write")}
READ_CONTENTS = frozenset(NAMES.read_contents)
WRITE_CONTENTS = frozenset(NAMES.write_contents)
IDENTIFYING_PROGRAMS = frozenset(NAMES.identifying_programs)
