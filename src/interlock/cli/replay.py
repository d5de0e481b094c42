"""`interlock replay`: decide past actions again, with progress, and report what would be different."""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from interlock.audit.record import digest_of
from interlock.cli import print_error
from interlock.cli.open_store import open_store
from interlock.cli.replay_report import show_report
from interlock.cli.store import hours
from interlock.config.home import own_folder
from interlock.config.load import load
from interlock.errors import InterlockError, nearest
from interlock.gate.options import store_url
from interlock.history.replay.job import ReplayJob
from interlock.history.replay.local import check_python
from interlock.history.replay.markdown import write_report
from interlock.history.replay.summary import ReplaySummary
from interlock.history.replay.thresholds import parse_threshold
from interlock.history.replay.window import ReplayWindow
from interlock.history.replay.worker import SetupMessage
from interlock.policies.folder import read_folder
from interlock.policies.policy_input import compile_policy
from interlock.policies.repository import PolicyRepository
from interlock.policy.stored_policies import StoredPolicies
from interlock.store.clock import MICROSECONDS, now

if TYPE_CHECKING:
    from interlock.cli.commands.replay import ReplayOptions

#: The exit status if a limit of `--fail-if` is exceeded.
EXCEEDED = 3
_EVERY_SECONDS = 5.0
_ENGINES = ("local", "ray")


def run(given: ReplayOptions) -> int:
    """Replay, print the report, and return the exit status."""
    thresholds = [parse_threshold(text) for text in given.fail_if]
    if given.out is not None:
        _check_new_file(given.out)  # before the replay, which may take hours
    if given.engine not in _ENGINES:
        raise InterlockError(f"unknown engine `{given.engine}`{nearest(given.engine, _ENGINES)}")
    progress = ProgressLine()
    try:
        found, stamp = _replay(given, progress)
    finally:
        progress.end()
    about = {"decided with": stamp, "history": given.history or "the store"}
    if given.json:
        exceeded = [threshold.text for threshold in thresholds if threshold.is_exceeded(found)]
        before, after = found.interruptions
        wire = {**found.to_dict(), "setup": stamp, "interruptionsPer100": [before, after], "exceeded": exceeded}
        print(msgspec.json.encode(wire).decode())
    else:
        show_report(found)
    if given.out is not None:
        given.out.write_text(write_report(found, about), "utf-8")
    for threshold in thresholds:
        if threshold.is_exceeded(found):
            print_error(f"limit exceeded: {threshold.text}")
    return EXCEEDED if any(threshold.is_exceeded(found) for threshold in thresholds) else 0


def _check_new_file(file: Path) -> None:
    """Raise if a file exists, or cannot be created."""
    if file.exists():
        raise InterlockError(f"`{file}` already exists; a replay does not overwrite files")
    if not file.parent.is_dir():
        raise InterlockError(f"`{file}` cannot be written: there is no folder `{file.parent}`")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise InterlockError(f"`{file}` cannot be written: the folder `{file.parent}` is read-only for you")


def _replay(given: ReplayOptions, progress: ProgressLine) -> tuple[ReplaySummary, str]:
    if given.python is not None:
        check_python(given.python)
    message, url = _message(given)
    if given.engine == "ray":
        from interlock.history.replay.ray_engine import replay_with_ray

        if given.history is None:
            raise InterlockError("`--engine ray` reads an export; name it with `--history`")
        setup = message.load()
        return replay_with_ray(given.history, setup, message.window, given.address), str(setup.stamp)
    work = given.work or own_folder() / "replay" / digest_of([given.history or url])[:12]
    job = ReplayJob(
        message=message,
        work=work.absolute(),
        history=given.history,
        jobs=given.jobs or 0,
        python=given.python,
    )
    return job.run(progress)


def _message(given: ReplayOptions) -> tuple[SetupMessage, str]:
    """Return the set-up in the form that workers get, and the URL of the store."""
    stored, url = _load_stored_policies(given)
    if given.policies is not None:
        config = load(given.config, trusting=given.config is not None)
        contents = read_folder(given.policies)
        stored = StoredPolicies(tuple(compile_policy(one, config) for one in contents.policies), stored.removed)
    message = SetupMessage(
        config=None if given.config is None else str(given.config.absolute()),
        policies=msgspec.to_builtins(stored.policies),
        removed=sorted(stored.removed),
        knowledge=None if given.knowledge is None else str(given.knowledge.absolute()),
        mode=given.mode,
        store="" if given.history is not None else url,
        window=ReplayWindow(since=_time(given.since), until=_time(given.until), agent=given.agent),
    )
    message.load()  # so that a mistake is found before anything starts
    return message, url


def _load_stored_policies(given: ReplayOptions) -> tuple[StoredPolicies, str]:
    """Return the policies in force in the store, and its URL. An export is replayed without a store."""
    if given.history is not None and given.store is None:
        return StoredPolicies(), ""
    with open_store(given.store, None) as found:
        return PolicyRepository(found.journal).load(), store_url(found.config, given.store)


def _time(text: str | None) -> int | None:
    """Return a time in microseconds: a date, a time, or an age such as `30d`."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        try:
            return now().wall - hours(text) * 3_600 * MICROSECONDS
        except InterlockError:
            raise InterlockError(f"`{text}` is not a time; write `2026-03-01`, `2026-03-01T09:30` or `30d`") from None
    zoned = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return int(zoned.timestamp() * MICROSECONDS)


class ProgressLine:
    """Shows the progress of a replay: on one line of a terminal, or in a log from time to time."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()

    def note(self, text: str) -> None:
        """Print a message on a line of its own."""
        self.end()
        print(text, file=sys.stderr, flush=True)

    def show(self, done: int, total: int, what: str) -> None:
        """Show the progress, and the estimated time left."""
        passed = time.monotonic() - self._began
        left = f", about {passed / done * (total - done):,.0f} s left" if done and passed > 1 and done < total else ""
        share = done / total if total else 1.0
        text = f"{done:,} of {total:,} {what} ({share:.0%}{left})"
        if self._is_terminal:
            bar = "█" * round(share * 20)
            print(f"\r\x1b[K{bar:░<20} {text}", end="", file=sys.stderr, flush=True)
        elif done < total and time.monotonic() - self._shown > _EVERY_SECONDS:
            print(text, file=sys.stderr, flush=True)
            self._shown = time.monotonic()

    def end(self) -> None:
        """Clear the line of a terminal."""
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
