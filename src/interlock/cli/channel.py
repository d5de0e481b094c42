"""`interlock channel`: the Claude Code channel for permission prompts."""

from __future__ import annotations

import os
import sys
import threading

from interlock.agents.channel.messages import ChannelServer, PermissionPrompt
from interlock.agents.channel.relay import PermissionRelay
from interlock.approval.approver import NoApprover
from interlock.cli.commands.options import Store
from interlock.gate import Gate

#: How many prompts can wait for an answer at once. Claude Code shows one at a time.
MAX_PROMPTS = 16


def run(store: Store) -> int:
    """Serve the channel until Claude Code ends it."""
    with Gate(store.config, store=store.store, approver=NoApprover()) as gate:
        relay = PermissionRelay(gate, os.environ.get("CLAUDE_CODE_SESSION_ID") or None)
        places = threading.BoundedSemaphore(MAX_PROMPTS)

        def receive(prompt: PermissionPrompt) -> None:
            if places.acquire(blocking=False):
                threading.Thread(target=work, args=(prompt,), daemon=True).start()

        def work(prompt: PermissionPrompt) -> None:
            try:
                relay.relay(prompt, server.answer)
            finally:
                places.release()

        server = ChannelServer(sys.stdout.buffer, receive)
        server.serve(sys.stdin.buffer)
    return 0
