"""A process that replays parts: it reads one JSON message a line, and answers each with the summary of a part.

The messages name files and hold no pickled objects, so that a worker can run another version of Interlock.
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from interlock.errors import InterlockError
from interlock.garbage_collector import collect_rarely
from interlock.history.replay.part import ReplayPart
from interlock.history.replay.run_replay import replay_records
from interlock.history.replay.setup import ReplaySetup, load_setup
from interlock.history.replay.summary import ReplaySummary, summarise
from interlock.history.replay.window import ReplayWindow
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import StoredPolicies


class SetupMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The first message to a worker: the set-up, by the paths of its files, the store, and which actions to count."""

    config: str | None = None
    policies: list[dict[str, Any]] = []
    removed: list[str] = []
    knowledge: str | None = None
    mode: str | None = None
    store: str = ""
    window: ReplayWindow = ReplayWindow()

    def load(self) -> ReplaySetup:
        """Return the set-up."""
        stored = StoredPolicies(tuple(msgspec.convert(self.policies, list[Policy])), frozenset(self.removed))
        return load_setup(self.config, stored=stored, knowledge=self.knowledge, mode=self.mode)


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A worker's answer: that it is ready, with its stamp; the summary of a part; or an error."""

    stamp: str = ""
    summary: ReplaySummary | None = None
    error: str = ""


def replay_part(part: ReplayPart, setup: ReplaySetup, window: ReplayWindow, store: str = "") -> ReplaySummary:
    """Replay the runs of a part, and return the counts."""
    return summarise(result for result in replay_records(part.read(store), setup) if window.covers(result))


def main() -> int:
    """Answer messages until the input ends."""
    lines, out = sys.stdin.buffer, sys.stdout.buffer

    def send(reply: Reply) -> None:
        out.write(msgspec.json.encode(reply) + b"\n")
        out.flush()

    try:
        message = msgspec.json.decode(lines.readline(), type=SetupMessage)
        setup = message.load()
        collect_rarely()
        send(Reply(stamp=str(setup.stamp)))
        for line in lines:
            part = msgspec.json.decode(line, type=ReplayPart)
            send(Reply(summary=replay_part(part, setup, message.window, message.store)))
    except (InterlockError, msgspec.MsgspecError) as error:
        send(Reply(error=str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
