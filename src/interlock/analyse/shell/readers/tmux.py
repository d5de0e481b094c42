"""`tmux`: its commands, and keys that it sends to a shell."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.other_agents.answers import is_answer, names_agent
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_flow
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_KEYS = late(r"(?i)(enter|kpenter|escape|tab|btab|space|bspace|up|down|left|right|home|end|f\d+|[cms]-.)")


def _tmux(call: ShellCall) -> Flow:
    """`tmux`: analyse each of its commands, separated by `;`."""
    spec = PROGRAMS["tmux"]
    parsed = parse(call.words, spec)
    start = parsed.operands[:1]
    for value in parsed.values:
        if value.role == "loaded" and start:
            report_loading(call.scope.reading, call.site, value.text)
    if not start:
        return read(call, spec)
    at, flow = start[0].at, UNKNOWN
    words, nodes = call.words, call.nodes
    while at < len(words):
        end = next((i for i in range(at, len(words)) if words[i] == ";" or words[i].endswith("\\;")), len(words))
        part = call.with_words(["tmux", *words[at:end]], [None, *nodes[at:end]])
        if words[at] in ("send-keys", "send"):
            flow = _send_keys(part)
        elif words[at] in _DEFERRING:
            flow = _read_deferred(part)
        elif words[at] in _CONDITIONAL:
            flow = _read_conditional(part)
        elif words[at] in ("pipe-pane", "pipep"):
            flow = _pipe_pane(part)
        else:
            _read_formats(part)
            if words[at] in _SETTING:
                _read_setting(part)
            flow = read(part, spec)
        at = end + 1
    return flow


_DEFERRING = frozenset({"bind-key", "bind", "set-hook"})
_CONDITIONAL = frozenset({"if-shell", "if", "confirm-before", "confirm", "command-prompt"})
_SETTING = frozenset("set set-option setw set-window-option".split())
_COMMANDS = frozenset("default-command default-shell lock-command copy-command editor".split())
_SUBSTITUTION = late(r"#\((.+?)\)")


def _read_deferred(call: ShellCall) -> Flow:
    """`bind-key KEY COMMAND` and `set-hook NAME COMMAND`: analyse the command that runs later."""
    call.scope.reading.emit("process.spawn", call.site, "tmux")
    words = [word for word in call.words[2:] if word[:1] != "-"][1:]
    return _run_text(call, words[0]) if len(words) == 1 else _run_words(call, words)


def _read_conditional(call: ShellCall) -> Flow:
    """`if-shell TEST COMMAND COMMAND` and `confirm-before COMMAND`: the test is for the shell, the rest for tmux."""
    call.scope.reading.emit("process.spawn", call.site, "tmux")
    spec = PROGRAMS["tmux"].subcommands[call.words[1]]
    parsed = parse(call.words, spec, 2)
    texts = [value.text for value in parsed.operands]
    if call.words[1] in ("if-shell", "if") and texts:
        test = texts.pop(0)
        if "-F" not in parsed.options:
            call.scope.reading.nest("shell", test, call.site.behind("tmux"))
    for text in texts:
        _run_text(call, text)
    return UNKNOWN


def _run_text(call: ShellCall, text: str) -> Flow:
    """Analyse a command of tmux that is one text."""
    try:
        return _run_words(call, shlex.split(text))
    except ValueError:
        call.scope.reading.unread("a command of tmux", call.site)
        return UNKNOWN


def _run_words(call: ShellCall, words: list[str]) -> Flow:
    return _tmux(call.with_words(["tmux", *words], [None] * (len(words) + 1))) if words else UNKNOWN


def _read_setting(call: ShellCall) -> None:
    """Analyse the command that an option of tmux holds, such as `default-command`."""
    plain = [word for word in call.words[2:] if word[:1] != "-"]
    if len(plain) > 1 and plain[0] in _COMMANDS:
        call.scope.reading.nest("shell", plain[1], call.site.behind("tmux"))


def _read_formats(call: ShellCall) -> None:
    """Analyse the commands in formats: `display-message '#(uptime)'`, `set status-right '#(date)'`."""
    for word in call.words[2:]:
        for found in _SUBSTITUTION.finditer(word):
            call.scope.reading.nest("shell", found[1], call.site.behind("tmux"))


def _send_keys(call: ShellCall) -> Flow:
    """`send-keys`: analyse the typed text as shell input."""
    parsed = parse(call.words, PROGRAMS["tmux"].subcommands["send-keys"], 2)
    typed = [value.text for value in parsed.operands if not _KEYS.fullmatch(value.text)]
    call.scope.reading.emit("process.spawn", call.site, "tmux")
    if any(names_agent(word) for word in _targets(call.words)) and is_answer(" ".join(typed)):
        call.scope.reading.emit("process.run", call.site, "tmux", frozenset({"unguarded"}))
    if typed:
        return run_flow(call, Flow(" ".join(typed)), "shell", "tmux")
    return UNKNOWN


def _pipe_pane(call: ShellCall) -> Flow:
    """`pipe-pane`: run a command whose input is what the pane prints."""
    parsed = parse(call.words, PROGRAMS["tmux"].subcommands["pipe-pane"], 2)
    for value in parsed.operands[:1]:
        call.scope.reading.nest("shell", value.text, call.site.behind("tmux"), _PRINTED)
    return UNKNOWN


_PRINTED = Flow(None, frozenset({"disguised"}))


def _targets(words: list[str]) -> list[str]:
    """Return the sessions and panes that the keys are sent to."""
    after = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-t"]
    return after + [word[2:] for word in words if word.startswith("-t") and len(word) > 2]


TMUX: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(("tmux", "byobu", "byobu-tmux"), _tmux)
