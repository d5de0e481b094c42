"""Settings that Python code shows: variables of containers and functions, and what names of secrets select."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.sending import find_imported_modules
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.secrets.keys import is_key_shape, mentions_secret
from interlock.patterns import late

#: Libraries whose objects have the variables of something that runs.
_PLATFORMS = frozenset(
    "docker podman python_on_whales boto3 aioboto3 botocore kubernetes openshift google azure nomad heroku3".split()
)
#: Keys and attributes under which these objects have them.
_VARIABLES = frozenset(
    "Env env Environment environment env_vars EnvironmentVariables environment_variables environmentVariables".split()
)
_FRAMEWORKS = frozenset("flask sanic quart".split())
#: Attributes of one variable that do not show its value.
_NAMING = frozenset({"name", "Name", "key"})
# A loop over variables, each of which is a text with its name and value.
_LOOPS = late(
    r"(?m)^\s*for (\w+) in [^\n]*(?:\[[\"']Env[\"']\]|\.get\([\"']Env[\"'][^\n]*\)|\.config\.env)(?: or \[\])?:"
)
#: Words without which there is no such loop.
_LOOP_WORDS = ("Env", ".config.env")
MAX_TEXT = 20_000
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: Methods that give all settings at once.
_DUMPING = frozenset({"model_dump", "model_dump_json", "dict", "json", "to_dict", "as_dict"})
_SETTINGS = frozenset({"settings", "config", "current_app", "app_settings", "get_settings"})


def is_shown_setting(call: PythonCall, node: ast.expr) -> bool:
    """Whether an expression shows the variables of something that runs, or settings selected by names of secrets."""
    kind = type(node)
    if kind is ast.Name:
        return _is_loop_variable(call, node.id)  # type: ignore[attr-defined]
    if kind is ast.Attribute or kind is ast.Subscript:
        return _is_variables(call, node) or _is_whole_configuration(call, node) or _is_signed_header(call, node)
    if isinstance(node, _COMPREHENSIONS):
        return _selects_secrets(node) or _goes_through_variables(call, node)
    return isinstance(node, ast.Call) and _dumps_settings(call, node)


def _is_loop_variable(call: PythonCall, name: str) -> bool:
    """Whether a loop goes through the environment of a container by this name: `for e in c.attrs["Config"]["Env"]`."""
    if not call.host.state.has_words(_LOOP_WORDS) or _PLATFORMS.isdisjoint(find_imported_modules(call)):
        return False
    return any(found[1] == name for found in _LOOPS.finditer(call.host.state.text[:MAX_TEXT]))


def _is_variables(call: PythonCall, node: ast.expr) -> bool:
    """Whether an expression is the environment of a container or a function: `container.attrs["Config"]["Env"]`."""
    return _name_of(node) in _VARIABLES and not _PLATFORMS.isdisjoint(find_imported_modules(call))


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""


def _goes_through_variables(call: PythonCall, node: ast.expr) -> bool:
    """Whether a comprehension shows the values of the variables that it goes through."""
    if not isinstance(node, _COMPREHENSIONS) or not any(
        _is_variables(call, part)
        for generator in node.generators
        for part in nodes_in(generator.iter)
        if isinstance(part, ast.expr)
    ):
        return False
    shown = node.value if isinstance(node, ast.DictComp) else node.elt
    return not any(_name_of(part) in _NAMING for part in nodes_in(shown) if isinstance(part, ast.expr)) and not any(
        isinstance(part, ast.Subscript) for part in nodes_in(shown)
    )


def _selects_secrets(node: Comprehension) -> bool:
    """Whether a comprehension keeps what the names of secrets say: `{k: v for k, v in c.items() if "SECRET" in k}`."""
    generator = node.generators[-1]
    target, items = generator.target, generator.iter
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or not isinstance(target.elts[1], ast.Name):
        return False
    if not isinstance(items, ast.Call) or not isinstance(items.func, ast.Attribute) or items.func.attr != "items":
        return False
    shown = node.value if isinstance(node, ast.DictComp) else node.elt
    if not any(part.id == target.elts[1].id for part in _bare_names(shown)):
        return False
    return any(_names_secrets(test) for test in generator.ifs)


def _bare_names(node: ast.expr) -> Iterator[ast.Name]:
    """Yield the names that an expression shows as they are, not inside a call such as `len(v)`."""
    left: list[ast.expr] = [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.Name):
            yield part
        elif isinstance(part, (ast.Tuple, ast.List)):
            left += part.elts
        elif isinstance(part, ast.JoinedStr):
            left += part.values
        elif isinstance(part, ast.FormattedValue):
            left.append(part.value)
        elif isinstance(part, ast.BinOp):
            left += [part.left, part.right]


def _names_secrets(test: ast.expr) -> bool:
    """Whether a condition asks for the names of secrets, rather than leaving them out."""
    parts = nodes_in(test)
    if any(isinstance(part, (ast.Not, ast.NotIn, ast.NotEq)) for part in parts):
        return False
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(is_key_shape(text) or (text != text.lower() and mentions_secret(text.strip("_"))) for text in texts)


def _is_whole_configuration(call: PythonCall, node: ast.expr) -> bool:
    """Whether an expression is all of a web application's settings: `current_app.config`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "config"
        and isinstance(node.value, ast.Name)
        and node.value.id in ("app", "current_app", "application")
        and not _FRAMEWORKS.isdisjoint(find_imported_modules(call))
    )


def _is_signed_header(call: PythonCall, node: ast.expr) -> bool:
    """Whether an expression is the headers of a request that carries a key: `response.request.headers`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "headers"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "request"
        and "Authorization" in call.host.state.text
    )


def _dumps_settings(call: PythonCall, node: ast.Call) -> bool:
    """Whether a call gives all settings of the project, or a part of these: `settings.model_dump()`."""
    if any(
        is_shown_setting(call, argument)
        for argument in node.args
        if isinstance(argument, (ast.Attribute, ast.Subscript))
    ):
        return isinstance(node.func, ast.Name) and node.func.id in ("dict", "str", "repr", "list", "vars")
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _DUMPING:
        return False
    return isinstance(function.value, ast.Name) and function.value.id in _SETTINGS and function.attr != "json"
