"""Fixtures: the server as a user starts it, and a real browser."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, expect, sync_playwright

from tests.at_terminal import Terminal, run_at_terminal
from tests.browser.chromium import find, find_shell

SHOTS = os.environ.get("INTERLOCK_SHOTS")
#: How long a page may take, in milliseconds: so long that a busy machine fails no test.
PATIENCE = 60_000
#: One process draws all pages: to start another for each costs more than most pages.
FLAGS = """--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync
    --renderer-process-limit=1""".split()


class Site:
    """A running server, and the commands that a user runs beside it."""

    def __init__(self, folder: Path, config: str = "", store: str | None = None) -> None:
        self.home = folder / "own"
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "interlock.toml").write_text(config)
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "INTERLOCK_HOME": str(self.home)}
        self._environment.pop("INTERLOCK_STORE", None)
        if store is not None:
            self._environment["INTERLOCK_STORE"] = store
        self.start()

    def start(self) -> None:
        """Start the server; `link` is the sign-in link that it prints."""
        self._terminal = Terminal()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "interlock", "serve", "--port", str(self.port)],
            env=self._environment,
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **self._terminal.options,
        )
        assert self._process.stdout is not None
        said = ""
        for line in self._process.stdout:
            said += line
            if found := re.search(r"http\S+/sign-in/\S+", line):
                self.link = found[0]
            if "creates a key for one" in line:
                return
        raise AssertionError(f"the server did not start: {said}")

    def kill(self) -> None:
        """Kill the server, as a power failure would."""
        self._process.kill()
        self._process.communicate()
        self._terminal.close()

    def stop(self) -> str:
        """Stop the server; return the rest of its output."""
        self._process.terminate()
        said, _ = self._process.communicate(timeout=30)
        self._terminal.close()
        return str(said)

    def run(self, *words: str, typed: Iterable[str] = ()) -> str:
        """Run a command at a terminal."""
        command = [sys.executable, "-m", "interlock", *words]
        done = run_at_terminal(command, self._environment, self.home, typed)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def call(self, method: str, path: str, key: str, body: object = None) -> Any:
        """Call the API."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error
        return json.loads(text) if text else None

    def ask(self, key: str, command: str, wait: int = 0, **more: object) -> Any:
        """Ask whether a command may run, as an agent does."""
        where = {"cwd": "/home/sam/shop", "workspace": "/home/sam/shop", "home": "/home/sam"}
        body = {"toolName": "Bash", "inputPayload": {"command": command}, "runId": "run-shop-1", **where, **more}
        return self.call("POST", f"/v1/evaluate?wait={wait}", key, body)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("site"))
    yield found
    found.stop()


@pytest.fixture(scope="module")
def agent(site: Site) -> str:
    return site.run("keys", "create", "shop-agent", "--workspace", "/home/sam/shop", "--home", "/home/sam")


@pytest.fixture(scope="package")  # it runs an event loop, in which no other can be started
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The browser of most tests, which is a headless shell where there is one."""
    with _launched(playwright, find_shell()) as found:
        yield found


@pytest.fixture
def whole_browser(playwright: Playwright) -> Iterator[Browser]:
    """A browser that shows notifications."""
    with _launched(playwright, find()) as found:
        yield found


@contextmanager
def _launched(playwright: Playwright, path: str | None) -> Iterator[Browser]:
    assert path, "there is no browser; `make browser` finds or installs one"
    found = playwright.chromium.launch(executable_path=path, args=FLAGS)
    yield found
    found.close()


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Open pages in a new browser context, and fail if a page reports an error."""
    yield from _contexts(browser)


@pytest.fixture
def opened_whole(whole_browser: Browser) -> Iterator[Open]:
    """The same in a browser that shows notifications."""
    yield from _contexts(whole_browser)


def _contexts(browser: Browser) -> Iterator[Open]:
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(width: int = 1280, height: int = 900, **more: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
        return page

    yield make
    for context in contexts:
        for page in context.pages:
            _leave(page)
        context.close()
    assert errors == []


def _leave(page: Page) -> None:
    """Show an empty page: closing one that loads again can hang. Its own loading may interrupt this, so try again."""
    for _ in range(5):
        with suppress(Error):
            page.goto("about:blank")
            return


def enter(page: Page, link: str) -> Page:
    """Sign in with a one-time link."""
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)
    return page


@pytest.fixture(scope="module")
def signed(site: Site, browser: Browser) -> dict[str, Any]:
    """The cookies of the admin, signed in once for all tests of a file: without a page, which `enter` tests."""
    context = browser.new_context()
    answer = context.request.post(site.link)
    assert (answer.ok, answer.url) == (True, f"{site.url}/"), answer.url
    state: Any = context.storage_state()
    context.close()
    return dict(state)


def ready(page: Page) -> None:
    """Wait until a page receives live updates, and its scripts run."""
    expect(page.locator("#live")).to_have_class("live on")


def shot(page: Page, name: str) -> None:
    """Save a screenshot, if screenshots are requested."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=f"{SHOTS}/{name}.png")
