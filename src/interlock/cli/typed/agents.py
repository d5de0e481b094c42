"""`interlock hook`: what coding agents call before they act."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter, validators

from interlock.cli.lastword import DEADLINE_SECONDS
from interlock.cli.typed.options import USUAL, Store

Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3_600))]


def hook(
    agent: str,
    *,
    event: str | None = None,
    auto_approve: Literal["low", "medium"] | None = None,
    wait: Seconds = 0,
    deadline: Seconds = DEADLINE_SECONDS,
    store: Store = USUAL,
) -> int:
    """Answer a coding agent that is about to act: its call on standard input, the answer on standard output.

    Nothing is printed for what may run, so that the agent's own rules go on to apply. What is refused is refused in the
    agent's own words, with a reason that it can act on. Whatever goes wrong, nothing runs because of it.

    Parameters
    ----------
    agent
        claude-code, codex, gemini, cursor or copilot.
    event
        Which hook this is, for an agent whose call does not say so: preToolUse
    auto_approve
        Approve in your place what is at most so risky and was read in full. You are not asked about that any more.
    wait
        How many seconds to wait for somebody to approve what an agent cannot ask about itself.
    deadline
        After so many seconds the answer is no: an agent that waits longer takes silence for leave to go on.
    """
    from interlock.cli import hook as command

    return command.hook(agent, store, event=event, auto_approve=auto_approve, wait=wait, deadline=deadline)
