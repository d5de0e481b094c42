"""How a request looks."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from interlock import Action
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.approval.terminal.render import render_request
from tests.asking import request
from tests.test_challenges import actions

WHERE: dict[str, Any] = {"cwd": "/home/sam/shop", "workspace": "/home/sam/shop", "home": "/home/sam"}
PUSH = Action.shell("rm -rf build out && git push -f origin main", **WHERE)


def text(approval: Approval, width: int = 80, *, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=colour, color_system="standard" if colour else None, highlight=False
    )
    console.print(render_request(approval, 0))
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


LOOK = """
  Approval needed                                               high · 51 of 100
────────────────────────────────────────────────────────────────────────────────

  Bash  in /home/sam/shop
  │ rm -rf build out && git push -f origin main

  why       Force push can overwrite remote history
            Recursive file deletion can cause irreversible data loss
  touches   deletes    /home/sam/shop/build  with everything in it
            deletes    /home/sam/shop/out  with everything in it
            pushes to  origin main  by force
  undo      cannot be undone
  instead   git push --force-with-lease
            trash /home/sam/shop/build
  asked by  agent claude, run run_7f3a, started by sam
  time      4 min 55 s left

"""


def test_a_request_is_read_in_ten_seconds() -> None:
    assert text(request(PUSH)) == LOOK


def test_a_wide_terminal_is_not_filled_for_its_own_sake() -> None:
    assert max(map(len, text(request(PUSH), 200).split("\n"))) == 100


def test_the_dangerous_part_is_marked_and_the_rest_is_not() -> None:
    shown = text(request(PUSH), colour=True)
    assert "rm -rf build out && \x1b[1;31mgit push -f origin main\x1b[0m" in shown


def test_marks_move_with_a_masked_secret() -> None:
    whole = Action.shell("TOKEN=abcdefghijklmnop ./run && git push -f origin main", **WHERE)
    approval = request(whole)
    masked = msgspec.structs.replace(
        approval, action=Action.shell("TOKEN=*** ./run && git push -f origin main", **WHERE).to_dict()
    )
    assert "&& \x1b[1;31mgit push -f origin main\x1b[0m" in text(masked, colour=True)


def test_everything_that_a_call_is_given_is_shown() -> None:
    payload = {"file_path": "/etc/hosts", "content": "127.0.0.1 a\nfile_path: /tmp/x\n", "force": True}
    shown = text(request(Action(tool_name="Write", input_payload=payload)))
    assert "  │ /etc/hosts\n  │ content: 127.0.0.1 a\n  │   file_path: /tmp/x\n  │ force: True\n" in shown


def test_a_call_that_is_given_nothing_says_so() -> None:
    assert "  deploy\n  │ no arguments\n" in text(request(Action(tool_name="deploy")))


def test_who_has_answered_and_how_it_ended() -> None:
    answers = (Answer(approver="kim\x1b[2J", verdict=AnswerVerdict.REJECT, reason="not today"),)
    approval = request(PUSH, challenge="multi_party", approvers=2)
    shown = text(msgspec.structs.replace(approval, answers=answers, state=ApprovalState.REJECTED))
    assert "\n  Rejected  " in shown
    assert "needs     2 different people" in shown
    assert "answers   rejected by kim\\x1b[2J: not today" in shown
    assert "left" not in shown


def test_what_could_not_be_read_is_said() -> None:
    assert "unread    shell code that is not in the text" in text(request(Action.shell("cat x | sh")))


def test_many_things_are_listed_up_to_a_point() -> None:
    shown = text(request(Action.shell("rm -rf " + " ".join(f"d{n}" for n in range(40)), **WHERE)))
    assert shown.count("deletes  /home") == 12
    assert "…        and 28 more" in shown


def test_a_decision_that_says_nothing_is_shown_as_well() -> None:
    assert "Approval needed" in text(msgspec.structs.replace(request(PUSH), decision={}))


@given(actions, st.sampled_from([20, 80, 120]))
def test_nothing_in_an_action_reaches_the_terminal(action: Action, width: int) -> None:
    shown = text(request(action), width)
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert sum(line.startswith("  │") for line in shown.split("\n")) <= 40


def test_one_long_line_is_cut() -> None:
    assert "cut here: 5000 characters in 1 lines" in text(request(Action.shell("x" * 5_000)))


@pytest.mark.parametrize("command", ["x\n" * 500, "\u202e" * 5_000, "\n" * 500 + "rm -rf /", "\t" * 3_000])
def test_forty_lines_are_enough(command: str) -> None:
    shown = text(request(Action.shell(command)), 80)
    assert sum(line.startswith("  │") for line in shown.split("\n")) == 40
    assert "cut here" in shown
