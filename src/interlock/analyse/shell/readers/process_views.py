"""`ps`: with the letter `e` it shows the environment of processes, with their keys."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

# Letters of options without a dash: `ps auxe`, `ps eww`. `ps -e` lists all processes and shows no environment.
_LETTERS = late(r"[aceflmrsuvwxjhnTgXZSt]*e[aceflmrsuvwxjhnTgXZSt]*")
_VALUED = late(r"-[opuUgGCtk]|--(?:pid|format|user|group|tty|sort|ppid)")


def _ps(call: ShellCall) -> Flow:
    """`ps`: report the environment of processes if it is shown."""
    before = ""
    for word in call.words[1:]:
        if _LETTERS.fullmatch(word) and not _VALUED.fullmatch(before):
            call.scope.reading.emit("secret.read", call.site, "ps e", frozenset({"secret", "process_memory"}))
            break
        before = word
    return read(call, PROGRAMS["ps"])


PROCESS_VIEWS: dict[str, Callable[[ShellCall], Flow]] = {"ps": _ps}
