"""`interlock knowledge list` and `words`: what is described, and the words of the notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from interlock.cli.functions import list_shipped_functions
from interlock.cli.knowledge_show import names_in, summarise
from interlock.config.knowledge import knowledge_folder
from interlock.config.load import load
from interlock.effects import KINDS
from interlock.errors import InterlockError, near_miss
from interlock.flags import FLAGS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.cmdlet import CMDLET_RESULTS, CMDLET_ROLES, CmdletFile
from interlock.knowledge.command import Program
from interlock.knowledge.extension import Description
from interlock.knowledge.function import FunctionFile
from interlock.knowledge.function_words import ARGUMENTS, COMPUTED, FUNCTION_ROLES, PYTHON_READERS, SCRIPT_READERS
from interlock.knowledge.roles import LANGUAGES, ROLES
from interlock.knowledge.services import find_services, index_tools
from interlock.knowledge.values import VALUE_GROUPS
from interlock.show import console, pairs


def list_programs(word: str, *, yours: bool, unchecked: bool) -> int:
    """List descriptions by topic."""
    out, wanted = console(), word.lower()
    table = Table(box=None, header_style="dim")
    for title in ("topic", "names", "does"):
        table.add_column(title, overflow="fold")
    count = names = 0
    shipped = () if yours or unchecked else (*list_shipped_functions(wanted), *_find_services(wanted))
    for topic, known, does in (*_find_descriptions(wanted, yours, unchecked), *shipped):
        first = sorted(known, key=lambda name: wanted not in name.lower())  # those in which the word stands
        shown = ", ".join(first[:6]) + (f" and {len(known) - 6} more" if len(known) > 6 else "")
        table.add_row(topic, shown, does)
        count, names = count + 1, names + len(known)
    if not count:
        raise InterlockError(_explain_none(word, yours=yours))
    out.print(table)
    found = f"{count} {'description' if count == 1 else 'descriptions'}, {names} {'name' if names == 1 else 'names'}"
    out.print(Text(f"\n  {found}; `interlock knowledge show NAME` shows one", "dim"))
    return 0


def _explain_none(word: str, *, yours: bool) -> str:
    if yours and not word:
        return f"you have no descriptions; they go into `{knowledge_folder()}`, and docs/knowledge.md shows how"
    return f"no name or topic contains `{word}`{near_miss(word, PROGRAMS)}"


def _find_descriptions(word: str, yours: bool, unchecked: bool) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the topic and the names of each description in which a word stands, and in a few words what it does."""
    for topic, content, names in _descriptions(yours):
        if unchecked and isinstance(content, Program) and content.checked:
            continue
        if word in topic or any(word in name.lower() for name in names):
            yield topic, names, _content_summary(content)


def _find_services(word: str) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the names of the tools of each service in which a word stands."""
    for described in find_services():
        names = list(index_tools(described))
        if word not in described.service.lower():
            names = [name for name in names if word in name]
        if names:
            yield "services", names, f"tools of {described.service}"


def _content_summary(content: Description) -> str:
    if isinstance(content, Program):
        return summarise(content)
    if isinstance(content, CmdletFile):
        return "cmdlets"
    return "functions" if isinstance(content, FunctionFile) else "tools"


def _descriptions(yours: bool) -> Iterator[tuple[str, Description, Sequence[str]]]:
    for own in load().knowledge:
        yield "draft" if own.is_draft else "yours" if own.own else "workspace", own.content, names_in(own)
    if yours:
        return
    files = PROGRAMS.index.files
    seen: set[int] = set()
    for name, number in sorted(PROGRAMS.numbers.items(), key=lambda item: files[item[1]]):
        if number not in seen:
            seen.add(number)
            program = PROGRAMS[name]
            yield files[number].split("/")[1], program, program.names


def words(word: str) -> int:
    """List kinds, flags and roles with what they mean."""
    out = console()
    roles = {**ROLES, "code:LANGUAGE": f"Program text, in one of: {', '.join(sorted(LANGUAGES))}."}
    kinds = {name: kind.says for name, kind in KINDS.items()}
    found = 0
    for title, listed in (
        ("kinds of effects", kinds),
        ("flags", FLAGS),
        ("roles (kinds of effects too)", roles),
        ("groups of values in conditions", {name: group.meaning for name, group in VALUE_GROUPS.items()}),
        ("arguments of functions", ARGUMENTS),
        ("roles of their arguments (kinds of effects and code:LANGUAGE too)", FUNCTION_ROLES),
        ("roles of parameters of cmdlets (kinds of effects and code:LANGUAGE too)", CMDLET_ROLES),
        ("results of cmdlets", CMDLET_RESULTS),
        ("computed results of functions", COMPUTED),
        ("readers of functions in Python", PYTHON_READERS),
        ("readers of functions in other languages", SCRIPT_READERS),
    ):
        rows = [
            (name, says)
            for name, says in listed.items()
            if not word or name.startswith(word) or word.lower() in says.lower()
        ]
        found += len(rows)
        if rows:
            out.print(Text(f"\n{title}", "bold"))
            out.print(pairs(rows))
    if not found:
        raise InterlockError(f"no word or meaning matches `{word}`; `interlock knowledge words` lists them all")
    return 0
