"""Pull bundles in a background process, so that no hook waits for the network."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import interlock
from interlock.central.cache import keep_pull
from interlock.config.central import CentralSettings
from interlock.config.central_cache import MICROSECONDS, read_last_pull
from interlock.config.load import find_central
from interlock.errors import InterlockError

if TYPE_CHECKING:
    import subprocess

#: How often a long-lived process checks whether a pull is due.
LOOK_SECONDS = 15.0


#: Seconds after which a failed pull is retried.
RETRY_SECONDS = 60.0


def is_due(settings: CentralSettings) -> bool:
    """Whether the last pull is older than the configured interval, or a failed pull should be retried."""
    last = read_last_pull(settings)
    ago = time.time() - last.tried_at / MICROSECONDS
    seconds = RETRY_SECONDS if last.error or not last.answered_at else settings.every_minutes * 60
    return not 0 <= ago < seconds


def pull_if_due(settings: CentralSettings) -> subprocess.Popen[bytes] | None:
    """Start a pull in a process of its own if one is due; return the process.

    If that fails, the bundle in force stays, and `interlock doctor` shows how old it is.
    """
    if not is_due(settings):
        return None
    now = int(time.time() * MICROSECONDS)
    try:
        keep_pull(msgspec.structs.replace(read_last_pull(settings), tried_at=now))  # the next hook starts no other
        return _start()
    except (InterlockError, OSError):
        return None


def _start() -> subprocess.Popen[bytes]:
    import subprocess  # slow to load, and rarely needed

    launcher = Path(interlock.__file__).with_name("launch.py")
    line = [sys.executable, "-I", "-S", str(launcher), "central", "pull", "--quiet"]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 - our own program, with fixed arguments
        line, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True, cwd="/", env=dict(os.environ)
    )


def keep_pulling(stop: threading.Event) -> None:
    """Start pulls whenever they are due, until `stop` is set."""
    process = None
    while not stop.is_set():
        if process is None or process.poll() is not None:
            settings = _find_server()
            process = None if settings is None else pull_if_due(settings)
        stop.wait(LOOK_SECONDS)


def _find_server() -> CentralSettings | None:
    try:
        return find_central()
    except InterlockError:
        return None  # the configuration does not load; every hook says so


def start_pulling() -> threading.Event:
    """Pull in the background while this process runs, or until the returned event is set."""
    stop = threading.Event()
    threading.Thread(target=keep_pulling, args=(stop,), name="interlock-central", daemon=True).start()
    return stop
