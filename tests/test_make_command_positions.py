"""Makefiles: a command is found wherever make runs one."""

from __future__ import annotations

import pytest

from interlock import Action, Level
from tests.reading import ENGINE, WHERE

MAKEFILES = [
    "all:\n\trm -rf /",
    "all: ; rm -rf /",
    "all:: ; rm -rf /",
    ".SHELLFLAGS = -c 'rm -rf /' --\nall:\n\techo hi",
    "SHELL := /bin/bash -c 'rm -rf /'\nall:\n\techo hi",
    "all: SHELL = /bin/bash -c 'rm -rf /'\nall:\n\techo hi",
    "all: missing\n.DEFAULT:\n\trm -rf /",
    ".RECIPEPREFIX = >\nall:\n>rm -rf /",
    ".RECIPEPREFIX := +\nall:\n+@rm -rf /",
    "private X := $(shell rm -rf /)\nall:\n\techo $(X)",
    "all: private X := $(shell rm -rf /)\nall:\n\techo $(X)",
    "override X := $(shell rm -rf /)\nall:\n\techo $(X)",
    "export X := $(shell rm -rf /)\nall:\n\techo $(X)",
    "X != rm -rf /\nall:\n\techo $(X)",
    '$(guile (system "rm -rf /"))\nall:\n\techo hi',
    "X := $(let a b,rm -rf /,$(shell $(a) $(b)))\nall:\n\techo hi",
    "all:\n\t$(let a b,rm -rf /,$(a) $(b))",
    "$(file >x.mk,all: ; rm -rf /)\ninclude x.mk",
    "$(eval all: ; rm -rf /)",
    "define f\nrm -rf /\nendef\nall:\n\t$(f)",
    "ifeq ($(shell rm -rf /),)\nendif\nall:\n\techo hi",
    "all: $(shell rm -rf /)\n\techo hi",
    "%: ; rm -rf /\nall: x",
    ".c.o:\n\trm -rf /\nall: a.o\na.o: a.c",
    ".ONESHELL:\nall:\n\trm \\\n\t-rf /",
    "include $(shell rm -rf /)\nall:\n\techo hi",
]
PROGRAMS = ["make", "gmake", "bmake", "pmake", "remake"]


def decide(command: str) -> tuple[Level, set[str]]:
    assessment = ENGINE.decide(Action.shell(command, **WHERE)).assessment
    return assessment.level, {effect.kind for effect in assessment.effects}


@pytest.mark.parametrize("makefile", MAKEFILES)
def test_a_command_is_found_wherever_it_stands(makefile: str) -> None:
    assert decide(f"make -f - <<'END'\n{makefile}\nEND")[0] >= Level.HIGH


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_make_reads_standard_input(program: str) -> None:
    assert decide(f"{program} -f - <<'END'\nall:\n\trm -rf /\nEND")[0] >= Level.HIGH


def test_what_the_action_wrote_is_included() -> None:
    written = "printf 'all:\\n\\trm -rf /\\n' > a.mk"
    assert decide(f"{written}; make -f - <<'END'\ninclude a.mk\nEND")[0] >= Level.HIGH
    assert decide(f"{written}; make -f - <<'END'\n-include *.mk\nEND")[0] >= Level.HIGH


def test_a_library_that_is_loaded_is_an_effect() -> None:
    assert "code.run" in decide("make -f - <<'END'\nload evil.so\nall:\n\techo hi\nEND")[1]
    assert "code.run" in decide("make -f - <<'END'\n-load evil.so(init)\nall:\n\techo hi\nEND")[1]


def test_flags_of_the_shell_on_the_command_line_are_read() -> None:
    assert decide("make .SHELLFLAGS=\"-c 'rm -rf /' --\"")[0] >= Level.HIGH
    assert decide("make SHELL=\"/bin/bash -c 'rm -rf /'\"")[0] >= Level.HIGH


@pytest.mark.parametrize(
    "makefile",
    [
        "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\nall:\n\techo hi",
        "SHELL := /usr/bin/env bash\nall:\n\techo hi",
        "override CFLAGS += -O2\nall: private V = 1\nall:\n\techo $(V)",
        ".RECIPEPREFIX = >\nall:\n>echo hi",
        "load = 3\nall:\n\techo $(load)",
        "X := $(let a,b,$(a))\nall:\n\techo $(X)",
        ".DEFAULT:\n\techo no rule for $@\nall:\n\techo hi",
    ],
)
def test_an_ordinary_makefile_has_no_unread_code(makefile: str) -> None:
    level, kinds = decide(f"make -f - <<'END'\n{makefile}\nEND")
    assert level <= Level.MEDIUM
    assert "code.opaque" not in kinds
