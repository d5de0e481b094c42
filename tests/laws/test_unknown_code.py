"""A function that runs code or a command says so where it is given something that is not known."""

from __future__ import annotations

import pytest

from interlock.knowledge.catalogue import read_functions
from interlock.knowledge.function import ORDINALS, Function
from tests.laws.test_unread import kinds, read

READERS = frozenset({"command", "function", "include", "module", "run_image", "template", "worker"})
#: How a call is written whose argument is a parameter, a variable, or a member of something; and that argument.
FORMS = {
    "javascript": {
        "p": ["function f(p) { CALL }", "const p = g(); CALL", "class A { m(p) { CALL } }"],
        "g().x": ["CALL"],
    },
    "ruby": {"p": ["def f(p)\n CALL\nend", "p = g()\nCALL", "f = ->(p) { CALL }"], "g().x": ["CALL"]},
    "php": {"$p": ["<?php function f($p) { CALL; }", "<?php $p = g(); CALL;"], "g()->x": ["<?php CALL;"]},
    "perl": {"$p": ["sub f { my ($p) = @_; CALL }", "my $p = g(); CALL;"], "$g->{x}": ["CALL;"]},
    "lua": {"p": ["function f(p) CALL end", "local p = g() CALL"], "g.x": ["CALL"]},
}


def place_of_code(function: Function) -> int | None:
    """Return which argument a function runs; None for a function that runs none."""
    for argument, role in function.arguments.items():
        if role in ("command", "code") or role.startswith("code:"):
            return ORDINALS.get(argument, 0) if argument not in ("object", "named") else None
    return 0 if function.reader in READERS else None


def spell(language: str, name: str) -> str:
    """Return how a function is called by its name."""
    first, _, rest = name.partition(".")
    if language in ("perl", "php"):
        return ("$x->" + rest) if not first else name.replace(".", "::")
    if language == "ruby":
        owner, _, last = name.rpartition(".")
        return ("x" if not first else owner.replace(".", "::")) + "." + last if rest else name
    if not first:
        return "x" + name
    if language == "javascript" and (rest or "-" in name):
        return f"require('{first}')" + ("." + rest if rest else "")
    return name


def _is_code(kind: str) -> bool:
    return kind.startswith("code.")


@pytest.mark.parametrize("language", FORMS)
def test_what_runs_something_unknown_says_so(language: str) -> None:
    silent: list[str] = []
    for name, function in read_functions(language).items():
        at = place_of_code(function)
        for argument, forms in FORMS[language].items() if at is not None else ():
            call = f"{spell(language, name)}({', '.join(['1'] * (at or 0) + [argument])})"
            texts = [form.replace("CALL", call) for form in forms]
            silent += [
                text for text in texts if not any(kind.startswith("code.") for kind in kinds(read(language, text)))
            ]
    assert silent == []
