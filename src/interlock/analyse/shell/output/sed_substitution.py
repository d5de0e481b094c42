"""`sed s/a/b/` carried out on known text, with a regular expression engine that takes linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.scripts.sed import SedCommand, commands

MAX_TEXT = 65_536
_ESCAPES = {"n": "\n", "t": "\t"}


def run_sed(words: list[str], stdin: str) -> str | None:
    """Return the output of `sed` on a text, or None if its script does anything but substitute."""
    scripts, extended, at = [], False, 1
    while at < len(words):
        word = words[at]
        if word in ("-e", "--expression") and at + 1 < len(words):
            scripts.append(words[at + 1])
            at += 1
        elif word in ("-E", "-r"):
            extended = True
        elif word.startswith("-") or scripts:
            return None
        else:
            scripts.append(word)
        at += 1
    text: str | None = stdin
    for script in scripts:
        for command in commands(script) or [SedCommand("?")]:
            text = None if text is None else _substitute(command, text, extended)
    return text


def _substitute(command: SedCommand, text: str, extended: bool) -> str | None:
    """Return a text after one `s///` command, or None if it cannot be carried out."""
    if command.name != "s" or set(command.flags) - set("gI"):
        return None
    mark = re.escape(command.text[-1])
    parts = re.match(rf"((?:(?!{mark})[^\\]|\\.)*+){mark}((?:(?!{mark})[^\\]|\\.)*+){mark}", command.text, re.DOTALL)
    if parts is None:
        return None
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = "I" not in command.flags
    try:
        pattern = re2.compile(parts[1] if extended else _to_extended(parts[1]), options)
        count = 0 if "g" in command.flags else 1
        lines = [pattern.sub(_to_re2_replacement(parts[2]), line, count=count) for line in text.split("\n")]
    except re2.error:
        return None
    found = "\n".join(lines)
    return found if len(found) <= MAX_TEXT else None


def _to_extended(pattern: str) -> str:
    r"""Return a basic pattern as an extended one: `\(` groups, and `(` is a bracket."""
    return re.sub(r"\\([(){}|+?])|([(){}|+?])|(\\.)", lambda f: f[1] or (f[3] if f[3] else "\\" + f[2]), pattern)


def _to_re2_replacement(text: str) -> str:
    """Return the replacement of `s///` in the syntax of re2."""
    return re.sub(r"\\([nt&/|,#])|&", lambda f: "\\0" if not f[1] else _ESCAPES.get(f[1], f[1]), text)


SEDS: dict[str, Callable[[list[str], str], str | None]] = {"sed": run_sed, "gsed": run_sed}
