"""Conversion of documents to structs. A value that does not fit is named with its line, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import inspect

from interlock.documents import Document
from interlock.errors import ConfigError, nearest, nearest_word
from interlock.knowledge.problems import KeyPath, Problem

#: How deeply tables may be nested. A command of four words with an example takes twelve.
MAX_DEPTH = 40
_LONGEST = 60
#: What people call keys, and the keys that they mean. The first one that a table has is suggested.
_MEANT = {
    **dict.fromkeys(("name", "program", "programs", "function", "cmdlet"), ("names",)),
    **dict.fromkeys(("aliases", "alias", "or"), ("names", "also")),
    **dict.fromkeys(("kind", "effect", "makes", "action"), ("does", "effects", "is")),
    "does": ("effects", "makes"),
    **dict.fromkeys(("flag", "tags", "marks"), ("flags",)),
    **dict.fromkeys(("role", "takes", "type", "argument", "arg"), ("value", "does", "kind")),
    **dict.fromkeys(("args", "arguments", "parameters", "params"), ("arguments", "operands", "parameters")),
    **dict.fromkeys(("command", "cmd", "shell"), ("run", "code", "call", "commands")),
    **dict.fromkeys(("run", "code"), ("call", "code", "run")),
    **dict.fromkeys(("subcommand", "subcommands"), ("commands",)),
    **dict.fromkeys(("opts", "option", "switch"), ("options", "switches")),
    **dict.fromkeys(("resource", "target", "path", "subject"), ("on",)),
    **dict.fromkeys(("regex", "pattern", "match"), ("matches",)),
    **dict.fromkeys(("url", "doc", "manual", "homepage", "link"), ("docs",)),
    **dict.fromkeys(("default", "defaults"), ("default_operand", "otherwise")),
    **dict.fromkeys(("version", "unchecked"), ("checked",)),
    **dict.fromkeys(("example", "tests", "test"), ("examples",)),
    **dict.fromkeys(("expect", "expected", "expects", "has"), ("effects",)),
}


def convert(document: Document, kind: type[Any]) -> Any:
    """Convert a document to a struct, or raise an error with the line of the value that does not fit."""
    return convert_at(document, document.values, kind, ())


def convert_at(document: Document, value: Any, kind: type[Any], path: KeyPath) -> Any:
    """Convert a value of a document, which stands at a path, to a struct, or raise an error with the line."""
    check_depth(document)
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        found = _find_misfit(value, kind, path) or Problem(str(error), path)
        raise _error(document, found) from None


def _error(document: Document, problem: Problem) -> ConfigError:
    """Return an error with the line of a problem: the first one if a key of the whole document is missing."""
    error = document.error(problem.message, *problem.path)
    return error.at(document.file, 1) if problem.missing else error


def convert_rest(document: Document, kind: type[Any]) -> tuple[list[ConfigError], Document, Any]:
    """Return an error for every value that does not fit its type, the document without them, and its struct or None."""
    check_depth(document)
    errors: list[ConfigError] = []
    wrong: set[KeyPath] = set()  # the keys that such a value was given for
    while True:
        try:
            return errors, document, msgspec.convert(document.values, kind, strict=True)
        except msgspec.ValidationError as error:
            problem = _find_misfit(document.values, kind, ()) or Problem(str(error), ())
        if (*problem.path, problem.missing) not in wrong:  # a key that is wrong is not missing as well
            errors.append(_error(document, problem))
        if not problem.path:
            return errors, document, None
        wrong |= {problem.path, (*problem.path[:-1], problem.meant)}
        document = document.without(problem.path)


def check_depth(document: Document) -> None:
    """Raise an error if tables are nested more deeply than any command is, so that each can be read by recursion."""
    level = [document.values]
    for _ in range(MAX_DEPTH):
        level = [item for value in level for item in _items_of(value)]
        if not level:
            return
    raise _nested_too_deeply(document)


def _items_of(value: Any) -> list[Any]:
    found = list(value.values()) if isinstance(value, dict) else value
    return [item for item in found if isinstance(item, (dict, list))]


def _nested_too_deeply(document: Document) -> ConfigError:
    return document.error(f"tables are nested more than {MAX_DEPTH} deep")


def _find_misfit(value: Any, kind: type[Any], path: KeyPath) -> Problem | None:
    """Return the innermost value that does not fit its type."""
    found = inspect.type_info(kind)
    root = [field.encode_name for field in found.fields] if isinstance(found, inspect.StructType) else []
    return next(_misfits(value, found, path, root), None)


def _misfits(value: Any, kind: inspect.Type, path: KeyPath, root: list[str]) -> Iterator[Problem]:
    """Yield the values that do not fit their type; `root` are the keys at the top of the document."""
    if isinstance(kind, inspect.AnyType):
        return
    if isinstance(kind, inspect.UnionType):
        kind = next(option for option in kind.types if not isinstance(option, inspect.NoneType))
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        yield from _field_misfits(value, kind, path, root)
    elif isinstance(kind, inspect.DictType) and isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(item, dict) and isinstance(kind.value_type, inspect.StructType) and key in root:
                yield _misplaced(key, path)
            yield from _misfits(item, kind.value_type, (*path, key), root)
    elif isinstance(kind, (inspect.VarTupleType, inspect.FrozenSetType)) and isinstance(value, list):
        for at, item in enumerate(value):
            yield from _misfits(item, kind.item_type, (*path, at), root)
    elif not isinstance(value, _PYTHON_TYPES.get(type(kind), ())) or (
        isinstance(value, bool) and not isinstance(kind, inspect.BoolType)
    ):
        yield Problem(
            f"{_name_of(path)} must be {_describe(kind)}, found {_show(value)}{_how_to_write(value, kind, path)}", path
        )


def _field_misfits(
    value: Mapping[str, Any], kind: inspect.StructType, path: KeyPath, root: list[str]
) -> Iterator[Problem]:
    fields = {field.encode_name: field for field in kind.fields}
    for key, item in value.items():
        if key in fields:
            yield from _misfits(item, fields[key].type, (*path, key), root)
            continue
        meant = next((word for word in _MEANT.get(key.lower(), ()) if word in fields), "")
        if not meant and path and key in root:
            yield _misplaced(key, path)
            continue
        meant = meant or nearest_word(key, fields)
        hint = f"; did you mean `{meant}`?" if meant else nearest(key, fields)
        yield Problem(f"unknown key `{key}`{hint}", (*path, key), meant=meant)
    for name, field in fields.items():
        if field.required and name not in value:
            yield Problem(f"`{name}` is missing", path, missing=name)


def _misplaced(key: str, path: KeyPath) -> Problem:
    """Return the problem of a key that stands below the header of a table, and so belongs to that table."""
    table = ".".join(str(part) for part in path if isinstance(part, str))
    return Problem(f"`{key}` stands in the table `{table}`; move it above the first `[table]`", (*path, key))


_PYTHON_TYPES: dict[type[inspect.Type], type] = {
    inspect.StrType: str,
    inspect.BoolType: bool,
    inspect.IntType: int,
    inspect.StructType: dict,
    inspect.DictType: dict,
    inspect.VarTupleType: list,
    inspect.FrozenSetType: list,
}
_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "a string",
    inspect.BoolType: "true or false",
    inspect.IntType: "a number",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
    inspect.VarTupleType: "a list",
    inspect.FrozenSetType: "a list",
}


def _describe(kind: inspect.Type) -> str:
    return _NAMES.get(type(kind), "another value")


def _show(value: Any) -> str:
    """Return a value as it is written in TOML, or what it is if that is long.

    >>> _show(True), _show("read"), _show(["a", 1]), _show({"run": "x"})
    ('`true`', '`"read"`', '`["a", 1]`', 'a table')
    """
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "a list of tables"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    text = text.replace(",", ", ") if isinstance(value, list) else text
    return f"`{text}`" if len(text) <= _LONGEST else f"`{text[:_LONGEST]}…`"


def _how_to_write(value: Any, kind: inspect.Type, path: KeyPath) -> str:
    """Return the end of a message that says how a value of the right type is written."""
    dotted = ".".join(str(part) for part in path if isinstance(part, str))
    if isinstance(kind, (inspect.VarTupleType, inspect.FrozenSetType)):
        if isinstance(value, dict):
            return f"; write `[[{dotted}]]`"
        return f"; write `[{_as_item(value, kind.item_type)}]`"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        inner = "." + "NAME" if isinstance(kind, inspect.DictType) else ""
        return f"; write `[{dotted}{inner}]`"
    if isinstance(kind, inspect.StructType):
        return f"; its keys are {', '.join(f'`{field.encode_name}`' for field in kind.fields)}"
    return ""


def _as_item(value: Any, kind: inspect.Type) -> str:
    """Return a value as the item of a list: by itself, or under the first key of a table."""
    text: str = msgspec.json.encode(value).decode()
    return f"{{ {kind.fields[0].encode_name} = {text} }}" if isinstance(kind, inspect.StructType) else text


def _name_of(path: KeyPath) -> str:
    """Return what a path leads to: a key, or an item of the list under it."""
    if path and isinstance(path[-1], int):
        key = next((part for part in reversed(path) if isinstance(part, str)), "the list")
        return f"an item of `{key}`"
    return f"`{path[-1]}`" if path else "it"
