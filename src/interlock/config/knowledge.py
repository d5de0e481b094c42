"""Knowledge that users add: the files in `~/.interlock/knowledge`, and those that `interlock.toml` names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.config.home import own_folder
from interlock.documents import Document
from interlock.errors import ConfigError, near_miss
from interlock.knowledge.command import Program
from interlock.knowledge.extension import KnowledgeFile, described_names, plain_name

if TYPE_CHECKING:
    from interlock.knowledge.cmdlet import CmdletFile
    from interlock.knowledge.function import FunctionFile


def knowledge_folder() -> Path:
    """Return the folder of the user's own descriptions."""
    return own_folder() / "knowledge"


def find_own_files(is_agent_writable: Callable[[Path], bool]) -> tuple[KnowledgeFile, ...]:
    """Return the descriptions in the user's own folder, in the order of their names.

    A symlink that leads out of Interlock's folder to a file that an agent can write does not make it the user's own.
    """
    folder, home = knowledge_folder(), own_folder().resolve()
    files = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not files:
        return ()
    from interlock.knowledge.sources import resolve

    found = tuple(
        load_knowledge(file, own=target.is_relative_to(home) or not is_agent_writable(target))
        for file, target in ((file, resolve(file)) for file in files)
    )
    _check_owners(found)
    return found


def _check_owners(files: Iterable[KnowledgeFile]) -> None:
    """Raise for a name that two of the user's own files describe: one of them would silently be ignored."""
    owners: dict[tuple[str, str], str] = {}
    for one in files:
        for kind, name in described_names(one.content) if one.own and not one.is_draft else ():
            owner = owners.setdefault((kind, plain_name(kind, name)), one.file)
            if owner != one.file:
                from interlock.knowledge.sources import find_word

                line, message = find_word(Path(one.file), name), f"`{name}` is described in `{owner}` already"
                raise ConfigError(f"{message}; keep one of the two", file=one.file, line=line)


def find_named_files(document: Document, names: Iterable[str], folder: Path) -> list[Path]:
    """Return the files that a configuration names, relative to its folder."""
    files = []
    for name in names:
        try:
            file = (folder / Path(name).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise document.error(f"`{name}` is not a path: {error}", "knowledge") from None
        if file.is_dir():
            raise document.error(f"`{file}` is a folder; name the files in it", "knowledge")
        if not file.is_file():
            near = near_miss(file.name, (other.name for other in file.parent.glob("*.toml")))
            raise document.error(f"there is no file `{file}`{near}", "knowledge")
        files.append(file)
    return files


#: Calls of a tool that `interlock knowledge check` tries.
_CHECKED = frozenset({"asks", "examples", "passes"})


def read_declared_tools(document: Document, *, own: bool) -> tuple[KnowledgeFile, ...]:
    """Return the tools that `[tools.NAME]` tables of a configuration declare, or raise with the line of a mistake."""
    given = document.values.get("tools", {})
    if not any(isinstance(one, dict) for one in given.values()):
        return ()
    from interlock.knowledge.check import check_tools  # few configurations declare tools
    from interlock.knowledge.conversion import convert_at
    from interlock.knowledge.tool import Tool, ToolFile

    tools = {
        name: convert_at(document, one, Tool, ("tools", name)) for name, one in given.items() if isinstance(one, dict)
    }
    for name in tools:
        for key in _CHECKED.intersection(given[name]):
            message = f"`{key}` is only allowed in knowledge files; move the tool to `{knowledge_folder()}`"
            raise document.error(message, "tools", name, key)
    found = ToolFile(tools=tools)
    check_tools(document, found)
    return (KnowledgeFile(document.file, found, own),)


def load_knowledge(file: Path, *, own: bool) -> KnowledgeFile:
    """Return the descriptions in a file, or raise with the line of the mistake."""
    from interlock.knowledge.cmdlet import CmdletFile  # most users have no such file
    from interlock.knowledge.function import FunctionFile
    from interlock.knowledge.sources import read_description, read_text
    from interlock.knowledge.tool import ToolFile

    content = read_description(read_text(file), str(file))
    if isinstance(content, Program):
        _check_names(content, file, own)
    if isinstance(content, ToolFile) and content.names:
        message = "`names` is for services that ship with Interlock; write `[tools.mcp__SERVER__TOOL]` for one server"
        raise ConfigError(message, file=str(file), line=1)
    if isinstance(content, FunctionFile) and own:
        _check_function_names(content, file)
    if isinstance(content, CmdletFile) and own:
        _check_cmdlet_names(content, file)
    return KnowledgeFile(str(file), content, own)


def _check_names(program: Program, file: Path, own: bool) -> None:
    """Raise for a description that would replace code: a shell, a wrapper, a program with arguments of its own kind."""
    if program.syntax:
        raise ConfigError("`syntax` is for programs that ship with Windows; leave it out", file=str(file), line=1)
    from interlock.analyse.shell.readers import names_read_by_code  # loaded only where there is something to check

    for name in sorted(names_read_by_code().intersection(program.names)) if own else ():
        raise _replacement_error(name, "is read by code", file)


def _check_function_names(described: FunctionFile, file: Path) -> None:
    """Raise for a description that would replace code, or a function that runs what it is given."""
    from interlock.analyse.python.calls.special_calls import SPECIAL  # loaded only where there is something to check
    from interlock.knowledge.catalogue import read_functions
    from interlock.knowledge.function import lookup_name

    shipped = read_functions(described.language)
    for name in (name for function in described.functions for name in function.names):
        known = shipped.get(lookup_name(name, described.language))
        by_code = (known is not None and known.reader) or (described.language == "python" and name in SPECIAL)
        if by_code or (known is not None and known.may_run):
            what = "is read by code" if by_code else "runs code"
            raise _replacement_error(name, what, file)


def _check_cmdlet_names(described: CmdletFile, file: Path) -> None:
    """Raise for a description that would replace code."""
    from interlock.analyse.powershell.cmdlets.special import SPECIAL  # loaded only where there is something to check

    for name in (name for cmdlet in described.cmdlets for name in cmdlet.names):
        if name.lower() in SPECIAL:
            raise _replacement_error(name, "is read by code", file)


def _replacement_error(name: str, why: str, file: Path) -> ConfigError:
    message = (
        f"`{name}` {why}, which a description cannot replace; put the file into the workspace to add to what is known"
    )
    return ConfigError(message, file=str(file), line=1)
