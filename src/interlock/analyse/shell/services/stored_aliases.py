"""Aliases that clients keep for themselves (`git config alias.…`, `gh alias set`): later calls of the run use them."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.scope import ShellScope
from interlock.patterns import late

#: Stands between program and alias in the name under which a scope keeps one, also for later actions of the run
#: (`kept_state.py`). No variable has a space in its name.
_BETWEEN = " alias "
MAX_ALIASES = 20
_ENTRY = late(r"(?m)^(?P<name>[\w-]{1,40}):[ \t]*(?:\|-?[ \t]*\n[ \t]+)?(?P<value>[^\n]{2,200})$")


def store_alias(scope: ShellScope, program: str, name: str, value: str) -> None:
    """Keep an alias of a client for later commands, also of later actions."""
    scope.variables[f"{program}{_BETWEEN}{name.lower()}"] = value


def find_alias(scope: ShellScope, program: str, name: str) -> str | None:
    """Return what an alias of a client stands for, if a command of this run has defined it."""
    value = scope.variables.get(f"{program}{_BETWEEN}{name.lower()}")
    return value if isinstance(value, str) else None


def run_alias(call: ShellCall, program: str, value: str, rest: list[str]) -> Flow:
    """Run an alias of a client: `!…` is a shell command, anything else are words for the client."""
    behind = f"{program}{_BETWEEN}".rstrip()
    if value.startswith("!"):
        text = " ".join([value[1:], *rest])
        return call.scope.shell.evaluate(text, call.scope, call.stdin, call.site.behind(behind))
    words = [program, *value.split(), *rest]
    return call.with_words(words, [None] * len(words)).tail(0, behind)


def read_alias_list(text: str) -> Iterator[tuple[str, str]]:
    """Yield the aliases in a file that `gh alias import` takes.

    >>> list(read_alias_list("co: pr checkout\\nbugs: |-\\n    issue list\\n"))
    [('co', 'pr checkout'), ('bugs', 'issue list')]
    """
    for found in list(_ENTRY.finditer(text))[:MAX_ALIASES]:
        yield found["name"], found["value"].strip("'\"")
