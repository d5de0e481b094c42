"""The state of a replay on disk: its parts, and the summaries of finished ones, so that it can be resumed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from interlock.errors import InterlockError
from interlock.history.replay.part import ReplayPart
from interlock.history.replay.summary import ReplaySummary

_PLAN, _ENDING = "plan.json", ".summary.json"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a replay: `identity` is everything that the result depends on, besides the records."""

    identity: str
    parts: tuple[ReplayPart, ...]


class WorkFolder:
    """A folder that belongs to one replay at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self, identity: str, split: Callable[[Path], list[ReplayPart]]) -> tuple[Plan, bool]:
        """Return the plan of an interrupted replay if it is the same, else a new one; and if another was dropped."""
        known = self._read_plan()
        if known is not None and known.identity == identity:
            return known, False
        self.remove()
        try:
            self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)
            plan = Plan(identity=identity, parts=tuple(split(self.folder / "parts")))
            self._write(self.folder / _PLAN, msgspec.json.encode(plan))
        except OSError as error:
            raise InterlockError(f"`{self.folder}` cannot be written: {error.strerror}") from None
        return plan, known is not None

    def read_summaries(self, plan: Plan) -> dict[str, ReplaySummary]:
        """Return the summaries of the parts that are finished, by name."""
        found = {}
        for part in plan.parts:
            file = self.folder / f"{part.name}{_ENDING}"
            if file.exists():
                found[part.name] = msgspec.json.decode(file.read_bytes(), type=ReplaySummary)
        return found

    def keep(self, part: ReplayPart, summary: ReplaySummary) -> None:
        """Keep the summary of a finished part."""
        self._write(self.folder / f"{part.name}{_ENDING}", msgspec.json.encode(summary))

    def remove(self) -> None:
        """Remove the work, once it is finished or no longer wanted. A folder of something else is left alone."""
        if not self.folder.exists():
            return
        if self._read_plan() is None and any(self.folder.iterdir()) and not (self.folder / "parts").exists():
            raise InterlockError(f"`{self.folder}` holds other files; name an empty folder with `--work`")
        shutil.rmtree(self.folder)

    def _read_plan(self) -> Plan | None:
        try:
            return msgspec.json.decode((self.folder / _PLAN).read_bytes(), type=Plan)
        except (OSError, msgspec.MsgspecError):
            return None

    @staticmethod
    def _write(file: Path, data: bytes) -> None:
        draft = file.with_suffix(".draft")
        draft.write_bytes(data)
        os.replace(draft, file)
