"""The tokens of a compiled language in the form of a script's: without types, generics, labels and macros."""

from __future__ import annotations

from interlock.analyse.scripts.compiled.notation import Notation
from interlock.analyse.scripts.tokens.tokenizer import Token

MAX_TYPE = 40  # tokens that a type may have
MAX_CALL = 80  # tokens that the arguments of `new` may have
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_OPENERS.values())
_IN_TYPES = frozenset(", . :: & * ? [ ] < > >> ' | ( ) -> ! @ ...".split())
_STATEMENT = frozenset("; { } (".split())
_AFTER_TYPES = frozenset("( :: { . [ ) , ; = > & * ?".split())


def normalise(tokens: list[Token], notation: Notation) -> list[Token]:
    """Return tokens as a script would have them."""
    if notation.directives:
        tokens = _read_directives(tokens)
    tokens = _drop_words(_drop_bars(tokens), notation)
    tokens = _drop_generics(tokens)
    if notation.declarations:
        tokens = _drop_types(tokens, notation.declarations)
    tokens = _first_targets(tokens)
    if notation.initialised:
        tokens = _drop_declarators(tokens)
    tokens = _drop_array_types(_lists(tokens, notation))
    return _drop_labels(tokens) if notation.labels else tokens


def _op(text: str, near: Token) -> Token:
    return Token("op", text, near.at, near.at)


def _is(token: Token, *texts: str) -> bool:
    return token.kind == "op" and token.text in texts


def _closings(tokens: list[Token]) -> dict[int, int]:
    """Return the index of the bracket that closes each one."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPENERS:
            opened.append(at)
        elif token.kind == "op" and token.text in _CLOSERS and opened:
            found[opened.pop()] = at
    return found


def _read_directives(tokens: list[Token]) -> list[Token]:
    """Make `#define NAME value` an assignment, and drop all other lines for the preprocessor."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if not _is(token, "#") or (found and found[-1].kind != "line"):
            found.append(token)
            at += 1
            continue
        end = at
        while end < len(tokens) and tokens[end].kind != "line":
            end += 1
        line = tokens[at + 1 : end]
        if len(line) > 2 and line[0].text == "define" and not _is(line[2], "("):
            found += [line[1], _op("=", line[1]), *line[2:], _op(";", line[-1])]
        at = end
    return found


def _drop_words(tokens: list[Token], notation: Notation) -> list[Token]:
    """Drop lifetimes, words such as `mut`, the marks of macros, and `?` and `!` that follow a value."""
    found: list[Token] = []
    skip = False
    for at, token in enumerate(tokens):
        last = found[-1] if found else None
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        adjacent = last is not None and last.end == token.at
        if skip:
            skip = False
        elif token.kind == "name" and token.text in notation.noise and not (last is not None and _is(last, ".")):
            continue
        elif _is(token, "'") and following is not None and following.kind == "name":
            skip = True  # a lifetime
        elif _is(token, "?", "!") and adjacent and _follows_value(last) and not _is_choice(token, following):
            if notation.macros and _is(token, "!") and last is not None and last.text == "vec":
                found.pop()
        else:
            found.append(token)
    return found


def _drop_bars(tokens: list[Token]) -> list[Token]:
    """Drop the bars of `[|a; b|]`, casts as in `cast(string) x`, and give `"ls".!` a name."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token, last = tokens[at], found[-1] if found else None
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        at += 1
        if _is(token, "|") and (
            (last is not None and _is(last, "[") and last.end == token.at)
            or (following is not None and _is(following, "]") and token.end == following.at)
        ):
            continue
        if token.text == "cast" and following is not None and _is(following, "("):
            while at < len(tokens) and not _is(tokens[at], ")"):
                at += 1
            at += 1
        elif _is(token, "!") and last is not None and _is(last, "."):
            found += [Token("name", "runProcess", token.at, token.end), _op("(", token), _op(")", token)]
            at += at < len(tokens) and _is(tokens[at], "!")
        else:
            found.append(token)
    return found


def _follows_value(last: Token | None) -> bool:
    return last is not None and (last.kind in ("name", "text") or _is(last, ")", "]", "!", "?"))


def _is_choice(token: Token, following: Token | None) -> bool:
    """Whether `?` begins a choice between two values, or `!` belongs to an operator."""
    if following is None or following.kind in ("line", "end"):
        return False
    if _is(token, "!"):
        return following.kind != "op" or following.text in ("=", "==")
    return following.kind != "op" or following.text not in (".", ";", ")", ",", "}", "]", "?", "::")


def _drop_generics(tokens: list[Token]) -> list[Token]:
    """Drop `<T>` behind a name."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        last = found[-1] if found else None
        if _is(token, "<") and last is not None and last.end == token.at and (last.kind == "name" or _is(last, "::")):
            end = _end_of_generics(tokens, at)
            if end:
                if _is(last, "::"):
                    found.pop()
                at = end
                continue
        found.append(token)
        at += 1
    return found


