"""`interlock approvals`: list and answer approval requests."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from interlock.approval.ask_person import ask_person
from interlock.approval.override import reopen_refused
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.approval.rubber_stamps import find_rubber_stamps
from interlock.approval.terminal.render import render_request
from interlock.approval.terminal.terminal import Terminal
from interlock.audit.identity import user_name
from interlock.cli.approver_names import name_approvers
from interlock.cli.local_time import local_time, zone_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.cli.request_list import STATE_STYLES, list_requests, summarise, summary_of
from interlock.errors import ApprovalError, NotYoursError, nearest
from interlock.levels import Level
from interlock.sanitise import plain
from interlock.show import columns, console, level_text, print_json_lines
from interlock.store.clock import MICROSECONDS, now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

#: How wide a list is in a file or a pipe, where each request should stay on one line.
FILE_WIDTH = 200
_DAY = 86_400 * MICROSECONDS


def list_all(store: Store, state: str | None, limit: int, *, as_json: bool) -> int:
    """Print the pending requests, or those in another state."""
    with open_store(store.store, store.config) as found:
        wanted = _state(state)
        approvals = found.register.list(wanted, limit)
        pending = [one for one in approvals if one.state is ApprovalState.PENDING]
        approvers = {} if as_json else name_approvers(found, pending, user_name())
    if as_json:
        print_json_lines(approvals)
        return 0
    if not approvals:
        print("no pending requests" if wanted is ApprovalState.PENDING else "no requests")
        return 0
    out = console()
    if not out.is_terminal:
        out.width = FILE_WIDTH
    out.print(list_requests(approvals, approvers, out.width))
    if wanted is ApprovalState.PENDING:
        print("\n  `interlock approvals show ID` shows one, `approve ID` and `reject ID` answer it")
    return 0


def _state(name: str | None) -> ApprovalState | None:
    if name is None:
        return ApprovalState.PENDING
    if name == "all":
        return None
    try:
        return ApprovalState(name)
    except ValueError:
        raise ApprovalError(
            f"unknown state `{name}`{nearest(name, [s.value for s in ApprovalState] + ['all'])}"
        ) from None


def show(store: Store, approval_id: str, *, as_json: bool) -> int:
    """Print one request as an approver sees it, and its answers."""
    with open_store(store.store, store.config) as found:
        found.register.expire_due()
        approval = found.register.get(approval_id)
    if as_json:
        print(msgspec.json.encode(approval).decode())
        return 0
    out, at = console(), now().wall
    out.print(render_request(approval, at))
    state = Text(f"  {approval.state.value}", STATE_STYLES[approval.state])
    out.print(state + Text(f"  {plain(approval.why)}" if approval.why else ""))
    for answer in approval.answers:
        where = f" in {plain(answer.via)}" if answer.via else ""
        said = f"{plain(answer.approver)}: {answer.verdict.value}{where}  {plain(answer.reason)}"
        out.print(Text(f"  {local_time(answer.at, at)}  {said}"))
    if approval.used_at is not None:
        out.print(Text(f"  {local_time(approval.used_at, at)}  used", "dim"))
    return 0


def approve(store: Store, approval_id: str) -> int:
    """Show a request to the user at this terminal, run the challenge, and submit the answer."""
    require_person("approvals approve")
    with open_store(store.store, store.config) as found:
        return _ask_here(found, _get_pending(found, approval_id))


def override(store: Store, approval_id: str) -> int:
    """Open a request again that a model has rejected, and ask the user at this terminal."""
    require_person("approvals override")
    with open_store(store.store, store.config) as found:
        refused = found.register.get(approval_id)
        _open_terminal(refused)
        return _ask_here(found, reopen_refused(found.journal, refused.approval_id, user_name()))


def _open_terminal(approval: Approval) -> Terminal:
    """Return the terminal, or raise if there is none to take the challenge at."""
    terminal = Terminal()
    if not terminal.available():
        raise ApprovalError(f"approving needs the challenge `{approval.needs.challenge}`, which needs a terminal")
    return terminal


def _ask_here(found: OpenStore, approval: Approval) -> int:
    """Ask the user at this terminal, and submit the answer."""
    objection = found.register.explain_ineligible(approval, user_name())  # it is checked again with the answer
    if objection:
        raise NotYoursError(objection)
    answer = ask_person(
        _open_terminal(approval),
        found.register,
        approval,
        user_name(),
        poll=lambda: found.register.get_state(approval.approval_id)[0] is not ApprovalState.PENDING,
        seconds_left=lambda: found.register.get_state(approval.approval_id)[1],
    )
    if answer is None:
        return 1
    return _say(found.register.answer(approval.approval_id, answer))


def reject(store: Store, approval_id: str, reason: str, instead: str) -> int:
    """Reject a request, with an optional alternative."""
    with open_store(store.store, store.config) as found:
        approval = _get_pending(found, approval_id)
        answer = Answer(approver=user_name(), verdict=AnswerVerdict.REJECT, reason=reason, instead=instead)
        return _say(found.register.answer(approval.approval_id, answer))


def extend(store: Store, approval_id: str) -> int:
    """Keep a request open for longer."""
    require_person("approvals extend")
    with open_store(store.store, store.config) as found:
        approval = found.register.extend(_get_pending(found, approval_id).approval_id, user_name())
    print(f"{approval.approval_id[:8]}: open until {local_time(approval.expires_at or 0, now().wall)} {zone_name()}")
    return 0


def cancel(store: Store, approval_id: str) -> int:
    """Cancel a request."""
    with open_store(store.store, store.config) as found:
        return _say(found.register.cancel(approval_id, user_name()))


def _get_pending(found: OpenStore, approval_id: str) -> Approval:
    found.register.expire_due()
    approval = found.register.get(approval_id)
    if approval.state is not ApprovalState.PENDING:
        why = f" ({plain(approval.why)})" if approval.why else ""
        raise ApprovalError(f"request `{approval.approval_id}` is {approval.state.value} already{why}")
    return approval


def _say(approval: Approval) -> int:
    what = approval.state.value if approval.state is not ApprovalState.PENDING else "recorded; more answers are needed"
    print(f"{approval.approval_id[:8]}: {what}" + (f" ({plain(approval.why)})" if approval.why else ""))
    if approval.state is ApprovalState.APPROVED:
        _print_continuation(approval)
    return 0


def _print_continuation(approval: Approval) -> None:
    """Print how the agent continues: by itself while it waits, or with a command if one is known."""
    from interlock.agents.continuation import continuation_command

    command = continuation_command(approval.agent_id, approval.run_id, approval.action)
    print("an agent that is still waiting continues by itself" + ("; otherwise run" if command else ""))
    if command:
        print(f"  {plain(command)}")


def watch(store: Store) -> int:
    """Print requests as they are opened and as they end, until interrupted."""
    known: dict[str, ApprovalState] = {}
    with open_store(store.store, store.config) as found:
        print("watching; Ctrl-C stops", file=sys.stderr)
        first = True
        while True:
            for approval in reversed(found.register.list(None, 50)):
                if known.get(approval.approval_id) is not approval.state:
                    if not first or approval.state is ApprovalState.PENDING:
                        _print_state_change(approval)
                    known[approval.approval_id] = approval.state
            first = False
            time.sleep(0.5)


def _print_state_change(approval: Approval) -> None:
    text = summary_of(approval)[:100]
    state, level = approval.state.value, approval.decision["level"]
    at = now().wall
    print(f"{local_time(at, at)}  {approval.approval_id[:8]}  {state:9}  {level:8}  {text}", flush=True)


def list_stamps(store: Store, days: int) -> int:
    """Print the approvals that were given faster than the request can be read."""
    with open_store(store.store, store.config) as found:
        stamped = list(find_rubber_stamps(found.database, since=now().wall - days * _DAY))
    if not stamped:
        print(f"no rubber stamps in the last {days} days")
        return 0
    table = columns("id", "approver", "took", "reading takes", "level", "action")
    for stamp in stamped:
        table.add_row(
            stamp.approval_id[:8],
            plain(stamp.answer.approver),
            f"{stamp.took:.1f} s",
            f"{stamp.reading:.0f} s",
            level_text(Level(stamp.decision.level)),
            summarise(stamp.tool_name, stamp.decision.text)[:80],
        )
    console().print(table)
    return 0
