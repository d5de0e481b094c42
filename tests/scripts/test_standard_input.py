"""A whole program on standard input or in another descriptor: known text is read, unknown text is an effect."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

SYSTEM = 'system("rm -rf /")'
AWK, LISP = 'BEGIN { system("rm -rf /") }', '(shell-command "rm -rf /")'
MAKE = "all:\n\trm -rf /"
#: A call with a place for the name of the script → a script that deletes everything.
CALLS = {
    **dict.fromkeys(("awk -f {}", "gawk -f{}", "mawk --file={}", "gawk -E {}", "gawk --exec={}"), AWK),
    **dict.fromkeys(("sed -f {} f", "sed -n -f{} f", "sed --file={} f", "gsed -nf {} f"), "1e rm -rf /"),
    **dict.fromkeys(("perl {}", "ruby {}", "Rscript {}", "R --file={}", "octave {}"), SYSTEM),
    **dict.fromkeys(("node {}", "bun run {}"), "require('child_process').execSync('rm -rf /')"),
    "php {}": '<?php system("rm -rf /");',
    "lua {}": 'os.execute("rm -rf /")',
    "python3 {}": 'import os; os.system("rm -rf /")',
    **dict.fromkeys(("bash {}", "sh {}", "zsh {}", "dash {}"), "rm -rf /"),
    "tclsh {}": "exec rm -rf /",
    "expect {}": "spawn rm -rf /",
    "osascript {}": 'do shell script "rm -rf /"',
    "julia {}": "run(`rm -rf /`)",
    "groovy {}": '"rm -rf /".execute()',
    "elixir {}": 'System.shell("rm -rf /")',
    "escript {}": 'main(_) -> os:cmd("rm -rf /").',
    "emacs --batch -l {}": LISP,
    **dict.fromkeys(("make -f {}", "gmake -f{}", "make --file={}", "make --makefile={}"), MAKE),
    **dict.fromkeys(("bmake -f {}", "pmake -f {}", "remake -f {}"), MAKE),
    **dict.fromkeys(("gdb -batch -x {}", "gdb --command={}"), "shell rm -rf /"),
    "lldb -s {}": "platform shell rm -rf /",
    **dict.fromkeys(("vim -s {}", "vim -S {}"), ":!rm -rf /"),
    "pwsh -File {}": "Remove-Item -Recurse -Force /",
    "psql -f {}": "\\! rm -rf /",
    "gnuplot {}": 'system "rm -rf /"',
}
DESCRIPTORS = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
#: Programs for which a dash is a file, or for which a dash is the script of an interactive session.
NO_DASH = {"emacs --batch -l {}", "bun run {}", "gdb --command={}", "expect {}", "escript {}"}


def assess(command: str) -> tuple[Level, set[str]]:
    assessment = ENGINE.decide(Action.shell(command, **WHERE)).assessment
    return assessment.level, {effect.kind for effect in assessment.effects}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", DESCRIPTORS)
def test_a_here_document_is_read(call: str, name: str) -> None:
    level, _ = assess(f"{call.format(name)} <<'END'\n{CALLS[call]}\nEND")
    assert level >= Level.HIGH


@pytest.mark.parametrize("call", [call for call in CALLS if call not in NO_DASH])
def test_what_is_piped_in_is_read(call: str) -> None:
    level, _ = assess(f"printf '%s\\n' {shlex.quote(CALLS[call])} | {call.format('-')}")
    assert level >= Level.HIGH
    level, _ = assess(f"{call.format('-')} <<'END'\n{CALLS[call]}\nEND")
    assert level >= Level.HIGH


@pytest.mark.parametrize("call", [call for call in CALLS if " {}" in call])
def test_a_substituted_process_is_read(call: str) -> None:
    text = CALLS[call].replace("\n", "\\n").replace("\t", "\\t")
    level, kinds = assess(call.format(f"<(printf {shlex.quote(text)})"))
    assert level >= Level.HIGH or "code.opaque" in kinds


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", ["cat x.bin | {}", "base64 -d x | {}", "{} < x.bin"])
def test_unknown_text_is_an_effect(call: str, form: str) -> None:
    _, kinds = assess(form.format(call.format("/dev/stdin")))
    assert kinds & {"code.opaque", "code.run", "code.remote"}


@pytest.mark.parametrize(
    "command",
    [
        "awk -f - data.csv <<'END'\n{ print $1 }\nEND",
        "sed -f - f <<'END'\ns/a/b/\nEND",
        "make -f - <<'END'\nall:\n\techo hi\nEND",
        "gdb -batch -x /dev/stdin <<'END'\ninfo locals\nEND",
        "ed -s notes.txt <<'END'\n1,$s/a/b/\nw\nq\nEND",
        "vim -es notes.txt <<'END'\n%s/a/b/\nwq\nEND",
    ],
)
def test_an_ordinary_program_has_no_unread_code(command: str) -> None:
    level, kinds = assess(command)
    assert level <= Level.MEDIUM
    assert "code.opaque" not in kinds
