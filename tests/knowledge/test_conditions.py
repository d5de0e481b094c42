"""Conditions of programs: effects that depend on several arguments."""

from __future__ import annotations

import pytest

from interlock import Action
from interlock.analyse.action import Surroundings, analyse
from interlock.errors import ConfigError
from interlock.knowledge.extension import Extension, KnowledgeFile
from interlock.knowledge.sources import read_program

SHIPIT = """
names = ["shipit", "shipctl"]
does = "infra.read"

[options]
"-c --config" = { value = "data" }
"-q" = {}
"-name" = {}

[[when]]
commands = ["server", "models serve"]
options = ["--host", "-h"]
value_in = ["any_interface"]
does = "net.listen"

[[when]]
commands = ["wipe"]
without = ["--dry-run", "-n"]
does = "infra.destroy"

[[when]]
options = ["--proxy"]
not_in = ["this_machine", "private_network"]
does = "system.change"

[[when]]
programs = ["shipctl"]
words = ["erase[_-]flash", "unlock_*"]
does = "boot.change"

[[when]]
values = ["https://*.example.com/**"]
does = "code.remote"

[[when]]
options = ["--rewrite", "-w"]
operand_in = ["whole_home", "startup_file"]
does = "fs.write"

[[when]]
commands = ["tunnel"]
without_commands = ["tunnel status", "tunnel list*"]
does = "net.send"

[[when]]
words = ["set * unban"]
without_words = ["set * unban --dry"]
does = "defence.disable"

[[when]]
options = ["--publish"]
not_values = ["never", "on-tag*"]
does = "package.publish"

[[when]]
options = ["--run"]
value_in = ["interpreter"]
does = "process.run"

[[when]]
options = ["--open"]
value_in = ["remote_port", "any_address"]
does = "defence.change"

[[examples]]
run = "shipit status"
effects = [{ does = "infra.read" }]
"""
CASES = {
    "shipit server --host 0.0.0.0": "net.listen",
    "shipit server --host=0.0.0.0:80": "net.listen",
    "shipit -c prod.toml server -h ::": "net.listen",
    "shipit server -qh0.0.0.0": "net.listen",
    "shipit models serve --hos 0.0.0.0": "net.listen",
    "shipit server --host '*:80'": "net.listen",
    "shipit --rewrite ~": "fs.write",
    "shipit -qw src ~/.bashrc": "fs.write",
    "shipit -w '/home/u/**/*.js'": "fs.write",
    "shipit -w /home/u/.ssh/config": "fs.write",
    "shipit -w src": "",
    "shipit -w /home/u/project/src": "",
    "shipit ~": "",
    "shipit server --host 127.0.0.1": "",
    "shipit models list --host 0.0.0.0": "",
    "shipit server -name 0.0.0.0": "",
    "shipit wipe orders": "infra.destroy",
    "shipit --unknown value wipe orders": "",
    "shipit -c wipe status": "infra.destroy",
    "shipit wipe --dry-run orders": "",
    "shipit wipe --dry-run=false orders": "infra.destroy",
    "shipit wipe --dry-runs orders": "infra.destroy",
    "shipit status --proxy http://evil.example": "system.change",
    "shipit status --proxy http://localhost:3128": "",
    "shipit status --proxy http://10.0.0.1": "",
    "shipctl run unlock_bootloader": "boot.change",
    "shipctl run UNLOCK_all": "boot.change",
    "shipit run unlock_bootloader": "",
    "shipit tunnel": "net.send",
    "shipit tunnel --name status": "net.send",
    "shipit tunnel status": "",
    "shipit -q tunnel status": "",
    "shipit tunnel list-all": "",
    "shipit tunnel 'list all'": "net.send",
    "shipit 'tunnel status'": "",
    "shipit tunnel up 'tunnel status'": "net.send",
    "shipit -c tunnel tunnel status": "net.send",
    "shipit set web unban 1.2.3.4": "defence.disable",
    "shipit exec 'set web unban'": "defence.disable",
    "shipit set web unban --dry": "",
    "shipit set web unban 'set web unban --dry'": "defence.disable",
    "shipit set a b unban": "",
    "shipit unban set": "",
    "shipit status --publish always": "package.publish",
    "shipit status --publish never": "",
    "shipit status --publish=on-tag-or-draft": "",
    "shipit status --run 'bash -c x'": "process.run",
    "shipit status --run /usr/bin/python3.12": "process.run",
    "shipit status --run ./build": "",
    "shipit status --open 22/tcp": "defence.change",
    "shipit status --open ::/0": "defence.change",
    "shipit status --open 8080/tcp": "",
    "shipit add https://get.example.com/a/b": "code.remote",
    "shipit add https://get.example.org/a/b": "",
}
EXTENSION = Extension([KnowledgeFile("shipit.toml", read_program(SHIPIT, "shipit.toml"), own=True)])


@pytest.mark.parametrize(("command", "kind"), CASES.items())
def test_an_effect_depends_on_its_conditions(command: str, kind: str) -> None:
    found = analyse(Action.shell(command), Surroundings(knowledge=EXTENSION))
    assert {effect.kind for effect in found.effects} - {"infra.read"} == ({kind} if kind else set())


WRONG = {
    'value_in = ["any_interfase"]': "group of values `any_interfase` in `value_in`; did you mean `any_interface`",
    'options = ["host"]': "`host` is not an option",
    'programs = ["shipt"]': "unknown name of this program `shipt`",
    'commands = ["--host"]': "`--host` is an option, not a command",
    'without_commands = ["--host"]': "`--host` is an option, not a command",
    'without_words = ["x"]': "a condition needs `commands`",
    'not_value = ["x"]': "unknown key `not_value`; did you mean `not_values`?",
    'without = ["--dry-run"]': "a condition needs `commands`, `options`, `words`, `values`, `value_in`, ",
    'option = ["--host"]': "unknown key `option`; did you mean `options`?",
}


@pytest.mark.parametrize(("line", "message"), WRONG.items())
def test_a_mistake_in_a_condition_is_named(line: str, message: str) -> None:
    text = f'names = ["shipit"]\n\n[[when]]\n{line}\ndoes = "net.listen"\n'
    with pytest.raises(ConfigError) as caught:
        read_program(text, "shipit.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith(("shipit.toml:3", "shipit.toml:4"))


def test_conditions_with_the_same_effect_give_it_once() -> None:
    twice = SHIPIT + '[[when]]\ncommands = ["wipe"]\ndoes = "infra.destroy"\n'
    extension = Extension([KnowledgeFile("shipit.toml", read_program(twice, "shipit.toml"), own=True)])
    found = analyse(Action.shell("shipit wipe orders"), Surroundings(knowledge=extension))
    assert [effect.kind for effect in found.effects] == ["infra.destroy", "infra.read"]
