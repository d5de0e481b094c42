"""Find a Chromium, or install one, and print its path: `python -m tests.browser.chromium`.

The headless shell takes about half the processor time of the whole browser, so most tests use it. It shows no
notifications.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SHELL = "chromium-headless-shell"


def find() -> str | None:
    """Return the browser of this machine: from `CHROMIUM`, on the path, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or _find_own()


def find_shell() -> str | None:
    """Return the headless shell of this machine, or the whole browser if there is none."""
    if os.environ.get("CHROMIUM"):
        return find()
    return shutil.which(SHELL) or find()


def _find_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install() -> None:
    """Install what is missing: from the system's packages if possible, else Playwright's own browser."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        names = [name for name, is_there in (("chromium", find()), (SHELL, shutil.which(SHELL))) if not is_there]
        _run("sh", "-c", f"apt-get update -q && apt-get install -y -q --no-install-recommends {' '.join(names)}")
    if find() is None:
        _run(sys.executable, "-m", "playwright", "install", "chromium")


def _run(*command: str) -> None:
    print("browser: running", " ".join(command), flush=True)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def main() -> int:
    """Print which browser the tests use."""
    if "CHROMIUM" not in os.environ and not (find() and shutil.which(SHELL)):
        install()
    found = find()
    if found is None:
        print("browser: none; install Chromium, or say where it is with CHROMIUM=/path/to/chromium")
        return 1
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"browser: {found} ({version or 'unknown version'}); most tests: {find_shell()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
