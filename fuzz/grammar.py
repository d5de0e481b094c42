"""What fuzzed inputs are made of: the rules' own examples, pieces of each language, and ways to spoil them."""

from __future__ import annotations

import random

from interlock import RULES
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.payloads.tools import TOOLS

_EXAMPLES = [example for rule in RULES for example in (*rule.match, *rule.no_match)]


def _after(mark: str) -> list[str]:
    return [example.removeprefix(mark) for example in _EXAMPLES if example.startswith(mark)]


PIECES: dict[str, list[str]] = {
    "shell": (
        "if |; then |; fi|for x in a b; do |; done|case x in *) |;; esac|f() { | }|$(|)|`|<<EOF\n|\nEOF\n|<(|${x:-|}|"
        "$((|))|[[ | ]]|&& || & |; |\n|'|\"|\\|x=|x+=|(|{|>|<|>> /etc/x|2>&1|eval |sh -c |sudo |xargs |find . -exec |"
        " \\;|{a,b}|{1..9}|*|~|#|!|$x|$1|$@|${a[@]}|é|$'\\x41'|<<<|alias x=|trap |export |read x|-|base64 -d|awk '{|"
        "| perl -e '|node -e \"|python3 -c '|git -c alias.x=|env -S |parallel ::: |:::|--|\u202e|\ud800|\0"
    ).split("|"),
    "python": (
        "if x: |\n|\n    |for i in [1,2]:\n |def f(a):\n |class A:\n |try:\n |except E:\n |x=|x+=|(|)|[|]|{|}|f'{x}'|'|"
        "\"|lambda: |*|**|,|.|import os\n|os.system(|exec(|eval(|open(|'a'*9|x|1|None|with open('a') as f:\n |@|await |"
        "yield |x.y.z|'%s' % x|'{}'.format(|b'x'|-|not |x[|::-1]|getattr(x, |__import__(|return |f(|self.x|global x\n|"
        "base64.b64decode(|requests.get(|.text|subprocess.run(["
    ).split("|"),
    "sql": (
        " where | and |(|)|'|;| union select 1| from t|/*|*/|--|\n|select |delete from t|update t set a=1|drop table t|"
        "with a as (|returning *|1=1|,|::int|[1]|->'x'|/*!|explain |copy t from program 'x'|do $$ begin |end $$"
    ).split("|"),
}
_SCRIPT = (
    "system(|exec(|`|'|\"|)|(|{|}|[|]|;|\n|eval |require('child_process')|.exec(|fs.rmSync(|unlink |$x|@x|%x{|qx(|#|//|"
    "/*|*/|<<EOF\n|EOF\n|.|..|+|,|=|=>|print |puts |console.log(|process.env|ENV['X']|$ENV{X}|base64_decode(|atob(|"
    "Buffer.from(|pack('H*',|\\x41|\\|/a/|s/a/b/e|socket|TCPSocket.new(|Invoke-Expression |-join |[char]65|do shell script "
).split("|")
PIECES |= {language: _SCRIPT for language in LANGUAGES if language not in PIECES}
PIECES["tool"] = [
    *TOOLS,
    "\n",
    "{",
    "}",
    "~/.ssh/id_rsa",
    "/etc/passwd",
    "https://example.com",
    "a" * 300,
    "\ud800",
    "../",
]

SEEDS: dict[str, list[str]] = {
    **{language: ["x"] for language in PIECES},
    "shell": _after("$ "),
    "python": _after(">>> "),
    "sql": _after("sql> "),
    "tool": [example.removeprefix("tool ").replace(" ", "\n", 1) for example in _EXAMPLES if example[:5] == "tool "],
}


def mutate(chance: random.Random, kind: str, pool: list[str]) -> str:
    """Return a new input: something known, spoiled a few times, or pieces put together at random."""
    pieces = PIECES[kind]
    if chance.random() < 0.3:
        text = "".join(chance.choice(pieces) + chance.choice(["", " "]) for _ in range(chance.randrange(1, 25)))
    else:
        text = chance.choice(pool)
    for _ in range(chance.randrange(0, 6)):
        text = _spoil(chance, text, pieces, pool)
    if chance.random() < 0.05:
        text *= chance.randrange(2, 60)
    return text


def _spoil(chance: random.Random, text: str, pieces: list[str], pool: list[str]) -> str:
    at, until = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
    way = chance.randrange(6)
    if way == 0:
        return text[:at] + chance.choice(pieces) + text[at:]
    if way == 1:
        return text[:at] + text[until:]
    if way == 2:
        return text[:at] + text[at:until] * chance.randrange(1, 4) + text[until:]
    if way == 3:
        return text[:at] + chance.choice(pool) + text[until:]
    if way == 4:
        return text[:at] + chr(chance.choice([0, 9, 10, 34, 39, 92, 127, 233, 0x202E, 0xD800, 0x1F600])) + text[at:]
    return chance.choice(pool) + chance.choice(["; ", " | ", "\n", " && ", " "]) + text
