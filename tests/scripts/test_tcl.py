"""Tcl: every way to run a command is followed, and what is computed is said to be unread."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

DANGER = "exec rm -rf /"
RUNS = [
    "exec rm -rf /",
    "::exec rm -rf /",
    r"\x65xec rm -rf /",
    r"exec \162m -rf /",
    "exec {*}{rm -rf /}",
    "{*}[list exec rm -rf /]",
    "{*}{exec rm -rf /}",
    "expr {[exec rm -rf /]}",
    'expr "1 + [exec rm -rf /]"',
    "subst {[exec rm -rf /]}",
    "if {[exec rm -rf /]} {}",
    "time {exec rm -rf /}",
    "time {exec rm -rf /} 10",
    "uplevel 1 exec rm -rf /",
    "uplevel #0 {exec rm -rf /}",
    "rename exec e; e rm -rf /",
    "rename ::exec ::e; ::e rm -rf /",
    "interp alias {} e {} exec; e rm -rf /",
    "interp alias {} e {} exec rm; e -rf /",
    "interp eval {} exec rm -rf /",
    "tailcall exec rm -rf /",
    "eval exec rm -rf /",
    "eval [list exec rm -rf /]",
    "after 0 exec rm -rf /",
    "after idle {exec rm -rf /}",
    "trace add variable x write {exec rm -rf /;#}; set x 1",
    "lsort -command {exec rm -rf /;#} {1 2}",
    "regsub -command . a {exec rm -rf /}",
    "coroutine c exec rm -rf /",
    "proc run {args} { exec {*}$args }; run rm -rf /",
    "proc run {what} { exec sh -c $what }; run {rm -rf /}",
    "namespace eval w { proc go args { uplevel #0 $args } }; w::go exec rm -rf /",
    "proc puts {x} { exec sh -c $x }; puts {rm -rf /}",
    'set p [open "|sh" w]; puts $p "rm -rf /"',
    "apply {x {exec {*}$x}} {rm -rf /}",
    "namespace eval a exec rm -rf /",
    "set c {}; append c exec { rm -rf /}; eval $c",
    "set c exec; lappend c rm -rf /; {*}$c",
    "set ::c exec; $::c rm -rf /",
    "open [concat | rm -rf /]",
    "open |[list rm -rf /]",
    'exec sh -c [join {rm -rf /} " "]',
    "[lindex {puts exec} 1] rm -rf /",
]
COMPUTED = [
    "[string range xexec 1 4] rm -rf /",
    "set c [format %s%s ex ec]; $c rm -rf /",
    "gets stdin c; $c",
    "eval [string reverse {/ fr- mr cexe}]",
]
QUIET = [
    "set x [list a b]; foreach y $x { puts $y }",
    "proc add {a {b 1}} { return [expr {$a + $b}] }; puts [add 1]",
    'puts "}{"; puts [format "%d" 3]',
    "set w [button .b -text Ok]; $w configure -text No",
    "after 100; puts done",
    "lsort -integer {3 1 2}",
    "if {(1 + 2) > 2} then {puts a} else {puts b}",
    'puts {*}"a"',
]


@pytest.mark.parametrize("script", RUNS)
def test_a_command_is_found(script: str) -> None:
    assert ENGINE.decide(Action.shell(f"tclsh <<'END'\n{script}\nEND", **WHERE)).assessment.level >= Level.HIGH


@pytest.mark.parametrize("script", COMPUTED)
def test_a_computed_command_is_an_effect(script: str) -> None:
    effects = ENGINE.decide(Action.shell(f"tclsh <<'END'\n{script}\nEND", **WHERE)).assessment.effects
    assert any(effect.kind in ("code.opaque", "code.remote") for effect in effects)


@pytest.mark.parametrize("script", QUIET)
def test_an_ordinary_script_is_quiet(script: str) -> None:
    assessment = ENGINE.decide(Action.shell(f"tclsh <<'END'\n{script}\nEND", **WHERE)).assessment
    assert assessment.level <= Level.LOW
