"""Fixtures of pytest that are new temporary folders: what the parameters of a test stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from interlock.analyse.flow import Flow
from interlock.analyse.python.evaluation.values import Instance, PythonFunction, Ref
from interlock.patterns import late

_FOLDER = Instance("pathlib.Path", "/tmp/pytest/made")
_FACTORY = Ref("pytest.TempPathFactory")
FIXTURES: dict[str, Any] = {
    "tmp_path": _FOLDER,
    "tmpdir": _FOLDER,
    "tmp_path_factory": _FACTORY,
    "tmpdir_factory": _FACTORY,
}
#: Another meaning for one of these names: a fixture of the project, or a value that a test is given.
_REDEFINED = late(r"(?:\bdef\s+|[\"'][\w, ]*\b)(?:tmp_path|tmpdir)(?:_factory)?\b")


def keeps_fixtures(text: str, files: Mapping[str, Flow]) -> bool:
    """Whether neither a text nor another file of the run gives one of the names another meaning."""
    texts = (text, *(flow.text for path, flow in files.items() if flow.text and path.endswith(".py")))
    return not any(_REDEFINED.search(one) for one in texts)


def fixtures_of(function: PythonFunction) -> dict[str, Any]:
    """Return what pytest gives a test or a fixture, by the names of its parameters that have no other value."""
    if not function.name.startswith("test") and not any(map(_is_fixture, function.decorators)):
        return {}
    return {name: FIXTURES[name] for name in function.named if name in FIXTURES and name not in function.defaults}


def _is_fixture(decorator: ast.expr) -> bool:
    """Whether a decorator is `@fixture` or `@pytest.fixture`, with or without arguments."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name == "fixture"
