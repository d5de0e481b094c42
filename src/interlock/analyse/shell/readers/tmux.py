"""`tmux`: its commands, and keys that it sends to a shell."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.agent_answers import is_answer, names_agent
from interlock.analyse.argv import parse
from interlock.analyse.reading import UNKNOWN, Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_flow
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_KEYS = late(r"(?i)(enter|kpenter|escape|tab|btab|space|bspace|up|down|left|right|home|end|f\d+|[cms]-.)")


def _tmux(call: Call) -> Flow:
    """`tmux`: analyse each of its commands, separated by `;`."""
    spec = PROGRAMS["tmux"]
    start = parse(call.words, spec).operands[:1]
    if not start:
        return read(call, spec)
    at, flow = start[0].at, UNKNOWN
    words, nodes = call.words, call.nodes
    while at < len(words):
        end = next((i for i in range(at, len(words)) if words[i] == ";" or words[i].endswith("\\;")), len(words))
        part = call.with_words(["tmux", *words[at:end]], [None, *nodes[at:end]])
        flow = _send_keys(part) if words[at] in ("send-keys", "send") else read(part, spec)
        at = end + 1
    return flow


def _send_keys(call: Call) -> Flow:
    """`send-keys`: analyse the typed text as shell input."""
    parsed = parse(call.words, PROGRAMS["tmux"].subcommands["send-keys"], 2)
    typed = [value.text for value in parsed.operands if not _KEYS.fullmatch(value.text)]
    call.scope.reading.emit("process.spawn", call.site, "tmux")
    if any(names_agent(word) for word in _targets(call.words)) and is_answer(" ".join(typed)):
        call.scope.reading.emit("process.run", call.site, "tmux", frozenset({"unguarded"}))
    if typed:
        return run_flow(call, Flow(" ".join(typed)), "shell", "tmux")
    return UNKNOWN


def _targets(words: list[str]) -> list[str]:
    """Return the sessions and panes that the keys are sent to."""
    after = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-t"]
    return after + [word[2:] for word in words if word.startswith("-t") and len(word) > 2]


TMUX: dict[str, Callable[[Call], Flow]] = {"tmux": _tmux}
