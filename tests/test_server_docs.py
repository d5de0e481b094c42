"""Every call on the server's page is made, against a real server, and answers what the page says."""

from __future__ import annotations

import http.client
import json
import re
import shlex
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.browser.conftest import Site

PAGE = Path(__file__).parent.parent / "docs" / "server.md"
BLOCK = re.compile(r"^```console\n\$ (curl .*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8700"


def request_of(command: str) -> tuple[str, str, dict[str, str], str | None]:
    """Return the request that a call of curl makes."""
    words = iter(shlex.split(command)[1:])
    method, url, headers, body = "", "", dict[str, str](), None
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(words)
        else:
            url = word
    return method or ("POST" if body is not None else "GET"), url, headers, body


def send(site: Site, command: str) -> tuple[Any, str]:
    """Make a call; return what came back, and its tag."""
    method, url, headers, body = request_of(command.replace(ADDRESS, site.url))
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, f"{parts.path}?{parts.query}" if parts.query else parts.path, body, headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return json.loads(text), answer.getheader("etag") or ""


def fits(shown: Any, found: Any) -> bool:
    """Whether an answer is what a page shows: `…` stands for anything, and what is not shown does not matter."""
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(key in found and fits(value, found[key]) for key, value in shown.items())
    if isinstance(shown, list):
        if shown == ["…"]:
            return bool(found)
        return len(shown) == len(found) and all(map(fits, shown, found))
    return bool(found) if shown == "…" else bool(shown == found)


def test_the_page_tells_what_happens(tmp_path: Path) -> None:
    site = Site(tmp_path)
    known = {
        "AGENT": site.run("keys", "create", "shop-agent", "--owner", "sam"),
        "REVIEWER": site.run("keys", "create", "reviews", "--role", "reviewer", "--owner", "bob"),
        "ADMIN": site.run("keys", "create", "admin", "--role", "admin"),
    }
    try:
        for command, shown in BLOCK.findall(PAGE.read_text()):
            for name, value in known.items():
                command = command.replace(f"${name}", value)
            if "/approve " in command:
                time.sleep(3.1)
            found, tag = send(site, command)
            assert fits(json.loads(shown), found), f"{command}\n{shown}\n{json.dumps(found)[:2000]}"
            known["ETAG"] = tag.replace('"', '\\"') or known.get("ETAG", "")
            known["APPROVAL"] = (found.get("approval") or {}).get("approvalId") or known.get("APPROVAL", "")
            known["TICKET"] = (found.get("challenge") or {}).get("ticket") or known.get("TICKET", "")
    finally:
        site.stop()


def test_every_call_on_the_page_is_found() -> None:
    text = PAGE.read_text()
    assert [command for command, _ in BLOCK.findall(text)] == re.findall(r"^\$ (curl .*)$", text, re.MULTILINE)
