"""A server that leaks memory and files on purpose, to prove that soak notices: `--sabotage leak` starts it."""

from __future__ import annotations

import os
import threading
import time

from interlock.cli import script
from torture.soak.reporting import start_reporting

_LEAK: list[object] = []


def leak() -> None:
    """Keep half a megabyte and an open file more each second, forever."""
    while True:
        _LEAK.append((bytearray(os.urandom(500_000)), os.open(os.devnull, os.O_RDONLY)))
        time.sleep(1)


if __name__ == "__main__":
    start_reporting()
    threading.Thread(target=leak, daemon=True).start()
    script()
