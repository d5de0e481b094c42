"""Variables of `cmd.exe`: `%x%`, `!x!`, parts of them, arguments, and the variables of loops."""

from __future__ import annotations

import re

from interlock.analyse.files.paths import hole
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import WindowsFolders
from interlock.patterns import late

_REFERENCE = late(
    r"%%~?[a-z$]*?(?P<loop>[A-Za-z?#])(?![\w%])|%(?P<argument>~[a-z]*\d|\d|\*)"
    r"|%(?P<name>[^%\s:\"=&|<>^()!]+(?:\(x86\))?)(?P<part>:[^%\n]*)?%"
    r"|!(?P<delayed>[^!\s:\"=&|<>^%]+)(?P<section>:[^!\n]*)?!|%%"
)
_PART = late(r":~\s*(-?\d{1,5})?\s*(?:,\s*(-?\d{1,5}))?\s*")
MAX_TEXT = 65_536
#: What variables hold on nearly every machine.
_USUAL = read_table("windows-folders", WindowsFolders).batch


MAX_SEVERAL = 4
_NESTED = late(r"![^!\s]*%[^!\s]*!")
_NAME = late(r"%([^%:~*\s]+)%|!([^!:\s]+)!")


class PercentVariables:
    """What variables hold; one that may hold several things is left to the shell to follow."""

    __slots__ = ("_several", "_values", "arguments", "loops", "turn")

    def __init__(self) -> None:
        self._values: dict[str, str | None] = dict(_USUAL)
        self._several: dict[str, tuple[str, ...]] = {}  # what variables may hold that one of several branches set
        self.arguments: list[str] | None = None
        self.loops: set[str] = set()
        self.turn: dict[str, str] = {}  # what the variables of a loop hold in the turn that is read

    def set(self, name: str, value: str) -> None:
        """Set a variable to a text that is known."""
        self._several.pop(name, None)
        self._values[name] = value[:MAX_TEXT]

    def forget(self, name: str) -> None:
        """Leave a variable to the shell: what it holds is not known here."""
        self._values[name] = None

    def copy(self) -> dict[str, str | None]:
        """Return what variables hold now."""
        return dict(self._values)

    def forget_uncertain(self, before: dict[str, str | None]) -> None:
        """Leave to the shell what may or may not have been set since."""
        for name, value in self._values.items():
            if before.get(name) != value:
                held = (before.get(name), value, *self._several.get(name, ()))
                self._several[name] = tuple(dict.fromkeys(one for one in held if one))[:MAX_SEVERAL]
                self._values[name] = None

    def possible_texts(self, text: str) -> list[str]:
        """Return what a command may be whose name is a variable that one of several branches set."""
        found = _NAME.match(text.lstrip(" \t@("))
        name = (found[1] or found[2] or "").lower() if found else ""
        if found is None or self._values.get(name) is not None:
            return []
        rest = text.lstrip(" \t@(")[found.end() :]
        return [one + rest for one in self._several.get(name, ())]

    def expand(self, text: str) -> str:
        """Return a text with its variables filled in, and holes for those that are not known.

        >>> known = PercentVariables(); known.set("x", "delete"); known.expand("%x:~0,3% %x:ete=% %%")
        'del del %'
        """
        if "%" not in text and "!" not in text:
            return text
        if _NESTED.search(text):  # what stands between percent signs is filled in first
            text = _REFERENCE.sub(lambda found: found[0] if found["delayed"] else self._fill(found), text)[:MAX_TEXT]
        return _REFERENCE.sub(self._fill, text)[:MAX_TEXT]

    def _fill(self, found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if found["loop"]:
            held = self.turn.get(found["loop"])
            return held if held is not None else hole(found["loop"])
        if found["argument"]:
            return self._argument(found["argument"])
        name = (found["name"] or found["delayed"] or "").lower()
        part = found["part"] or found["section"] or ""
        value = self._values.get(name)
        if value is None:
            return (
                hole(re.sub(r"\W", "_", name))
                if name in self._values or not _is_loop(found[0], self.loops)
                else found[0]
            )
        return _cut(value, part) if part else value

    def _argument(self, mark: str) -> str:
        if self.arguments is None:
            return "." if mark.startswith("~dp") else hole("argument")
        if mark == "*":
            return " ".join(self.arguments[1:])
        at = int(mark[-1])
        return self.arguments[at] if at < len(self.arguments) else ""


def _is_loop(text: str, loops: set[str]) -> bool:
    return text.strip("%") in loops


def _cut(value: str, part: str) -> str:
    """Return a part of a text: `:~start,length`, or with something replaced: `:old=new`."""
    found = _PART.fullmatch(part)
    if found:
        start = int(found[1] or 0)
        rest = value[start:] if start >= 0 or -start <= len(value) else value
        if found[2] is None:
            return rest
        length = int(found[2])
        return rest[:length]
    old, equals, new = part[1:].partition("=")
    if not equals or not old:
        return value
    if old.startswith("*"):
        _, hit, tail = value.lower().partition(old[1:].lower())
        return new + value[len(value) - len(tail) :] if hit else value
    return re.sub(re.escape(old), lambda _: new, value, flags=re.IGNORECASE)[:MAX_TEXT]
