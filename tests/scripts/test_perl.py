"""Perl's own ways: escapes in strings, values that operators change, pipes in `@ARGV`, formats, references."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from interlock.model import Assessment
from tests.reading import ENGINE, WHERE, effects, shell

RUNS = [
    'system("\\x72m -rf /")',
    'system("rm -rf \\x{2f}")',
    'system("\\162m -rf \\57")',
    'system("\\N{U+72}m -rf \\N{SOLIDUS}")',
    'system("rm -rf \\o{57}")',
    'system("\\LRM -RF\\E /")',
    'system("\\lRm -rf /")',
    "`\\x72m -rf /`",
    "qx{\\x72m -rf /}",
    "print <<`A`;\n\\x72m -rf /\nA",
    'system(<<"A");\n\\x72m -rf /\nA',
    'eval "sys\\x74em q(rm -rf /)"',
    'evalbytes "system q(rm -rf /)"',
    'open F, "rm -rf /\\x7c"',
    '$c = "rX -rf /"; $c =~ s/X/m/; system $c',
    '$c = "rX -rf /"; $c =~ tr/X/m/; system $c',
    '$_ = "rX -rf /"; s/X/m/; system $_',
    '$c = "rX -rf /"; ($d = $c) =~ s/X/m/; system $d',
    '$c = "rX -rf /"; system($c =~ s/X/m/r)',
    'for ($c = "ls") { s/ls/rm -rf \\x2f/ } system $c',
    '$c = "ls"; substr($c, 0, 2) = "rm -rf /"; system $c',
    'my $f = \\&CORE::system; $f->("rm -rf /")',
    '*x = \\&CORE::system; x("rm -rf /")',
    'my %h = (a => \\&CORE::system); $h{$k}->("rm -rf /")',
    '@ARGV = ("rm -rf /|"); <>',
    'local @ARGV = ("rm -rf / |"); while (<>) {}',
    'push @ARGV, "rm -rf /|"; print <>',
    'format STDOUT =\n@<<<\nsystem("rm -rf /")\n.\nwrite;',
    'my $x\n=system("rm -rf /");',
]
UNKNOWN = [
    '$c = "rX -rf /"; $c =~ s/[XY]/m/; system $c',
    '$c = "rX -rf /"; $c =~ s/X/chr(109)/e; system $c',
    "goto &CORE::system",
]
ORDINARY = [
    'my $s = "a\\tb\\x{e9}\\n"; $s =~ s/\\s+$//; print $s',
    'my $n = ($s =~ tr/a//); print "$n\\n"',
    'print "\\Qa.b\\E \\Uab\\E \\$x \\@y\\n"',
    "while (<STDIN>) { s/foo/bar/g; print }",
    "my @a = (3, 1); push @a, 2; print join(',', sort { $a <=> $b } @a)",
    "print qq(50% | done\\n)",
    "my $f = \\&main::go; sub go { print 1 } $f->()",
    "1;\n\n=pod\n\nsystem('rm -rf /')\n\n=cut\n\nprint 1",
]


def decide(command: str) -> Assessment:
    """Return how a command is judged."""
    return ENGINE.decide(Action.shell(command, **WHERE)).assessment


def script(code: str) -> str:
    """Return a command that runs Perl code."""
    return f"perl <<'QQ'\n{code}\nQQ"


@pytest.mark.parametrize("code", RUNS)
def test_what_runs_is_read(code: str) -> None:
    assert decide(script(code)).level is Level.CRITICAL


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_cannot_be_told_is_opaque(code: str) -> None:
    assert [effect for effect in decide(script(code)).effects if effect.kind == "code.opaque"]


@pytest.mark.parametrize("code", ORDINARY)
def test_ordinary_code_is_quiet(code: str) -> None:
    assessment = decide(script(code))
    assert assessment.level <= Level.LOW
    assert assessment.coverage.full


@pytest.mark.parametrize(
    "command", ["perl -ne print 'rm -rf /|'", "perl -pe 1 'rm -rf / |'", "perl -e 'print <>' '| rm -rf /'"]
)
def test_operands_that_are_pipes_run(command: str) -> None:
    assert decide(command).level is Level.CRITICAL


def test_operands_are_files_otherwise() -> None:
    assert decide("perl -ne 'print if /a|b/' notes.txt").level is Level.LOW


def test_nothing_is_decoded_between_single_quotes() -> None:
    assert "fs.delete file:/home/u/project/a" in effects(shell("perl -e 'system(q(rm a))'"))
    assert effects(shell("perl -e 'print q(\\x41)'")) == ["out.print"]
