"""A page that is carried out from top to bottom: its files are written, and its commands are run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

#: A block of code, and the file that the paragraph before it begins with, if it does.
_BLOCK = re.compile(
    r"(?:^`(?P<file>[\w/][\w./-]*\.\w+)`(?:[^\n]|\n(?!\n))*:\n\n)?"
    r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: What no two runs share: ids, hashes, addresses, and moments.
_PASSING = (
    (re.compile(r"\b[0-9a-f]{6,64}\b|ed25519:\w+|\bilk_\w+"), "#"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?|\b\d\d:\d\d:\d\d\b"), "@"),
    (re.compile(r"\b\d+(\.\d+)? ?(s|ms|min|KB|kB)\b"), "@"),
    (re.compile(r"\b\d+ (records|lines)\b|\b1 to \d+\b|\brecord \d+\b"), "@"),
)


class FileStep(msgspec.Struct, frozen=True):
    """A file that the reader writes."""

    name: str
    text: str


class CommandStep(msgspec.Struct, frozen=True):
    """A command that the reader runs, and what the page says that it prints."""

    command: str
    printed: str

    @property
    def typed(self) -> list[str]:
        """The answers that the reader gives at prompts, as the text of the choice."""
        found = []
        choices: dict[str, str] = {}
        for line in self.printed.splitlines():
            if choice := re.match(r"\s+(\d)  (.+)$", line):
                choices[choice[1]] = choice[2].strip()
            elif prompt := re.search(r"›\s*(\S*)$", line):
                found.append(choices.get(prompt[1], prompt[1]))
                choices = {}
        return found


Step = FileStep | CommandStep


def read_steps(page: Path) -> Iterator[Step]:
    """Yield the steps of a page in order. A block that is neither a named file nor a console is an error."""
    for block in _BLOCK.finditer(page.read_text()):
        if block["file"]:
            yield FileStep(block["file"], block["text"])
        elif block["kind"] == "console":
            yield from _read_commands(block["text"])
        else:
            raise AssertionError(f"{page.name}: this block belongs to no file:\n{block['text']}")


def _read_commands(text: str) -> Iterator[CommandStep]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        while command.endswith("\\"):
            more, _, printed = printed.partition("\n")
            command = f"{command[:-1]}{more.strip()}"
        yield CommandStep(command, printed)


def matches(shown: str, printed: str) -> bool:
    """Whether a command printed what a page shows: `…` stands for anything, and the choices of a quiz are shuffled."""
    pattern = ".*".join(re.escape(part.strip()) for part in " ".join(_words(shown)).split("…"))
    return re.fullmatch(pattern, " ".join(_words(printed))) is not None


def _words(text: str) -> list[str]:
    kept = "\n".join(line.partition("›")[0] for line in text.splitlines() if not re.match(r"\s+\d  \S", line))
    for pattern, instead in _PASSING:
        kept = pattern.sub(instead, kept)
    return kept.split()
