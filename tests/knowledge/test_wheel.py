"""The wheel ships the compiled knowledge together with its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BUILD = "import sys; sys.path.insert(0, 'packaging'); import backend; print(backend.build_wheel(sys.argv[1]))"
ASK = "from interlock.knowledge.catalogue import PROGRAMS; print(PROGRAMS['git'].does)"


def test_a_wheel_has_the_artefact_and_uses_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("src", "packaging"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.bin"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], cwd=source, env=clean, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(installed)
    assert "interlock/knowledge/programs/version-control/git.toml" in names
    artefact = installed / "interlock" / "knowledge" / "unified.bin"
    before = artefact.read_bytes()
    environment = {**clean, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "vcs.read"
    assert artefact.read_bytes() == before
