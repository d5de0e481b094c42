"""Loading the source files of the knowledge."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.knowledge.check import check_program, check_table, check_tools
from interlock.knowledge.cmdlet import CmdletFile
from interlock.knowledge.command import Program
from interlock.knowledge.conversion import convert
from interlock.knowledge.extension import Description
from interlock.knowledge.function import FunctionFile, lookup_name
from interlock.knowledge.function_check import check_cmdlets, check_functions
from interlock.knowledge.table_types import TABLES, Table
from interlock.knowledge.tool import ToolFile
from interlock.knowledge.tool_names import join_words

#: The size that no description reaches. All of them are read at every start.
MAX_BYTES = 4_000_000


def read_text(file: Path) -> str:
    """Return the text of a file, or raise an error with its name."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a named pipe would wait for ever
            raise ConfigError(f"is {_NO_FILE.get(stat.S_IFMT(status.st_mode), 'not a file')}", file=str(file))
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size / 1e6:,.0f} MB"
            raise ConfigError(f"is {size} large, and may have {MAX_BYTES // 1_000_000} MB", file=str(file))
        return file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=str(file)) from None
    except UnicodeDecodeError:
        raise ConfigError("cannot be read: it is not UTF-8 text", file=str(file)) from None


_NO_FILE = {stat.S_IFDIR: "a folder, not a file", stat.S_IFIFO: "a named pipe, not a file"}


def resolve(file: Path) -> Path:
    """Return where a file really is, or raise an error with its name."""
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:  # the type depends on the version of Python
        raise ConfigError("cannot be read: too many levels of symbolic links", file=str(file)) from error


def find_word(file: Path, word: str) -> int | None:
    """Return the first line of a file in which a word stands."""
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w.-])", text := read_text(file))
    return text.count("\n", 0, found.start()) + 1 if found else None


def read_program(text: str, file: str) -> Program:
    """Return the program that a text describes, or raise an error with the file, line and key."""
    document = Document(text, file)
    program: Program = convert(document, Program)
    check_program(document, program)
    return program


def read_functions(text: str, file: str) -> FunctionFile:
    """Return the functions that a text describes, or raise an error with the file, line and key."""
    document = Document(text, file)
    found: FunctionFile = convert(document, FunctionFile)
    check_functions(document, found)
    return found


def read_cmdlets(text: str, file: str) -> CmdletFile:
    """Return the cmdlets that a text describes, or raise an error with the file, line and key."""
    document = Document(text, file)
    found: CmdletFile = convert(document, CmdletFile)
    check_cmdlets(document, found)
    return found


def read_description(text: str, file: str) -> Description:
    """Return what a text describes: `[tools]`, `[[functions]]`, `[[cmdlets]]`, or else a program."""
    return _READERS[find_kind(Document(text, file))](text, file)


def find_kind(document: Document) -> type[Program | ToolFile | FunctionFile | CmdletFile]:
    """Return what a document describes, by its tables, or raise an error if it has none."""
    if not document.values:
        message = "describes nothing; it needs `names` for a program, or `[tools]`, `[[functions]]` or `[[cmdlets]]`"
        raise ConfigError(message, file=document.file, line=1)
    return next((kind for key, kind in _KINDS.items() if key in document.values), Program)


#: What a file describes, by the table that it has. Any other file describes a program.
_KINDS: dict[str, type[ToolFile | FunctionFile | CmdletFile]] = {
    "cmdlets": CmdletFile,
    "functions": FunctionFile,
    "tools": ToolFile,
}


def read_service(text: str, file: str) -> ToolFile:
    """Return the tools that a text describes, or raise an error with the file, line and key."""
    document = Document(text, file)
    found: ToolFile = convert(document, ToolFile)
    check_tools(document, found)
    return found


_READERS: dict[Any, Callable[[str, str], Description]] = {
    Program: read_program,
    ToolFile: read_service,
    FunctionFile: read_functions,
    CmdletFile: read_cmdlets,
}


def read_table(text: str, file: str) -> Table:
    """Return the table in a text, or raise an error with the file, line and key."""
    name = PurePath(file).stem
    if name not in TABLES:
        raise ConfigError(f"unknown table `{name}`{nearest(name, TABLES)}", file=file)
    document = Document(text, file)
    table: Table = convert(document, TABLES[name])
    check_table(document, table)
    return table


def take_names(programs: Mapping[int, tuple[str, Program]]) -> dict[str, int]:
    """Return the program of each name, or raise an error for a name that two files describe."""
    found: dict[str, int] = {}
    for number, (file, program) in programs.items():
        for name in program.names:
            if name in found:
                raise ConfigError(f"`{name}` is described in `{programs[found[name]][0]}` already", file=file)
            found[name] = number
    return found


def take_service_names(services: Mapping[int, tuple[str, ToolFile]]) -> dict[str, int]:
    """Return the file of each service by its names, or raise an error for a name that two files have."""
    found: dict[str, int] = {}
    for number, (file, service) in services.items():
        if not service.names:
            raise ConfigError(
                "`names` is missing: the words by which the service is known in names of tools", file=file
            )
        for name in map(join_words, service.names):
            if name in found:
                raise ConfigError(f"`{name}` is described in `{services[found[name]][0]}` already", file=file)
            found[name] = number
    return found


def group_functions(files: Mapping[int, tuple[str, FunctionFile]]) -> dict[str, tuple[int, ...]]:
    """Return the files of each language, or raise an error for a function that two of them describe."""
    found: dict[str, tuple[int, ...]] = {}
    owners: dict[tuple[str, str], str] = {}
    for number, (file, described) in files.items():
        language = described.language
        if language not in PurePath(file).with_suffix("").parts:
            raise ConfigError(f"`{language}` functions belong into `functions/{language}`", file=file)
        found[language] = (*found.get(language, ()), number)
        for name in (name for function in described.functions for name in function.names):
            key = language, lookup_name(name, language)
            if key in owners:
                raise ConfigError(f"`{name}` is described in `{owners[key]}` already", file=file)
            owners[key] = file
    return found


def check_cmdlet_names(files: Mapping[str, CmdletFile]) -> None:
    """Raise an error for a cmdlet that two files describe."""
    owners: dict[str, str] = {}
    for file, described in files.items():
        for name in (name.lower() for cmdlet in described.cmdlets for name in cmdlet.names):
            if name in owners:
                raise ConfigError(f"`{name}` is described in `{owners[name]}` already", file=file)
            owners[name] = file
