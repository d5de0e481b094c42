"""The load of a site: its agents, askers, reviewers and readers, each in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from torture.soak.agents import Agent
from torture.soak.approvals import Asker, Reviewer
from torture.soak.readers import Follower, PageReader
from torture.soak.site import Site

AGENTS, ASKERS, FOLLOWERS = 3, 2, 2
#: Seconds between the calls of one caller, on average.
AGENT_PACE, ASKER_PACE, REVIEWER_PACE, PAGE_PACE = 0.4, 2.0, 2.0, 1.0


class Load:
    """The callers of a site. The followers of the stream stop last, once they have seen every record."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._stop, self._stop_following = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self.followers = [Follower(site, site.reviewers[0], self._stop_following) for _ in range(FOLLOWERS)]
        self._following: list[threading.Thread] = []

    def start(self) -> None:
        """Start all callers."""
        site, stop = self.site, self._stop
        for _ in range(AGENTS):
            self._threads.append(self._start(Agent(site, stop).run, AGENT_PACE))
        for _ in range(ASKERS):
            self._threads.append(self._start(Asker(site, stop).run, ASKER_PACE))
        for key in site.reviewers:
            self._threads.append(self._start(Reviewer(site, key, stop).run, REVIEWER_PACE))
        self._threads.append(self._start(PageReader(site, site.reviewers[0], stop).run, PAGE_PACE))
        self._following += [self._start(follower.run, 1.0) for follower in self.followers]

    def _start(self, run: Callable[[float], None], pace: float) -> threading.Thread:
        thread = threading.Thread(target=self._run, args=(run, pace), daemon=True)
        thread.start()
        return thread

    def _run(self, run: Callable[[float], None], pace: float) -> None:
        try:
            run(pace)
        except Exception as error:  # a caller that fails is a result, not a reason to be quiet
            self.site.ledger.note_unexpected(f"a caller of {self.site.name} failed: {type(error).__name__}: {error}")

    def request_stop(self) -> None:
        """Tell the callers to stop after what they are doing; the followers go on."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Wait until the callers have stopped."""
        for thread in self._threads:
            thread.join(seconds)
            if thread.is_alive():
                self.site.ledger.note_unexpected(f"a caller of {self.site.name} did not get a response in time")

    def wait_for_followers(self, last: int, seconds: float) -> None:
        """Wait until the followers have seen a record, and stop them."""
        waiting = threading.Event()
        for _ in range(int(seconds / 0.2)):
            if all(follower.last >= last for follower in self.followers):
                break
            waiting.wait(0.2)
        self._stop_following.set()
        for follower in self.followers:
            if follower.last < last:
                self.site.ledger.note_gap(f"{self.site.name}: a stream ended at {follower.last} of {last}")
