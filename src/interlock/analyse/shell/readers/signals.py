"""`kill`, `pkill` and `killall`: the signal and its targets. A number after a dash may be a signal or a group."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from interlock.analyse.files.paths import hole
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

#: Signals that neither end nor suspend a process.
_MILD = frozenset("HUP 1 CONT USR1 USR2 WINCH CHLD URG INFO 10 12 17 18 23 28".split())
_NUMBER = late(r"-?\d+$")
_SIGNAL = late(r"-(?:SIG)?([A-Z][A-Z0-9+]*|\d+)$")
# The processes that a command finds by their name: `$(pgrep -f name)`, `$(cat /run/name.pid)`.
_SEARCHED = late(
    r"\((?:sudo\s+)?(?:(?:pgrep|pidof)\b(?:\s+-\w+)*\s+['\"]?([\w.@/-]+)|(?:cat\s+|<\s*)['\"]?\S*?([\w.@-]+)\.pid\b"
    r"|systemctl\s[^)]*MainPID[^)]*?\s([\w.@-]+)\s*\))"
)


def _kill(call: ShellCall) -> Flow:
    """`kill [-signal] pid …`: signal 0 only tests for a process, target -1 means every process."""
    words = call.words[1:]
    if any(word in ("-l", "-L", "--list", "--table", "--help", "--version") for word in words):
        call.scope.reading.emit("system.read", call.site)
        return UNKNOWN
    signal, targets = _parse_arguments(words)
    if signal in ("0", "EXIT"):
        call.scope.reading.emit("system.read", call.site)
        return UNKNOWN
    for target in targets or [""]:
        _emit_signal(call, signal, target)
    return UNKNOWN


def _parse_arguments(words: list[str]) -> tuple[str, list[str]]:
    """Return the signal and its targets."""
    signal, targets, index = "TERM", [], 0
    while index < len(words):
        word = words[index]
        if word in ("-s", "-n", "--signal", "-q", "--queue") and index + 1 < len(words):
            index += 1
            signal = _signal_name(words[index]) if word not in ("-q", "--queue") else signal
        elif word.startswith("--signal="):
            signal = _signal_name(word[9:])
        elif word[:1] != "-" or (index and _NUMBER.match(word)):
            targets.append(word)
        elif word != "--" and (found := _SIGNAL.match(word.upper())):
            signal = found[1]
        index += 1
    return signal, targets


def _signal_name(signal: str) -> str:
    return signal.upper().removeprefix("SIG")


def _emit_signal(call: ShellCall, signal: str, target: str) -> None:
    """Emit the effect of a signal on one target; jobs and processes of this run are only adjusted."""
    own = target.startswith("%") or target == hole("!") or "own_process" in call.scope.reading.marks(target)
    flags = frozenset({"everything"} if target == "-1" else {"init"} if target == "1" else set())
    kind = "process.adjust" if not flags and (own or signal in _MILD) else "process.signal"
    found = _SEARCHED.search(target)
    call.scope.reading.emit(kind, call.site, found[1] or found[2] or found[3] if found else target or None, flags)


def _kill_by_name(call: ShellCall) -> Flow:
    """`pkill`, `killall`: the signal may be written as an option, `-HUP`."""
    words = call.words
    signals = [found[1] for word in words[1:] if (found := _SIGNAL.match(word)) and len(word) > 2]
    signals += [_signal_name(words[at + 1]) for at, word in enumerate(words[:-1]) if word in ("-s", "--signal")]
    signals += [_signal_name(word[9:]) for word in words if word.startswith("--signal=")]
    rest = [word for word in words if word == words[0] or not _SIGNAL.match(word) or len(word) == 2]
    first = len(call.scope.reading.effects)
    flow = read(call.with_words(rest, [None] * len(rest)), PROGRAMS[words[0].rpartition("/")[2]])
    effects = call.scope.reading.effects
    for at in range(first, len(effects)):
        if effects[at].resource is not None:  # those of one name only, not all of the user's
            effects[at] = msgspec.structs.replace(effects[at], flags=effects[at].flags - _OF_USER)
    _lower_effects(call, first, signals)
    return flow


_OF_USER = frozenset({"of_user"})


def _lower_effects(call: ShellCall, first: int, signals: list[str]) -> None:
    """Lower the effects from `first` on for a harmless signal, except those on all processes of a user."""
    if not signals or not (signals[-1] in _MILD or signals[-1] == "0"):
        return
    effects = call.scope.reading.effects
    kind = "system.read" if signals[-1] == "0" else "process.adjust"
    for at in range(first, len(effects)):
        if effects[at].kind == "process.signal" and not effects[at].flags:
            effects[at] = msgspec.structs.replace(effects[at], kind=kind)


SIGNALS: dict[str, Callable[[ShellCall], Flow]] = {
    "kill": _kill,
    **dict.fromkeys(("pkill", "killall", "skill"), _kill_by_name),
}
