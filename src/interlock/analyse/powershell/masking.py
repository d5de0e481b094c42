"""Arguments that PowerShell takes and the grammar does not, replaced by plain words of the same length.

In a command, PowerShell reads `a, b`, `--`, `$env:TEMP\\x` and `--name="a b"` as arguments; the grammar has no rule for
them and gives up on the whole line. So a text that does not parse is masked and parsed again. Offsets stay as they
are, and the reader takes the argument from the text itself.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from interlock.analyse.powershell.extents import find_bracket_end, find_string_end, word_end
from interlock.analyse.powershell.respelling import EMPTY_BLOCK, RESPELT, respell
from interlock.patterns import late

START, NAME, COMMAND, EXPRESSION = "start", "name", "command", "expression"

_BLANK = late(r"(?:[ \t\r\f\v]|`\r?\n)+")
_COMMENT = late(r"<#(?:(?!#>).)*+(?:#>)?", re.DOTALL)
_HERE = late(r"@(['\"])[ \t]*\r?\n")
_SINGLE = late(r"'(?:[^']|'')*+'?")
_NUMBER = late(r"(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?:[lLdDuUnN]|[kKmMgGtTpP][bB])*(?![\w\\/:-])")
_VARIABLE = late(r"[$@](?:\{[^}]*\}|(?:\w+:)?\w+|[?$^])")
_KEYWORD = late(
    r"(?:if|elseif|else|while|do|until|for|foreach|switch|try|catch|finally|return|throw|exit|param|begin|process|end|"
    r"dynamicparam|trap|data|default|in|break|continue|function|filter|workflow|class|enum)(?![\w.\\/:-])",
    re.IGNORECASE,
)
_DECLARED = late(r"(?:function|filter|workflow|class|enum)\s+[^\s({]+", re.IGNORECASE)
_HASH_KEY = late(r"(?:[\w.-]+|'[^']*'|\"[^\"]*\")\s*=", re.IGNORECASE)
_REDIRECTION = late(r"[\d*]?>{1,2}(?:&\d)?|<")
_PARAMETER = late(r"--?[A-Za-z_?][\w?-]*+(?::(?=\s*[$\"'(@{\d])|(?=[\s;|&(){},]|$))")
_PLAIN_NAME = late(r"[A-Za-z_%?][\w.-]*")
_PLAIN = late(r"[A-Za-z0-9_.*/\\:?%~+=^<>-][\w.*/\\:?%~+=^-]*")
_MEMBER = late(r"(?:\??\.|::)(?:\w+|(?=[('\"$]))")
#: Names of commands that the grammar takes for a keyword and its parameter: `ForEach-Object` at the start of a line.
_RESERVED = late(r"(?:foreach|do|data|param|class|enum|inlinescript|sequence)-", re.IGNORECASE)
_SIMPLE = late(
    r"\"(?:[^\"`$]|`.|\"\"|\$(?!\())*+\"|'(?:[^']|'')*+'|\$(?:\w+:)?\w+(?:\.\w+)*|@\w+|\$\{[^}]*\}", re.DOTALL
)
_SWITCH = "switch"


class MaskedText(NamedTuple):
    """A text in which the grammar finds its way, the words that were masked, and the commas between them."""

    text: str
    words: dict[int, int]
    commas: frozenset[int]


def mask_arguments(text: str) -> MaskedText:
    """Return a text of the same length with the arguments masked that the grammar does not take.

    >>> mask_arguments("rm $env:TEMP\\\\a, b").text, mask_arguments("npm run x -- --fix").text
    ('rm xxxxxxxxxxx  b', 'npm run x xx --fix')
    """
    return _Masker(text).run()


class _Masker:
    """A pass over a text that knows only whether it is in a command or in an expression."""

    __slots__ = ("after_keyword", "at", "commas", "mode", "out", "stack", "text", "words")

    def __init__(self, text: str) -> None:
        self.text, self.out = text, list(text)
        self.words: dict[int, int] = {}
        self.commas: set[int] = set()
        self.stack: list[tuple[str, str]] = []  # what kind of bracket is open, and the mode behind it
        self.mode, self.at, self.after_keyword = START, 0, False

    def run(self) -> MaskedText:
        """Go through the text."""
        while self.at < len(self.text):
            before = self.at
            if not self._skip() and not self._separator():
                {START: self._start, NAME: self._word, COMMAND: self._argument, EXPRESSION: self._expression}[
                    self.mode
                ]()
            self.at += self.at == before
        return MaskedText("".join(self.out), self.words, frozenset(self.commas))

    def _match(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found is not None

    def _skip(self) -> bool:
        """Go past white space and comments."""
        char = self.text[self.at]
        if char in " \t\r\f\v`" and (blank := _BLANK.match(self.text, self.at)):
            for at in range(self.at, blank.end()):
                self.out[at] = " " if self.out[at] == "\t" else self.out[at]  # the grammar takes a tab for a letter
            self.at = blank.end()
            return True
        if char == "<" and (comment := _COMMENT.match(self.text, self.at)):
            self._blank(comment.end())
            return True
        if char == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\r\n;|(){}&,"):
            end = self.text.find("\n", self.at)
            self._blank(len(self.text) if end < 0 else end)
            return True
        return False

    def _blank(self, end: int) -> None:
        """Replace a comment by spaces: the grammar does not take a text that holds nothing else."""
        self.out[self.at : end] = " " * (end - self.at)
        self.at = end

    def _separator(self) -> bool:
        """Take what ends a statement, a command or a bracket."""
        text, char = self.text, self.text[self.at]
        if char == "\n" and (following := _PIPED.match(text, self.at)):
            self.out[self.at : following.end()] = " " * (following.end() - self.at)  # the pipeline goes on below
            self.at = following.end() - 1
        elif char in "\n;":
            self.mode = START
        elif char == "|":
            self.at += text.startswith("||", self.at)
            self.mode = START
        elif char == "&":
            double = text.startswith("&&", self.at)
            if not double and self.mode != START and not (self.mode == EXPRESSION and self.stack):
                self.out[self.at] = ";"  # in the background
                self.mode = START
            else:
                self.mode = START if double else NAME
            self.at += double
        elif char in ")}]":
            self._close()
        else:
            return False
        self.at += 1
        return True

    def _open(self, width: int, kind: str, inside: str, behind: str) -> None:
        self.stack.append((kind, behind))
        self.mode = inside
        self.at += width

    def _close(self) -> None:
        kind, self.mode = self.stack.pop() if self.stack else ("", START)
        following = self.at + 1
        clause = bool(self.stack) and self.stack[-1][0] == _SWITCH and kind == "{"
        if (kind == "param" or clause) and self.text[following : following + 1] == " ":
            self.out[following] = "\n"  # the grammar wants a line of its own for what follows
            self.mode = START

    def _start(self) -> None:
        """Read how a statement begins: a keyword, an expression, or a command's name."""
        text, char = self.text, self.text[self.at]
        after_keyword, self.after_keyword = self.after_keyword, False
        if self.stack and self.stack[-1][0] == "@{" and self._match(_HASH_KEY):
            return
        if _KEYWORD.match(text, self.at):
            self._keyword()
        elif char == "." and (self.at + 1 >= len(text) or text[self.at + 1] in " \t\"'$({"):
            self.mode = NAME
            self.at += 1
        elif char == "(":
            self._open(1, "(", START, START if after_keyword else EXPRESSION)
        elif char == "{" and self._last_sign() in ("=", ",") and self._mask_empty("$"):
            self.mode = EXPRESSION
        elif char == "{":
            self._bracket(START)
        elif (
            char in "$\"'[@+!," or _NUMBER.match(text, self.at) or (char == "-" and not text.startswith("--", self.at))
        ):
            self.mode = EXPRESSION
            self._expression()
        elif char == ":" and self._match(_LABEL):
            pass
        else:
            self._word()

    def _keyword(self) -> None:
        found = _KEYWORD.match(self.text, self.at)
        word = found[0].lower() if found else ""
        if not self._match(_DECLARED):
            self.at += len(word)
        self.mode, self.after_keyword = START, True
        if word in ("switch", "param") and (opening := _OPENING.search(self.text, self.at)):
            if word == "param":
                self.at = opening.end() - 1
                self._open(1, "param", EXPRESSION, START)
            else:
                self._enter_switch()

    def _enter_switch(self) -> None:
        """Note the braces of a `switch`, which come behind its condition."""
        end = find_bracket_end(self.text, self.text.find("(", self.at)) if "(" in self.text[self.at :] else self.at
        brace = self.text.find("{", end)
        if 0 <= brace <= end + 4:
            self.at = brace
            self._open(1, _SWITCH, START, START)

    def _word(self) -> None:
        """Read a command's name."""
        self.mode = COMMAND
        char = self.text[self.at]
        if char == "{" and self._mask_empty():
            return
        if char in "({" or self.text.startswith(("$(", "@("), self.at):
            self._bracket(COMMAND)
            return
        end = word_end(self.text, self.at, "({")
        plain = _SIMPLE.fullmatch(self.text, self.at, end) or _PLAIN_NAME.fullmatch(self.text, self.at, end)
        if not plain or _RESERVED.match(self.text, self.at):
            self._mask(end)
        self.at = max(end, self.at + 1)

    def _argument(self) -> None:
        """Read one argument of a command."""
        text, at, char = self.text, self.at, self.text[self.at]
        if char == ",":
            self._comma()
        elif text.startswith("--%", at):
            end = text.find("\n", at)
            self.at = len(text) if end < 0 else end
        elif self._match(_REDIRECTION) or self._match(_PARAMETER) or (char == "{" and self._mask_empty()):
            pass
        elif char in "({" or text.startswith(("$(", "@(", "@{"), at):
            self._bracket(COMMAND)
        elif char in ".:?" and at and text[at - 1] in ")]}" and _MEMBER.match(text, at):
            respell(text, self.out, at)
            self._match(_MEMBER)
        elif char == "[" and at and text[at - 1] in ")]\"'":
            self._open(1, "[", EXPRESSION, COMMAND)
        elif _HERE.match(text, at):
            self._string()
        else:
            self._plain_argument()

    def _plain_argument(self) -> None:
        text, at = self.text, self.at
        end = word_end(text, at)
        if not (_SIMPLE.fullmatch(text, at, end) or _PLAIN.fullmatch(text, at, end)) or text[at] == "-":
            self._mask(end)
        if text[end : end + 1] == "(" and end > at + 1:  # `Type(…)` has two arguments; the grammar wants a space
            self.words[at] = end
            self.out[end - 1] = " "
        self.at = max(end, at + 1)

    def _comma(self) -> None:
        """Take a comma between arguments: one beside a bare word is replaced, as is a line break behind it."""
        self.commas.add(self.at)
        self.out[self.at] = " "
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.out[self.at] = " "
            self.at += 1

    def _mask(self, end: int) -> None:
        self.words[self.at] = end
        self.out[self.at : end] = "x" * (end - self.at)

    def _mask_empty(self, sign: str = "") -> bool:
        """Mask a block without statements, as a word or as a variable; return whether there is one."""
        empty = EMPTY_BLOCK.match(self.text, self.at)
        if empty is None or (not sign and self._last_sign() == ")"):  # the body of a method in a class
            return False
        self._mask(empty.end())
        if sign:
            self.out[self.at] = sign
        self.at = empty.end()
        return True

    def _last_sign(self) -> str:
        """Return the last character before this one that is no blank."""
        at = self.at - 1
        while at > 0 and self.text[at] in " \t":
            at -= 1
        return self.text[at] if at >= 0 else ""

    def _bracket(self, behind: str) -> None:
        text, at = self.text, self.at
        if text.startswith(("$(", "@(", "@{"), at):
            self._open(2, text[at : at + 2], START, behind)
        else:
            self._open(1, text[at], START, behind)

    def _string(self) -> None:
        """Go past a string or a here-string."""
        here = _HERE.match(self.text, self.at)
        if here:
            end = self.text.find(f"\n{here[1]}@", here.end() - 1)
            self.at = len(self.text) if end < 0 else end + 3
        elif self.text[self.at] == "'":
            self._match(_SINGLE)
        else:
            self.at = find_string_end(self.text, self.at)

    def _expression(self) -> None:
        text, at, char = self.text, self.at, self.text[self.at]
        called = at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_)\"'")
        if char in RESPELT and (past := respell(text, self.out, at)) > at:
            self.at = past
        elif char in "\"'" or _HERE.match(text, at):
            self._string()
        elif char == "(" and called:
            self._open(1, "(", EXPRESSION, EXPRESSION)
        elif char == "[":
            self._open(1, "[", EXPRESSION, EXPRESSION)
        elif char == "{":
            self._expression_block()
        elif char == "(" or text.startswith(("$(", "@(", "@{"), at):
            self._bracket(EXPRESSION)
        elif char in "$@" and self._match(_VARIABLE):
            pass
        elif char == "=":
            self.at += 1
            self.mode = START
        elif char in "?:" and (choice := _CHOICE.match(text, at)):
            self.out[at : choice.end()] = ("= " if "=" in choice[0] else ", ").ljust(len(choice[0]))[: len(choice[0])]
            self.at = choice.end()
            self.mode = START if "=" in choice[0] else EXPRESSION
        elif _KEYWORD.match(text, at) and text[at - 1 : at] not in (".", "-", ":"):
            self._keyword()
        elif (number := _NUMBER.match(text, at)) and not called:
            self.out[at : number.end()] = number[0].lower()
            self.at = number.end()
        else:
            self._match(_BARE)

    def _expression_block(self) -> None:
        """Read a block in an expression, or the clauses of a `switch`."""
        if self.stack and self.stack[-1][0] == _SWITCH:
            self._bracket(START)
        elif not self._mask_empty("$"):
            self._bracket(EXPRESSION)


_PIPED = late(r"\s+(?=\||&&)")
_LABEL = late(r":\w+")
_OPENING = late(r"\s*\(")
_BARE = late(r"-?\w+")
_CHOICE = late(r"\?\?=?|[?:](?=\s)")  # one of two values: both are read
