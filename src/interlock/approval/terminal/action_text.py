"""The text of an action in a prompt: behind a bar, truncated if it is long, with the dangerous parts marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from interlock.analyse.action import analyse
from interlock.approval.challenge.targets import truncate_middle
from interlock.approval.request import Approval
from interlock.model import Action, Analysis, Span
from interlock.payload import CUT, format_value, leaves
from interlock.payload import MAX_TEXT as MAX_READ
from interlock.sanitise import clean, plain
from interlock.show import MAX_LINES, MAX_TEXT, cut_note, highlight, rows

MAX_EXCERPT = 60
MAX_POSITIONS = 50
BAR = "  │ "


class ActionText(msgspec.Struct, frozen=True):
    """A text, and the positions of its dangerous parts."""

    text: str
    spans: Sequence[Span] = ()
    unseen: Sequence[str] = ()  # dangerous parts that are not literally in the text

    def body(self) -> RenderableType:
        """Return the text behind a bar, so that no line of it looks like part of the prompt."""
        return BarredText(Group(*rows(self.text, self.spans)), cut_note(self.text))

    def excerpts(self) -> list[Text]:
        """Return the dangerous parts with their line numbers, if the text is so long that they could be missed."""
        unseen = [highlight(part, [(0, len(part))]) for part in self.unseen]
        if len(plain(self.text)) <= MAX_TEXT // 2 and self.text.count("\n") <= MAX_LINES // 2:
            return unseen
        return [*(self._excerpt(start, end) for start, end in sorted(set(self.spans))), *unseen]

    def passages(self) -> list[str]:
        """Return the dangerous parts, each truncated to a few words."""
        parts = [self.text[start:end] for start, end in sorted(set(self.spans))]
        return [truncate_middle(part, MAX_EXCERPT) for part in dict.fromkeys([*parts, *self.unseen])]

    def _excerpt(self, start: int, end: int) -> Text:
        number = self.text.count("\n", 0, start) + 1
        part = truncate_middle(self.text[start:end], MAX_EXCERPT)
        return Text(f"line {number}: ", "dim") + highlight(part, [(0, len(part))])


class BarredText:
    """A text behind a bar: as many lines as a prompt has room for, and a note about the rest."""

    def __init__(self, inner: RenderableType, note: Text) -> None:
        self.inner = inner
        self.note = note

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines that fit, each with a bar."""
        narrow = options.update_width(max(1, options.max_width - 2 * len(BAR)))
        shown = console.render_lines(self.inner, narrow, pad=False)
        if len(shown) > MAX_LINES:
            shown = [*shown[: MAX_LINES - 1], *console.render_lines(self.note, narrow, pad=False)[:1]]
        for line in shown:
            yield Segment(BAR, console.get_style("dim"))
            yield from line
            yield Segment.line()


def read_action_text(approval: Approval) -> ActionText:
    """Return the text of a request's action: what was analysed, and the other arguments of the call."""
    action = msgspec.convert(approval.action, Action)
    analysis = analyse(action)
    parts = [analysis.text, *_other_arguments(action, analysis)]
    text = "\n".join(part for part in parts if part).rstrip("\n")
    dangerous = [str(part) for part in approval.decision.get("dangerous") or ()]
    spans = [span for part in dangerous for span in _positions(text, part)]
    unseen = [truncate_middle(part, MAX_EXCERPT) for part in dangerous if part not in text]
    return ActionText(text or "no arguments", spans, unseen)


def _other_arguments(action: Action, analysis: Analysis) -> list[str]:
    """Return the other arguments as `name: value`; continuation lines are indented, so that none looks like a name."""
    read, rest = f"\n{analysis.text}\n", []
    for name, value in leaves(action.input_payload):
        said = clean(format_value(value, MAX_READ))
        if said and f"\n{said}\n" in read:
            read = read.replace(f"\n{said}\n", "\n\n", 1)  # an argument that repeats the text is shown as well
        elif value is CUT:
            rest.append("… and more that is not shown")
        elif value is not None:
            rest.append(f"{plain(name)}: " + said.rstrip("\n").replace("\n", "\n  "))
    return rest


def _positions(text: str, part: str) -> Iterator[Span]:
    """Yield every position of a dangerous part in the text."""
    at = text.find(part)
    for _ in range(MAX_POSITIONS):
        if at < 0:
            return
        yield at, at + len(part)
        at = text.find(part, at + len(part))
