"""Files that a tool saved from a mail, a chat, a page or a drive are not the project's own code."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from interlock import Action
from tests.run_calls import PROJECT, stops_last, tool, write

ATTACHMENT = tool("mail.save_attachment", message_id="1", filename="list.txt", path=f"{PROJECT}/inbox/list.txt")
STOPPED: dict[str, Sequence[Action | str]] = {
    "copied and run": [ATTACHMENT, "cp inbox/list.txt scripts/prices.py", "python scripts/prices.py"],
    "moved and run": [ATTACHMENT, "mv inbox/list.txt tools/run.sh", "bash tools/run.sh"],
    "saved under a name in a folder": [
        tool("slack_download_file", file_id="F1", file_name="conv.py", target_dir="scripts"),
        tool("drive_download", file_id="1x", filename="conv.py", destination=f"{PROJECT}/scripts/"),
        "python scripts/conv.py",
    ],
    "loaded by tests": [tool("browser_download", url="https://x.example/a", save_to="tests/conftest.py"), "pytest -q"],
}
PASSING: dict[str, Sequence[Action | str]] = {
    "looked at": [ATTACHMENT, "wc -l inbox/list.txt", "cp inbox/list.txt data/list.txt", "pytest -q"],
    "written by the agent": [tool("editor.save_file", path=f"{PROJECT}/a.py", content="print(1)"), "pytest -q"],
    "replaced by the agent": [ATTACHMENT, write("scripts/prices.py", "print(1)\n"), "python scripts/prices.py"],
    "uploaded": [tool("drive_upload", path=f"{PROJECT}/scripts/a.py"), "pytest -q"],
}


@pytest.mark.parametrize("name", STOPPED)
def test_saved_files_need_approval_to_run(name: str) -> None:
    assert stops_last(STOPPED[name])


@pytest.mark.parametrize("name", PASSING)
def test_other_files_run(name: str) -> None:
    assert not stops_last(PASSING[name])
