"""Coding agents: options and settings that turn their own approval prompts off."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.other_agents.answers import is_answer
from interlock.analyse.other_agents.coding_agents import AGENTS as AGENT_WORDS
from interlock.analyse.other_agents.coding_agents import is_unguarded
from interlock.analyse.other_agents.prompts import report_prompt
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.readers import AGENTS, PAIR_PROGRAMMERS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

MAX_ANSWERS = 40
_PERMISSIONS = late(r"(?i)permissions\.(?:allow|default)|allowedTools|approval_policy|sandbox_mode")


def _coding_agent(call: ShellCall) -> Flow:
    """A coding agent: report modes that skip its prompts, written as option values, short options or settings."""
    name = call.program
    _read_prompts(call)
    if is_unguarded(name, call.words[1:]) or _is_answered(call):
        call.scope.reading.emit("process.run", call.site, name, frozenset({"unguarded"}))
    for at, word in enumerate(call.words):
        value = word[13:] if word.startswith("--mcp-config=") else "".join(call.words[at + 1 : at + 2])
        if word.startswith("--mcp-config") and value.startswith(("{", "http")):
            call.scope.reading.emit("package.install", call.site, value[:80], frozenset({"mcp_server"}))
    if call.words[1:2] == ["config"] and any(_PERMISSIONS.match(word) for word in call.words[2:]):
        call.scope.reading.emit("process.run", call.site, name, frozenset({"unguarded"}))
    spec = PROGRAMS[name]
    parsed = parse(call.words, spec)
    if parsed.kind and not parsed.operands:
        return apply(call, spec, parsed)
    return read(call, spec)


def _read_prompts(call: ShellCall) -> None:
    """Read what an agent is told to do: arguments of several words, and instructions on standard input."""
    reading, words = call.scope.reading, call.words[1:]
    prompts = [word for word in words if " " in word or word[:1] == HOLE]
    if call.stdin.text and len(call.stdin.text) >= MAX_ANSWERS and not prompts:
        prompts = [call.stdin.text]
    for prompt in prompts:
        report_prompt(reading, call.site, call.program, prompt)
    if not prompts and "download" in call.stdin.marks:  # the page is the prompt
        reading.emit("process.run", call.site, call.program, _INSTRUCTED)


_INSTRUCTED = frozenset({"instructions"})


def _pair_programmer(call: ShellCall) -> Flow:
    """An agent without subcommands: `aider --message "…"`."""
    _read_prompts(call)
    return read(call, PROGRAMS[call.program])


def goose_agent(call: ShellCall) -> Flow:
    """`goose run -t "…"`: the coding agent, not the migration tool."""
    _read_prompts(call)
    unguarded = not _UNGUARDED.isdisjoint(call.words) or "--no-confirm" in call.words or _is_answered(call)
    call.scope.reading.emit("process.run", call.site, "goose", frozenset({"unguarded"} if unguarded else ()))
    return UNKNOWN


def _is_answered(call: ShellCall) -> bool:
    """Whether a pipe answers the questions of the agent: `yes | claude`."""
    text = call.stdin.text
    return "endless" in call.stdin.marks or (bool(text) and len(text or "") < MAX_ANSWERS and is_answer(text or ""))


def _copilot(call: ShellCall) -> Flow:
    """`copilot`: the coding agent of GitHub, or with a subcommand the deployment tool of AWS."""
    _read_prompts(call)
    if is_unguarded("copilot", call.words[1:]) or not _UNGUARDED.isdisjoint(call.words) or _is_answered(call):
        call.scope.reading.emit("process.run", call.site, "copilot", frozenset({"unguarded"}))
        return UNKNOWN
    return read(call, PROGRAMS["copilot"])


_UNGUARDED = frozenset(AGENT_WORDS.unguarded_options)
CODING_AGENTS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(AGENTS, _coding_agent),
    **dict.fromkeys(PAIR_PROGRAMMERS, _pair_programmer),
    "copilot": _copilot,
}
