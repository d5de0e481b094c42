"""The question before agents are paused or stopped: which and how many are affected, until when, and who can resume."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.access.roles import Caller, Right
from interlock.audit.stops import StopTarget
from interlock.metrics.action_index import MAX_FOR_A_PAGE, index_new_actions
from interlock.metrics.affected_agents import AffectedAgents, find_affected
from interlock.metrics.counters import DAY
from interlock.sanitise import plain
from interlock.server.pages.confirmation import Question
from interlock.server.pages.formatting import with_commas
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now

#: How many agents are named.
MAX_NAMED = 5
_RECENTLY = DAY * MICROSECONDS
_WAITING = "Callers that wait are held and go on when the pause ends; other actions are refused."


def read_affected(service: Service, target: StopTarget) -> AffectedAgents:
    """Return the agents that a stop or a pause of a target affects."""
    index_new_actions(service.journal, MAX_FOR_A_PAGE)
    agent = None
    if target.key_id is not None:
        agent = service.authenticator.keys.find(target.key_id).caller.agent
    with service.journal.database.read() as connection:
        return find_affected(connection, target, agent, now().wall - _RECENTLY)


def pause_question(service: Service, caller: Caller, target: StopTarget, length: str | None) -> Question:
    """Return what to confirm before a target is paused: for a length such as `1 hour`, or until a person resumes."""
    effects = (
        describe_affected(read_affected(service, target), target),
        f"{_describe_length(length)} {_WAITING}",
        "Admins can resume at any time." if caller.may(Right.MANAGE) else "You and admins can resume at any time.",
    )
    name = str(target).replace("`", "")
    return Question(title=f"Pause {name}?", effects=effects, label=f"Pause {name}", action="/pauses", back="/stops")


def _describe_length(length: str | None) -> str:
    return "The pause lasts until a person resumes." if length is None else f"The pause lasts {length}."


def stop_question(service: Service, caller: Caller, target: StopTarget) -> Question:
    """Return what to confirm before a target is stopped."""
    resumed = "Admins can resume at any time." if caller.may(Right.MANAGE) else "Only admins can resume; you cannot."
    effects = (
        describe_affected(read_affected(service, target), target),
        "Every action is refused from now on, at every server and machine of the store, approved actions too.",
        resumed,
    )
    name = str(target).replace("`", "")
    return Question(title=f"Stop {name}?", effects=effects, label=f"Stop {name}", action="/stops", back="/stops")


def describe_affected(found: AffectedAgents, target: StopTarget) -> str:
    """Return how many agents are affected, in a sentence.

    >>> describe_affected(AffectedAgents(("bot", "bot/tests"), 1, 3), StopTarget("bot"))
    '2 agents are affected (`bot` and `bot/tests`), 1 of them active in the last 24 hours, with 3 open requests.'
    >>> describe_affected(AffectedAgents(("a", "b", "c", "d", "e", "f"), 0, 0), StopTarget())
    '6 agents are affected, none of them active in the last 24 hours.'
    >>> describe_affected(AffectedAgents(("bot",), 1, 1), StopTarget("bot"))
    '1 agent is affected (`bot`), active in the last 24 hours, with 1 open request.'
    >>> describe_affected(AffectedAgents((), 0, 0), StopTarget("bto"))
    'No agent of this name has acted yet. Check the name; actions under it are affected from now on.'
    """
    count = len(found.names)
    if not count:
        return _describe_none(target)
    are = "1 agent is" if count == 1 else f"{with_commas(count)} agents are"
    names = f" ({_join(found.names)})" if count <= MAX_NAMED else ""
    requests = found.open_requests
    waiting = f", with {with_commas(requests)} open {'request' if requests == 1 else 'requests'}" if requests else ""
    return f"{are} affected{names}, {_describe_active(found)}{waiting}."


def _describe_none(target: StopTarget) -> str:
    if target.key_id is not None:
        return "No agent has used this key yet; actions that are sent with it are affected from now on."
    if target.agent_id is None:
        return "No agent has acted yet; every action is affected from now on."
    return "No agent of this name has acted yet. Check the name; actions under it are affected from now on."


def _describe_active(found: AffectedAgents) -> str:
    when = "active in the last 24 hours"
    if len(found.names) == 1:
        return when if found.active else f"not {when}"
    share = "all" if found.active == len(found.names) else with_commas(found.active) if found.active else "none"
    return f"{share} of them {when}"


def _join(names: Sequence[str]) -> str:
    shown = [f"`{plain(name)[:80]}`" if name else "no agent name" for name in names]
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"
