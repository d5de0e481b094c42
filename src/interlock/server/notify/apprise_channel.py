"""E-mail, Teams, Discord, ntfy, Pushover and many other services through Apprise. Messages have a link to answer."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import quote

import msgspec

from interlock.config.channels import ChannelConfigError, ChannelSettings
from interlock.errors import InterlockError
from interlock.sanitise import plain
from interlock.server.notify.apprise_process import AppriseResult, Job
from interlock.server.notify.apprise_url import check_apprise_url, check_service
from interlock.server.notify.channel import ENDED, ChannelError, Notification, Receipt
from interlock.server.notify.stored_settings import StoredSettings
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.store.clock import format_time

RECIPIENT = "{recipient}"
MAX_ERROR, MAX_RECIPIENT = 200, 200
TIMEOUT_SECONDS = 30.0
_PROGRAM = (sys.executable, "-I", "-m", "interlock.server.notify.apprise_process")
#: Variables that the process needs to find certificates and, for URLs of the configuration, a proxy.
_KEPT = ("PATH", "SYSTEMROOT", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "LANG", "LC_ALL")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")


class AppriseChannel:
    """Sends through the URL of the channel, in which `{recipient}` stands for a person's address.

    Without such a URL, each person enters a whole one. Those, and the URLs of stored channels, are held to an allow
    list and to the address policy; the URL of a configuration file may lead anywhere.
    """

    interactive = False

    def __init__(self, settings: ChannelSettings, policy: AddressPolicy) -> None:
        self.name, self._policy = settings.name, policy
        self._url = settings.read_secret("url") if settings.has_secret("url") else ""
        if self._url and RECIPIENT not in self._url:
            message = f"the URL needs `{RECIPIENT}` where a person's address belongs"
            raise ChannelConfigError(
                self.name, f"{message}, as `mailtos://user:password@smtp.example.com?to={RECIPIENT}`"
            )
        self._guarded = not self._url or isinstance(settings, StoredSettings)
        if self._url:
            (check_apprise_url if self._guarded else check_service)(self._url)

    @property
    def address_hint(self) -> str:
        """An example of what a person enters."""
        return "ann@example.com" if self._url else "ntfys://ntfy.sh/your-topic"

    def check_address(self, recipient: str) -> None:
        """Raise if nothing may be sent to an address."""
        if not self._url:
            check_apprise_url(recipient)
        elif len(recipient) > MAX_RECIPIENT or any(char in recipient for char in " ,;<>\"'\\"):
            raise InterlockError(f"the address for `{self.name}` must be a single one, as `{self.address_hint}`")

    def send(self, notification: Notification, recipient: str) -> Receipt:
        """Send a message."""
        self._run(notification.title, compose_body(notification), recipient)
        return Receipt({})

    def update(self, notification: Notification, recipient: str, receipt: Receipt) -> None:  # noqa: ARG002 - protocol
        """Send the outcome: what was sent before cannot be changed."""
        self._run(notification.title, compose_body(notification), recipient)

    def _run(self, title: str, body: str, recipient: str) -> None:
        result = run_job(self._job(title, body, recipient), proxied=not self._guarded)
        if not result.sent:
            why = plain(result.error)[:MAX_ERROR] or "the service did not accept the message"
            raise ChannelError(why, final=result.final)

    def _job(self, title: str, body: str, recipient: str) -> Job:
        try:
            self.check_address(recipient)
            secure = not self._guarded or check_apprise_url(self._url or recipient)
        except InterlockError as error:
            raise ChannelError(str(error), final=True) from None
        url = self._url.replace(RECIPIENT, quote(recipient, safe="")) if self._url else recipient
        inside = self._policy.inside
        return Job(url=url, title=title, body=body, guarded=self._guarded, secure=secure, inside=inside)


def run_job(job: Job, *, proxied: bool) -> AppriseResult:
    """Carry out a job in a process of its own."""
    names = (*_KEPT, *_PROXIES) if proxied else _KEPT
    environment = {name: os.environ[name] for name in names if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - this very program, and nothing of the job is an argument
            _PROGRAM,
            input=msgspec.json.encode(job),
            capture_output=True,
            env=environment,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return msgspec.json.decode(done.stdout, type=AppriseResult)
    except subprocess.TimeoutExpired:
        return AppriseResult(sent=False, error="the service did not answer in time")
    except msgspec.DecodeError:
        return AppriseResult(sent=False, error="the sending process failed")


def compose_body(notification: Notification) -> str:
    """Return the text of a message. What the agent wrote is quoted, and the only link is that to the request."""
    lines = [quote_untrusted(notification.summary)] if notification.approval_id else [notification.summary]
    lines += [f"{name}: {disarm(value)}" for name, value in notification.facts]
    if notification.ends_at is not None and notification.kind != ENDED:
        lines.append(f"Expires: {format_time(notification.ends_at)} UTC")
    action = "See the request" if notification.outcome else "Answer the request"
    return "\n".join([*lines, "", f"{action if notification.approval_id else 'Settings'}: {notification.url}"])


def quote_untrusted(text: str) -> str:
    """Return a text as code: services that render markup show it as it is.

    >>> quote_untrusted("echo `id` [Approve](https://evil.example) @everyone")
    "`echo 'id' [Approve](https[:]//evil.example) @everyone`"
    """
    return f"`{disarm(text)}`"


def disarm(text: str) -> str:
    """Return a text in which nothing becomes a link or ends the code that it is in."""
    return text.replace("`", "'").replace("://", "[:]//")


CHANNELS = {"apprise": lambda settings, policy, _journal: AppriseChannel(settings, policy)}
