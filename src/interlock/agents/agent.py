"""An agent: what it can express, and how a reply is written so that it understands it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from typing import NamedTuple


class Reply(IntEnum):
    """What an agent is told, the strictest last."""

    ALLOW = 0  # it runs, and the person is not asked
    SILENT = 1  # no objection: the agent's own rules go on to apply
    ASK = 2  # the agent asks the person
    DENY = 3


class Stage(Enum):
    """When an agent calls."""

    BEFORE = "before"  # a tool is about to run
    ASKING = "asking"  # the agent is about to ask the person itself
    AFTER = "after"  # a tool has run
    OTHER = "other"  # something that we do not decide


class Said(NamedTuple):
    """What a hook prints, and how it ends."""

    out: bytes = b""
    errors: bytes = b""
    status: int = 0


class Event(NamedTuple):
    """Something that an agent calls a hook for, and the replies that it understands there."""

    stage: Stage
    replies: frozenset[Reply] = frozenset({Reply.SILENT})


class Words(NamedTuple):
    """A reply in words: why, for the agent, in one line it can act on; and what only the person is told."""

    why: str = ""
    tell: str = ""


Write = Callable[[str, Reply, Words], bytes]


class Agent(NamedTuple):
    """A coding agent. `marks` are fields by which its calls are known where it runs another agent's hooks."""

    name: str
    title: str
    events: Mapping[str, Event]
    write: Write
    marks: tuple[str, ...] = ()

    def known(self, name: str) -> str | None:
        """Return an event as the agent writes it, in whichever letters it is named; None for one we do not know."""
        return next((event for event in self.events if event.casefold() == name.casefold()), None)

    @property
    def before(self) -> str:
        """The event that comes before a tool is run."""
        return next(name for name, event in self.events.items() if event.stage is Stage.BEFORE)

    def event(self, name: str) -> Event:
        """Return what an event is; one that we do not know decides nothing."""
        return self.events.get(name, Event(Stage.OTHER))

    def expressed(self, event: str, reply: Reply) -> Reply:
        """Return the mildest reply that an agent understands at an event and that is no milder than the one meant."""
        return min((one for one in self.event(event).replies if one >= reply), default=Reply.DENY)


def behaviour(reply: Reply, words: Words) -> dict[str, str]:
    """Return how agents are told what becomes of a question that they are about to ask."""
    return {"behavior": "allow"} if reply is Reply.ALLOW else {"behavior": "deny", "message": words.why or REFUSED}


#: What is said where there is nothing else to say: some agents take a refusal without a reason for none.
REFUSED = "Interlock does not let this run"


def failed(why: str) -> Said:
    """Return how a hook ends that cannot decide: every agent takes this for a refusal."""
    return Said(b"", f"Interlock could not decide, so this does not run: {why}\n".encode(), 2)


#: Sets of replies that agents understand.
ANY = frozenset(Reply)
DENY_ONLY = frozenset({Reply.SILENT, Reply.DENY})
ASK_TOO = DENY_ONLY | {Reply.ASK}
#: Where the agent asks the person itself unless it is told otherwise, to say nothing is to ask.
PROMPT = frozenset({Reply.ALLOW, Reply.ASK, Reply.DENY})
AFTER = Event(Stage.AFTER)
