"""`jq`, `yq` and the like: the value that a plain path picks out of a document whose text is known."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.loaded_settings import read_yaml
from interlock.patterns import late

#: Options that only say how a value is printed, and those that say that the document is TOML.
_RAW = frozenset("-r --raw-output -j --join-output -M -c -e --exit-status --unwrapScalar -oy -o=y".split())
_TOML = frozenset("-p=toml -ptoml -oy -o=y --input-format=toml".split())
_PATH = late(r"(?:\.?(?:[A-Za-z_][\w-]*|\"[^\"\\]*\"|\[\"[^\"\\]*\"\]|\[-?\d+\]|\.(?=[\[\"A-Za-z_])))+")
_STEP = late(r"\"(?P<quoted>[^\"]*)\"|\[(?P<at>-?\d+)\]|(?P<name>[A-Za-z_][\w-]*)")
#: Subcommands that evaluate a path.
_EVALUATING = frozenset({"eval", "e", "query", "select"})
#: Characters with which YAML begins a value that is more than its text.
_MARKED = tuple("&*!|>{[")
#: What stands between several documents in one text.
_SEVERAL = "\n---"


def _pick(words: list[str], text: str, formats: tuple[Callable[[str], Any], ...]) -> str | None:
    """Return the value at the path that a call names, or None if the call does more than that."""
    options = [word for word in words[1:] if word[:1] == "-"]
    programs = [word for word in words[1:] if word[:1] != "-" and word not in _EVALUATING]
    if len(programs) != 1 or not _RAW.union(_TOML).issuperset(options) or not _PATH.fullmatch(programs[0]):
        return None
    value = _load(text, formats)
    try:
        for step in _STEP.finditer(programs[0]):
            value = value[int(step["at"])] if step["at"] else value[step["quoted"] or step["name"]]
    except (LookupError, TypeError):
        return None
    is_plain = isinstance(value, (str, int)) and not isinstance(value, bool)
    return f"{value}\n" if is_plain and str(value)[:1] not in _MARKED else None


def _load(text: str, formats: tuple[Callable[[str], Any], ...]) -> Any:
    for load in formats:
        try:
            return load(text)
        except (ValueError, RecursionError):
            continue
    raise ValueError("the text has none of these formats")


def _pick_json(words: list[str], text: str) -> str | None:
    return _pick(words, text, (json.loads,))


def _pick_any(words: list[str], text: str) -> str | None:
    if _SEVERAL in text:
        return None
    formats = (tomllib.loads,) if not _TOML.isdisjoint(words) else (json.loads, read_yaml)
    return _pick(words, text, formats)


PICKERS: dict[str, Callable[[list[str], str], str | None]] = {
    "dasel": _pick_any,
    "gojq": _pick_json,
    "jq": _pick_json,
    "yq": _pick_any,
}
