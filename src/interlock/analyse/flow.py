"""`Flow`: data that passes between commands, files and variables."""

from __future__ import annotations

from interlock.analyse.record import FrozenRecord

NONE: frozenset[str] = frozenset()
#: Marks of unread code with a trusted origin.
VOUCHING = frozenset({"own_code", "generated", "own_process"})
#: Those of code from a file of the project, or from a program whose manual says that it prints code for a shell.
VOUCHED = frozenset({"own_code", "generated"})


class Flow(FrozenRecord, frozen=True, gc=False):
    """Data that passes between commands: its text if it is known, its provenance marks and its source URL."""

    text: str | None = None
    marks: frozenset[str] = NONE
    url: str = ""

    def then(self, second: Flow) -> Flow:
        """Return this data followed by `second`."""
        if self is NOTHING:
            return second
        if second is NOTHING:
            return self
        text = None if self.text is None or second.text is None else self.text + second.text
        marks = self.marks | second.marks
        if not marks.isdisjoint(VOUCHING):  # all of it must come from there
            marks -= VOUCHING - (self.marks & second.marks)
        return Flow(text, marks, self.url or second.url)


NOTHING = Flow("")
UNKNOWN = Flow()
#: The content of a known file after it was overwritten with unknown content.
REPLACED = Flow(None, frozenset({"changed"}))
