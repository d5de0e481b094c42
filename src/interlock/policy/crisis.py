"""Crises: actions that must not wait for an approval because a life may depend on them."""

from __future__ import annotations

import re

from interlock.patterns import late

CRISIS_BYPASS_ACTIONS = frozenset({"send_message", "check_crisis", "notify_crisis"})
_CRISIS = late(r"(?<![\w#])(?:988|crisis|suicide|self-harm|lifeline)(?![\w])", re.IGNORECASE)


def is_crisis_bypass(action: str, context: str = "", *, context_bypass: bool = False) -> bool:
    """Whether an action must not wait because a life may depend on it.

    The words of `context` count only with `context_bypass`: anyone could write "988" into a page that an agent
    reads.
    """
    return action in CRISIS_BYPASS_ACTIONS or (context_bypass and _CRISIS.search(context) is not None)
