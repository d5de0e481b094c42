"""`interlock knowledge draft`: a description of an unknown program or tool, drafted from the calls on record."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from interlock.cli.knowledge_check import check
from interlock.cli.open_store import open_store
from interlock.cli.usage_progress import count_usage
from interlock.errors import InterlockError
from interlock.knowledge.extension import Extension, plain_tool_name
from interlock.learning.action_usage import UNKNOWN_PROGRAM, UNKNOWN_TOOL, is_known
from interlock.learning.coverage import first_day
from interlock.learning.program_draft import draft_program
from interlock.learning.recorded_calls import count_calls, program_calls, tool_calls
from interlock.learning.tool_draft import draft_tool
from interlock.sanitise import plain
from interlock.show import console

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store
    from interlock.cli.open_store import OpenStore

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}")


def draft(name: str, out: str | None, days: int, store: Store) -> int:
    """Write a drafted description of a program or a tool, and check it."""
    if not _NAME.fullmatch(name):
        raise InterlockError(f"`{plain(name)[:80]}` is not the name of a program or a tool: letters, digits, `_.+-`")
    file = Path(out or f"{name}.toml")
    if out != "-" and file.exists():
        raise InterlockError(f"`{file}` already exists; name another file with `--out`, or remove it first")
    with open_store(store.store, store.config) as found:
        text = _draft(found, name, days)
    if out == "-":
        sys.stdout.write(text)
        return 0
    try:
        with open(file, "x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise InterlockError(f"`{file}` cannot be written: {error.strerror}") from None
    console().print(Text(f"Drafted {file}. It changes nothing until you fill it in; its first lines say how."))
    return check([file])


def _draft(found: OpenStore, name: str, days: int) -> str:
    own = Extension(found.config.knowledge)
    if is_known(name) or name in own.programs or plain_tool_name(name) in own.tools:
        raise InterlockError(f"`{name}` is already described; `interlock knowledge show {name}` shows it")
    count_usage(found.journal)
    since = first_day(days)
    if count_calls(found.journal, UNKNOWN_PROGRAM, name, since):
        return draft_program(name, program_calls(found.journal, UNKNOWN_PROGRAM, name, since), days)
    if count_calls(found.journal, UNKNOWN_TOOL, name, since):
        return draft_tool(name, tool_calls(found.journal, UNKNOWN_TOOL, name, since), days)
    hint = "`interlock coverage` lists unknown programs and tools, docs/knowledge.md shows how to describe one"
    raise InterlockError(f"no call of `{name}` as an unknown program or tool is on record in {days} days; {hint}")
