"""Word expansion. A part whose value is unknown becomes a hole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.secrets.keys import shows_secret
from interlock.analyse.shell.expansion.escapes import decode_escapes
from interlock.analyse.shell.expansion.parameter_operators import MAX_VALUE, apply_operator, first_item, parse_signed
from interlock.analyse.shell.output.local_content import mark_output
from interlock.analyse.shell.parsing.grammar import ShellSource
from interlock.analyse.shell.scope import ShellScope
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.expansion import arithmetic, arrays, braces
else:  # few words have any of these
    arithmetic = LazyModule("interlock.analyse.shell.expansion.arithmetic")
    arrays = LazyModule("interlock.analyse.shell.expansion.arrays")
    braces = LazyModule("interlock.analyse.shell.expansion.braces")

# While braces are expanded and words are split, quoted special characters are replaced by private-use ones.
_GUARDED = {ord(char): 0xE000 + index for index, char in enumerate("{},. \t\n~")}
_GUARDED_BRACE = chr(_GUARDED[ord("{")])
_BARED = {guard: chr(char) for char, guard in _GUARDED.items()}
_HOLE = late("\0[^\0]*\0")
_BACKSLASH = late(r"\\(\n|.)", re.DOTALL)
_FIELDS = late(r"(?:\0[^\0]*\0|\S)+")  # the name of a hole may have spaces in it
_ESCAPABLE = ('"', "$", "`")
LONG = 256  # characters from which a text takes steps of its own
_IN_QUOTES = late(r"\\([$`\"\\\n])")
_SLICED = late(r"\$\{(?:@|(\w+)\[@\]):([ \d:()-]+)\}")
_BACK_TICKS = late(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL)
_ANY_VARIABLE = frozenset({"environment", "variable"})
_SHORT = late(r":0:[1-6]")
_PARAMETER = late(r"^\$\{([!#]?)(\w+|[@*#?$!-])(\[[^\]]*\])?(.*)\}$", re.DOTALL)


def expand(node: Node, scope: ShellScope) -> list[str]:
    """Return the words that a node expands to: none, one or several."""
    kind = node.type
    if kind == "word":
        text = scope.source.of(node)
        if "\\" in text or "{" in text:
            return _split_word(_unescape(text), scope)
        return [_expand_tilde(text, scope)] if text[:1] == "~" else [text]
    if kind == "raw_string":
        return [scope.source.slice(node.start_byte + 1, node.end_byte - 1)]
    if kind == "number":
        return [scope.source.of(node)]
    if kind == "string":
        if "@" in scope.source.of(node):
            whole = _expand_quoted_list(node, scope)
            if whole is not None:
                return whole
        return [_expand_string(node, scope)]
    return _split_word(_guard_quoted(node, scope), scope)


def plain_word(node: Node, source: ShellSource) -> str | None:
    """Return the one word that a node always expands to, or None if it depends on anything or has to be taken apart."""
    kind = node.type
    if kind == "word":
        text = source.of(node)
        return None if "\\" in text or "{" in text or text[:1] == "~" else text
    if kind == "raw_string":
        return source.slice(node.start_byte + 1, node.end_byte - 1)
    if kind == "number":
        return source.of(node)
    if kind == "string" and not node.has_error:
        whole = source.slice(node.start_byte + 1, node.end_byte - 1)
        return whole if len(whole) < LONG and _EXPANDED.isdisjoint(whole) else None
    return None


_EXPANDED = frozenset("$\\`")


def value(node: Node, scope: ShellScope) -> str:
    """Return the text that a node expands to without word splitting: in an assignment, a redirection, a quote."""
    kind = node.type
    source = scope.source
    if kind == "word":
        text = source.of(node)
        text = _BACKSLASH.sub(_drop_backslash, text) if "\\" in text else text
        return _expand_tilde(text, scope) if text[:1] == "~" else text
    if kind == "raw_string":
        return source.slice(node.start_byte + 1, node.end_byte - 1)
    if kind == "string":
        return _expand_string(node, scope)
    if kind == "concatenation":
        return truncate_text("".join(value(child, scope) for child in node.named_children), scope)
    if kind == "ansi_c_string":
        return decode_escapes(source.slice(node.start_byte + 2, node.end_byte - 1))
    if kind == "simple_expansion":
        return scope.value(source.slice(node.start_byte + 1, node.end_byte))
    if kind == "expansion":
        return expand_parameter(node, scope)
    if kind in ("command_substitution", "process_substitution"):
        return expand_substitution(node, scope)
    if kind == "translated_string":
        return value(node.named_children[0], scope) if node.named_children else ""
    if kind == "arithmetic_expansion":
        visit(node, scope)
        return _expand_arithmetic(source.of(node).removeprefix("$((").removesuffix("))"), scope)
    return source.of(node)


def _expand_arithmetic(text: str, scope: ShellScope) -> str:
    """Return the value of an arithmetic expression, or a hole."""
    found = arithmetic.evaluate(text, lambda name: known if isinstance(known := scope.lookup(name), str) else None)
    return hole("((…))") if found is None else str(found)


def _expand_string(node: Node, scope: ShellScope) -> str:
    """Return the value of a double-quoted string."""
    source = scope.source
    parts: list[StringPart] | None = source.parts.get(node.id)
    if parts is None:
        parts = source.parts[node.id] = _split_string(node, source.text)
    joined = "".join([part if isinstance(part, str) else _expand_part(part, scope) for part in parts])
    return joined if len(joined) < LONG else truncate_text(joined, scope)


#: A part of a string: a text, the name of a variable in a tuple, or the node of another expansion.
StringPart = str | tuple[str] | Node


def _expand_part(part: tuple[str] | Node, scope: ShellScope) -> str:
    return scope.value(part[0]) if isinstance(part, tuple) else value(part, scope)


def _split_string(node: Node, text: str) -> list[StringPart]:
    """Return the parts of a double-quoted string."""
    start, end = node.start_byte + 1, node.end_byte - 1
    whole = text[start:end]
    if not node.has_error:
        if _EXPANDED.isdisjoint(whole):
            return [whole]
        if whole[0] == "$" and whole[1:].isidentifier() and whole.isascii():  # `"$name"`
            return [(whole[1:],)]
    children = node.named_children
    if not children:
        return [_unescape_quoted(whole)]
    parts: list[StringPart] = []
    for child in children:
        first, last = child.start_byte, child.end_byte
        if first > start:  # white space between two parts is in neither node
            parts.append(text[start:first])
        kind = child.type
        if kind == "string_content":
            part = text[first:last]
            parts.append(_unescape_quoted(part) if "\\" in part else part)
        elif kind == "simple_expansion":
            parts.append((text[first + 1 : last],))
        else:
            parts.append(child)
        start = last
    if start < end:
        parts.append(text[start:end])
    return parts


def _expand_quoted_list(node: Node, scope: ShellScope) -> list[str] | None:
    """Return the words of `"$@"` and `"${a[@]}"`, which stay separate when quoted, or None for any other string."""
    children = node.named_children
    if len(children) != 1 or children[0].type not in ("simple_expansion", "expansion"):
        return None
    text = scope.source.of(children[0])
    sliced = _SLICED.fullmatch(text)
    if sliced and isinstance(held := scope.lookup(sliced[1] or "@"), list):
        return _slice_items(held, sliced[2], sliced[1] is None)
    if text == "$@" or text.endswith("[@]}"):
        found = scope.lookup(re.sub(r"\W", "", text) or "@")
        return list(found) if isinstance(found, list) else None
    return None


def _guard_quoted(node: Node, scope: ShellScope) -> str:
    """Return the value of an unquoted word, with its quoted characters guarded against splitting."""
    kind = node.type
    if kind == "concatenation":
        return truncate_text("".join(_guard_quoted(child, scope) for child in node.named_children), scope)
    if kind == "word":
        return _expand_tilde(_unescape(scope.source.of(node)), scope)
    if kind == "brace_expression":
        return scope.source.of(node)
    text = value(node, scope)
    if kind in ("string", "raw_string", "ansi_c_string", "translated_string"):
        return text if text.isalnum() else text.translate(_GUARDED)
    separators = scope.variables.get("IFS")
    if isinstance(separators, str):
        text = text.translate({ord(char): " " for char in separators[:16]})
    if HOLE in text:  # the name of a hole is not split
        text = _HOLE.sub(lambda found: found[0].translate(_GUARDED), text)
    return text.replace("{", _GUARDED_BRACE) if "{" in text else text


def _split_word(marked: str, scope: ShellScope) -> list[str]:
    """Expand the braces of a word with guarded characters, and split it at white space."""
    words = [marked]
    if "{" in marked:
        words = braces.expand_braces(marked)
        if len(words) >= braces.MAX_EXPANSIONS:
            report_cap("a brace expansion that gives too many words", scope)
    if " " in marked or "\t" in marked or "\n" in marked:
        words = [part for word in words for part in _FIELDS.findall(word)]
    scope.reading.spend(len(words) // 2 + len(marked) // LONG)
    return words if marked.isascii() else [word.translate(_BARED) for word in words]


def visit_word(node: Node, scope: ShellScope) -> None:
    """Walk the substitutions in a word whose value is not needed."""
    if node.type in ("command_substitution", "process_substitution"):
        scope.shell.substitute(node, scope)
    else:
        visit(node, scope)


def visit(node: Node, scope: ShellScope) -> None:
    """Walk all substitutions below a node whose value is not needed."""
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution"):
            scope.shell.substitute(child, scope)
        elif child.named_child_count:
            scope.reading.spend()
            visit(child, scope)


def expand_substitution(node: Node, scope: ShellScope) -> str:
    """Return the output of a command substitution, or a hole named after its text."""
    first = len(scope.reading.effects)
    flow = scope.shell.substitute(node, scope)
    if flow.text is not None:
        return flow.text.rstrip("\n")
    text = scope.source.of(node)
    name = "(" + text.strip("$()<>`")[:40].replace(HOLE, "") + ")"
    marks = mark_output(text, flow, scope.reading.effects[first:])
    if marks:
        scope.reading.taints[name] = marks
    return hole(name)


def expand_parameter(node: Node, scope: ShellScope) -> str:
    """Return the value of `${…}`."""
    visit(node, scope)
    found = _PARAMETER.match(scope.source.of(node))
    if not found:
        return hole("{…}")
    sign, name, index, rest = found.groups()
    if ("$(" in rest or "`" in rest) and any(child.type == "regex" for child in node.named_children):
        scope.reading.nest("shell", ": " + rest.lstrip("#%/^,:"), scope.site(scope.source.span(node)))
    if "`" in rest and not any(child.type == "command_substitution" for child in node.named_children):
        for found in _BACK_TICKS.finditer(rest):  # the grammar parses them as text
            scope.reading.nest("shell", found[1].replace("\\`", "`"), scope.site(scope.source.span(node)))
    held = scope.lookup(name)
    if isinstance(held, list) and rest[:1] == ":" and rest[1:2] not in ("-", "=", "+", "?") and (index or name in "@*"):
        return " ".join(_slice_items(held, rest[1:], name in "@*"))
    at = next((child for child in node.named_children if child.type == "subscript"), None)
    known = first_item(held) if at is None else arrays.get_item(scope, *read_subscript(at, scope))
    if sign == "#":
        return str(len(known)) if known is not None and HOLE not in known else hole("#" + name)
    if sign == "!":
        return scope.value(known) if known and known.isidentifier() else _expand_indirect(scope, name, known)
    if not rest:
        return hole(name) if known is None else known
    return _apply_operator(node, scope, name, known, rest)


def _expand_indirect(scope: ShellScope, name: str, known: str | None) -> str:
    """Return the value of `${!name}`: a secret if the name goes through those of all variables."""
    if known and "variable_names" in scope.reading.marks(known):
        scope.reading.taints["!" + name] = _ANY_VARIABLE
    return hole("!" + name)


def read_subscript(node: Node, scope: ShellScope) -> tuple[str, str]:
    """Return the name of an array and the key of `name[key]`."""
    name, *key = node.named_children
    return scope.source.of(name), "".join(value(part, scope) for part in key)


def _slice_items(items: list[str], operand: str, counted: bool) -> list[str]:
    """Return the items of `${a[@]:2:3}`; the arguments of a script are counted from one."""
    start, _, length = operand.partition(":")
    first, count = parse_signed(start), parse_signed(length)
    if first is None:
        return items
    rest = items[first - 1 if counted and first > 0 else first :]
    return rest[:count] if count is not None else rest


def _apply_operator(node: Node, scope: ShellScope, name: str, known: str | None, rest: str) -> str:
    """Return the value of a parameter after the operator in `rest`."""
    double = (":-", ":=", ":+", ":?", "//", "##", "%%", "^^", ",,", "@k", "@U", "@L", "@u", "@E", "@P", "@Q")
    operator = rest[:2] if rest[:2] in double else rest[:1]
    if operator in (":-", "-", ":=", "="):
        # A variable that is unknown here may be set. The default is the one value that the text states, but it says
        # nothing of a secret, and an empty one is only there for `set -u`.
        default = _expand_operand(node, scope, rest[len(operator) :])
        if known is None and (not default or shows_secret(name)):
            return hole(name)
        if not known and operator[-1] == "=" and name.isidentifier():
            scope.variables[name] = default
        return known if known else default
    if operator in (":+", "+"):
        return _expand_operand(node, scope, rest[len(operator) :])
    if operator in (":?", "?"):  # without a value, the shell ends here
        return known if known else hole(name)
    if known is None or HOLE in known:
        if _SHORT.fullmatch(rest):  # the first characters do not give a secret away
            return hole("beginning")
        return rest.rpartition("*/")[2] if rest[:3] in ("/*/", "//*") else hole(name)  # known whatever the value is
    changed = apply_operator(operator, known, rest[len(operator) :])
    return hole(name) if changed is None else changed


def _expand_operand(node: Node, scope: ShellScope, text: str) -> str:
    """Return the expanded operand of a parameter expansion."""
    children = [child for child in node.named_children if child.type not in ("variable_name", "subscript")]
    return "".join(value(child, scope) for child in children) if children else text


def truncate_text(text: str, scope: ShellScope) -> str:
    """Return a text, truncated and reported if it exceeds the limit."""
    if len(text) < LONG:
        return text
    scope.reading.spend(len(text) // LONG)
    if len(text) <= MAX_VALUE:
        return text
    report_cap("a text that grows too long", scope)
    return text[:MAX_VALUE]


def report_cap(why: str, scope: ShellScope) -> None:
    """Report that a limit was reached during expansion."""
    scope.reading.unread(why, scope.site((0, 0)), flags=frozenset({"cap"}))


def _drop_backslash(found: re.Match[str]) -> str:
    char = found.group(1)
    return "" if char == "\n" else char


def _unescape(text: str) -> str:
    return _BACKSLASH.sub(lambda found: _drop_backslash(found).translate(_GUARDED), text) if "\\" in text else text


def _unescape_quoted(text: str) -> str:
    if "\\\\" in text:
        return _IN_QUOTES.sub(_drop_backslash, text)
    for sign in _ESCAPABLE:  # none of them can be a part of another one
        text = text.replace("\\" + sign, sign)
    return text.replace("\\\n", "")


def _expand_tilde(text: str, scope: ShellScope) -> str:
    """Return a word with a leading `~` or `~+` expanded."""
    if text == "~" or text.startswith("~/"):
        return (scope.reading.places.home or "~") + text[1:]
    if text.startswith("~+"):
        return scope.value("PWD") + text[2:]
    return text
