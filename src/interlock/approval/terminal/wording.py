"""An action's own words, as a prompt shows them: behind a bar, cut where they are long, the dangerous parts marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from interlock.analyse.action import analyse
from interlock.analyse.payloads.payload import CUT, leaves, written
from interlock.analyse.payloads.payload import MAX_TEXT as MAX_READ
from interlock.approval.challenge.touched import middle_cut
from interlock.approval.request import Approval
from interlock.model import Action, Analysis, Span
from interlock.sanitise import clean, plain
from interlock.show import MAX_LINES, MAX_TEXT, cut_note, highlight, rows

MAX_EXCERPT = 60
MAX_PLACES = 50
BAR = "  │ "


class Wording(msgspec.Struct, frozen=True):
    """A text, and where in it the dangerous parts stand."""

    text: str
    spans: Sequence[Span] = ()
    unseen: Sequence[str] = ()  # dangerous parts that do not stand in it as they are

    def body(self) -> RenderableType:
        """Return the text behind a bar, so that no line of it looks like one of ours."""
        return Barred(Group(*rows(self.text, self.spans)), cut_note(self.text))

    def excerpts(self) -> list[Text]:
        """Return the dangerous parts by line, where the text is so long that they could be missed."""
        unseen = [highlight(part, [(0, len(part))]) for part in self.unseen]
        if len(plain(self.text)) <= MAX_TEXT // 2 and self.text.count("\n") <= MAX_LINES // 2:
            return unseen
        return [*(self._excerpt(start, end) for start, end in sorted(set(self.spans))), *unseen]

    def passages(self) -> list[str]:
        """Return the dangerous parts, each in a few words."""
        parts = [self.text[start:end] for start, end in sorted(set(self.spans))]
        return [middle_cut(part, MAX_EXCERPT) for part in dict.fromkeys([*parts, *self.unseen])]

    def _excerpt(self, start: int, end: int) -> Text:
        number = self.text.count("\n", 0, start) + 1
        part = middle_cut(self.text[start:end], MAX_EXCERPT)
        return Text(f"line {number}: ", "dim") + highlight(part, [(0, len(part))])


class Barred:
    """Something behind a bar: as much of it as a prompt has room for, and a word about the rest."""

    def __init__(self, inner: RenderableType, note: Text) -> None:
        self.inner = inner
        self.note = note

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines that fit, each with its bar."""
        narrow = options.update_width(max(1, options.max_width - 2 * len(BAR)))
        shown = console.render_lines(self.inner, narrow, pad=False)
        if len(shown) > MAX_LINES:
            shown = [*shown[: MAX_LINES - 1], *console.render_lines(self.note, narrow, pad=False)[:1]]
        for line in shown:
            yield Segment(BAR, console.get_style("dim"))
            yield from line
            yield Segment.line()


def wording_of(approval: Approval) -> Wording:
    """Return what a request's action says: the text that was read, and whatever else the call is given."""
    action = msgspec.convert(approval.action, Action)
    analysis = analyse(action)
    parts = [analysis.text, *_rest(action, analysis)]
    text = "\n".join(part for part in parts if part).rstrip("\n")
    dangerous = [str(part) for part in approval.decision.get("dangerous") or ()]
    spans = [span for part in dangerous for span in _places(text, part)]
    unseen = [middle_cut(part, MAX_EXCERPT) for part in dangerous if part not in text]
    return Wording(text or "nothing is given to it", spans, unseen)


def _rest(action: Action, analysis: Analysis) -> list[str]:
    """Return by name what a call is given besides; the further lines of a value are set in, and name nothing."""
    read, rest = f"\n{analysis.text}\n", []
    for name, value in leaves(action.input_payload):
        said = clean(written(value, MAX_READ))
        if said and f"\n{said}\n" in read:
            read = read.replace(f"\n{said}\n", "\n\n", 1)  # what is said twice is shown twice
        elif value is CUT:
            rest.append("… and more than can be shown")
        elif value is not None:
            rest.append(f"{plain(name)}: " + said.rstrip("\n").replace("\n", "\n  "))
    return rest


def _places(text: str, part: str) -> Iterator[Span]:
    """Yield each place where a dangerous part stands: who says it twice has it marked twice."""
    at = text.find(part)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at, at + len(part)
        at = text.find(part, at + len(part))
