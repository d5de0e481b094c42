"""Answers that are typed into the approval prompt of a coding agent."""

from __future__ import annotations

from interlock.analyse.other_agents.coding_agents import AGENTS
from interlock.patterns import late

_NAMES = "|".join((*AGENTS.names, *AGENTS.ordinary_names, "agents?"))
_AGENT = late(rf"(?i)(?:^|[^a-z])(?:{_NAMES})(?:[^a-z]|$)")
_ANSWER = late(r"(?i)(?:y|yes|a|always|allow|approve|ok|continue|proceed|[1-9]|)(?:\\r|\\n|\r|\n)*")


def names_agent(name: str) -> bool:
    """Whether the name of a terminal session or a program is one of a coding agent.

    >>> names_agent("claude:0"), names_agent("claude-approve"), names_agent("web")
    (True, True, False)
    """
    return _AGENT.search(name) is not None


def is_answer(typed: str) -> bool:
    """Whether typed text answers a question rather than giving work to do.

    >>> is_answer("1"), is_answer("yes"), is_answer("run the tests")
    (True, True, False)
    """
    return _ANSWER.fullmatch(typed.strip()) is not None