def _end_of_generics(tokens: list[Token], at: int) -> int:
    """Return the index behind the `>` that closes the `<` at `at`, or 0 if that is no list of types."""
    depth = 0
    for index in range(at, min(at + MAX_TYPE, len(tokens))):
        token = tokens[index]
        if token.kind not in ("name", "op", "number") or (token.kind == "op" and token.text not in _IN_TYPES):
            return 0
        depth += {"<": 1, ">": -1, ">>": -2}.get(token.text, 0)
        if depth <= 0:
            following = tokens[index + 1] if index + 1 < len(tokens) else None
            fits = following is None or following.kind in ("name", "line") or following.text in _AFTER_TYPES
            return index + 1 if fits else 0
    return 0


def _drop_types(tokens: list[Token], words: frozenset[str]) -> list[Token]:
    """Drop the type in `let name: Type = value`, and take `let Some(name) = value` for `let name = value`."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        found.append(tokens[at])
        at += 1
        if found[-1].kind != "name" or found[-1].text not in words:
            continue
        if at + 3 < len(tokens) and tokens[at].kind == "name" and _is(tokens[at + 1], "(") and _is(tokens[at + 3], ")"):
            found.append(tokens[at + 2])
            at += 4
        elif at + 1 < len(tokens) and tokens[at].kind == "name" and _is(tokens[at + 1], ":"):
            found.append(tokens[at])
            at = _end_of_type(tokens, at + 2)
    return found


def _end_of_type(tokens: list[Token], at: int) -> int:
    for index in range(at, min(at + MAX_TYPE, len(tokens))):
        token = tokens[index]
        if token.kind == "line" or _is(token, "=", ";", "{", "}") or token.kind in ("text", "run"):
            return index
    return at


def _first_targets(tokens: list[Token]) -> list[Token]:
    """Give the value of `a, err := call()` to the first name."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        starts = not found or found[-1].kind in ("line", "name") or _is(found[-1], *_STATEMENT)
        found.append(token)
        at += 1
        if token.kind != "name" or not starts:
            continue
        end = at
        while end + 1 < len(tokens) and _is(tokens[end], ",") and tokens[end + 1].kind == "name":
            end += 2
        if end > at and end < len(tokens) and _is(tokens[end], ":=", "="):
            at = end
    return found


