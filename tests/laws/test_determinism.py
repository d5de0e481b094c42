"""The same action gives the same bytes: in any process, in any order."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import hashlib, json, random, sys
from interlock import Engine, RULES
from interlock.rules.examples import action_of
examples = sorted({e for rule in RULES for e in (*rule.match, *rule.no_match)})
order = list(range(len(examples)))
random.Random(int(sys.argv[1])).shuffle(order)
engine = Engine()
answers = {}
for at in order:
    answers[at] = json.dumps(engine.decide(action_of(examples[at])).to_wire())
print(hashlib.sha256("\\n".join(answers[at] for at in range(len(examples))).encode()).hexdigest())
"""


def answers(seed: str) -> str:
    """Return a hash of the decisions on every example, made in a process of its own, in an order of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, seed], capture_output=True, text=True, check=True, env=environment
    )
    return run.stdout.strip()


def test_the_same_actions_give_the_same_bytes() -> None:
    assert len({answers(seed) for seed in ("0", "1", "4242")}) == 1
