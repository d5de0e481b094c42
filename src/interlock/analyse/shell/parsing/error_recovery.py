"""Shell text that the grammar rejects: parsed again with its usual defects repaired, and command by command."""

from __future__ import annotations

from tree_sitter import Node

from interlock.analyse.flow import UNKNOWN
from interlock.analyse.reading import Site
from interlock.analyse.shell.expansion.braces import expand_braces
from interlock.analyse.shell.parsing.grammar import ShellSource
from interlock.analyse.shell.scope import ShellScope
from interlock.analyse.shell.states import walk_possible
from interlock.patterns import late

# A hole at the start of a word or a quoted text, which the grammar always rejects.
_UNREADABLE = late(r"""(?:^|[\s"'=(])\0""")

MAX_ENDED = 2_000  # a longer text is parsed once, not once for each way to end it
# Missing end of a truncated text → the characters of which the text must contain one.
_ENDS = {'"': '"\\', "'": "'\\", "`": "`\\", "; done": "", "; fi": "", "; }": "", "\n)": "("}

_BRACED_COMMAND = late(r"(?:^|(?<=[;&|(\s]))\{[^\s{};]++\}")


# A here-string, which the grammar accepts after a plain command only.
_HERE_STRING = late(r"""<<<\s*('[^']*'|"(?:[^"\\]|\\.)*"|\$'(?:[^'\\]|\\.)*'|[^\s;&|<>()]+)""")
# Output that is redirected between the start of a here-document and a pipe: `<<EOF 2>&1 |`.
_BEFORE_PIPE = late(
    r"""(<<-?[ \t]*(?:'[^'\n]+'|"[^"\n]+"|\\?\w+))"""
    r"""((?:[ \t]*(?:\d|&)?(?:>>|>\||>)[ \t]*(?:&\d|&-|[^\s|;&<>()]+))+)(?=[ \t]*\|(?!\|))"""
)
# The word before a command that runs at the same time, with the name of the coprocess.
_COPROCESS = late(r"(?:(?<=[\n;&|({])|^)[ \t]*coproc(?:[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(]))?(?=[ \t])")
# A change of case that the grammar does not know, written as one that it does.
_SWAPPED = late(r"(\$\{\w+(?:\[[^\]\s]*\])?)~~\}")
_TWO_BRACKETS = (late(r"(?<!\$)\((?=\()"), late(r"\((?=\()"))


def respell(source: ShellSource) -> ShellSource:
    """Return a source of the same length and meaning as the grammar wants it.

    Shells accept `python3 - <<EOF 2>&1 | head`; the grammar wants `python3 - 2>&1 <<EOF | head`. It knows neither
    `coproc` nor `${x~~}`.
    """
    text = _BEFORE_PIPE.sub(r"\2\1", source.text)
    if "coproc" in text:
        text = _COPROCESS.sub(lambda found: " " * len(found[0]), text)
    if "~" in text:
        text = _SWAPPED.sub(r"\1@k}", text)
    return source.replace(text)


def read_fragments(parts: list[str], scope: ShellScope, site: Site) -> None:
    """Analyse each fragment of a text that does not parse by itself, if the fragment parses. Any may not run."""
    inner = scope.copy()
    for part in parts:
        inner.reading.spend(len(part) // 16 + 1)
        if _UNREADABLE.search(part):
            continue
        inner.source = ShellSource(part, -1, site.span)
        root = inner.source.parse()
        if not root.has_error:
            walk_possible(root, inner, UNKNOWN)


def reparse(scope: ShellScope, site: Site) -> Node | None:
    """Return the tree of a rejected text after a repair that makes it parse, or None.

    The grammar rejects `{rm,-rf,x}`, `((subshells))` and `{ sh; } <<< x`, which shells accept, and unclosed quotes
    and blocks, whose end a shell waits for.
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
        again = ShellSource(candidate, -1, site.span)
        root = again.parse() if candidate != text else None
        if root is not None and not root.has_error:
            if candidate in ended:
                scope.reading.unread("shell text that does not end", site)
            scope.source = again
            return root
    return None
