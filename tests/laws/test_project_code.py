"""What a rule blocks when a command does it directly, it blocks as well when a task of the project does it."""

from __future__ import annotations

import pytest

from interlock import Action, Engine, Verdict
from interlock.rules import all_rules
from tests.reading import WHERE

ENGINE = Engine()
COMMANDS = sorted({one[2:] for rule in all_rules() for one in rule.match if one.startswith("$ ") and "\n" not in one})
#: Not followed into tasks: a folder that only a variable names, and a control file of a container under a scratch path.
NOT_FOLLOWED = frozenset({'X=rm; $X -r "$d"', "echo /x > /tmp/cg/release_agent"})


def run_as_task(command: str) -> str:
    return f"cat > justfile <<'END'\ntidy:\n    {command}\nEND\njust tidy"


def verdict(command: str) -> Verdict:
    return ENGINE.decide(Action.shell(command, **WHERE)).verdict


def test_a_task_is_blocked_where_its_command_is() -> None:
    blocked = [command for command in COMMANDS if verdict(command) is Verdict.BLOCK]
    assert blocked
    passing = [command for command in blocked if verdict(run_as_task(command)) is not Verdict.BLOCK]
    assert set(passing) == NOT_FOLLOWED


@pytest.mark.parametrize("target", ["~", "~/", "~/*", "/", "/*", "/etc", "$HOME", "/home/u", "/home/u/Documents"])
@pytest.mark.parametrize(
    "run",
    [
        "cat > noxfile.py <<'END'\nimport os\ndef tests(session):\n    os.system('rm -rf {}')\nEND\nnox",
        "cat > Rakefile <<'END'\ntask :clean do\n  sh 'rm -rf {}'\nend\nEND\nrake clean",
        "cat > justfile <<'END'\nclean:\n    @rm -rf {}\nEND\njust clean",
        "cat > Taskfile.yml <<'END'\ntasks:\n  clean:\n    cmds:\n      - rm -rf {}\nEND\ntask clean",
    ],
    ids=["nox", "rake", "just", "task"],
)
def test_a_task_that_empties_a_home_or_the_system_is_blocked(run: str, target: str) -> None:
    assert verdict(run.replace("{}", target)) is Verdict.BLOCK


@pytest.mark.parametrize("command", ["rm -rf build dist", "dropdb app_test", "pkill -f vite", "rm -f /tmp/app.sock"])
def test_an_ordinary_task_passes(command: str) -> None:
    assert verdict(run_as_task(command)) <= Verdict.WARN


def test_constant_variables_of_a_justfile_are_filled_in() -> None:
    text = "cat > justfile <<'END'\nout := '~'\nclean:\n    rm -rf {{out}}\nEND\njust clean"
    assert verdict(text) is Verdict.BLOCK
    assert verdict(text.replace("'~'", "'build'")) <= Verdict.WARN
