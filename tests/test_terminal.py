"""The prompt, as somebody at a real terminal meets it: a process of its own on a pseudo terminal, and no mocks."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Action
from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.terminal.line_editor import MAX_LENGTH, LineEditor
from interlock.approval.terminal.terminal import Terminal
from interlock.errors import InterlockError
from tests.asking import request

ROOT = Path(__file__).parent.parent
STYLES = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[\?2004[hl]")
PATIENCE = 60  # only for a test that is about to fail
PUSH = Action.shell("git push --force origin main", cwd="/home/sam/shop", home="/home/sam")
SCOPES = "o, r, a or n › "
QUIZ = "or n to reject › "
WHY = "reason (or just Enter) › "


class Person:
    """Somebody at a terminal: sees what is printed, types, and leaves."""

    def __init__(self, folder: Path) -> None:
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
        self.found = termios.tcgetattr(self.slave)
        self.raw = b""
        self.seen = 0
        self.result = folder / "result.json"
        self.process: subprocess.Popen[bytes] | None = None

    def starts(self, *, stdin: int | None = None, env: dict[str, str] | None = None, **wish: Any) -> None:
        wish = {"action": PUSH.to_dict(), "needs": {"challenge": "confirm"}, **wish}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.asking", json.dumps(wish), str(self.result)],
            stdin=self.slave if stdin is None else stdin,
            stdout=self.slave,
            stderr=self.slave,
            cwd=ROOT,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": "src", "TERM": "xterm-256color", "INTERLOCK_PROMPT": "", **(env or {})},
        )

    def sees(self, text: str) -> str:
        """Wait until a text is on the screen, after what was seen before, and return what stands before it."""
        until = time.monotonic() + PATIENCE
        while (at := self.screen.find(text, self.seen)) < 0:
            assert time.monotonic() < until, f"`{text}` never came:\n{self.screen[self.seen :]}"
            self._look(0.1)
        before, self.seen = self.screen[self.seen : at], at + len(text)
        return before

    @property
    def screen(self) -> str:
        return STYLES.sub(b"", self.raw).decode("utf-8", "replace").replace("\r\n", "\n")

    def _look(self, seconds: float) -> bool:
        ready = bool(select.select([self.master], [], [], seconds)[0])
        if ready:
            self.raw += os.read(self.master, 65_536)
        return ready

    def types(self, text: str) -> None:
        os.write(self.master, text.encode())

    def ends(self) -> Any:
        """Wait for the end and return the answer; the terminal must be as it was found."""
        self.leaves()
        assert self.process is not None
        assert self.process.returncode == 0, self.screen
        return json.loads(self.result.read_text())

    def leaves(self) -> None:
        assert self.process is not None
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            self._look(0.05)
        while self._look(0):
            pass
        assert termios.tcgetattr(self.slave) == self.found
        assert self.raw.count(b"\x1b[?2004h") == self.raw.count(b"\x1b[?2004l")

    def hangs_up(self) -> None:
        for descriptor in (self.slave, self.master):
            with contextlib.suppress(OSError):
                os.close(descriptor)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    somebody = Person(tmp_path)
    yield somebody
    if somebody.process is not None:
        somebody.process.kill()
        somebody.process.wait()
    somebody.hangs_up()


def choice_of(action: Action, number: int, right: bool) -> str:
    """Return the key of a right or a wrong answer to a question about an action."""
    question = challenge_for(request(action, challenge="quiz")).questions[number]
    return str(next(i for i, text in enumerate(question.choices, 1) if (text == question.right) is right))


def test_approved_once_after_the_reading_time(person: Person) -> None:
    person.starts(reading=0.05)
    person.sees("You can answer in 0.05 seconds")
    person.sees(SCOPES)
    person.types("o\r")
    person.sees(WHY)
    person.types("the branch is mine\r")
    person.sees("Approved: the branch is mine")
    answer = person.ends()
    assert (answer["verdict"], answer["scope"], answer["approver"]) == ("approve", "once", "sam")
    assert answer["reason"] == "the branch is mine"
    assert answer["challenge"]["passed"]
    assert answer["challenge"]["seconds"] >= 0.05


@pytest.mark.parametrize(("typed", "scope"), [("r", "run"), ("RUN", "run"), ("a", "always"), ("yes", "once")])
def test_scopes(person: Person, typed: str, scope: str) -> None:
    person.starts()
    person.sees(SCOPES)
    person.types(f"{typed}\r")
    person.sees(WHY)
    person.types("\r")
    answer = person.ends()
    assert (answer["verdict"], answer["scope"], answer["reason"]) == ("approve", scope, "")


def test_no_is_no_and_may_say_why(person: Person) -> None:
    person.starts()
    person.sees(SCOPES)
    person.types("n\r")
    person.sees(WHY)
    person.types("not on a Friday\r")
    answer = person.ends()
    assert (answer["verdict"], answer["reason"]) == ("reject", "not on a Friday")


def test_what_is_not_offered_is_not_taken(person: Person) -> None:
    person.starts(remember=False)
    assert "always" not in person.sees("o or n › ")
    for typed in ("a", "r", "always", "", "perhaps"):
        person.types(f"{typed}\r")
        person.sees("o or n › ")
    person.types("o\r")
    person.sees(WHY)
    person.types("\r")
    assert person.ends()["scope"] == "once"


def test_a_needed_reason_is_asked_for_again(person: Person) -> None:
    person.starts(needs={"challenge": "confirm", "reason": True})
    person.sees(SCOPES)
    person.types("o\r")
    person.sees("reason (required) › ")
    person.types("  \r")
    person.sees("reason (required) › ")
    person.types("ticket 7\r")
    assert person.ends()["reason"] == "ticket 7"


def test_what_was_typed_before_the_prompt_answers_nothing(person: Person) -> None:
    person.types("o\r\r")
    person.starts()
    person.sees(SCOPES)
    person.types("n\r")
    person.sees(WHY)
    person.types("\r")
    assert person.ends()["verdict"] == "reject"


def test_what_is_typed_while_reading_answers_nothing(person: Person) -> None:
    person.starts(reading=3_600)
    person.sees("You can answer in 3600 seconds")
    person.types("o\r\r")
    person.types("\x03")
    answer = person.ends()
    assert (answer["verdict"], answer["reason"], answer["challenge"]) == ("reject", "no answer", None)


def test_what_comes_with_an_answer_answers_no_other_question(person: Person) -> None:
    person.starts(needs={"challenge": "quiz"}, typed=len("1\r1\ro\r\r"))
    person.sees(QUIZ)
    person.types("1\r1\ro\r\r")
    person.sees("Can this be undone?")
    person.sees(QUIZ)
    person.types("n\r")
    person.sees(WHY)
    person.types("\r")
    answer = person.ends()
    assert (answer["verdict"], answer["challenge"]) == ("reject", None)


def test_pasted_text_answers_nothing(person: Person) -> None:
    person.starts()
    person.sees(SCOPES)
    person.types("\x1b[200~o\r\x1b[201~\r")
    person.sees("Pasted text is not accepted here")
    person.sees(SCOPES)
    person.types("o\r")
    person.sees(WHY)
    person.types("\x1b[200~see\nticket 7\x1b[201~\r")  # a reason may be pasted
    assert person.ends()["reason"] == "see ticket 7"


def test_a_quiz_that_is_passed(person: Person) -> None:
    person.starts(needs={"challenge": "quiz"})
    for number in range(2):
        person.sees(QUIZ)
        person.types(f"{choice_of(PUSH, number, True)}\r")
    person.sees(SCOPES)
    person.types("o\r")
    person.sees(WHY)
    person.types("\r")
    answer = person.ends()
    assert answer["verdict"] == "approve"
    assert answer["challenge"]["answers"] == ["origin main", "No, it cannot be undone"]


def test_a_wrong_answer_fails_the_quiz_and_is_not_told(person: Person) -> None:
    person.starts(needs={"challenge": "quiz"})
    person.sees(QUIZ)
    person.types("9\r")
    person.sees(QUIZ)
    person.types(f"{choice_of(PUSH, 0, False)}\r")
    person.sees(QUIZ)
    person.types(f"{choice_of(PUSH, 1, True)}\r")
    answer = person.ends()
    assert (answer["passed"], answer["why"]) == (False, "not every answer was correct")
    assert answer["wrong"] == [challenge_for(request(PUSH, challenge="quiz")).questions[0].text]
    assert "verdict" not in answer  # it rejects nothing


def test_a_teach_back_is_asked_until_it_explains(person: Person) -> None:
    person.starts(needs={"challenge": "teach_back"})
    person.sees(QUIZ)
    person.types("ok\r")
    person.sees("Not yet: 15 words of your own are needed, found 1.")
    person.sees(QUIZ)
    person.types("This replaces whatever is on origin main with my local commits, so work of others may vanish.\r")
    person.sees(SCOPES)
    person.types("o\r")
    person.sees(WHY)
    person.types("\r")
    assert person.ends()["challenge"]["passed"]


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "end of input"])
@pytest.mark.parametrize("challenge", ["confirm", "quiz", "teach_back"])
def test_giving_up_is_a_rejection(person: Person, key: str, challenge: str) -> None:
    person.starts(needs={"challenge": challenge})
    person.sees(" › ")
    person.types(f"o{key}")
    answer = person.ends()
    assert (answer["verdict"], answer["reason"]) == ("reject", "no answer")


def test_a_line_that_is_hung_up_is_a_rejection(person: Person) -> None:
    person.starts(hangup=True)
    person.sees(SCOPES)
    person.hangs_up()
    assert person.process is not None
    assert person.process.wait(PATIENCE) == 0
    answer = json.loads(person.result.read_text())
    assert (answer["verdict"], answer["reason"]) == ("reject", "no answer")


def test_somebody_else_was_faster(person: Person) -> None:
    person.starts(ended=True)
    person.sees("The request was answered elsewhere")
    assert person.ends() is None


@pytest.mark.parametrize("reading", [0, 3_600])
def test_time_runs_out(person: Person, reading: float) -> None:
    person.starts(calls=3, reading=reading)
    person.sees("The request has expired.")
    assert person.ends() is None


def test_a_process_that_is_ended_leaves_the_terminal_in_order(person: Person) -> None:
    person.starts()
    person.sees(SCOPES)
    assert person.process is not None
    assert termios.tcgetattr(person.slave) != person.found
    person.process.send_signal(signal.SIGTERM)
    person.leaves()
    assert person.process.returncode == -signal.SIGTERM


HOSTILE = "git push -f\x1b[2J\x1b[1;1H\x1b]0;owned\x07\x9b2K\r\u202e\x7f\x08\nwhy       it is harmless"


def test_control_characters_of_an_action_are_shown_and_do_nothing(person: Person) -> None:
    action = Action.shell(HOSTILE, agent_id="x\x1b[2J", cwd="/tmp/\x1b[2J")
    person.starts(action=action.to_dict(), needs={"challenge": "quiz"})
    shown = person.sees(QUIZ)
    person.types("\x03")
    person.ends()
    rest = STYLES.sub(b"", person.raw).decode("utf-8")
    assert all(char.isprintable() or char in "\r\n" for char in rest)
    assert "\\x1b[2J\\x1b[1;1H\\x1b]0;owned\\x07\\x9b2K\\r\\u202e\\x7f\\x08" in "".join(shown.split("\n  │ "))
    assert "\n  │ why       it is harmless" in shown
    assert "\n  why       it is harmless" not in shown


def test_a_long_command_is_cut_and_its_danger_shown(person: Person) -> None:
    action = Action.shell("\n".join(f"echo {number}" for number in range(300)) + "\nrm -rf /srv/data")
    person.starts(action=action.to_dict())
    shown = person.sees(SCOPES)
    person.types("\x03")
    person.ends()
    assert shown.count("  │ ") == 40
    assert "cut here" in shown
    assert "look at   line 301: rm -rf /srv/data" in shown


AVAILABLE = [
    ({}, "here", True),
    ({"INTERLOCK_PROMPT": "never"}, "here", False),
    ({"TERM": "dumb"}, "here", False),
    ({}, "background", False),
]


@pytest.mark.parametrize(("env", "where", "expected"), AVAILABLE)
def test_where_somebody_can_be_asked(person: Person, env: dict[str, str], where: str, expected: bool) -> None:
    person.starts(available=where, env=env)
    assert person.ends() is expected


def test_nobody_can_be_asked_where_the_input_is_no_terminal(person: Person) -> None:
    person.starts(available="here", stdin=subprocess.DEVNULL)
    assert person.ends() is False


def test_asking_without_a_terminal_says_so(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests.test_terminal import ask_nowhere\n"
        "ask_nowhere()\n"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": "src"},
        check=False,
    )
    assert done.stdout.decode().strip() == "there is no terminal to show the prompt on", done.stderr.decode()


def ask_nowhere() -> None:
    try:
        Terminal().ask(request(PUSH), "sam", poll=lambda: False, seconds_left=lambda: None)
    except InterlockError as error:
        sys.stdout.write(str(error))


LINES = [
    (b"once\r", "once", True),
    (b"on\x7f\x7fno\n", "no", True),
    (b"abc\x15n\r", "n", True),
    (b"\x1b[A\x1b[1;5Co\x1bOP\r", "o", True),
    (b"\x1bxo\r", "o", True),
    (b"\xc3\xa9t\xc3\xa9\r", "été", True),
    (b"\xff\xfeo\r", "o", True),
    (b"\x00\x01o\t\r", "o", True),
    (b"o", "o", False),
    (b"\x7f\x15o\rn\r", "o", True),
    (b"x" * 5_000 + b"\r", "x" * MAX_LENGTH, True),
]


@pytest.mark.parametrize(("keys", "text", "done"), LINES)
@pytest.mark.parametrize("size", [1, 4_096])
def test_a_line_is_what_was_typed(keys: bytes, text: str, done: bool, size: int) -> None:
    line = LineEditor()
    echo = ""
    for at in range(0, len(keys), size):
        if not line.done:
            echo += line.feed(keys[at : at + size])
    assert (line.text, line.done) == (text, done)
    assert all(char.isprintable() or char == "\b" for char in echo)


def test_erasing_takes_as_much_room_as_was_echoed() -> None:
    line = LineEditor()
    assert line.feed("日".encode()) == "日"
    assert line.feed(b"\x7f") == "\b \b" * 2
    assert line.feed(b"\x7f") == ""
