"""Weekly reports by notification: queued once for each week by one of the servers, for people who asked for them."""

from __future__ import annotations

from datetime import UTC

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.errors import TamperedError
from interlock.learning.report_words import figure_lines, headline, title
from interlock.learning.usage import count_new_usage
from interlock.learning.week import Week, last_week, parse_week
from interlock.learning.week_report import week_report
from interlock.metrics.counters import count_new_records
from interlock.server.notify import outbox
from interlock.server.notify.channel import REPORT, Notification
from interlock.server.notify.outbox import QueuedMessage
from interlock.server.notify.preferences import read_preferences
from interlock.server.webhooks.webhook import MOVE_CURSOR
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection
from interlock.store.tables import cursors

CURSOR = "weekly_reports"
#: When a report is sent, after its week has ended at midnight UTC. Quiet hours may delay it.
SEND_AFTER = 8 * 3_600 * MICROSECONDS
_SENT_UP_TO = "SELECT at FROM interlock_cursors WHERE name = :name"
_PEOPLE = "SELECT person FROM interlock_preferences"


def plan_weekly_reports(journal: Journal) -> bool:
    """Queue the report on the last week for everybody who wants it, unless a server has; return whether it was done.

    The cursor moves in the transaction that queues the messages, so each week is queued once. On the first call it
    only starts there: no report is sent on a week before people could subscribe.
    """
    with journal.database.read() as connection:
        if _due_week(connection) is None:
            return False  # no write transaction unless there is work
    return journal.commit(_plan)


def _due_week(connection: Connection) -> Week | None:
    """Return the last week if its report is due and was not queued yet."""
    at = now_in(connection).wall
    week = last_week(at - SEND_AFTER, UTC)
    queued = connection.value(_SENT_UP_TO, name=CURSOR)
    return week if queued is None or queued < _ends(week) else None


def _ends(week: Week) -> int:
    return week.window(UTC).window.end


def _plan(transaction: Transaction) -> bool:
    connection = transaction.connection
    week = _due_week(connection)
    if week is None:
        return False
    is_first = connection.value(_SENT_UP_TO, name=CURSOR) is None
    connection.insert(cursors, {"name": CURSOR, "at": _ends(week)}, otherwise=MOVE_CURSOR)
    if is_first:
        return False
    for name in connection.values(_PEOPLE):
        try:
            wanted = read_preferences(transaction, name)
        except TamperedError:
            continue  # an altered row silences its person alone; `interlock audit verify` reports it
        if wanted.weekly_report:
            outbox.enqueue_bulletin(transaction, report_id(week), wanted, REPORT)
    return True


def report_id(week: Week) -> str:
    """Return the id of a report in the outbox, where messages have the id of a request."""
    return f"report-{week}"


def write_report(journal: Journal, message: QueuedMessage, url: str) -> Notification:
    """Return a weekly report as a message. Nothing in it was chosen by an agent; the page has the rest."""
    week = parse_week(message.approval_id.removeprefix("report-"))
    count_new_records(journal)
    count_new_usage(journal)
    report = week_report(journal, week, UTC)
    return Notification(
        approval_id="",
        digest="",
        person=message.person,
        kind=REPORT,
        title=f"Weekly report: {title(report)}",
        summary=headline(report),
        facts=tuple(
            (line.name, f"{line.value} ({line.change})" if line.change else line.value) for line in figure_lines(report)
        ),
        url=f"{url}/reports?week={week}",
        can_answer_here=False,
        ends_at=None,
    )
