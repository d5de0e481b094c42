"""sed, R and AppleScript: every way to run a command is found, and ordinary scripts stay quiet."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Level
from interlock.analyse.code import FAULT
from tests.reading import ENGINE, WHERE

SED = [
    "e rm -rf /",
    "1e rm -rf /",
    "1!e rm -rf /",
    "0~2e rm -rf /",
    "/x/I,+1 e rm -rf /",
    "s/[/]/x/;e rm -rf /",
    "s/[]/]/x/;e rm -rf /",
    "s/[^]/]/x/;e rm -rf /",
    "s/[[:alpha:]/]/x/;e rm -rf /",
    "s,[,],x,;e rm -rf /",
    "/[/]/e rm -rf /",
    "1,/[/]/e rm -rf /",
    r"\,[,],e rm -rf /",
    "s/a/[/;e rm -rf /",
    "y/[/]/;e rm -rf /",
    r"s/.*/rm -rf \//e",
    r"s/.*/rm -rf \//gew out",
    "s/a/b/w /etc/passwd",
    "w /etc/passwd",
    "s/[/]/x/w /etc/passwd",
]
R = [
    'system(paste("rm", "-rf", "/"))',
    'system(paste("rm", "rf /", sep = " -"))',
    'system(paste(c("rm", "-rf", "/"), collapse = " "))',
    'do.call("system", list("rm -rf /"))',
    'do.call(system, list("rm -rf /"))',
    'do.call(what = "system", args = list("rm -rf /"))',
    'get("system")("rm -rf /")',
    'f <- get("system"); f("rm -rf /")',
    'match.fun("system")("rm -rf /")',
    'getFromNamespace("system", "base")("rm -rf /")',
    '`system`("rm -rf /")',
    'base::`system`("rm -rf /")',
    '"system"("rm -rf /")',
    '"rm -rf /" %>% system()',
    '"rm -rf /" %>% system',
    '"rm -rf /" |> system()',
    'sapply("rm -rf /", system)',
    'lapply(list("rm -rf /"), "system")',
    'Map(system, "rm -rf /")',
    'Reduce(function(a, b) system("rm -rf /"), 1:2)',
    'source(textConnection("system(\\"rm -rf /\\")"))',
    '.Internal(system("rm -rf /", 0L, 0))',
    'system(rev(c("rm -rf /"))[1])',
    'x <- c("ls", "rm -rf /"); system(x[2])',
    'system(command = "rm -rf /")',
]
APPLESCRIPT = [
    'do ¬\nshell script "rm -rf /"',
    'do shell ¬  \n  script "rm -rf /"',
    '«event sysoexec» "rm -rf /"',
    'current application\'s NSTask\'s launchedTaskWithLaunchPath:"/bin/rm" arguments:{"-rf", "/"}',
    "set t to current application's NSTask's alloc()'s init()\n"
    't\'s setLaunchPath:"/bin/rm"\nt\'s setArguments:{"-rf", "/"}\nt\'s |launch|()',
]
UNREAD = [
    ("osascript", "«event abcdefgh» 1"),
    ("osascript", "current application's NSAppleScript's alloc()'s initWithSource:x"),
    ("Rscript", 'f <- strsplit("system,x", ",")[[1]]; f("rm -rf /")'),
]
QUIET = [
    ("Rscript", 'x <- c(3, 1); print(paste("a", "b", sep = "-")); sapply(x, mean)'),
    ("Rscript", 'do.call("sum", list(1, 2)); do.call(rbind, list(1, 2))'),
    ("Rscript", "mtcars %>% head(3) %>% print(); 5 %in% c(1, 5); 7 %% 2"),
    ("Rscript", "`my var` <- 1; `my var` + 1"),
    ("Rscript", 'con <- textConnection("a\\nb"); print(readLines(con))'),
    ("osascript", 'display ¬\ndialog "hi"'),
    ("osascript", "set s to current application's NSString's stringWithString:\"a\""),
]


def assess(command: str) -> tuple[Level, set[str]]:
    assessment = ENGINE.decide(Action.shell(command, **WHERE)).assessment
    return assessment.level, {effect.kind for effect in assessment.effects}


@pytest.mark.parametrize("script", SED)
def test_sed_runs_and_writes(script: str) -> None:
    assert assess(f"sed {shlex.quote(script)} f")[0] >= Level.HIGH


@pytest.mark.parametrize("script", ["s/[^/]*$//", "/[/]/d", "s/[[:space:]]*$//;p", "s/a/[/", r"s/[\\]/x/", "y/[/]/"])
def test_sed_that_turns_text_is_quiet(script: str) -> None:
    level, kinds = assess(f"sed {shlex.quote(script)} f")
    assert level <= Level.LOW
    assert kinds == {"fs.read"}


@pytest.mark.parametrize(
    ("program", "script"), [("Rscript", one) for one in R] + [("osascript", one) for one in APPLESCRIPT]
)
def test_a_command_is_found(program: str, script: str) -> None:
    assert assess(f"{program} - <<'END'\n{script}\nEND")[0] >= Level.HIGH


@pytest.mark.parametrize(("program", "script"), UNREAD)
def test_what_is_not_followed_is_an_effect(program: str, script: str) -> None:
    assert "code.opaque" in assess(f"{program} - <<'END'\n{script}\nEND")[1]


@pytest.mark.parametrize(("program", "script"), QUIET)
def test_an_ordinary_script_is_quiet(program: str, script: str) -> None:
    assert assess(f"{program} - <<'END'\n{script}\nEND")[0] <= Level.LOW


HELD_COMMANDS = {
    "java": 'class A { void f(String x, Runtime e) throws Exception { String y = "rm -rf /home/u/work"; e.exec(x); } }',
    "groovy": 'def y = "rm -rf /home/u/work"; Runtime.getRuntime().exec(x)',
    "r": 'y <- "rm -rf /home/u/work"; system(x)',
    "kotlin": 'val y = "rm -rf /home/u/work"; Runtime.getRuntime().exec(x)',
    "csharp": 'var y = "rm -rf /home/u/work"; Process.Start(x);',
}


@pytest.mark.parametrize("language", HELD_COMMANDS)
def test_a_command_in_a_text_may_be_the_one_that_runs(language: str) -> None:
    payload = {"language": language, "code": HELD_COMMANDS[language]}
    found = ENGINE.decide(Action(tool_name="execute_code", input_payload=payload, **WHERE)).assessment.analysis
    assert {"code.opaque", "fs.delete"} <= {effect.kind for effect in found.effects}
    assert not [reason for reason in found.coverage.opaque if FAULT in reason]
