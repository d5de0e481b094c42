"""A line editor: keys in, echo out. Pasted text and cursor keys are not taken for an answer."""

from __future__ import annotations

import codecs

from rich.cells import cell_len

INTERRUPT, END, KILL = "\x03", "\x04", "\x15"
ERASE = ("\x7f", "\b")
ESCAPE = "\x1b"
PASTE_ON, PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"  # bracketed paste: the terminal marks pasted text
MAX_LENGTH = 2_000


def has_interrupt(data: bytes) -> bool:
    """Whether the keys include Ctrl-C or Ctrl-D."""
    return INTERRUPT.encode() in data or END.encode() in data


class LineEditor:
    """One line of input. `done` is set by Enter, `ended` by Ctrl-C or Ctrl-D."""

    def __init__(self, *, pastable: bool = False) -> None:
        self.text = ""
        self.done = False
        self.ended = False
        self.refused_paste = False
        self._pastable = pastable
        self._pasting = False
        self._sequence = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")

    def feed(self, data: bytes) -> str:
        """Process input from the terminal, and return what to echo. Input after Enter is dropped."""
        echo = ""
        for char in self._decoder.decode(data):
            echo += self._process(char)
            if self.done or self.ended:
                break
        return echo

    def _process(self, char: str) -> str:
        if self._sequence or char == ESCAPE:
            self._escape(char)
            return ""
        return self._paste(char) if self._pasting else self._type(char)

    def _type(self, char: str) -> str:
        if char in (INTERRUPT, END):
            self.ended = True
        elif char in "\r\n":
            self.done = True
        elif char in ERASE:
            return self._erase(1)
        elif char == KILL:
            return self._erase(len(self.text))
        else:
            return self._add(char)
        return ""

    def _paste(self, char: str) -> str:
        if self._pastable:
            return self._add(" " if char in "\r\n\t" else char)
        self.refused_paste = True
        return ""

    def _add(self, char: str) -> str:
        if not char.isprintable() or len(self.text) >= MAX_LENGTH:
            return ""
        self.text += char
        return char

    def _erase(self, count: int) -> str:
        width = cell_len(self.text[len(self.text) - count :]) if self.text else 0
        self.text = self.text[: max(0, len(self.text) - count)]
        return "\b \b" * width

    def _escape(self, char: str) -> None:
        """Skip an escape sequence, such as an arrow key; those around pasted text switch `_pasting`."""
        sequence = self._sequence + char
        inside = len(sequence) < 3 if sequence[1:2] in ("[", "O", "") else False
        if inside or (sequence[1:2] == "[" and not "\x40" <= char <= "\x7e"):
            self._sequence = sequence[:16]
            return
        self._sequence = ""
        if sequence in ("\x1b[200~", "\x1b[201~"):
            self._pasting = sequence == "\x1b[200~"
