"""Parts of the PowerShell reader: masking, parameters, values, cmdlets by their verb, what does not parse."""

from __future__ import annotations

import pytest

from interlock.analyse.grammars import parse
from interlock.analyse.powershell.aliases import ALIASES
from interlock.analyse.powershell.binding import CmdletArgument, bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.special import SPECIAL
from interlock.analyse.powershell.masking import mask_arguments
from tests.powershell.lines import has, read
from tests.reading import effects

MASKED = [
    "Select-Object Id, CPU",
    "Get-ChildItem -Include *.ts,*.tsx -Recurse",
    "rm $env:TEMP\\a.txt",
    "npm run lint -- --fix",
    'git log --pretty=format:"%h %s" -n 5',
    'dotnet test --filter="A b" -p:X=Y',
    "foo &",
    "# only a comment",
    "function f { param([string]$x) ls $x }",
    "switch ($a) { 1 { b } default { c } }",
    "$a ? 'b' : 'c'",
    "$x = 5GB / 1MB",
    "docker run -v ${PWD}:/app x",
    "./build.sh --all",
    'x "a"b $c.d(1) (ls).e',
]


@pytest.mark.parametrize("text", MASKED)
def test_what_powershell_takes_parses_once_it_is_masked(text: str) -> None:
    masked = mask_arguments(text)
    assert len(masked.text) == len(text)
    assert not masked.text.strip() or not parse("powershell", masked.text + "\n").has_error


def test_every_alias_stands_for_a_cmdlet_that_is_described() -> None:
    undescribed = {
        *"add-pssnapin get-pssnapin remove-pssnapin powershell_ise import-alias new-cimsessionoption".split(),
        *"new-pssessionconfigurationfile remove-cimsession resume-job suspend-job".split(),
    }
    assert {name for name in ALIASES.values() if name not in CMDLETS and name not in SPECIAL} == undescribed


def test_every_cmdlet_is_described_in_known_words() -> None:
    assert all(cmdlet.roles is not None and cmdlet.toggles is not None for cmdlet in CMDLETS.values())


@pytest.mark.parametrize(
    ("arguments", "switches", "path"),
    [
        ([CmdletArgument(None, "Rec"), CmdletArgument("a")], {"recurse"}, "a"),
        ([CmdletArgument("a"), CmdletArgument(None, "fo"), CmdletArgument(None, "r")], {"force", "r"}, "a"),
        ([CmdletArgument(None, "Path"), CmdletArgument("a")], set(), "a"),
        ([CmdletArgument("a", "LiteralPath", True)], set(), None),
        ([CmdletArgument(False, "Recurse", True), CmdletArgument("a")], set(), "a"),
        ([CmdletArgument(True, "Recurse", True), CmdletArgument("a")], {"recurse"}, "a"),
        ([CmdletArgument({"path": "a", "recurse": True}, written="@p")], {"recurse"}, "a"),
    ],
)
def test_parameters_are_bound(arguments: list[CmdletArgument], switches: set[str], path: str | None) -> None:
    bound = bind(arguments, CMDLETS["remove-item"])
    assert bound.switches == switches
    assert bound.values.get("path") == path


UNREAD = ["foo )( bar", "if (", "rm C:\\x }{ ; (", "@{ = }", "function { } (", "$x = = 1 )"]


@pytest.mark.parametrize("text", UNREAD)
def test_text_that_does_not_parse_is_an_effect(text: str) -> None:
    assert has(read(text), "code.opaque")


def test_text_that_does_not_parse_is_read_in_pieces() -> None:
    assert has(read("foo )( ; Remove-Item C:\\Windows -Recurse"), "fs.delete file:/Windows recursive")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("Remove-Frob -Name x", "process.run destroys"),
        ("Remove-Frob -Name x -Confirm:$false", "process.run destroys unattended"),
        ("Get-Frob x", "system.read"),
        ("Get-FrobSecret x", "secret.read"),
        ("Set-Frob x", "process.run"),
        ("Get-AzVM", "infra.read"),
        ("New-AzVM -Name x", "infra.change"),
        ("Remove-Frob x -WhatIf", "system.read"),
    ],
)
def test_an_unknown_cmdlet_is_read_by_its_verb(command: str, expected: str) -> None:
    assert has(read(command), expected)


def test_a_position_is_told() -> None:
    analysis = read("ls; rm C:\\x")
    deleted = next(effect for effect in analysis.effects if effect.kind == "fs.delete")
    assert analysis.text[slice(*deleted.span)] == "rm C:\\x"


def test_a_program_is_read_by_the_catalogue() -> None:
    assert effects(read("git push --force origin main")) == effects(read("& git push --force origin main"))
    assert has(read("git push --force origin main"), "vcs.push force")
