"""Where a command runs: `cd` holds for everything after it, however what stands between is piped and redirected."""

from __future__ import annotations

from itertools import product

import pytest

from interlock import Action, Engine

HOME = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENTERING = (
    "cd /srv/d && {}",
    "cd /srv/d; {}",
    "cd /srv/d\n{}",
    "cd /srv && cd d && {}",
    "true && cd /srv/d && {}",
    "pushd /srv/d && {}",
)
COMMANDS = ("ls", "make all", "x=1 make", "time ls", "! ls", "(cd /tmp; ls)", "{ ls; }")
REDIRECTED = ("", " 2>&1", " 2>/dev/null", " > log", " >> log 2>&1", " < in", " &> log")
PIPED = ("", " | tail -1", " | sort | head > top", " |& tee log", " || true")
AFTER = ("; echo x > f", " && echo x > f", "\ncat > f <<'EOF'\na\nEOF", "\nprintf x | tee f")


@pytest.mark.parametrize("entering", ENTERING)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_holds_for_what_follows(entering: str, command: str) -> None:
    engine = Engine()
    for redirected, piped, after in product(REDIRECTED, PIPED, AFTER):
        text = entering.format(command + redirected + piped) + after
        effects = engine.decide(Action.shell(text, **HOME)).assessment.effects
        written = {effect.resource.name for effect in effects if effect.kind == "fs.write" and effect.resource}
        assert "/srv/d/f" in written, text
