"""The list of what rules require: `python -m interlock.rules.requirements_list FILE` writes `requirements.py`."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from interlock.effects import KINDS
from interlock.rules.families import ANY, FAMILIES, load_rules
from interlock.rules.index import find_required_keys

HEAD = '''"""What the rules about each kind of effect require, by family. `make docs` writes this file; do not edit it.

A rule about an effect requires one of its flags or places, or neither (`any`). So a family is imported when an effect
occurs that has what one of its rules requires.
"""

REQUIRED: dict[str, dict[str, str]] = {
'''
#: How long texts may be in a line of their own, as the formatter of the sources counts.
WIDTH = 106


def page() -> str:
    """Return the list as a module."""
    return HEAD + "".join(map(_kind, KINDS)) + "}\n"


def _kind(kind: str) -> str:
    found = {family: _needs(family, kind) for family in FAMILIES}
    lines = "".join(_family(family, needs) for family, needs in found.items() if needs)
    return f'    "{kind}": {{\n{lines}    }},\n' if lines else ""


def _needs(family: str, kind: str) -> list[str]:
    patterns = [pattern for rule in load_rules(family) for pattern in rule.patterns if kind in pattern.kinds]
    return sorted({need or ANY for pattern in patterns for need in find_required_keys(pattern)})


def _family(family: str, needs: list[str]) -> str:
    text = " ".join(needs)
    if len(family) + len(text) < WIDTH:
        return f'        "{family}": "{text}",\n'
    lines = [text] if len(text) <= WIDTH else textwrap.wrap(text, WIDTH - 1)
    parts = "".join(f'            "{line} "\n' for line in lines[:-1]) + f'            "{lines[-1]}"\n'
    return f'        "{family}": (\n{parts}        ),\n'


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
