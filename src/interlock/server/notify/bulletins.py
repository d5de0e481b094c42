"""Messages without a request: weekly reports, and changes in the behaviour of agents."""

from __future__ import annotations

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.read import parse_record
from interlock.audit.record import Record
from interlock.audit.sentences import describe_record
from interlock.errors import InterlockError, TamperedError
from interlock.server.notify import outbox
from interlock.server.notify.channel import DRIFT, REPORT, Notification
from interlock.server.notify.message import MAX_SUMMARY, cut
from interlock.server.notify.outbox import QueuedMessage
from interlock.server.notify.preferences import Destination, Preferences, read_preferences
from interlock.server.notify.weekly_reports import write_report

_PREFIX = "drift-"


def queue_drift_notes(transaction: Transaction, record: Record) -> None:
    """Queue a note about an agent for everyone who wants such notes about this agent."""
    for name in transaction.connection.values("SELECT person FROM interlock_preferences"):
        try:
            wanted = read_preferences(transaction, name)
        except TamperedError:
            continue  # an altered row silences its person alone; `interlock audit verify` reports it
        if wanted.drift and _is_about(wanted, record.agent_id or ""):
            outbox.enqueue_bulletin(transaction, f"{_PREFIX}{record.seq}", wanted, DRIFT)


def _is_about(wanted: Preferences, agent_id: str) -> bool:
    return not wanted.agents or any(f"{agent_id}/".startswith(f"{agent}/") for agent in wanted.agents)


def find_obstacle_to_sending(preferences: Preferences, message: QueuedMessage) -> str:
    """Return why a person should no longer get a message; empty if they should."""
    if not (preferences.weekly_report if message.kind == REPORT else preferences.drift):
        return "the person has opted out of it"
    if Destination(channel=message.channel, address=message.recipient) not in preferences.destinations:
        return "the destination was removed"
    return ""


def write_bulletin(journal: Journal, message: QueuedMessage, url: str) -> Notification:
    """Return the text of a message, or raise."""
    return write_report(journal, message, url) if message.kind == REPORT else _write_note(journal, message, url)


def _write_note(journal: Journal, message: QueuedMessage, url: str) -> Notification:
    seq = int(message.approval_id.removeprefix(_PREFIX))
    with journal.database.read() as connection:
        rows = connection.tuples("SELECT body, hash FROM interlock_records WHERE seq = :seq", seq=seq)
    if not rows:
        raise InterlockError("the record no longer exists")
    record = parse_record(*rows[0]).record
    return Notification(
        approval_id="",
        digest="",
        person=message.person,
        kind=DRIFT,
        title="The behaviour of an agent changed",
        summary=cut(describe_record(record), MAX_SUMMARY),
        facts=(("Agent", cut(record.agent_id or "unnamed", 120)),),
        url=f"{url}/audit?kind=agents",
        can_answer_here=False,
        ends_at=None,
    )
