"""The command that continues a coding agent that stopped waiting, once its request is approved."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from interlock.agents.coding import AGENTS
from interlock.patterns import late

PROMPT = "The action that you were waiting for was approved. Repeat exactly that action, then continue."
#: The form of session ids. Any other text could be an attempt to get a command pasted into a shell.
_SESSION = late(r"[0-9A-Za-z][0-9A-Za-z_-]{7,79}")


def continuation_command(agent_id: str | None, run_id: str, action: Mapping[str, Any]) -> str | None:
    """Return the command that continues the session of a coding agent in its folder, or None if there is none.

    >>> continuation_command("codex", "0199a213-81c0", {"workspace": "/home/u/my shop"})[:65]
    "cd '/home/u/my shop' && codex exec resume 0199a213-81c0 'The acti"
    >>> continuation_command("codex", "$(reboot)", {}), continuation_command("my-agent", "0199a213-81c0", {})
    (None, None)
    >>> continuation_command("codex", "0199a213-81c0", {"cwd": "/srv\\nreboot"})
    """
    name = (agent_id or "").split("/")[0]
    agent = next((one for one in AGENTS if one.name == name), None)
    folder = str(action.get("workspace") or action.get("cwd") or "")
    if agent is None or not agent.resume or not _SESSION.fullmatch(run_id) or not folder.isprintable():
        return None
    words = [word.format(session=run_id) if "{" in word else word for word in agent.resume]
    there = f"cd {shlex.quote(folder)} && " if folder else ""
    return f"{there}{shlex.join([*words, PROMPT])}"
