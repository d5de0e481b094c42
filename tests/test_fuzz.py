"""A short run of the fuzzer. `make fuzz SECONDS=600` is the long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parent.parent / "fuzz" / "fuzz.py"


def test_a_short_run_finds_nothing() -> None:
    run = subprocess.run([sys.executable, str(FUZZ), "--inputs", "1000"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1,000 inputs" in run.stdout.splitlines()[-1]
    assert " 0 findings" in run.stdout
