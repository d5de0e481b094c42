"""Guarded functions keep their signatures for type checkers, in programs that are checked strictly."""

from __future__ import annotations

from pathlib import Path

from mypy import api

PROGRAM = """
from collections.abc import AsyncIterator, Iterator
from typing_extensions import assert_type

from interlock import Gate, declare

gate = Gate()


@gate.guard
def plain(to: str, amount: float = 1.0) -> int:
    return 1


@gate.guard(does="payment.send", amount="amount", recipient=("to", "copy"))
async def pay(to: str, copy: list[str], *, amount: float) -> str:
    return to


@gate.guard(tool_name="x", does="tool.read", arguments={"query": "code:sql"}, flags=["routine"])
def rows(query: str) -> Iterator[int]:
    yield 1


@gate.guard()
async def stream(query: str) -> AsyncIterator[bytes]:
    yield b""


@declare(does="tool.read")
def declared(key: str) -> bytes:
    return b""


class Desk:
    @gate.guard
    def method(self, key: str) -> str:
        return key

    @classmethod
    @gate.guard(does="tool.read")
    def inner(cls, key: str) -> "Desk":
        return cls()

    @gate.guard
    @classmethod
    def outer(cls, key: str) -> "Desk":
        return cls()

    @gate.guard(does="tool.read")
    @staticmethod
    def static(key: str) -> bytes:
        return b""


async def right() -> None:
    assert_type(plain("a", amount=2.0), int)
    assert_type(await pay("a", [], amount=2.0), str)
    assert_type(rows("q"), Iterator[int])
    async for part in stream("q"):
        assert_type(part, bytes)
    assert_type(declared("k"), bytes)
    assert_type(Desk().method("k"), str)
    assert_type(Desk.inner("k"), Desk)
    assert_type(Desk.outer("k"), Desk)
    assert_type(Desk.static("k"), bytes)


async def wrong() -> None:
    plain(3)
    await pay("a", [])
    rows()
    Desk().method(key=3)
    Desk.outer()
    gate.guard(does=3)
"""


def test_a_program_that_is_checked_strictly(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    cache = Path(__file__).parent.parent / ".mypy_cache" / "guards"
    options = ["--strict", "--config-file=", "--no-error-summary", "--hide-error-context", f"--cache-dir={cache}"]
    said, failed, _ = api.run([*options, str(program)])
    first = PROGRAM.split("\n").index("    plain(3)") + 1
    wrong = [line.split(":")[1] for line in said.splitlines() if ": error:" in line]
    assert failed == ""
    assert sorted(set(wrong)) == [str(first + at) for at in range(6)], said
