"""The whole input of an action on one line: no button may approve what its message does not show."""

from __future__ import annotations

import msgspec

from interlock.approval.request import Approval
from interlock.payload import CUT, format_value, leaves
from interlock.sanitise import plain

#: Every interactive channel shows this much of a summary.
MAX_WHOLE = 1_400


def describe_whole(approval: Approval) -> str | None:
    """Return the tool and its whole input, or None if that is too long or partly hidden.

    Line breaks stay visible as `\\n`: on one line without them, the next command would look like an argument.
    """
    payload = approval.action.get("inputPayload") or {}
    parts = list(leaves(payload))
    if approval.decision.get("unshown") or any(value is CUT for _, value in parts):
        return None
    one = format_value(parts[0][1], MAX_WHOLE + 1) if len(parts) == 1 else ""
    given = one if len(parts) == 1 else msgspec.json.encode(payload).decode()
    whole = plain(f"{approval.action.get('toolName') or 'unnamed tool'}: {given}")
    return whole if len(whole) <= MAX_WHOLE else None
