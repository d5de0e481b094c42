"""A small SMTP server that keeps the messages it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


@dataclass
class Mailbox:
    """A running server: its port, and the recipients and messages that it got."""

    port: int = 0
    seen: list[tuple[list[str], EmailMessage]] = field(default_factory=list)

    def to(self, address: str) -> list[EmailMessage]:
        """Return the messages to an address."""
        return [message for recipients, message in self.seen if address in recipients]


class _Session(StreamRequestHandler):
    mailbox: Mailbox

    def handle(self) -> None:
        self._say("220 ready")
        recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            verb = line.upper()
            if verb.startswith("RCPT TO:"):
                recipients.append(line[8:].strip("<> "))
            if verb == "DATA":
                self._say("354 go on")
                message = message_from_bytes(self._read_message(), policy=policy.default)
                self.mailbox.seen.append((recipients, message))
                recipients = []
            self._say("221 bye" if verb == "QUIT" else "250 ok")
            if verb == "QUIT":
                return

    def _read_message(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        return b"".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def receiving_mail() -> Iterator[Mailbox]:
    """Run a mail server on a free port."""
    mailbox = Mailbox()
    with _Server(("127.0.0.1", 0), type("Session", (_Session,), {"mailbox": mailbox})) as server:
        mailbox.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield mailbox
        server.shutdown()
        thread.join()
