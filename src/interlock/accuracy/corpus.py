"""A corpus: a JSONL file of labelled actions, one per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from interlock.errors import InterlockError, nearest
from interlock.model import Action

#: The context of a row that names none: a project in a home folder.
WHERE = {"cwd": "/home/user/project", "workspace": "/home/user/project", "home": "/home/user"}

_TEXTS: dict[str, Callable[..., Action]] = {
    "shell": Action.shell,
    "bash": Action.shell,
    "python": Action.python,
    "sql": Action.sql,
}
KINDS = (*_TEXTS, "tool")
DANGEROUS, BENIGN = "dangerous", "benign"

# The keys that corpora use for the name and the arguments of a tool call.
_NAMES = ("tool", "name", "tool_name", "toolName")
_INPUTS = ("arguments", "args", "input", "input_payload", "inputPayload", "tool_input", "parameters")
_SHOWN = 40


class LabelledAction(msgspec.Struct, frozen=True):
    """One labelled action. A label that is neither `dangerous` nor `benign` is counted, but not scored."""

    line: int
    source: str
    kind: str
    label: str
    text: str
    action: Action
    session: str = ""  # actions of one session follow each other, and each sees what those before it did
    requests: tuple[str, ...] = ()  # what the person has asked for


def read_corpus(path: Path, where: Mapping[str, str] = WHERE) -> list[LabelledAction]:
    """Return the rows of a file, or of all files in a folder; raise with the invalid line and a correction."""
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise InterlockError(
                f"`{path}` has no `.jsonl` files; give a JSONL file of labelled actions, or a folder of them"
            )
        return [row for file in files for row in read_corpus(file, where)]
    try:
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError:
        raise InterlockError(f"file `{path}` not found; give a JSONL file of labelled actions") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InterlockError(f"`{path}` cannot be read: {error}") from None
    rows = list(_rows(path, lines, where))
    if not rows:
        raise InterlockError(f"`{path}` has no rows; write one JSON object per line: {_FORM}")
    return rows


_FORM = '{"kind": "shell", "input": "ls", "label": "benign", "source": "mine"}'


def _rows(path: Path, lines: list[str], where: Mapping[str, str]) -> Iterator[LabelledAction]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield read_row(number, json.loads(line), where)
        except (ValueError, RecursionError) as error:
            raise InterlockError(f"{path}:{number}: this is not a JSON object: {error}; write {_FORM}") from None
        except InterlockError as error:
            raise InterlockError(f"{path}:{number}: {error}") from None


def read_row(number: int, value: Any, where: Mapping[str, str] = WHERE) -> LabelledAction:
    """Return the row of a decoded line."""
    if not isinstance(value, dict):
        raise InterlockError(f"a row is a JSON object, found `{str(value)[:_SHOWN]}`; write {_FORM}")
    for name in ("kind", "input", "label"):
        if name not in value:
            raise InterlockError(f"`{name}` is missing; write {_FORM}")
    kind, text = value["kind"], value["input"]
    if kind not in KINDS:
        raise InterlockError(f"unknown kind `{kind}`{nearest(str(kind), KINDS)}")
    context = {name: value.get(name, known) for name, known in where.items()}
    action = _tool(text, context) if kind == "tool" else _TEXTS[kind](_text(text), **context)
    shown = text if isinstance(text, str) else json.dumps(text)
    source, session = str(value.get("source", "-")), str(value.get("session", ""))
    asked = value.get("requests", [])
    if not isinstance(asked, list) or not all(isinstance(one, str) for one in asked):
        raise InterlockError("`requests` is a list of strings: what the person has asked for")
    return LabelledAction(number, source, kind, str(value["label"]), shown, action, session, tuple(asked))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InterlockError(f"`input` must be a string, found `{type(value).__name__}`")
    return value


def _tool(value: Any, where: Mapping[str, Any]) -> Action:
    """Return the action of a tool call, under any of the known keys for name and arguments."""
    call = json.loads(value) if isinstance(value, str) else value
    if not isinstance(call, dict):
        raise InterlockError("the `input` of a tool is an object with its name and arguments")
    name = next((call[key] for key in _NAMES if isinstance(call.get(key), str)), None)
    if name is None:
        raise InterlockError('the `input` of a tool has no name; write {"tool": "read_file", "arguments": {…}}')
    payload: dict[str, Any] = next((call[key] for key in _INPUTS if isinstance(call.get(key), dict)), {})
    annotations, schema = call.get("annotations"), call.get("inputSchema", call.get("schema"))
    description = call.get("description")
    return Action(
        tool_name=name,
        input_payload=payload,
        annotations=annotations if isinstance(annotations, dict) else {},
        description=description if isinstance(description, str) else None,
        input_schema=schema if isinstance(schema, dict) else {},
        **where,
    )
