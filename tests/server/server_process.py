"""A server in its own process, which can be killed: `python -m tests.server.server_process STORE`.

It writes one line of JSON when it is ready: its port, and keys of several roles.
"""

from __future__ import annotations

import json
import sys
import threading

from interlock.access.roles import Role
from interlock.gate import Gate
from tests.server.live_server import start


def main() -> None:
    """Serve until the process is killed."""
    running, _ = start(Gate(store=sys.argv[1]))
    people = {
        "agent": running.agent("ann"),
        "reviewer": running.reviewer("bob"),
        "admin": running.admin("eve"),
        "machine": running.key(Role.MACHINE, "it"),
    }
    told = {"port": running.port, **{name: client.headers for name, client in people.items()}}
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
