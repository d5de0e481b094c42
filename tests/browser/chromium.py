"""Find a Chromium, or install one, and print its path: `python -m tests.browser.chromium`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """Return the browser of this machine: from `CHROMIUM`, on the path, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or _own()


def _own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install() -> None:
    """Install a browser: from the system's packages if possible, else Playwright's own."""
    tries = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        apt = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]
        tries = [["sh", "-c", "apt-get update -q && " + " ".join(apt)], *tries]
    for command in tries:
        print("browser: none found; running", " ".join(command), flush=True)
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0 and find():
            return


def main() -> int:
    """Print which browser the tests use."""
    if find() is None:
        install()
    found = find()
    if found is None:
        print("browser: none; install Chromium, or say where it is with CHROMIUM=/path/to/chromium")
        return 1
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"browser: {found} ({version or 'unknown version'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
