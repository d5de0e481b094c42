"""Deep recursion in one piece of memory: a function with room is called like the one that it calls."""

from __future__ import annotations

import ast

import pytest

from interlock import Action, Engine
from interlock.analyse.python import walk
from interlock.analyse.stack_room import SLOTS, with_stack_room


def test_a_function_with_room_gives_what_the_function_gives() -> None:
    def depth(left: int, *, step: int = 1) -> int:
        """Return how deep it went."""
        return 0 if left <= 0 else 1 + depth(left - step, step=step)

    roomy = with_stack_room(depth)
    assert roomy(300) == 300
    assert roomy(300, step=3) == 100
    assert roomy.__doc__ == "Return how deep it went."


def test_an_error_passes_through() -> None:
    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        with_stack_room(fail)()


def test_the_frame_needs_a_chunk_with_room_for_others() -> None:
    roomy = with_stack_room(lambda: None)
    assert roomy.__code__.co_stacksize == SLOTS


def test_a_long_text_is_walked_with_room_and_like_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    roomy: list[int] = []
    walk_with_room = walk._walk_with_room

    def note_walk(walker: walk.PythonWalker, statements: list[ast.stmt]) -> None:
        roomy.append(len(statements))
        walk_with_room(walker, statements)

    monkeypatch.setattr(walk, "_walk_with_room", note_walk)
    text = "import shutil\n\ndef clean():\n    shutil.rmtree('/srv/data')\n\nclean()\n"
    engine = Engine()
    short = engine.decide(Action.python(text))
    assert not roomy
    long = engine.decide(Action.python(text + "# more\n" * walk.LONG))
    assert roomy == [3]
    assert long.verdict == short.verdict
    assert [one.kind for one in long.assessment.effects] == [one.kind for one in short.assessment.effects]
