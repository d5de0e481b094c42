"""Whether a line can be a command of an editor or a debugger: what cannot was not read."""

from __future__ import annotations

import re

from interlock.patterns import late

_QUOTED = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\""
_TOKEN = late(rf"{_QUOTED}|\\.|[()\[\]{{}}'\"]", re.DOTALL)
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def is_balanced(text: str, comment: str = "") -> bool:
    """Whether every bracket and quote of a text is closed; `comment` is a quote that may begin a comment.

    >>> is_balanced("f(a[1], ')')"), is_balanced("if ("), is_balanced("x)"), is_balanced('let a = 1 " so', '"')
    (True, False, False, True)
    """
    stack: list[str] = []
    for found in _TOKEN.finditer(text):
        mark = found[0]
        if mark in ("(", "[", "{"):
            stack.append(mark)
        elif mark in _CLOSERS:
            if not stack or stack.pop() != _CLOSERS[mark]:
                return False
        elif mark in ("'", '"'):
            return mark == comment and not stack and found.start() > 0 and text[found.start() - 1].isspace()
    return not stack


# What a line may begin with, and which commands take an expression.
_FORMS = {
    "vim": (
        late(
            r"[\s:]*(?:[%.,$\d;+\-\s\\]|'\S|/[^/]*/?|\?[^?]*\??)*"
            r"(?:[A-Za-z!\"|].*|&&?[&\w]*|[<>]+\s*\w?\s*\d*|[*@]\S?|[#=~]\s*\d*)?",
            re.DOTALL,
        ),
        late(
            r"(?:sil\w*!?\s+)?(?:let|if|elseif|while|for|cal|call|ec\w*|exe\w*|return|const|eval|fu\w*)(?:!|\b)(.*)",
            re.DOTALL,
        ),
    ),
    "gdb": (
        late(r"(?:[A-Za-z_!|#].*)?", re.DOTALL),
        late(r"(?:p|print|call|if|while|x|set|display|output|expr|expression|e|po|function)\b(.*)", re.DOTALL),
    ),
    "ed": (
        late(
            r"(?:[%.,$\d;+\-\s]|'[a-z]|/[^/]*/?|\?[^?]*\??)*"
            r"(?:[acdhHijlnpPqQuxyz=][pnl]*|[eEfrwW]q?(?:[\s!].*)?|[gGvVs]\W.*|s|k[a-z][pnl]*|[mt][\d.$+\-/'\w]*|[!#].*)?",
            re.DOTALL,
        ),
        late(r"(?!)"),
    ),
}
_CLOSING = late(r"(?:end|else|endif|endfunction|endwhile|endfor)\b")
_TEX_GROUP = late(r"\\.|%[^\n]*|[{}]", re.DOTALL)


def is_command(line: str, program: str) -> bool:
    """Whether a line has the form of a command of a program.

    >>> is_command("p f(1)", "gdb"), is_command("((((", "gdb"), is_command("if (", "vim"), is_command("%s/a(/b/", "vim")
    (True, False, False, True)
    """
    if program == "tex":
        return True
    begins, takes_expression = _FORMS[program]
    if begins.fullmatch(line) is None:
        return False
    found = takes_expression.match(line)
    return found is None or is_balanced(found[1], '"' if program == "vim" else "")


def is_script(text: str, program: str) -> bool:
    """Whether a text can be commands of a program as a whole: none begins inside a block that is not there."""
    if program == "tex":
        depth = 0
        for found in _TEX_GROUP.finditer(text):
            depth += (found[0] == "{") - (found[0] == "}")
            if depth < 0:
                return False
        return depth == 0
    return program == "ed" or _CLOSING.match(text.lstrip(" :\n")) is None
