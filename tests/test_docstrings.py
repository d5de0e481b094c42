"""Every example in a docstring prints what it says, and every module can be imported.

Modules are imported when a test needs them: `--doctest-modules` would import all of them in each process of a run.
"""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
EXAMPLE = re.compile(r"^ *>>> ", re.MULTILINE)


def module_name(path: Path) -> str:
    """Return the name by which a file is imported."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: All modules but those that are run as programs, each with the number of its examples.
MODULES = {
    module_name(path): len(EXAMPLE.findall(path.read_text(encoding="utf-8")))
    for path in sorted(SOURCE.rglob("*.py"))
    if path.stem != "__main__"
}


def test_every_module_can_be_imported() -> None:
    for name in MODULES:
        import_module(name)


@pytest.mark.parametrize("name", [name for name, examples in MODULES.items() if examples])
def test_every_example_prints_what_it_says(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert failed == 0
    assert tried == MODULES[name], "an example stands outside of docstrings, where nobody runs it"
