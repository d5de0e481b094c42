"""What a short Python text prints, where that is constant: `python -c "print('…')" | sh`."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.scripts.pure import ERRORS, PURE
from interlock.analyse.scripts.values import MAX_TEXT
from interlock.patterns import late

MAX_CHARS = 4_000
_PRINTS = late(r"\b(?:print|write)\b")
_DECODES = late(r"b64|b32|b16|hex|decompress|rot|chr\(|codecs|\[::-1\]|bytes|decode")
_FUNCTIONS = {
    "b64decode": "base64",
    "urlsafe_b64decode": "base64",
    "unhexlify": "hex",
    "fromhex": "hex",
    "chr": "chr",
    "decompress": "inflate",
    "lower": "lower",
    "upper": "upper",
    "strip": "strip",
    **dict.fromkeys(("decode", "encode", "str"), "same"),
}


def find_python_output(text: str) -> Flow:
    """Return what a text prints; where it decodes something first, that it did."""
    if len(text) > MAX_CHARS or not _PRINTS.search(text):
        return UNKNOWN
    hidden = Flow(None, frozenset({"decoded"})) if _DECODES.search(text) else UNKNOWN
    try:
        return Flow(_print_output(ast.parse(text)))
    except (SyntaxError, MemoryError, RecursionError, *ERRORS):
        return hidden


def _print_output(tree: ast.Module) -> str:
    names: dict[str, Any] = {}
    parts = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            names[statement.targets[0].id] = _value(statement.value, names)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            if name not in ("print", "write"):
                raise ValueError(name)
            if any(keyword.arg != "end" for keyword in call.keywords):
                raise ValueError("print to elsewhere")
            end = "".join(str(_value(keyword.value, names)) for keyword in call.keywords)
            text = " ".join(str(_value(argument, names)) for argument in call.args)
            parts.append(text + (end if call.keywords else "\n" if name == "print" else ""))
        elif not isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
            raise ValueError("more than printing")
    return "".join(parts)[:MAX_TEXT]


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return a constant, or raise."""
    if isinstance(node, ast.Constant):
        return node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _value(node.left, names) + _value(node.right, names)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item, names) for item in node.elts]
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        return _value(node.value, names)[::-1]
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(_value(part.value if isinstance(part, ast.FormattedValue) else part, names)) for part in node.values
        )
    if isinstance(node, ast.Call):
        return _call(node, names)
    raise ValueError(type(node).__name__)


def _call(node: ast.Call, names: dict[str, Any]) -> Any:
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    arguments = [_value(argument, names) for argument in node.args]
    if name == "join" and owner is not None:
        return str(_value(owner, names)).join(map(str, arguments[0]))
    if name == "decode" and "rot13" in [str(argument).replace("_", "") for argument in arguments]:
        return PURE["rot13"](arguments)
    if name == "bytes":
        return PURE["chr"](arguments)
    is_module = isinstance(owner, ast.Name) and owner.id not in names
    given = (
        arguments
        if owner is None or is_module or (isinstance(owner, ast.Call) and node.args != [])
        else [_value(owner, names)]
    )
    if not given and owner is not None:
        given = [_value(owner, names)]
    return PURE[_FUNCTIONS[name]](given)
