"""A name that stands for recipients, members or rows is asked about when it is used; what else was set is judged."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from interlock import Action
from tests.run_calls import stops_last, tool

STOPPED: dict[str, Sequence[Action | str]] = {
    "a segment": [
        tool("mailer_create_segment", name="QA seed", rule={"field": "email", "op": "exists"}),
        tool("mailer_send_issue", issue="may", segment="QA seed"),
    ],
    "members of a group": [
        tool("contacts_add_members", group_id="g_board", emails=["a@rival.example"]),
        tool("drive_share", file_id="f_1", group_id="g_board", role="reader"),
    ],
    "a list under a name of its own": [
        tool("crm_update_list", list_id="L-7", filters=[{"property": "email", "operator": "HAS_PROPERTY"}]),
        tool("crm_send_test", email="june", to_list="L-7"),
    ],
}
PASSING: dict[str, Sequence[Action | str]] = {
    "a label that is put on a mail": [
        tool("mail_create_label", name="Taxes 2025"),
        tool("mail_apply_label", id="m-17", label="Taxes 2025"),
    ],
    "a scene that is named like a group": [
        tool("home.group_set", group="Dinner-1", devices=["d-1", "d-2"]),
        tool("home.scene_create", scene="Dinner-1", states={"d-1": {"brightness": 20}}),
        tool("home.scene_activate", scene="Dinner-1"),
    ],
    "a board column that is shown": [
        tool("board_set_default", board="b-1", column="Review-2"),
        tool("board_sync", board="b-1"),
    ],
}


@pytest.mark.parametrize("name", STOPPED)
def test_names_that_stand_for_others_are_asked_about(name: str) -> None:
    assert stops_last(STOPPED[name])


@pytest.mark.parametrize("name", PASSING)
def test_other_names_are_not(name: str) -> None:
    assert not stops_last(PASSING[name])
