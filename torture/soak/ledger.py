"""The ledger: what the callers of one store were told, to be compared with the store at the end."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Acknowledgement:
    """A decision that a caller was told: the name of its action, the id of its record, and whether it may run."""

    name: str
    decision_id: str
    is_allowed: bool


@dataclass
class Ledger:
    """What the callers of one store were told. Names are unique to an action; an action can be sent several times."""

    decisions: list[Acknowledgement] = field(default_factory=list)
    once: set[str] = field(default_factory=set)  # names of actions that are on record once at most
    refused: Counter[str] = field(default_factory=Counter)  # by name: the response said that nothing was decided
    uncertain: Counter[str] = field(default_factory=Counter)  # by name: no response, or a batch that failed
    events: set[str] = field(default_factory=set)  # ids of the records of events
    answers: dict[str, str] = field(default_factory=dict)  # the state that an answer gave a request, by its id
    uses: Counter[str] = field(default_factory=Counter)  # how often an approval allowed its action, by its id
    ended_runs: set[str] = field(default_factory=set)
    gaps: list[str] = field(default_factory=list)  # records that a stream of events left out or repeated
    unexpected: Counter[str] = field(default_factory=Counter)  # responses that no fault explains
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, name: str, decision_id: str, *, is_allowed: bool) -> None:
        """Note a decision. `decision_id` is empty where the response does not hold it."""
        with self._lock:
            self.decisions.append(Acknowledgement(name, decision_id, is_allowed))

    def note_single(self, name: str) -> None:
        """Note that an action is recorded once at most, however often it is sent."""
        with self._lock:
            self.once.add(name)

    def note_refusal(self, name: str) -> None:
        """Note a response that said that nothing was decided."""
        with self._lock:
            self.refused[name] += 1

    def note_silence(self, name: str) -> None:
        """Note that a call got no response: its action may be on record or not."""
        with self._lock:
            self.uncertain[name] += 1

    def note_event(self, record_id: str) -> None:
        """Note that an event was recorded."""
        with self._lock:
            self.events.add(record_id)

    def note_answer(self, approval_id: str, state: str) -> None:
        """Note that an answer counted."""
        with self._lock:
            self.answers[approval_id] = state

    def note_use(self, approval_id: str) -> None:
        """Note that an approval allowed its action."""
        with self._lock:
            self.uses[approval_id] += 1

    def note_end_of_run(self, run_id: str) -> None:
        """Note that a run ended."""
        with self._lock:
            self.ended_runs.add(run_id)

    def note_gap(self, text: str) -> None:
        """Note that a stream of events left out or repeated a record."""
        with self._lock:
            self.gaps.append(text)

    def note_unexpected(self, text: str) -> None:
        """Note a response that no fault explains."""
        with self._lock:
            self.unexpected[text] += 1
