"""Settings that code loads from a file which this run has written: their values are known."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.file_calls import contents_of
from interlock.analyse.python.evaluation.scope import MISSING
from interlock.analyse.python.evaluation.values import MAX_CONSTANT, Instance
from interlock.patterns import late

MAX_LINES, MAX_DEPTH = 400, 6
_PAIR = late(r"^(?P<indent> *)(?P<key>[\w.-]+|\"[^\"]+\"|'[^']+'):(?: +(?P<value>[^#\n]*?))?(?: +#.*)?$")
_ITEM = late(r"^ *- +(?P<value>[^#\n]*?)(?: +#.*)?$")
_VARIABLE = late(r"(?m)^[ \t]*(?:export[ \t]+)?(?P<key>\w+)[ \t]*=[ \t]*(?P<value>[^\n]*)$")


def read_yaml(text: str) -> Any:
    """Return the mappings, lists and texts of a plain YAML document.

    >>> read_yaml("a: /tmp  # x\\nb:\\n  c: 1\\n  d:\\n    - x\\n    - 'y'\\n")
    {'a': '/tmp', 'b': {'c': '1', 'd': ['x', 'y']}}
    """
    if text.lstrip()[:1] in ("{", "["):
        return json.loads(text)
    whole: dict[str, Any] = {}
    open_maps: list[tuple[int, dict[str, Any]]] = [(-1, whole)]
    last: tuple[dict[str, Any], str] | None = None
    for line in text.splitlines()[:MAX_LINES]:
        item, pair = _ITEM.match(line), _PAIR.match(line)
        if item and last is not None:
            owner, key = last
            owner[key] = (
                [*owner[key], _scalar(item["value"])] if isinstance(owner[key], list) else [_scalar(item["value"])]
            )
        elif pair:
            indent, key = len(pair["indent"]), pair["key"].strip("\"'")
            while open_maps[-1][0] >= indent:
                open_maps.pop()
            owner = open_maps[-1][1]
            owner[key] = _scalar(pair["value"]) if pair["value"] else {}
            last = (owner, key)
            if not pair["value"]:
                open_maps.append((indent, owner[key]))
    return whole


def _scalar(text: str) -> str:
    return text.strip().strip("\"'")


def read_variables(text: str) -> dict[str, str]:
    """Return the variables of a file such as `.env`."""
    return {found["key"]: _scalar(found["value"]) for found in _VARIABLE.finditer(text)}


#: Functions that load settings, and how their text is read.
LOADERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(
        ("json.load", "json.loads", "ujson.load", "ujson.loads", "orjson.loads", "simplejson.load"), json.loads
    ),
    **dict.fromkeys(
        ("tomllib.load", "tomllib.loads", "tomli.load", "tomli.loads", "toml.load", "toml.loads"), tomllib.loads
    ),
    **dict.fromkeys(("yaml.safe_load", "ruamel.yaml.safe_load", "ryaml.load"), read_yaml),
    "dotenv.dotenv_values": read_variables,
    "dotenv.main.dotenv_values": read_variables,
}


#: Functions that give settings as text.
DUMPERS = frozenset({"json.dumps", "ujson.dumps", "simplejson.dumps", "yaml.dump", "yaml.safe_dump"})


def dump_settings(value: Any) -> Any:
    """Return a value that is made of known texts and numbers as JSON, which readers of YAML understand as well.

    Any other value is returned as it is.

    >>> dump_settings({"a": [1, "b"]})
    '{"a": [1, "b"]}'
    """
    return json.dumps(value) if type(value) in (dict, list) and _is_plain(value, 0) else value


def _is_plain(value: Any, depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    if type(value) is dict:
        return all(type(key) is str and _is_plain(part, depth + 1) for key, part in value.items())
    if type(value) in (list, tuple):
        return all(_is_plain(part, depth + 1) for part in value)
    return value is None or (type(value) is str and HOLE not in value) or type(value) in (int, float, bool)


def load_settings(call: PythonCall) -> Any:
    """Return the settings that a call loads from a text that is known, or `MISSING`."""
    text = _find_given_text(call)
    if text is None or HOLE in text or len(text) > MAX_CONSTANT:
        return MISSING
    try:
        return LOADERS[call.name](text)
    except (ValueError, RecursionError):
        return MISSING


def _find_given_text(call: PythonCall) -> str | None:
    """Return the text that a call is given: as it is, in a file, or in a file that it names."""
    value = call.argument(0)
    if isinstance(value, Instance) and value.kind in ("file", "pathlib.Path"):
        known = contents_of(call, value.text)
        return known.text if known is not None else None
    if not isinstance(value, str):
        return None
    named = contents_of(call, value) if call.name in _BY_PATH else None
    return value if call.name not in _BY_PATH else named.text if named is not None else None


_BY_PATH = frozenset({"toml.load", "dotenv.dotenv_values", "dotenv.main.dotenv_values"})
