"""Widening: texts that take many steps are read in linear time, and what they do is still found."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest.mock import patch

import pytest

from interlock import Action
from interlock.analyse.python.functions import widening
from interlock.analyse.python.functions.function_calls import Functions
from interlock.analyse.python.walk import PythonWalker
from tests.reading import ENGINE, WHERE, effects, python

BUSY = """\
import os, subprocess, shutil
def busy(word, number):
    return work(f'{word} {number}', number)
for first in ('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'):
    for second in ('ten', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy'):
        for third in range(12):
            busy(first + second, third)
"""
DANGEROUS = """\
os.system('rm -rf /')
%%
def run(command):
    os.system(command)
run('ls')
run('rm -rf /')
%%
for command in ['ls', 'ls -l', 'rm -rf /']:
    os.system(command)
%%
def run(command, *rest):
    subprocess.run(command, shell=True)
[run(command) for command in ('ls', 'ls -l', 'ls -a', 'rm -rf /')]
%%
class Runner:
    def __init__(self, command):
        self.command = command
    def start(self):
        os.system(self.command)
for runner in [Runner('ls'), Runner('rm -rf /')]:
    runner.start()
%%
def build(tool, flags):
    parts = [tool, flags]
    return ' '.join(parts)
os.system(build('ls', '-l'))
os.system(build('ls', '-a'))
os.system(build('rm', '-rf /'))
%%
class Runner:
    def set(self, command, note):
        self.command = command
        self.note = note.strip().lower()
    def start(self):
        os.system(self.command)
one, two = Runner(), Runner()
one.set('ls', 'a')
two.set('ls', 'b')
two.set('rm -rf /', 'c')
two.start()
%%
def spell(codes):
    text = ''
    for code in codes:
        text += chr(code)
    return text
os.system(spell([114, 109, 32, 45, 114, 102, 32, 47]))
%%
commands = ['ls', 'ls -l', 'rm -rf /']
def run(number):
    os.system(commands[number])
run(0)
run(2)
""".split("%%\n")


def calls_read(code: str) -> Counter[str]:
    """Return how often the body of each function is read."""
    found: Counter[str] = Counter()
    read_body = Functions.read_body

    def count(self: PythonWalker, function: Any, inner: Any) -> Any:
        found[function.name] += 1
        return read_body(self, function, inner)

    with patch.object(Functions, "read_body", count):
        python(code)
    return found


def statements_read(code: str) -> int:
    """Return how many statements are walked, repetitions included."""
    found = 0
    block = PythonWalker.block

    def count(self: PythonWalker, statements: list[Any]) -> None:
        nonlocal found
        found += len(statements)
        block(self, statements)

    with patch.object(PythonWalker, "block", count):
        python(code)
    return found


@pytest.mark.parametrize("code", DANGEROUS)
def test_a_busy_text_is_not_allowed_to_do_more(code: str) -> None:
    assert ENGINE.decide(Action.python(BUSY + code, **WHERE)).verdict.value != "allow"


@pytest.mark.parametrize("code", DANGEROUS)
def test_a_text_without_precise_steps_is_not_allowed_to_do_more(code: str) -> None:
    with patch.object(widening, "MIN_PRECISE_STEPS", 0), patch.object(widening, "CHARACTERS_PER_STEP", 1_000_000):
        assert ENGINE.decide(Action.python(f"import os, subprocess\n{code}", **WHERE)).verdict.value != "allow"


def test_the_busy_text_alone_is_allowed() -> None:
    assert ENGINE.decide(Action.python(BUSY, **WHERE)).verdict.value == "allow"


def test_calls_that_differ_in_numbers_share_a_reading() -> None:
    code = "def order(i, rows):\n    code, name = pick(rows)\n    return (i, code, price(name) * i)\n"
    assert calls_read(f"{code}orders = [order(i, rows) for i in range(1000)]\n")["order"] < 200


def test_rounds_in_rounds_are_linear() -> None:
    loop = "for a in range(15):\n    for b in range(15):\n        for c in range(15):\n            print(a + b + c)\n"
    once, four_times = statements_read(loop), statements_read(loop * 4)
    assert once < 1_000
    assert four_times < 4 * once + 100


def test_rounds_that_give_nothing_are_not_followed_to_the_end() -> None:
    words = ", ".join(f"'word{number}'" for number in range(600))
    code = "def size(word, *rest):\n    return count(word.split('-'))\n"
    code += f"found = {{word: size(word) for word in [{words}]}}\n"
    assert calls_read(BUSY + code)["size"] < 10


def test_rounds_with_effects_are_followed_to_the_end() -> None:
    words = [f"word{number}" for number in range(60)]
    code = f"import os\nfound = {{word: os.remove(f'/srv/{{word}}') for word in {words}}}\n"
    found = effects(python(BUSY + code))
    assert all(any(f"/srv/{word} " in f"{effect} " for effect in found) for word in words)


def test_calls_with_effects_are_read_with_every_text() -> None:
    names = [f"item{number}" for number in range(16)]
    code = f"def drop(name, *rest):\n    os.remove(f'/srv/{{name}}')\nfor name in {names}:\n    drop(name)\n"
    found = effects(python(BUSY + code))
    assert all(any(f"/srv/{name} " in f"{effect} " for effect in found) for name in names)


def test_letters_that_are_arguments_are_not_widened() -> None:
    code = "def load(path, mode):\n    return open(path, mode)\nload('notes.txt', 'r')\nload('notes.txt', 'r')\n"
    assert not any("fs.write" in effect for effect in effects(python(BUSY + code)))
