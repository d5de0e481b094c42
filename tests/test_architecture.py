"""Imports point one way, along the flow, and everything up to the decision is pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "interlock"

# Each layer may import itself and what stands before it. The world begins at `config`.
LAYERS = (
    "version",
    "lazy",
    "errors",
    "levels",
    "effects",
    "flags",
    "patterns",
    "sanitise",
    "payload",
    "documents",
    "knowledge",
    "model",
    "memory",
    "analyse",
    "rules",
    "opinion",
    "scoring",
    "policy",
    "engine",
    "config",
    "accuracy",
    "show",
    "glossary",
    "event_loops",
    "allocator",
    "garbage_collector",
    "http_client",
    "ids",
    "store",
    "audit",
    "approval",
    "baseline",
    "history",
    "policies",
    "central",
    "gate",
    "testing",
    "agents",
    "access",
    "metrics",
    "learning",
    "evidence",
    "server",
    "cli",
)
PURE = LAYERS[: LAYERS.index("config")]

# What pure code may import besides Interlock itself: nothing here has a clock, a disk, a socket or a process.
# The clock of `datetime` is forbidden below, and `zoneinfo` reads the system's time zones, which no action changes.
HARMLESS = frozenset(
    (
        "__future__ abc ast base64 binascii codecs collections contextlib dataclasses datetime difflib enum fnmatch "
        "functools hashlib html importlib ipaddress itertools json logging operator posixpath re shlex textwrap "
        "threading tomllib types typing unicodedata warnings zlib zoneinfo cel_expr_python msgspec re2 regex sqlglot "
        "tree_sitter tree_sitter_bash"
    ).split()
)
# Names that would reach the world even from a harmless module.
FORBIDDEN_NAMES = frozenset({"open", "input", "print", "exec", "eval", "__import__", "breakpoint"})
FORBIDDEN_MEMBERS = frozenset(
    "open import_module FileHandler StreamHandler Thread Timer popen urlopen now utcnow today".split()
)

# Each writes a page or a list when it is run as a program; nothing imports them but the command line.
PROGRAMS = frozenset(
    {"knowledge/services_page.py", "rules/reference.py", "rules/requirements_list.py", "rules/vocabulary.py"}
)
PROGRAM_MODULES = frozenset(f"interlock.{file.removesuffix('.py').replace('/', '.')}" for file in PROGRAMS)

# They import code and read the data that ships with it. Nothing in them depends on an action.
LOADERS = frozenset(
    {
        "lazy.py",
        "knowledge/artefact.py",
        "knowledge/compile.py",
        "knowledge/sources.py",
        "rules/standards/lists.py",
    }
)


@cache
def modules() -> list[tuple[str, Path]]:
    """Return the layer and the path of every module."""
    paths = sorted(SOURCE.rglob("*.py"))
    found = [(path.relative_to(SOURCE).parts[0].removesuffix(".py"), path) for path in paths]
    return [(layer, path) for layer, path in found if layer not in ("__init__", "__main__", "launch")]  # programs


def sources_of(layer: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every module of a layer."""
    for found, path in modules():
        if found == layer:
            yield path.relative_to(SOURCE).as_posix(), path.read_text("utf-8")


def imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module == "interlock":  # by any name, it is the module that counts
                yield from (f"interlock.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def direction_errors(layer: str, source: str) -> list[str]:
    """Return the imports of a module that point against the flow."""
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    return [
        name
        for name in imports(ast.walk(ast.parse(source)))
        if name.startswith("interlock.") and name.split(".")[1] not in allowed
    ]


def purity_errors(source: str) -> list[str]:
    """Return what in a module could reach the world."""
    nodes = list(ast.walk(ast.parse(source)))
    imported = list(imports(nodes))
    outside = [name for name in imported if name.partition(".")[0] not in HARMLESS and not name.startswith("interlock")]
    names = [node.id for node in nodes if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES]
    members = [node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_MEMBERS]
    programs = [name for name in imported if name in PROGRAM_MODULES]
    changed = [name for node in nodes if isinstance(node, ast.Global) for name in node.names]
    return outside + names + members + programs + changed


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_along_the_flow(layer: str) -> None:
    found = {name: direction_errors(layer, source) for name, source in sources_of(layer)}
    assert found, "a layer without modules"
    assert {name: errors for name, errors in found.items() if errors} == {}


@pytest.mark.parametrize("layer", PURE)
def test_the_pure_part_cannot_reach_the_world(layer: str) -> None:
    found = {name: purity_errors(source) for name, source in sources_of(layer) if name not in PROGRAMS | LOADERS}
    assert {name: errors for name, errors in found.items() if errors} == {}


def test_a_wrong_direction_is_found() -> None:
    assert direction_errors("rules", "from interlock.policy.decide import decide") == ["interlock.policy.decide"]
    assert direction_errors("engine", "import interlock.config.load") == ["interlock.config.load"]
    assert direction_errors("rules", "from interlock import config") == ["interlock.config"]
    assert direction_errors("rules", "from .. import cli") == ["interlock.cli"]


IMPURE = [
    "import os",
    "import time",
    "from pathlib import Path",
    "import socket",
    "open('x')",
    "reader = open",
    "breakpoint()",
    "import codecs; codecs.open('x')",
    "import logging; logging.FileHandler('x')",
    "import threading; threading.Thread()",
    "from interlock.rules.reference import page",
    "def f():\n    global x\n    x = 1",
]


@pytest.mark.parametrize("source", IMPURE)
def test_an_impurity_is_found(source: str) -> None:
    assert purity_errors(source)


def test_layers_and_folders_are_the_same() -> None:
    assert {layer for layer, _ in modules()} == set(LAYERS)
