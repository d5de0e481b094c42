"""What is copied from a page that is not for everyone needs approval when it is pasted at another site."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from interlock import Action
from tests.run_calls import stops_last, tool

INTRANET, OUTSIDE = "https://intranet.shop.example/hr/absences", "https://pretty-tables.example/start"


def opened(url: str) -> Action:
    return tool("browser_navigate", url=url)


COPY, PASTE = tool("browser_press_key", key="Control+C"), tool("browser_press_key", key="Control+V")
STOPPED: dict[str, Sequence[Action | str]] = {
    "keys": [opened(INTRANET), COPY, opened(OUTSIDE), PASTE],
    "tools": [
        opened(INTRANET),
        tool("browser.copy", selector="table"),
        opened(OUTSIDE),
        tool("browser.paste", selector="#t"),
    ],
    "a button": [
        opened("https://www.shop.example/admin/payroll"),
        tool("browser_click", element="Button In Zwischenablage kopieren", ref="e3"),
        opened(OUTSIDE),
        tool("playwright_press_key", key="Meta+V"),
    ],
    "with other pages between": [opened(INTRANET), COPY, opened("http://localhost:3000/"), opened(OUTSIDE), PASTE],
}
PASSING: dict[str, Sequence[Action | str]] = {
    "from one public page to another": [opened("https://docs.python.org/3/"), COPY, opened(OUTSIDE), PASTE],
    "within the intranet": [opened(INTRANET), COPY, opened("https://intranet.shop.example/news"), PASTE],
    "into the project's own server": [opened(INTRANET), COPY, opened("http://localhost:3000/form"), PASTE],
    "another tool": [opened(INTRANET), tool("docs.copy", doc_id="d1", new_id="d2"), opened(OUTSIDE)],
}
HOURS = [opened(INTRANET), tool("calendar.list_events", calendar="me", start="2025-09-22")]


@pytest.mark.parametrize("name", STOPPED)
def test_copies_of_inner_pages_stay_inside(name: str) -> None:
    assert stops_last(STOPPED[name])


@pytest.mark.parametrize("name", PASSING)
def test_other_copies_pass(name: str) -> None:
    assert not stops_last(PASSING[name])


@pytest.mark.parametrize("text", ["7.5", "8", "08:30", "2025-09-22", "22.09.2025", "120", "yes", "Tab", "-3", "15 %"])
def test_values_that_tell_nothing_can_be_typed(text: str) -> None:
    assert not stops_last([*HOURS, tool("browser.type", selector="input[name=mon]", text=text)])


@pytest.mark.parametrize("text", ["Adaeze Oyelaran", "+49 170 5551234", "78500231", "sick since Monday", "a7Gk2"])
def test_other_values_need_approval(text: str) -> None:
    assert stops_last([*HOURS, tool("browser.type", selector="input[name=mon]", text=text)])
