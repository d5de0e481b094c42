"""Who is notified of a request, and when: a plan made once, when the request is opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from interlock.approval.request import Approval
from interlock.approval.requirement import check_approver, is_member
from interlock.errors import NotYoursError
from interlock.levels import Level
from interlock.scoring.command import ENVIRONMENTS, environment_points
from interlock.server.notify.channel import ESCALATED, REMINDER, REQUESTED
from interlock.server.notify.preferences import Preferences
from interlock.store.clock import MICROSECONDS

MINUTE = 60 * MICROSECONDS
#: When the next person is notified of a request that does not expire, by default.
DEFAULT_ESCALATION = 30 * MINUTE
#: The last reminder comes when a fifth of the time is left, but not earlier than ten minutes before the end.
REMINDER_SHARE, MAX_REMINDER = 5, 10 * MINUTE
#: Requests that are open for less than this have no reminder.
MIN_REMINDED = 5 * MINUTE
#: How long a model that may answer alone has before people are notified.
MODEL_GRACE = 30 * MICROSECONDS
#: Quiet hours are searched for their end in steps of this length, for up to a week.
_STEP, _STEPS = 5 * MINUTE, 7 * 24 * 12


class Step(msgspec.Struct, frozen=True):
    """A person who is notified of a request at a time."""

    person: str
    at: int
    kind: str


def plan(approval: Approval, people: Iterable[Preferences], at: int) -> tuple[Step, ...]:
    """Return who is notified, and when. No person is notified twice at once, or after the request has expired.

    Those who want it are notified at once, and the others one after the other until there is an answer. If none can be
    notified at once, the next in line is.
    """
    told = sorted((one for one in people if wants(one, approval)), key=lambda one: one.person)
    start = at + (MODEL_GRACE if _may_be_answered_by_model(approval) else 0)
    awake = [one for one in told if not one.backup and not is_held_back(one, approval, start)]
    late = [one for one in told if not one.backup and is_held_back(one, approval, start)]
    line = [one for one in told if one.backup]
    if not awake and line:
        able = [one for one in line if not is_held_back(one, approval, start)]
        awake, line = able[:1], [one for one in line if one not in able[:1]]
    steps = [Step(one.person, start, REQUESTED) for one in awake]
    steps += [Step(one.person, _when_awake(one, approval, start), REQUESTED) for one in late]
    steps += _escalations(approval, awake or late, line, start)
    return tuple(_before_end(approval, [*steps, *_reminders(approval, told, steps)]))


def wants(preferences: Preferences, approval: Approval) -> bool:
    """Whether a person may answer a request, and wants to be notified of it."""
    if not preferences.destinations or not may_approve(approval, preferences.person):
        return False
    level, environment = str(approval.decision.get("level")), approval.action.get("environment")
    agent = approval.agent_id or ""
    return (
        (not preferences.levels or level in preferences.levels)
        and (not preferences.environments or environment in preferences.environments)
        and (not preferences.agents or any(f"{agent}/".startswith(f"{one}/") for one in preferences.agents))
        and (not preferences.only_named or is_named(approval, preferences.person))
    )


def may_approve(approval: Approval, person: str) -> bool:
    """Whether the rules of a request let a person approve it."""
    try:
        check_approver(approval, person)
    except NotYoursError:
        return False
    return True


def is_named(approval: Approval, person: str) -> bool:
    """Whether a request asks for a person by name, or by one of their roles."""
    return any(is_member(person, group, approval.roles) for group in approval.needs.who)


def is_held_back(preferences: Preferences, approval: Approval, at: int) -> bool:
    """Whether a message has to wait for the end of a person's quiet hours."""
    return preferences.is_quiet(at) and not (preferences.break_through and is_urgent(approval))


def is_urgent(approval: Approval) -> bool:
    """Whether a request is critical and in production, or in an environment that counts as much."""
    points = environment_points(approval.action.get("environment"))
    return approval.decision.get("level") == Level.CRITICAL.value and points >= ENVIRONMENTS["production"]


def quiet_until(preferences: Preferences, at: int) -> int:
    """Return the first time after the quiet hours; after a week of them, that time."""
    for _ in range(_STEPS):
        if not preferences.is_quiet(at):
            break
        at = (at // _STEP + 1) * _STEP
    return at


def _may_be_answered_by_model(approval: Approval) -> bool:
    return approval.reviewer and approval.needs.model and (approval.needs.liftable or not approval.needs.human)


def _when_awake(preferences: Preferences, approval: Approval, at: int) -> int:
    return quiet_until(preferences, at) if is_held_back(preferences, approval, at) else at


def _escalations(
    approval: Approval, first: Sequence[Preferences], line: Sequence[Preferences], start: int
) -> list[Step]:
    """Return when each person in the line is notified, if there is no answer by then."""
    configured = [one.escalate_minutes * MINUTE for one in first if one.escalate_minutes is not None]
    end, at, steps = approval.expires_at, start, []
    for one in line:
        wait = min(configured, default=DEFAULT_ESCALATION)
        if end is not None:
            half = max(0, end - at) // 2
            wait = min(wait, half) if configured else half
        at += wait
        steps.append(Step(one.person, _when_awake(one, approval, at), ESCALATED))
    return steps


def _reminders(approval: Approval, told: Sequence[Preferences], steps: Sequence[Step]) -> list[Step]:
    """Return the last reminder of each person who was notified well before."""
    end = approval.expires_at
    if end is None or end - approval.created_at < MIN_REMINDED:
        return []
    at = end - min((end - approval.created_at) // REMINDER_SHARE, MAX_REMINDER)
    early = {step.person for step in steps if step.at < at}
    return [Step(one.person, _when_awake(one, approval, at), REMINDER) for one in told if one.person in early]


def _before_end(approval: Approval, steps: Iterable[Step]) -> list[Step]:
    end = approval.expires_at
    return sorted((step for step in steps if end is None or step.at < end), key=lambda step: (step.at, step.person))