def _drop_declarators(tokens: list[Token]) -> list[Token]:
    """Drop the brackets in `char name[99] = …`."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        found.append(tokens[at])
        at += 1
        typed = len(found) > 1 and (found[-2].kind == "name" or _is(found[-2], "*", "]"))
        if found[-1].kind != "name" or not typed or at >= len(tokens) or not _is(tokens[at], "["):
            continue
        end = at + 1 + (at + 1 < len(tokens) and not _is(tokens[at + 1], "]"))
        if end + 1 < len(tokens) and _is(tokens[end], "]") and _is(tokens[end + 1], "="):
            at = end + 1
    return found


def _lists(tokens: list[Token], notation: Notation) -> list[Token]:
    """Write lists in braces as lists, and objects in braces as calls: `[]string{"a"}`, `new T { A = b }`."""
    found: list[Token] = []
    closings = _closings(tokens)
    ends: dict[int, tuple[str, ...]] = {}  # index of a closing brace → what stands there instead
    objects: list[int] = []  # for each open bracket, whether the fields of an object stand in it
    for at, token in enumerate(tokens):
        if token.kind == "op" and token.text in _CLOSERS and objects:
            objects.pop()
        if at in ends:
            found += [_op(text, token) for text in ends[at]]
            continue
        if _is(token, "=") and objects[-1:] == [1]:
            token = _op(":", token)
        if token.kind == "op" and token.text in _OPENERS:
            objects.append(0)
        if not _is(token, "{"):
            found.append(token)
        elif _is_list(found, token, notation):
            found.append(_op("[", token))
            ends[closings.get(at, len(tokens))] = ("]",)
        elif _begin_object(found, token):
            found.append(token)
            ends[closings.get(at, len(tokens))] = ("}", ")")
            objects[-1] = 1
        else:
            found.append(token)
    return found


def _is_list(found: list[Token], token: Token, notation: Notation) -> bool:
    """Whether the brace that comes next opens a list; its type before it is dropped."""
    if not found:
        return False
    last = found[-1]
    if _is(last, ".") and last.end == token.at:  # `.{"a"}`
        found.pop()
        return True
    if notation.initialised and _is(last, "="):
        return True
    start = len(found) - 1
    while start > 0 and (found[start].kind == "name" or _is(found[start], ".", "*")):
        start -= 1  # the name of the element's type in `[]string{`
    if _is(found[start], ")") and notation.directives and _is(found[start - 1], "]"):  # `(char *[]){`
        while start > 0 and not _is(found[start], "("):
            start -= 1
        del found[start:]
        return True
    if not _is(found[start], "]") or last.end != token.at:
        return notation.initialised and _is(last, "]") and _drop_array(found, len(found) - 1)
    return _drop_array(found, start)


def _drop_array(found: list[Token], end: int) -> bool:
    """Drop `[]T` or `new T[]` at the end, if it is there."""
    start = end - 1
    while start > 0 and not _is(found[start], "["):
        if found[start].kind not in ("number", "op") or _is(found[start], "]", ")"):
            return False
        start -= 1
    while start > 0 and found[start - 1].kind == "name" and found[start - 1].end == found[start].at:
        start -= 1
    if any(token.text == "map" for token in found[start:]):
        return False
    del found[start:]
    return True


def _drop_array_types(tokens: list[Token]) -> list[Token]:
    """Drop the brackets of `[]byte(x)`, which is a conversion."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        if token.kind == "name" and at > 1 and _is(tokens[at - 1], "]") and _is(tokens[at - 2], "["):
            before = found[-3] if len(found) > 2 else None
            if tokens[at - 1].end == token.at and (
                before is None or before.kind != "name" or before.end < found[-2].at
            ):
                del found[-2:]
        found.append(token)
    return found


def _begin_object(found: list[Token], token: Token) -> bool:
    """Open a bracket for the fields of an object that stands in braces, if the brace that comes next opens one."""
    if not found:
        return False
    last = found[-1]
    if last.kind == "name" and ((last.end == token.at and last.text[:1].isupper()) or _is_new(found)):
        found.append(_op("(", token))
        return True
    if _is(last, ")") and _is_new(found):
        found[-1] = _op(",", token)
        return True
    return False


def _is_new(found: list[Token]) -> bool:
    """Whether the value at the end is made by `new`."""
    depth = 0
    for token in reversed(found[-MAX_CALL:]):
        if token.kind == "op":
            depth += (token.text in _CLOSERS) - (token.text in _OPENERS)
            if depth < 0 or (depth == 0 and token.text not in (".", "::", *_OPENERS)):
                return False
        elif depth == 0 and (token.text == "new" or token.kind == "line"):
            return token.text == "new"
    return False


def _drop_labels(tokens: list[Token]) -> list[Token]:
    """Drop the labels of arguments, which stand in order: `move(from: a, to: b)`."""
    found: list[Token] = []
    open_brackets: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "op" and token.text in _OPENERS:
            open_brackets.append(token.text)
        elif token.kind == "op" and token.text in _CLOSERS and open_brackets:
            open_brackets.pop()
        label = token.kind == "name" and open_brackets[-1:] == ["("] and found and _is(found[-1], "(", ",")
        if label and at + 1 < len(tokens) and _is(tokens[at + 1], ":"):
            if token.text.startswith("contentsOf") and _is(found[-1], "("):  # `String(contentsOfFile: x)`
                found[-1:] = [_op(".", found[-1]), token, found[-1]]
            at += 2
            continue
        found.append(token)
        at += 1
    return found
