"""Shell text that the grammar rejects: parsed again with its usual defects repaired, and command by command."""

from __future__ import annotations

import re

from tree_sitter import Node

from interlock.analyse.reading import UNKNOWN, Site
from interlock.analyse.shell.brace_expansion import expand_braces
from interlock.analyse.shell.grammar import Source
from interlock.analyse.shell.scope import Scope
from interlock.patterns import late

# A hole where a word or a text begins, which the grammar never takes.
_UNREADABLE = late(r"""(?:^|[\s"'=(])\0""")

MAX_ENDED = 2_000  # a longer text is parsed once, not once for each way to end it
# What may be missing at the end of a text that was cut off, and what such a text must have in it.
_ENDS = {'"': '"\\', "'": "'\\", "`": "`\\", "; done": "", "; fi": "", "; }": "", "\n)": "("}

_BRACED_COMMAND = late(r"(?:^|(?<=[;&|(\s]))\{[^\s{};]++\}")


# A here-string, which the grammar takes from a plain command only.
_HERE_STRING = late(r"""<<<\s*('[^']*'|"(?:[^"\\]|\\.)*"|\$'(?:[^'\\]|\\.)*'|[^\s;&|<>()]+)""")
_TWO_BRACKETS = (re.compile(r"(?<!\$)\((?=\()"), re.compile(r"\((?=\()"))


def read_fragments(parts: list[str], scope: Scope, site: Site) -> None:
    """Read each command of a text that does not parse by itself: where the grammar gives up, a shell goes on."""
    inner = scope.copy()
    for part in parts:
        inner.reading.spend(len(part) // 16 + 1)
        if _UNREADABLE.search(part):
            continue
        inner.source = Source(part, -1, site.span)
        root = inner.source.parse()
        if not root.has_error:
            scope.shell.walk(root, inner, UNKNOWN)


def reparse(scope: Scope, site: Site) -> Node | None:
    """Return the tree of a text that the grammar does not take.

    A shell takes `{rm,-rf,x}`, `((subshells))` and `{ sh; } <<< x`, and waits for the end of what was left open.
    """
    text = scope.source.text
    if _UNREADABLE.search(text):
        return None
    spelled = _BRACED_COMMAND.sub(lambda found: " ".join(expand_braces(found.group(0))), text)
    brackets = (bracket.sub("( ", spelled) for bracket in _TWO_BRACKETS)
    strings = _HERE_STRING.sub(r"< <(printf '%s\\n' \1)", text)
    ended = {text + end for end, signs in _ENDS.items() if not signs or any(sign in text for sign in signs)}
    if len(text) >= MAX_ENDED:
        ended = set()
    for candidate in dict.fromkeys([spelled, strings, *brackets, *sorted(ended)]):
        again = Source(candidate, -1, site.span)
        root = again.parse() if candidate != text else None
        if root is not None and not root.has_error:
            if candidate in ended:
                scope.reading.opaque.append("shell text that does not end")
            scope.source = again
            return root
    return None
