"""The channel protocol: a message about a request is sent to one person, and updated when the request ends."""

from __future__ import annotations

from typing import Protocol

from interlock.errors import InterlockError
from interlock.model import Struct

REQUESTED, REMINDER, ESCALATED, ENDED = KINDS = ("requested", "reminder", "escalated", "ended")
#: Messages without a request.
REPORT, DRIFT = BULLETINS = ("report", "drift")


class Notification(Struct, frozen=True, kw_only=True):
    """A message about a request. Its texts are masked and on one line, and nothing in them is markup.

    `digest` binds an answer to exactly this action. `can_answer_here` says that a button can meet the approval rules:
    no quiz, no reason, and the person may approve. `outcome` is set once the request has ended. The `url` carries no
    authority: its page requires sign-in.
    """

    approval_id: str
    digest: str
    person: str
    kind: str
    title: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    url: str
    can_answer_here: bool
    ends_at: int | None
    outcome: str = ""


class Receipt(Struct, frozen=True):
    """What a channel needs to update a message that it has sent."""

    address: dict[str, str]


class ChannelError(InterlockError):
    """A message was not sent. `final` says that a retry would be pointless; `wait` is how many seconds to wait."""

    def __init__(self, message: str, *, final: bool = False, wait: float | None = None) -> None:
        self.final, self.wait = final, wait
        super().__init__(message)


class Channel(Protocol):
    """A way to reach people. `recipient` is a person's address in it: a member id, a chat id, a URL.

    `interactive` says whether requests can be answered in it.
    """

    name: str
    interactive: bool

    def send(self, notification: Notification, recipient: str) -> Receipt:
        """Send a message, or raise `ChannelError`."""

    def update(self, notification: Notification, recipient: str, receipt: Receipt) -> None:
        """Replace a message that was sent, or raise `ChannelError`."""
