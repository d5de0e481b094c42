"""A script is read in the language of the program that runs it, whatever it is called and says of itself."""

from __future__ import annotations

import pytest

from interlock import Action, Engine, Verdict
from tests.reading import WHERE, effects, shell

FIRST_LINES = (
    "#!/bin/sh",
    "#!/usr/bin/env ruby",
    "#!/usr/bin/lua",
    "#!/usr/bin/awk -f",
    "#!/usr/bin/sed -f",
    "#!/usr/bin/make -f",
    "#!/usr/bin/env julia",
    "#!/usr/bin/env python3",
    "#!/usr/bin/node",
)
#: How a file is run → its text, which empties the home folder in that language.
SCRIPTS = {
    "python3 {}": "import shutil\nshutil.rmtree('/home/u')",
    "bash {}": "rm -rf /home/u",
    "sh < {}": "rm -rf /home/u",
    "source ./{}": "rm -rf /home/u",
    "node {}": "require('fs').rmSync('/home/u', { recursive: true })",
    "ruby {}": "require 'fileutils'\nFileUtils.rm_rf('/home/u')",
    "perl {}": "system('rm -rf /home/u');",
    "php {}": "<?php system('rm -rf /home/u');",
    "lua {}": "os.execute('rm -rf /home/u')",
    "make -f {}": "all:\n\trm -rf /home/u",
}


def write_and_run(name: str, text: str, command: str) -> str:
    return f"cat > {name} <<'END'\n{text}\nEND\n{command.format(name)}"


@pytest.mark.parametrize("command", SCRIPTS)
def test_the_first_line_does_not_choose_the_language_of_an_interpreter(command: str) -> None:
    for first in FIRST_LINES:
        text = write_and_run("task", f"{first}\n{SCRIPTS[command]}", command)
        assert Engine().decide(Action.shell(text, **WHERE)).verdict is Verdict.BLOCK, text


@pytest.mark.parametrize("command", SCRIPTS)
def test_the_name_of_a_file_does_not_choose_the_language_of_an_interpreter(command: str) -> None:
    for name in ("task.py", "task.rb", "task.js", "task.ps1", "task.bat", "task.sql", "task.txt", "task.lua"):
        text = write_and_run(name, SCRIPTS[command], command)
        assert Engine().decide(Action.shell(text, **WHERE)).verdict is Verdict.BLOCK, text


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("#!/usr/bin/env python3", "import shutil; shutil.rmtree('/home/u')"),
        ("#!/usr/bin/env -S ruby -w", "require 'fileutils'; FileUtils.rm_rf('/home/u')"),
        ("#!/usr/bin/lua5.4", "os.execute('rm -rf /home/u')"),
        ("#!/bin/bash -eu", "rm -rf /home/u"),
    ],
)
def test_the_first_line_chooses_the_interpreter_of_an_executed_file(first: str, line: str) -> None:
    text = write_and_run("task", f"{first}\n{line}", "chmod +x {0} && ./{0}")
    assert any(one.startswith("fs.delete file:/home/u") for one in effects(shell(text))), text


def test_perl_leaves_a_script_to_the_interpreter_of_its_first_line() -> None:
    text = write_and_run("task", "#!/bin/sh\nrm -rf /home/u", "perl {}")
    assert any(one.startswith("fs.delete file:/home/u") for one in effects(shell(text)))


def test_a_toolchain_reads_its_own_language_whatever_a_file_is_called() -> None:
    body = 'fn main() { std::fs::remove_dir_all("/home/u").unwrap(); }'
    for name in ("task.rs", "task.java", "task.go"):
        text = write_and_run(name, body, "rust-script {}")
        assert any(one.startswith("fs.delete file:/home/u") for one in effects(shell(text))), text


@pytest.mark.parametrize("command", ["python3 {}", "bash {}", "node {}", "ruby {}"])
def test_harmless_scripts_pass(command: str) -> None:
    text = write_and_run("task", "#!/usr/bin/env anything\nx = 1", command)
    assert Engine().decide(Action.shell(text, **WHERE)).verdict <= Verdict.WARN


@pytest.mark.parametrize(
    "command",
    [
        "php8.2 -r 'system(\"rm -rf ~\");'",
        "php82 -r 'system(\"rm -rf ~\");'",
        "ruby3.2 -e 'system(\"rm -rf ~\")'",
        "ruby-3.3 -e 'system(\"rm -rf ~\")'",
        "node20 -e \"require('child_process').execSync('rm -rf ~')\"",
        "perl5.36.0 -e 'system(\"rm -rf ~\")'",
        "luajit-2.1 -e 'os.execute(\"rm -rf ~\")'",
        "python3.14t -c 'import os; os.system(\"rm -rf ~\")'",
    ],
)
def test_the_version_in_the_name_of_an_interpreter_changes_nothing(command: str) -> None:
    assert Engine().decide(Action.shell(command, **WHERE)).verdict is Verdict.BLOCK
