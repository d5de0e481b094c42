"""Clipboards: `xclip` and `xsel` read or set the clipboard, by their options and by whether they are given input."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

_OUTPUT = late(r"-o|-[bpsk]*o[bpsk]*|--output|-out|-selection=.*o")
_INPUT = late(r"-i|-[bpsk]*[ia][bpsk]*|--input|--append|-in|--clear|-c|--delete")
_CLIPBOARD = frozenset({"clipboard"})


def _clipboard(call: ShellCall) -> Flow:
    """Report what is read from the clipboard; setting it is harmless."""
    words = call.words[1:]
    shows = any(_OUTPUT.fullmatch(word) for word in words)
    if not shows and call.program == "xsel":
        shows = call.stdin is NOTHING and not any(_INPUT.fullmatch(word) for word in words)
    call.scope.reading.emit("system.read", call.site, call.program, _CLIPBOARD if shows else frozenset())
    return Flow(None, _CLIPBOARD) if shows else UNKNOWN


CLIPBOARDS: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(("xclip", "xsel", "win32yank"), _clipboard)
