"""Whether tokens have the form of a program: what no grammar of the language takes was not read.

The readers of tokens follow no grammar to the letter. These checks find what cannot be a program: brackets that do not
match, characters that the language has no use for, operators without a value beside them, and words in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from interlock.analyse.reading import Reading
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.tokens.tokenizer import Token, tokenize
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import StatementWords

_CLOSERS = {")": "(", "]": "[", "}": "{"}
#: Operators that stand between two values in every language that has them.
_BINARY = frozenset("= == != <= >= && || += -= *= /= %=".split())
#: Signs that no program begins with.
_WITHIN = frozenset({*_BINARY, "/", ",", ">", ">>"})
#: Signs that may be all of a program.
_EMPTY = frozenset("( ) [ ] { } ; ;; .".split())
_TABLE = read_table("statement-words", StatementWords)
_CONTINUES, _KEYWORDS = frozenset(_TABLE.continues), frozenset(_TABLE.keywords)


def is_program(reading: Reading, text: str, syntax: Syntax) -> bool:
    """Whether a text can be a program of a language, by its tokens alone."""
    tokens, whole = tokenize(text, syntax, reading)
    return whole and is_formed(tokens, syntax)


def is_formed(tokens: Sequence[Token], syntax: Syntax) -> bool:
    """Whether tokens can be a program of the language, as far as their form tells."""
    if not tokens:
        return True
    found = list(_code(tokens)) if getattr(syntax, "directives", False) else tokens
    return (
        _match_brackets(found)
        and not _has_strays(found, syntax)
        and not _lacks_value(found, syntax)
        and not _begins_within(found)
        and not (syntax.side_by_side and _is_prose(found, syntax.side_by_side))
    )


def _code(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens outside the lines of a preprocessor."""
    at_start, directive = True, False
    for token in tokens:
        directive = token.text == "#" if at_start else directive and token.kind != "line"
        at_start = token.kind == "line"
        if not directive:
            yield token


def _match_brackets(tokens: Sequence[Token]) -> bool:
    stack: list[str] = []
    for token in tokens:
        if token.kind != "op":
            continue
        if token.text in ("(", "[", "{"):
            stack.append(token.text)
        elif token.text in _CLOSERS and (not stack or stack.pop() != _CLOSERS[token.text]):
            return False
    return not stack


def _has_strays(tokens: Sequence[Token], syntax: Syntax) -> bool:
    return any(token.kind == "op" and token.text[0] in syntax.strays for token in tokens)


def _lacks_value(tokens: Sequence[Token], syntax: Syntax) -> bool:
    """Whether an operator has no value beside it: at the beginning, at the end, or next to another one."""
    found = [token for token in tokens if token.kind != "line"]
    if all(token.kind == "op" for token in found):
        return any(token.text not in _EMPTY for token in found)
    if (found[0].kind == "op" and found[0].text in _WITHIN) or _is_binary(found[-1]):
        return True
    return any(
        _is_binary(one) and _is_binary(other) and one.end < other.at and other.text not in syntax.prefixes
        for one, other in pairwise(found)
    )


def _is_binary(token: Token) -> bool:
    return token.kind == "op" and token.text in _BINARY


def _begins_within(tokens: Sequence[Token]) -> bool:
    """Whether the first word goes on with a statement that is not there."""
    found = [token for token in tokens if token.kind != "line"][:2]
    return (
        bool(found)
        and found[0].kind == "name"
        and found[0].text in _CONTINUES
        and (len(found) == 1 or found[1].kind == "name")
    )


def _is_prose(tokens: Sequence[Token], most: int) -> bool:
    """Whether more than `most` words stand side by side, none of which means anything to the language."""
    count, before = 0, ""
    for token in tokens:
        is_word = token.kind == "name" and token.text not in _KEYWORDS and before != "@"  # which begins an annotation
        count, before = count + 1 if is_word else 0, token.text
        if count > most:
            return True
    return False
