"""The build backend: flit's, after compiling the knowledge that the wheel ships."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from flit_core import buildapi
from flit_core.buildapi import (  # noqa: F401 - hooks that a frontend looks for here
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

SOURCE = Path(__file__).parent.parent / "src"


def build_wheel(*given: Any, **named: Any) -> str:
    """Build the wheel."""
    _compile_knowledge()
    return str(buildapi.build_wheel(*given, **named))


def build_sdist(*given: Any, **named: Any) -> str:
    """Build the source archive."""
    _compile_knowledge()
    return str(buildapi.build_sdist(*given, **named))


def _compile_knowledge() -> None:
    """Check every description and write the artefact; a mistake ends the build."""
    subprocess.run([sys.executable, "-m", "interlock.knowledge.compile"], cwd=SOURCE, check=True)
