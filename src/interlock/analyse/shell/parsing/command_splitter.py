"""Splitting a text that does not parse into commands, by quotes, brackets and separators alone.

The grammar rejects some text that a shell accepts: `echo ==`, a here-document with more words on its line, unusual
tests. So each command between two separators is also analysed by itself.
"""

from __future__ import annotations

from interlock.patterns import late

#: Keywords and brackets before a command that are not part of it.
_LEADING = late(
    r"(?:\s+|[{}!()](?=\s|$)|\(+|(?:then|else|elif|do|if|while|until|time(?:\s+-p)?|coproc)(?=\s|$)"
    r"|for\s+\w+\s+in\b[^;\n]*|case\s+\S+\s+in\b|[\w@.:-]+\s*\(\)\s*|function\s+\S+\s*)+"
)
_TRAILING = late(r"[\s})]+$")
_HEREDOC = late(r"<<(-?)\s*(?:\\?([\w.]+)|'([^'\n]*)'|\"([^\"\n]*)\"|\$'([^'\n]*)')")
_SEPARATORS = frozenset(";&|\n")
# Characters at which something begins or ends: in a text, in brackets, and in a text in double quotes or back ticks.
_MEANING = late(r"[\\'\"`$<>;&|\n]")
_IN_BRACKETS = late(r"[\\'\"`()]")
_IN_QUOTES = {'"': late(r'[\\"]'), "`": late(r"[\\`]"), "'": late("'")}
MAX_PIECES = 200
MAX_DEPTH = 4


def split_commands(text: str, depth: int = 0) -> list[str]:
    """Return the commands between the separators of a text, without here-documents and leading keywords.

    >>> split_commands("echo ==; rm x"), split_commands("cat <<'E'; rm x\\na; b\\nE\\nls")
    (['echo ==', 'rm x'], ['cat', 'rm x', 'ls'])
    """
    found: list[str] = []
    start = at = 0
    pending: list[tuple[str, bool]] = []  # here-documents whose text begins on the next line
    current: list[str] = []

    def close(end: int) -> None:
        current.append(text[start:end])
        piece = _TRAILING.sub("", _strip_leading_words("".join(current)))
        if piece:
            found.append(piece)
        current.clear()

    while len(found) < MAX_PIECES and (next_sign := _MEANING.search(text, at)):
        at, char = next_sign.start(), next_sign[0]
        if char == "\\":
            at += 2
        elif char in "'\"`":
            at = _find_quote_end(text, at)
        elif text.startswith(("$(", "<(", ">("), at):
            end = _find_bracket_end(text, at + 1)
            if depth < MAX_DEPTH:
                found += split_commands(text[at + 2 : end - 1], depth + 1)
            at = end
        elif char == "<" and (heredoc := _HEREDOC.match(text, at)):
            current.append(text[start:at])
            pending.append((next(name for name in heredoc.groups()[1:] if name is not None), bool(heredoc[1])))
            start = at = heredoc.end()
        elif char in _SEPARATORS and not (char == "&" and (text[at - 1 : at] in "<>" or text[at + 1 : at + 2] == ">")):
            close(at)
            if char == "\n" and pending:
                at = _find_bodies_end(text, at, pending)
                pending = []
            else:
                at += 1
            start = at
        else:
            at += 1
    close(len(text))
    return found


def _strip_leading_words(piece: str) -> str:
    """Return a fragment without leading keywords and brackets; a comment becomes empty."""
    piece = piece.strip()
    leading = _LEADING.match(piece)
    piece = piece[leading.end() :] if leading else piece
    return "" if piece.startswith("#") else piece


def _find_quote_end(text: str, at: int) -> int:
    """Return the offset after a quoted text, or after the end of the text if the quote is not closed."""
    quote, at = text[at], at + 1
    while sign := _IN_QUOTES[quote].search(text, at):
        if sign[0] == quote:
            return sign.end()
        at = sign.end() + 1
    return len(text) + 1


def _find_bracket_end(text: str, at: int) -> int:
    """Return the offset after the bracket that closes the one at `at`."""
    depth = 0
    while sign := _IN_BRACKETS.search(text, at):
        at, char = sign.end(), sign[0]
        if char == "\\":
            at += 1
        elif char in "'\"`":
            at = _find_quote_end(text, at - 1)
        elif char == "(":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return at
    return max(at, len(text))


def _find_bodies_end(text: str, at: int, pending: list[tuple[str, bool]]) -> int:
    """Return the offset after the bodies of here-documents that were opened on the previous line."""
    at += 1
    for name, tabs in pending:
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            at = end + 1
            if (line.lstrip("\t") if tabs else line) == name:
                break
    return min(at, len(text))
