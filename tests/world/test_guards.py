"""Guards over everything that can be called: methods, coroutines, asynchronous generators, objects."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from interlock import ActionRefused, Gate, InterlockError

BLOCK = """
[approvals]
unattended = "wait"
one_person = true

[[policies]]
policy_id = "no"
conditions = ["toolName=forbidden"]
action = "block"

[[policies]]
policy_id = "ask"
conditions = ["toolName=slow"]
action = "require_approval"
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A SQLite file: nothing here depends on the database."""
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def gate(configured: Callable[[str], Gate]) -> Gate:
    return configured(BLOCK)


def test_class_methods_and_static_methods(gate: Gate) -> None:
    class Desk:
        name = "desk"

        @gate.guard
        @classmethod
        def look_up(cls, key: str) -> str:
            return f"{cls.name} {key}"

        @gate.guard
        @staticmethod
        def get_total(value: int) -> int:
            return value + 1

        @gate.guard(tool_name="forbidden")
        @classmethod
        def remove(cls, key: str) -> str:
            return key

    assert (Desk.look_up("a"), Desk().look_up("b"), Desk.get_total(1)) == ("desk a", "desk b", 2)
    with pytest.raises(ActionRefused):
        Desk.remove("a")


def test_a_class_cannot_be_guarded(gate: Gate) -> None:
    with pytest.raises(InterlockError, match="`Thing` is a class"):

        @gate.guard
        class Thing:
            pass


class Reader:
    """An object with an asynchronous `__call__`."""

    async def __call__(self, key: str) -> str:
        await asyncio.sleep(0)
        return f"read {key}"


async def read(prefix: str, key: str) -> str:
    return f"{prefix} {key}"


def test_objects_and_partial_functions_that_are_asynchronous(gate: Gate) -> None:
    async def scenario() -> list[Any]:
        reader = gate.guard(tool_name="get_value")(Reader())
        partial = gate.guard(tool_name="get_value")(functools.partial(read, "part"))
        return [await reader("a"), await partial("b")]

    assert asyncio.run(scenario()) == ["read a", "part b"]


def test_an_asynchronous_generator(gate: Gate) -> None:
    closed: list[str] = []

    async def lines(count: int) -> AsyncIterator[Any]:
        try:
            for number in range(count):
                try:
                    got = yield number
                except KeyError:
                    got = "caught"
                if got:
                    yield got
        finally:
            closed.append("closed")

    async def scenario() -> None:
        guarded: Any = gate.guard(tool_name="get_lines")(lines)
        assert [one async for one in guarded(3)] == [0, 1, 2]
        stream = guarded(5)
        assert await anext(stream) == 0
        assert await stream.asend("sent") == "sent"
        assert await anext(stream) == 1
        assert await stream.athrow(KeyError()) == "caught"
        await stream.aclose()
        assert closed == ["closed", "closed"]
        refused: Any = gate.guard(tool_name="forbidden")(lines)
        with pytest.raises(ActionRefused):
            await anext(refused(1))

    asyncio.run(scenario())
