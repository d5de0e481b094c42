"""Send one message with Apprise, in a process of its own that can reach nothing but the addresses it may.

Apprise has plugins by a hundred authors, and people enter the URLs. So the process starts no program, writes no file,
reads none but its libraries, and connects to addresses that the policy permits, whatever a name resolves to and
wherever a redirect leads. It reads a `Job` from its standard input, and writes a `AppriseResult`.
"""

from __future__ import annotations

import logging
import ssl
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from interlock.server.webhooks.address_policy import AddressPolicy


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A message, the URL it goes to, and the rules for connections. Without `guarded`, any address is allowed."""

    url: str
    title: str
    body: str
    guarded: bool
    secure: bool
    inside: tuple[str, ...]


class AppriseResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a message was sent, and if not, why. `final` says that a retry would be pointless."""

    sent: bool
    error: str = ""
    final: bool = False


#: Who the messages are from, and no pictures, which services would fetch from Apprise's repository.
_SENDER = {"app_id": "Interlock", "app_desc": "Interlock", "image_url_mask": "", "image_url_logo": ""}
_ASSET: dict[str, Any] = {
    **_SENDER,
    "async_mode": False,
    "http_redirects": False,
    "pgp_autogen": False,
    "pem_autogen": False,
}
_PROGRAMS = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn", "ctypes.")
_DATAGRAMS = ("socket.sendto", "socket.sendmsg", "socket.bind")
_CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "shutil.")
_READABLE = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/share/zoneinfo")


def main() -> None:
    """Carry out the job."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    answer, sys.stdout = sys.stdout.buffer, sys.stderr  # what a plugin prints is no answer
    answer.write(msgspec.json.encode(send(job)))
    answer.flush()


def send(job: Job) -> AppriseResult:
    """Send a message, after shutting the process in."""
    try:
        import requests  # noqa: F401 - it tries out sockets when it is imported, which is forbidden later
        from apprise import Apprise, AppriseAsset, NotifyFormat
    except ImportError:
        return AppriseResult(
            sent=False, error="Apprise is not installed; run `pip install interlock[channels]`", final=True
        )
    said = _LastWarning()
    logging.getLogger("apprise").addHandler(said)
    apprise, refused = Apprise(asset=AppriseAsset(**_ASSET)), _restrict_process(job)
    if not apprise.add(job.url):
        return AppriseResult(sent=False, error=said.text or "the URL is not complete", final=True)
    sent = apprise.notify(body=job.body, title=job.title, body_format=NotifyFormat.TEXT)
    if sent:
        return AppriseResult(sent=True)
    return AppriseResult(sent=False, error=refused[-1] if refused else said.text, final=bool(refused))


def _restrict_process(job: Job) -> list[str]:
    """Forbid this process everything but sending; return the list to which refused attempts are added."""
    policy, refused = AddressPolicy(job.inside), []

    def permits(address: str) -> bool:
        return not job.guarded or policy.permits(address, secure=job.secure)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        problem = _find_problem(event, given, permits)
        if problem:
            refused.append(problem)
            raise PermissionError(problem)

    sys.addaudithook(hook)
    return refused


def _find_problem(event: str, given: tuple[Any, ...], permits: Callable[[str], bool]) -> str:
    """Return why an event is forbidden, or an empty text."""
    if event == "socket.connect":
        address = given[1][0] if isinstance(given[1], tuple) else ""
        return "" if permits(str(address)) else f"connections to {address or 'local sockets'} are not allowed"
    if event.startswith(_PROGRAMS) or event in _DATAGRAMS or event.startswith(_CHANGES):
        return f"`{event}` is not allowed"
    if event == "open" and isinstance(given[0], str | bytes) and not _may_open(given[0], given[1]):
        return "reading and writing files is not allowed"
    return ""


def _may_open(path: str | bytes, mode: object) -> bool:
    """Whether a file is one of the libraries or certificates, and only read."""
    name = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path
    if mode is not None and set(str(mode)) & set("wax+"):
        return name == "/dev/null"
    return any(Path(name).absolute().is_relative_to(folder) for folder in _FOLDERS)


def _folders() -> tuple[Path, ...]:
    places = ssl.get_default_verify_paths()
    certificates = (places.cafile, places.capath, places.openssl_cafile, places.openssl_capath)
    libraries = (sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return tuple(Path(one) for one in (*libraries, *_READABLE, *certificates, "/dev/null") if one)


_FOLDERS = _folders()


class _LastWarning(logging.Handler):
    """Keeps the last warning, by which Apprise says what went wrong."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning."""
        if record.levelno >= logging.WARNING:
            self.text = record.getMessage()


if __name__ == "__main__":
    main()
