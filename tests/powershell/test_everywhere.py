"""A command is found wherever the grammar lets one stand, and under every name that the session gives it."""

from __future__ import annotations

import re

import pytest

from interlock import Action, Level
from interlock.analyse.grammars import _GRAMMARS, _load_language, parse
from tests.powershell.lines import HARMLESS
from tests.reading import ENGINE, WHERE

DANGER = "Remove-Item -Recurse -Force /"
#: Where a command, written here as `P`, may stand.
PLACES = [
    "@(1).ForEach{P}",
    "@(1).ForEach({P})",
    "@(1).Where{P}",
    "(1,2).foreach{P}",
    "$a=@(1); $a.ForEach{P}",
    "switch (1) {{P} {}}",
    "switch (1) {1 {P}}",
    "switch (1) {default {P}}",
    "switch (P) {1 {}}",
    "switch -Regex ('a') { 'a' {P} }",
    "class A { $x = (P) } [A]::new()",
    "class A { static $x = (P) } [A]::x",
    "class A { [string]$x = $(P) }",
    "class A { hidden $x = (P) }",
    "class A { A() {P} } [A]::new()",
    "class A { static [void] f() {P} } [A]::f()",
    "class A { [void] f([int]$a = (P)) {} }",
    "'a' -replace 'a', {P}",
    "function f($x = (P)) {} f",
    "function f { param([int]$x = (P)) } f",
    "param($x = (P))",
    "[ValidateScript({P})] $x = 1",
    "filter f {P}; 1 | f",
    "trap {P}; throw 1",
    "try {throw 1} catch [A] {P}",
    "try {} finally {P}",
    "& { begin {P} }",
    "& { process {P} } 1",
    "data a {P}",
    "workflow w {P}; w",
    "parallel {P}",
    "sequence {P}",
    "inlinescript {P}",
    "if (P) {}",
    "if (0) {} elseif (P) {}",
    "if (0) {} elseif (1) {P}",
    "if (0) {} else {P}",
    "while (P) {}",
    ":l while (1) {P; break l}",
    "do {P} while (0)",
    "do {} until (P)",
    "for (P;;) {}",
    "for (;P;) {}",
    "for (;;P) {}",
    "foreach ($x in (P)) {}",
    "foreach -parallel ($x in 1) {P}",
    "@{a=(P)}",
    "@{a={P}}",
    "$(P)",
    '"$(P)"',
    '@"\n$(P)\n"@',
    "[int](P)",
    "(P) -as [int]",
    "$a[(P)]",
    "[A]::f((P))",
    "[A]::f{P}",
    "$x = (P)",
    "$x, $y = (P), 1",
    "$x += (P)",
    "return (P)",
    "throw (P)",
    "-not (P)",
    "1..(P)",
    "1 + (P)",
    "1 -band (P)",
    "1 -and (P)",
    "2 * (P)",
    "'{0}' -f (P)",
    "-join (P)",
    "++(P)",
    "--(P)",
    "P | Out-Null",
    "P > x",
    "ls > $(P)",
    "ls && P",
    "ls | % {P}",
    "ls -Path (P)",
    "ls -Path:(P)",
    "& (P)",
    ". {P}",
    "$h = @{f={P}}; & $h.f",
    "enum A { a = 1 }\nP",
    "(New-Object Diagnostics.Process -Property @{StartInfo=@{FileName='rm';Arguments='-rf /'}}).Start()",
]
#: How a command gets another name.
NAMED = [
    "Set-Item alias:x Remove-Item; x / -Recurse -Force",
    "New-Item alias:x -Value Remove-Item; x / -Recurse -Force",
    "New-Item -Path alias: -Name x -Value Remove-Item; x / -Recurse -Force",
    "Set-Item -Path Alias:\\x -Value ri; x / -Recurse -Force",
    "${alias:x} = 'Remove-Item'; x / -Recurse -Force",
    "$alias:x = 'Remove-Item'; x / -Recurse -Force",
    "Copy-Item alias:ri alias:x; x / -Recurse -Force",
    "New-Item function:f -Value {P}; f",
    "Set-Item function:f {P}; f",
    "Set-Item Microsoft.PowerShell.Core\\Function::f {P}; f",
    "Set-Content function:f {P}; f",
    "'P' | Set-Content function:f; f",
    "Set-Content -Path function:f -Value 'P'; f",
    "${function:f} = 'P'; f",
    "$function:f = {P}; f",
    "function f {P}; Rename-Item function:f g; g",
    "function f {P}; Copy-Item function:f function:g; g",
    "Set-Item variable:x 'P'; iex $x",
    "New-Item variable:x -Value 'P'; iex $x",
    "${variable:x} = 'P'; iex $x",
    "Set-Content env:x 'P'; iex $env:x",
    "New-Item env:x -Value 'P'; iex $env:x",
]


def level(text: str) -> Level:
    payload = {"language": "powershell", "code": re.sub(r"\bP\b", lambda _: DANGER, text)}
    return ENGINE.decide(Action(tool_name="run_code", input_payload=payload, **WHERE)).assessment.level


@pytest.mark.parametrize("text", PLACES)
def test_a_command_is_found_wherever_it_stands(text: str) -> None:
    assert level(text) >= Level.HIGH


@pytest.mark.parametrize("text", NAMED)
def test_a_command_is_found_under_another_name(text: str) -> None:
    assert level(text) >= Level.HIGH


def test_the_places_have_every_kind_of_node_with_statements_in_it() -> None:
    language = _load_language(*_GRAMMARS["powershell"])
    kinds = {
        language.node_kind_for_id(number)
        for number in range(language.node_kind_count)
        if language.node_kind_is_named(number) and language.node_kind_is_visible(number)
    }
    found: set[str] = set()
    for text in (*PLACES, *HARMLESS):
        left = [parse("powershell", re.sub(r"\bP\b", lambda _: DANGER, text) + "\n")]
        while left:
            node = left.pop()
            found.add(node.type)
            left += node.named_children
    statements = {
        kind for kind in kinds if kind is not None and kind.endswith(("_statement", "_block", "_clause", "_expression"))
    }
    assert statements - found == {"label_expression"}  # a name behind `break`, which the grammar reads as a word
