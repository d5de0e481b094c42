"""The digest of an action, which binds approvals to it, and the canonical form that the digest is computed from."""

from __future__ import annotations

import enum
import hashlib
import math
import os
from operator import attrgetter
from typing import Any

import msgspec

from interlock.audit.masking import mask_text
from interlock.audit.record import canonical
from interlock.errors import InvalidActionError
from interlock.model import Action

MAX_REPR = 300
MAX_DEPTH = 64
#: The fields that make two actions the same: what would run, where, and for whom. Not which agent asks, nor when.
_FIELDS = ("tool_name", "input_payload", "environment", "cwd", "workspace", "home")
_texts_of = attrgetter("tool_name", "environment", "cwd", "workspace", "home", "user", "tenant")


def action_digest(store_id: str, action: Action) -> str:
    """Return the digest of an action, the same only for exactly the same action.

    It includes the store's id, so that digests that were computed elsewhere in advance do not match.
    """
    exact = {name: getattr(action, name) for name in _FIELDS}
    exact["function"] = action.metadata.get("function")
    for name in ("user", "tenant"):
        if getattr(action, name) is not None:
            exact[name] = getattr(action, name)
    simple = action.metadata == {} and all(map(_is_simple, action.input_payload.items()))
    text = canonical(exact if simple and all(map(_is_ascii, _texts_of(action))) else canonical_form(exact))
    return hashlib.sha256(store_id.encode() + text).hexdigest()


def _is_simple(item: tuple[Any, Any]) -> bool:
    """Whether an argument is plain ASCII text, as most are: JSON represents it as it is."""
    name, value = item
    return type(name) is str and type(value) is str and name.isascii() and value.isascii()


def _is_ascii(text: str | None) -> bool:
    return text is None or text.isascii()


def canonical_form(value: Any, above: tuple[int, ...] = ()) -> Any:
    """Return a value in a form that JSON can represent, so that different values stay different.

    Other Python objects are represented by their type and content, and by their identity where that is not enough.
    """
    if len(above) > MAX_DEPTH:
        raise InvalidActionError("the action is nested too deeply")
    if type(value) is str and value.isascii():  # as most are
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 63 else {"‹int›": hex(value)}
    if isinstance(value, str):
        return value if value.isascii() or _is_text(value) else {"‹text›": ascii(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"‹float›": repr(value)}
    if isinstance(value, dict):
        return {_key_form(name): canonical_form(item, (*above, 0)) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical_form(item, (*above, 0)) for item in value]
    return {f"‹{type(value).__qualname__}›": _object_form(value, above)}


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _key_form(name: Any) -> str:
    if isinstance(name, str):
        return name if name.isascii() or _is_text(name) else f"‹text› {name!a}"
    return f"‹{type(name).__qualname__}› {_repr(name)}"


def _object_form(value: Any, above: tuple[int, ...]) -> Any:
    """Return the content of an object; one that contains itself appears once."""
    if isinstance(value, (bytes, bytearray)):
        return f"{hashlib.sha256(value).hexdigest()} {bytes(value[:40])!r}"
    if isinstance(value, (set, frozenset)):
        return sorted((canonical_form(item, (*above, 0)) for item in value), key=repr)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if id(value) in above:
        return "…"
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and not isinstance(value, (type, enum.Enum)):
        return [f"{id(value):x}", canonical_form(dict(attributes), (*above, id(value)))]
    try:
        return msgspec.to_builtins(value)  # dates, decimals, enums
    except (TypeError, ValueError, RecursionError):
        return f"{id(value):x} {_repr(value)}"


def _repr(value: Any) -> str:
    """Return the masked `repr` of a value with a digest of all of it, or the type of the error that `repr` raised."""
    try:
        whole = repr(value)
    except Exception as error:  # `repr` is code of the caller
        return f"not shown: {type(error).__name__}"
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{mask_text(whole[:MAX_REPR])} {digest}"
