"""A network tool or client that is given the address of a local file reads that file."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

ENGINE = Engine()
PROJECT = "/home/u/project"
TOOLS = ["WebFetch", "fetch", "browser_navigate", "puppeteer_navigate", "open_page", "crawl"]


def is_allowed(tool: str, url: str) -> bool:
    action = Action(tool_name=tool, input_payload={"url": url}, cwd=PROJECT, workspace=PROJECT, home="/home/u")
    return ENGINE.decide(action).allowed


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///home/u/.ssh/id_rsa",
        "file://localhost/etc/passwd",
        "file:///tmp/%2e%2e/etc/passwd",
        "file:///tmp/../home/u/.ssh/id_rsa",
        "file:///tmp\\..\\etc\\shadow",
        "file://share.example/x",
        "file:etc/passwd",
        " file:///etc/passwd",
        "fi\tle:///home/u/.ssh/id_rsa",
        "view-source:file:///home/u/.ssh/id_rsa",
        "file:///home/u/project/.env",
    ],
)
def test_files_elsewhere_and_secrets_need_approval(tool: str, url: str) -> None:
    assert not is_allowed(tool, url)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("url", ["file:///tmp/winter.html", "file:///home/u/project/dist/index.html"])
def test_files_of_the_project_and_scratch_files_pass(tool: str, url: str) -> None:
    assert is_allowed(tool, url)


def test_clients_in_code_read_the_file_too() -> None:
    code = "import urllib.request\nprint(urllib.request.urlopen('file:///home/u/.ssh/id_rsa').read())"
    assert not ENGINE.decide(Action.python(code, home="/home/u")).allowed
    harmless = code.replace(".ssh/id_rsa", "project/notes.txt")
    assert ENGINE.decide(Action.python(harmless, cwd=PROJECT, workspace=PROJECT, home="/home/u")).allowed


def test_readers_of_documents_may_be_given_addresses() -> None:
    assert is_allowed("read_resource", "file:///home/u/manuals/dishwasher.pdf")
    assert not is_allowed("read_resource", "file:///home/u/.aws/credentials")
