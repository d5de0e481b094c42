"""Texts that a reader with a simpler idea of quotes, patterns and comments would lose its way in."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE, effects, shell

DANGER = {
    "node -e": "require('child_process').execSync('rm -rf /')",
    "perl -e": 'system("rm -rf /")',
    "ruby -e": 'system("rm -rf /")',
    "php -r": 'system("rm -rf /");',
    "lua -e": 'os.execute("rm -rf /")',
    "awk": 'system("rm -rf /")',
    "julia -e": "run(`rm -rf /`)",
    "elixir -e": 'System.shell("rm -rf /")',
    "octave --eval": 'system("rm -rf /")',
    "groovy -e": '"rm -rf /".execute()',
    "Rscript -e": 'system("rm -rf /")',
    "osascript -e": 'do shell script "rm -rf /"',
}

# A quote that opens nothing, or a comment that is none: what stands behind it runs.
RUNS = {
    "node -e": [
        "if(1){} /'/.test('a'); DANGER",
        "if (a) /'/.test(b); DANGER //'",
        "function f(){} /'/; DANGER //'",
        "a=1\n/'/g; DANGER //'",
        "x = `${`a`}'`; DANGER //'",
        "`a ${ '`' }`; DANGER",
        "<!-- '\nDANGER",
        "a <!-- `\nDANGER //`",
        "\n--> '\nDANGER",
        "while (n --> 0) DANGER",
        "class A { [DANGER]; }",
        "class A { [DANGER]() {} }",
        "return /[/]'/.x; DANGER //'",
        "// '\rDANGER",
        "// '\u2028DANGER",
        "req\\u0075ire('child_process').exec\\u0053ync('rm -rf /')",
    ],
    "perl -e": [
        "\n=pod\n\nit's\n\n=cut\n\nDANGER;",
        "\n=begin x\n\n'\n\n=end x\n\n=cut\n\nDANGER",
        "print $main'x; DANGER; #'",
        "isn't; DANGER #'",
        "print time / 1; DANGER; # /",
        "$x = $#a; DANGER #'",
        "q#'#; DANGER",
        "y=a=b=; DANGER",
        "print <<'A B'; DANGER\n\"\nA B\n",
        "print if /a/../'/; DANGER #'",
        "$'; DANGER; $'",
        '"@{[DANGER]}"',
        "/(?{DANGER})/",
    ],
    "ruby -e": [
        "?'; DANGER",
        'x = ?"; DANGER #"',
        "\n=begin\n'\n=end\nDANGER",
        '"#{"\'"}"; DANGER',
        "%q('); DANGER",
        "puts <<A, DANGER\n'\nA\n",
        "print if /a/../'/; DANGER #'",
        "p /'/; DANGER #'",
        "$'; DANGER; $'",
        '"#{DANGER}"',
        "/#{DANGER}/",
        "%W[#{DANGER}]",
    ],
    "php -r": [
        "# ' ?> <?php\nDANGER",
        "// ' ?> <?php DANGER",
        "?> ' <?php DANGER",
        "$x = <<<'A'\n'\nA;\nDANGER",
        "#[A('x')]\nfunction f(){} DANGER",
        '$x="<?php /*"; DANGER //*/',
        "// '\rDANGER",
        "f(system('rm -rf /'))::X;",
    ],
    "lua -e": ["--[==[ ' ]==] DANGER", "x = [=[ ' ]=] DANGER", "--[ '\nDANGER", "-- '\rDANGER"],
    "awk": ['BEGIN { if (1) /"/; DANGER; /"/ }', 'BEGIN { {} /"/; DANGER; /"/ }'],
    "julia -e": ["c = '\"'; DANGER; d = '\"'", '#= #= =# " =# DANGER #"', "x = a'; DANGER; y = b'"],
    "elixir -e": ['c = ?"; DANGER; d = ?"', '~r/"/; DANGER; ~r/"/'],
    "octave --eval": ["x = a'; DANGER; y = b';"],
    "groovy -e": ['x = /"/; DANGER; y = /"/', 'x = $/"/$; DANGER; y = $/"/$'],
    "Rscript -e": ['x <- r"(")"; DANGER; y <- r"(")"'],
    "osascript -e": ['(* (* *) " *)\nDANGER\n(* " *)'],
}


@pytest.mark.parametrize(("program", "form"), [(program, form) for program, forms in RUNS.items() for form in forms])
def test_a_quote_that_opens_nothing_hides_nothing(program: str, form: str) -> None:
    text = form.replace("DANGER", DANGER[program])
    decision = ENGINE.decide(Action.shell(f"{program} {shlex.quote(text)}", **WHERE))
    assert decision.assessment.level is Level.CRITICAL


# What stands there is a text, a pattern, a comment, or behind the end.
QUIET = {
    "node -e": ["/* DANGER */", "// DANGER", "x = /DANGER/", "`DANGER`"],
    "perl -e": ["# DANGER", "__END__\nDANGER", "q{DANGER}", "\n=pod\n\nDANGER\n\n=cut\n", "print q # '\n '; DANGER; '"],
    "ruby -e": ["# DANGER", "__END__\nDANGER", "%q{DANGER}", "\n=begin\nDANGER\n=end\n"],
    "php -r": ["# DANGER", "/* DANGER */", "echo <<<'A'\nDANGER\nA;"],
    "lua -e": ["-- DANGER", "--[[ DANGER ]]", "x = [==[DANGER]==]", "--[=[ ' ]==]\nDANGER --]=]"],
}


@pytest.mark.parametrize(("program", "form"), [(program, form) for program, forms in QUIET.items() for form in forms])
def test_what_is_only_written_there_is_quiet(program: str, form: str) -> None:
    text = form.replace("DANGER", DANGER[program].replace("/", ""))
    assessment = ENGINE.decide(Action.shell(f"{program} {shlex.quote(text)}", **WHERE)).assessment
    assert assessment.level <= Level.LOW
    assert assessment.coverage.full


UNREAD = [
    ("node -e", "foo( bar baz"),
    ("node -e", "'"),
    ("perl -e", "if (1"),
    ("ruby -e", "def ("),
    ("php -r", "echo (;"),
    ("lua -e", "x = = 1"),
    ("awk", 'BEGIN { print "x }'),
    ("sed", "s/a/b"),
    ("Rscript -e", "x <- 'a"),
    ("julia -e", 'x = "a'),
    ("osascript -e", 'say "a'),
    ("groovy -e", 'x = "${"a'),
    ("elixir -e", '"#{"\'"}"; x #\''),
    ("octave --eval", "%{\nx\n%}"),
]


@pytest.mark.parametrize(("program", "text"), UNREAD)
def test_text_that_does_not_parse_is_an_effect(program: str, text: str) -> None:
    analysis = shell(f"{program} {shlex.quote(text)}")
    assert any(effect.startswith("code.opaque") for effect in effects(analysis))
    assert ENGINE.decide(Action.shell(f"{program} {shlex.quote(text)}", **WHERE)).assessment.level >= Level.MEDIUM


def test_tcl_that_does_not_end_is_an_effect() -> None:
    assert any(effect.startswith("code.opaque") for effect in effects(shell("tclsh <<< 'puts {a'")))


@pytest.mark.parametrize(
    "command",
    [
        'node -e \'foo( bar baz; require("child_process").execSync("rm -rf /")\'',
        "ruby -e 'def (; system \"rm -rf /\"'",
        "lua -e 'x = = 1; os.execute(\"rm -rf /\")'",
    ],
)
def test_what_can_be_read_of_a_text_that_does_not_parse_is_read(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level is Level.CRITICAL


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "interface A { b?: string }\nconst x: A = {}; require('fs').rmSync('/', {recursive: true})"),
        ("a.tsx", "const x = <T,>(a: T) => <div>{a}</div>; require('fs').rmSync('/', {recursive: true})"),
        ("a.mts", "import fs from 'fs'; enum E { A }\nfs.rmSync('/' as string, {recursive: true})"),
    ],
)
def test_typescript_is_read_by_its_own_grammar(path: str, text: str) -> None:
    analysis = shell(f"cat > {path} <<'END'\n{text}\nEND\nnode {path}")
    assert "fs.delete file:/ library recursive top" in effects(analysis)
    assert not [why for why in analysis.coverage.opaque if "parse" in why]
