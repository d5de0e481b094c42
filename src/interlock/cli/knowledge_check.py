"""`interlock knowledge check`: report all mistakes in description files, and test their examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from rich.text import Text

from interlock.analyse.action import NOWHERE, Surroundings
from interlock.analyse.examples import WHERE, count_examples, find_broken_examples, list_examples
from interlock.analyse.shell.readers import names_read_by_code
from interlock.cli.knowledge_review import (
    find_foreign_examples,
    find_lacking_examples,
    find_mistakes,
    find_shared_names,
)
from interlock.cli.tool_examples import find_misjudged_calls
from interlock.config.knowledge import knowledge_folder, load_knowledge
from interlock.config.load import is_agent_writable
from interlock.documents import Document
from interlock.engine import Engine
from interlock.errors import ConfigError, InterlockError
from interlock.knowledge.artefact import FOLDER as SHIPPED
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Program
from interlock.knowledge.extension import Description, Extension
from interlock.knowledge.sources import read_description, read_program, read_text, resolve
from interlock.knowledge.tool import ToolFile
from interlock.levels import Verdict
from interlock.model import Action
from interlock.show import console

FOLDER = Path(SHIPPED)


def check(files: Sequence[Path]) -> int:
    """Check descriptions; return 1 if one has a mistake, lacks an example, or an example does not hold."""
    out, failed = console(), False
    files = [one for file in files for one in _files_in(file)] or list_own_files()
    for file in files:
        mistakes, count = _review_file(file)
        for mistake in mistakes:
            out.print(Text(f"✗ {mistake}", "red"), soft_wrap=True)
        if mistakes:
            failed = True
            continue
        if count:
            said = "1 example holds" if count == 1 else f"{count} examples hold"
            out.print(Text(f"✓ {file}: {said}", "green"), soft_wrap=True)
        for warning in _find_replaced(file):
            out.print(Text(f"! {file}: {warning}", "yellow"), soft_wrap=True)
        if is_draft(file):
            advice = "a draft, which changes nothing; fill it in, then remove `draft = true`"
            out.print(Text(f"! {file}: {advice}", "yellow"), soft_wrap=True)
    for message in _find_shared_names(files):
        out.print(Text(f"✗ {message}", "red"), soft_wrap=True)
        failed = True
    return int(failed)


def _files_in(file: Path) -> list[Path]:
    """Return a file, or the descriptions in a folder."""
    if not file.is_dir():
        return [file]
    found = sorted(file.rglob("*.toml"))
    if not found:
        raise InterlockError(f"there are no descriptions in `{file}`; they are TOML files")
    return found


def list_own_files() -> list[Path]:
    """Return the user's own files of descriptions, or raise if there are none."""
    folder = knowledge_folder()
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not found:
        raise InterlockError(f"no files in `{folder}`; name a file, as in `interlock knowledge check shipit.toml`")
    return found


def _find_replaced(file: Path) -> Iterator[str]:
    """Yield which shipped descriptions a file replaces, and the effects that their examples no longer have."""
    content = read_description(read_text(file), str(file))
    if _is_shipped(file) or not isinstance(content, Program):
        return
    names = [name for name in content.names if name in PROGRAMS]
    if by_code := sorted(names_read_by_code().intersection(content.names)):
        listed = ", ".join(f"`{name}`" for name in by_code)
        yield f"only adds effects to what is known about {listed}, whose arguments are read by code"
        return
    if not names:
        return
    for source in dict.fromkeys(PROGRAMS.index.files[PROGRAMS.numbers[name]] for name in names):
        shipped = read_program(read_text(FOLDER / source), source)
        lost = list(find_broken_examples(shipped, _around(file)))
        said = f"replaces what ships with Interlock for {', '.join(f'`{name}`' for name in names)}"
        if lost:
            said += f"; {len(lost)} of its examples have other effects now, such as `{lost[0].run}`: {lost[0].found}"
        yield said


def _review_file(file: Path) -> tuple[list[str], int]:
    """Return the errors of a file, and the number of its examples."""
    try:
        text = read_text(file)
        mistakes = find_mistakes(text, str(file))
        if mistakes:
            return [str(mistake) for mistake in mistakes], 0
        problems, count = _check_file(file)
    except ConfigError as error:
        return [str(error)], 0
    if not is_draft(file):
        problems += _find_missing_examples(file, count)
    return problems, count


def _find_missing_examples(file: Path, count: int) -> list[str]:
    """Return errors about missing examples: of the description, of each of its parts, or of a call that passes."""
    if not count:
        return [f"{file}: loads, but has no examples; add one with all of its effects"]
    document = Document(read_text(file), str(file))
    content = read_description(document.text, str(file))
    if not isinstance(content, Program):
        return [f"{file}:{document.line(one.path) or 1}: {one.message}" for one in find_lacking_examples(content)]
    engine = Engine(around=_around(file), second_opinion=False)
    runs = [example.run for _, example in list_examples(content)]
    if any(engine.decide(Action.shell(run, **WHERE)).verdict is Verdict.ALLOW for run in runs):
        return []
    line = document.line(("names",)) or 1
    return [
        f"{file}:{line}: no example is harmless; add one of a call that passes, such as `{content.names[0]} --help`"
    ]


def _find_shared_names(files: Sequence[Path]) -> list[str]:
    """Return a message for each program that two of the files describe, or one of them and one of the user's own."""
    described: dict[str, Description] = {}
    checked: set[str] = set()
    folder = knowledge_folder()
    own = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    for file in (*own, *files):
        try:
            place = str(resolve(file))
            described.setdefault(place, read_description(read_text(file), place))
        except ConfigError:
            continue  # reported already
        if file in files:
            checked.add(place)
    return [message for message in find_shared_names(described) if any(name in message for name in checked)]


def is_draft(file: Path) -> bool:
    """Whether a file is a draft."""
    return getattr(read_description(read_text(file), str(file)), "draft", False)


def _check_file(file: Path) -> tuple[list[str], int]:
    """Return the errors of the examples of a file, and their number."""
    document = Document(read_text(file), str(file))
    content = read_description(document.text, str(file))
    around = _around(file)
    if isinstance(content, Program) and _is_shipped(file):
        with PROGRAMS.swap(content):
            broken = list(find_broken_examples(content))
    else:
        broken = list(find_broken_examples(content, around))
    foreign = list(find_foreign_examples(content)) if isinstance(content, Program) else []
    calls_another = {one.path[:-1] for one in foreign}
    problems = [(one.path, one.message) for one in foreign]
    problems += [(one.path, str(one)) for one in broken if one.path not in calls_another]
    if isinstance(content, ToolFile):
        problems += find_misjudged_calls(content, around)
    found = sorted((document.line(path) or 1, text) for path, text in problems)
    return [f"{file}:{line}: {text}" for line, text in found], count_examples(content)


def _is_shipped(file: Path) -> bool:
    return resolve(file).is_relative_to(FOLDER)


def _around(file: Path) -> Surroundings:
    """Return the settings for reading the examples of a file: the file itself, with the rights of its location."""
    if _is_shipped(file):
        return NOWHERE
    try:
        loaded = load_knowledge(file, own=True)
    except ConfigError:
        if not is_agent_writable(file, Path.cwd()):
            raise
        loaded = load_knowledge(file, own=False)  # in the workspace it adds to what is known
    if isinstance(loaded.content, Program | ToolFile):  # a draft is checked as if it were in force
        loaded = replace(loaded, content=replace(loaded.content, draft=False))
    return Surroundings(knowledge=Extension([loaded]))
