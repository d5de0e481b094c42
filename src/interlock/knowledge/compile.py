"""The compiler of the knowledge: `python -m interlock.knowledge.compile` checks all sources and writes the artefact."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from interlock.errors import ConfigError
from interlock.knowledge.artefact import FOLDER, PARTS, ArtefactIndex, StoredOpinion, encode_artefact, renew
from interlock.knowledge.cmdlet import CmdletFile
from interlock.knowledge.command import Command, Program
from interlock.knowledge.function import FunctionFile
from interlock.knowledge.shards import split
from interlock.knowledge.sources import (
    check_cmdlet_names,
    group_functions,
    read_cmdlets,
    read_functions,
    read_program,
    read_service,
    read_table,
    read_text,
    take_names,
    take_service_names,
)
from interlock.knowledge.table_types import SecondOpinion, WordTable
from interlock.knowledge.tool import ToolFile

AnyCommand = TypeVar("AnyCommand", bound=Command)


def compile_sources(files: list[str], digest: str) -> bytes:
    """Return the artefact of all sources, or raise the error of the first invalid one."""
    texts = [read_text(Path(FOLDER, file)) for file in files]
    parsed = [_parse(file, text) for file, text in zip(files, texts, strict=True)]
    programs = {number: one for number, one in enumerate(parsed) if isinstance(one, Program)}
    functions = {number: one for number, one in enumerate(parsed) if isinstance(one, FunctionFile)}
    cmdlets = {number: one for number, one in enumerate(parsed) if isinstance(one, CmdletFile)}
    services = {number: (files[number], one) for number, one in enumerate(parsed) if isinstance(one, ToolFile)}
    check_cmdlet_names({files[number]: one for number, one in cmdlets.items()})
    data = [msgspec.msgpack.encode(_remove_documentation(one)) for one in parsed]
    index = ArtefactIndex(
        digest=digest,
        folders=tuple(sorted({*PARTS, *(str(PurePosixPath(file).parent) for file in files)})),
        files=tuple(files),
        sizes=tuple(len(text.encode("utf-8")) for text in texts),
        places=tuple(accumulate(map(len, data), initial=0)),
        checksums=tuple(map(crc32, data)),
        tables={PurePosixPath(file).stem: number for number, file in enumerate(files) if file.startswith("tables/")},
        programs=split(take_names({number: (files[number], one) for number, one in programs.items()})),
        functions=group_functions({number: (files[number], one) for number, one in functions.items()}),
        cmdlets=tuple(cmdlets),
        services=split(take_service_names(services)),
        clients=tuple(name for one in programs.values() if one.client for name in one.names),
        windows=tuple(name for one in programs.values() if one.syntax == "windows" for name in one.names),
        conditional=tuple(
            name
            for one in programs.values()
            for condition in one.conditions
            for name in condition.programs or one.names
        ),
    )
    return encode_artefact(index, b"".join(data))


def _parse(file: str, text: str) -> Any:
    read = _READERS.get(file.partition("/")[0], read_table)
    return read(text, f"{FOLDER}/{file}")


_READERS: dict[str, Callable[[str, str], Any]] = {
    "cmdlets": read_cmdlets,
    "functions": read_functions,
    "programs": read_program,
    "services": read_service,
}


def _remove_documentation(source: Any) -> Any:
    """Return the compiled part of a source: everything except examples and documentation."""
    if isinstance(source, Program):
        return strip_examples(source)
    if isinstance(source, FunctionFile):
        return [msgspec.structs.replace(function, examples=()) for function in source.functions]
    if isinstance(source, CmdletFile):
        return [msgspec.structs.replace(cmdlet, examples=()) for cmdlet in source.cmdlets]
    if isinstance(source, SecondOpinion):
        return StoredOpinion(source.threshold, source.bias, split(source.weights), source.calm, source.very_calm)
    if isinstance(source, WordTable):
        return _store_words(msgspec.structs.asdict(source))
    if isinstance(source, ToolFile):
        tools = {
            name: msgspec.structs.replace(tool, examples=(), asks=(), passes=()) for name, tool in source.tools.items()
        }
        return msgspec.structs.replace(source, tools=tools, docs="")
    return source


def _store_words(lists: dict[str, Any]) -> dict[str, Any]:
    """Return the stored form of a table of lists of words, the same for the same words."""
    return {
        "sets": {name: sorted(words) for name, words in lists.items() if isinstance(words, frozenset)},
        "others": {name: words for name, words in lists.items() if not isinstance(words, frozenset)},
    }


def strip_examples(program: Program) -> Program:
    """Return a program without its examples and documentation, which are not compiled."""
    return msgspec.structs.replace(_strip(program), docs="")


def _strip(command: AnyCommand) -> AnyCommand:
    return msgspec.structs.replace(
        command,
        examples=(),
        commands={name: _strip(sub) for name, sub in command.commands.items()},
        alone=_strip(command.alone) if command.alone else None,
        otherwise=_strip(command.otherwise) if command.otherwise else None,
    )


def main() -> int:
    """Compile all sources, and print the error if one of them is invalid."""
    try:
        renew()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
