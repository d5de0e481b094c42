"""`interlock hook`: answers an agent's call in this process; the daemon uses the same functions."""

import math
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import msgspec

from interlock.agents import DEADLINE_SECONDS
from interlock.agents.coding.agent import HookOutput
from interlock.agents.hook.answer import answer_call, refuse
from interlock.agents.reply import AnswerOptions
from interlock.approval.approver import NoApprover
from interlock.cli.deadline import seconds_elapsed
from interlock.cli.fallback import write_answer
from interlock.cli.hook_input import read_call
from interlock.config.load import find_central
from interlock.errors import InterlockError
from interlock.gate import Gate
from interlock.levels import Level

#: By how many seconds waiting for an approval ends before the deadline.
SPARE_SECONDS = 5.0


class HookOptions(msgspec.Struct, frozen=True):
    """The options of `interlock hook`."""

    agent: str
    event: str | None = None
    auto_approve: str | None = None
    wait: float = 0.0
    deadline: float = DEADLINE_SECONDS
    config: str | None = None
    store: str | None = None
    alone: bool = False

    @property
    def answer(self) -> AnswerOptions:
        """The options that say how the call is answered."""
        level = None if self.auto_approve is None else Level(self.auto_approve)
        most = max(0.0, self.deadline - SPARE_SECONDS)
        return AnswerOptions(level, min(self.wait, most), most)


_TEXTS = ("event", "config", "store")
_NUMBERS = ("wait", "deadline")


def parse_options(words: list[str]) -> HookOptions | None:
    """Return the options after `hook`, without the parser of the other commands, which takes longer than deciding.

    None: there is a mistake in them, which the other parser explains.

    >>> parse_options(["some-agent", "--wait=5", "--alone"]) == HookOptions("some-agent", wait=5.0, alone=True)
    True
    >>> [parse_options(words.split()) for words in ("agent --wiat=5", "--help", "agent --auto-approve critical")]
    [None, None, None]
    """
    found: dict[str, str | float | bool] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").replace("-", "_").partition("=")
        if word == "--alone":
            found["alone"] = True
            continue
        if not word.startswith("-"):
            name, value = "agent", word
        elif equals:
            value = word.partition("=")[2]
        elif rest:
            value = rest.pop(0)
        parsed = _parse_value(name, value)
        if parsed is None or name in found or (name != "agent" and not word.startswith("--")):
            return None
        found[name] = parsed
    return HookOptions(**found) if "agent" in found else None  # type: ignore[arg-type]


def _parse_value(name: str, value: str) -> str | float | None:
    if name == "agent" or name in _TEXTS:
        return value if value and not value.startswith("-") else None
    if name == "auto_approve":
        return value if value in ("low", "medium") else None
    if name not in _NUMBERS:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= 3_600 else None


GateOpener = Callable[[], AbstractContextManager[Gate]]


def answer_hook(options: HookOptions, call: bytes, open_gate: GateOpener, environment: Mapping[str, str]) -> HookOutput:
    """Return the answer to an agent."""
    return answer_call(
        options.agent, call, open_gate, event=options.event, environment=environment, options=options.answer
    )


def run_alone(options: HookOptions) -> int:
    """Answer one call of an agent in this process."""
    once = threading.Lock()  # taken by whichever answers first: this function or the timer
    late = threading.Timer(max(0.0, options.deadline - seconds_elapsed()), _refuse_late, (once, options))
    late.daemon = True
    late.start()

    def open_gate() -> Gate:
        return Gate(options.config, store=options.store, approver=NoApprover())

    output = answer_hook(options, read_call(), open_gate, os.environ)
    once.acquire()
    late.cancel()
    status = write_answer(output.stdout, output.stderr, output.status)
    _follow_server()
    return status


def _follow_server() -> None:
    """Start a pull in the background if this machine takes its policies from a server, and one is due."""
    try:
        settings = find_central()
    except InterlockError:
        return  # the configuration does not load, which is what the agent was just told
    if settings is not None:
        from interlock.central.background import pull_if_due

        pull_if_due(settings)


def _refuse_late(once: threading.Lock, options: HookOptions) -> None:
    """Refuse in time: an agent whose hook takes too long lets the action run."""
    if once.acquire(blocking=False):
        status = 2
        try:
            output = refuse(options.agent, options.event, f"deciding took longer than {options.deadline:g} seconds")
            status = write_answer(output.stdout, output.stderr, output.status)
        finally:
            os._exit(status)
