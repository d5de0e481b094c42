"""Batch: every spelling of a command, a switch, a loop and a path."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

LINES = [
    r"rd/s/q C:\ ".strip(),
    "rmdir/s/q C:\\",
    "rd /s/q C:\\",
    "del/f/s/q C:\\*",
    "del /f/s/q C:\\*",
    "cd/d C:\\ & rd/s/q .",
    "cd /d C:\\&rd /s /q .",
    ",rd /s /q C:\\",
    ";rd /s /q C:\\",
    "=rd /s /q C:\\",
    ",;rd,/s;/q=C:\\",
    "@,rd /s /q C:\\",
    "rd^ /s /q C:\\",
    "rd /s /q \\\\?\\C:\\",
    "rd /s /q \\\\.\\C:\\",
    "for /d %%i in (C:\\*) do rd /s /q %%i",
    "for /r C:\\ %%i in (*) do del /f /q %%i",
    "for %%i in (C:\\) do rd /s /q %%i",
    "for %%i in (rd) do %%i /s /q C:\\",
    'for /f "delims=" %%i in ("rd /s /q C:\\") do %%i',
    'for /f "delims=" %%i in ("rd /s /q C:\\") do call %%i',
    'for /f "tokens=1,2" %%a in ("x rd") do %%b /s /q C:\\',
    'for /f "tokens=2 delims=:" %%a in ("x:rd") do %%a /s /q C:\\',
    'for /f "tokens=*" %%a in ("rd /s /q C:\\") do %%a',
    "set a=r&set b=d& call %%a%%%%b%% /s /q C:\\",
    "echo rd /s /q C:\\>>a.cmd&a",
    "echo rd /s /q C:\\>a.bat & call a",
]
SWITCHES = [
    "cmd /c",
    "cmd //c",
    "cmd /s/c",
    "cmd /s /c",
    "cmd /d/s/c",
    "cmd /v:on/c",
    "cmd /e:on/v:on/c",
    "cmd /q /d //C",
    "cmd /k",
    "cmd /a/q/k",
    "cmd/c",
    "cmd.exe/c",
    "cmd.exe /C",
    "C:/Windows/System32/cmd.exe /c",
    "/c/Windows/System32/cmd.exe //c",
    "/mnt/c/Windows/System32/cmd.exe /c",
]
LOOPS = [
    "for %i in (C:\\) do rd /s /q %i",
    "for /d %i in (C:\\*) do rd /s /q %~i",
    "for /r C:\\ %i in (*) do del /f /q %i",
    'for /f "delims=" %i in ("rd /s /q C:\\") do %i',
]
QUIET = [
    "for %%i in (a b) do echo %%i",
    'for /f "tokens=1,2 delims=," %%a in ("x,y") do echo %%a %%b',
    "cd/d src & dir/b",
    "rd/s/q build",
    "echo a=b;c,d",
    "set x=50%% & echo %x%",
    "copy/y a.txt b.txt",
    "if exist build rd /s/q build",
    "for /r src %%i in (*.cs) do echo %%i",
]


def level(command: str) -> Level:
    return ENGINE.decide(Action.shell(command, **WHERE)).assessment.level


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_read_however_it_is_spelled(line: str) -> None:
    assert level(f"cmd <<'END'\n{line}\nEND") >= Level.HIGH


@pytest.mark.parametrize("call", SWITCHES)
def test_the_text_behind_a_switch_is_read(call: str) -> None:
    assert level(f"{call} 'rd /s /q C:\\'") >= Level.HIGH


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_on_a_command_line_is_read(loop: str) -> None:
    assert level(f"cmd /c '{loop}'") >= Level.HIGH


@pytest.mark.parametrize("line", QUIET)
def test_an_ordinary_line_does_not_stop(line: str) -> None:
    assessment = ENGINE.decide(Action.shell(f"cmd <<'END'\n{line}\nEND", **WHERE)).assessment
    assert assessment.level <= Level.MEDIUM
    assert not [why for why in assessment.coverage.opaque if "parse" in why]
