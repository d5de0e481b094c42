"""Cmdlets that fetch and send: what goes out, what comes in, and where it is put."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.addresses.destinations import is_public_host
from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE
from interlock.analyse.powershell.binding import BoundArguments, bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply, keep_download
from interlock.analyse.powershell.files import read_file, touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.loops import MAILING
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.values import text_of, texts_of

_SENT = frozenset({"secret", "environment", "personal", "workspace", "history", "carried"})
_WEB = Parameters(
    positional="Uri",
    valued=(
        "Uri OutFile Method Body InFile Form Headers CustomMethod CM ContentType UserAgent TimeoutSec "
        "Credential WebSession SV SessionVariable Proxy ProxyCredential MaximumRedirection TransferEncoding "
        "Certificate CertificateThumbprint Token Authentication MaximumRetryCount RetryIntervalSec "
        "SslProtocol ResponseHeadersVariable RHV StatusCodeVariable HttpVersion ConnectionTimeoutSeconds"
    ),
    switches=(
        "UseBasicParsing UseDefaultCredentials DisableKeepAlive PassThru SkipCertificateCheck "
        "SkipHttpErrorCheck AllowUnencryptedAuthentication NoProxy Resume PreserveAuthorizationOnRedirect "
        "FollowRelLink SkipHeaderValidation AllowInsecureRedirect ProxyUseDefaultCredentials"
    ),
)


def _web(call: Invocation) -> Any:
    """Read a request."""
    bound = bind(call.arguments, _WEB)
    state, reading = call.state, call.state.reading
    method = (bound.text("method") or bound.text("custommethod") or bound.text("cm")).lower()
    body = [bound.values[name] for name in ("body", "form") if name in bound.values]
    body += [call.given] if call.piped and "body" not in bound.values and call.given is not None else []
    first = len(reading.effects)
    for path in texts_of(bound.values.get("infile")):
        body.append(read_file(state, path, call.site))
    sends = bool(body) or method not in ("", "get", "head", "options", "default")
    marks = _request_marks(call, bound, body, first) if sends else state.marks(bound.values.get("uri")) & _SENT
    urls = texts_of(bound.values.get("uri")) or (texts_of(call.given) if call.piped else [""])
    for url in urls[:8]:
        reading.url("net.send" if sends else "net.fetch", call.site, url, frozenset(marks))
    return _result(call, bound, urls[0])


def _request_marks(call: Invocation, bound: BoundArguments, body: list[Any], first: int) -> frozenset[str]:
    """Return what goes out with a request: the marks of its body, headers and address."""
    marks = call.state.marks(*body, bound.values.get("uri")) & _SENT
    secret = any(effect.kind == "secret.read" for effect in call.state.reading.effects[first:])
    return marks | ({"secret"} if secret else NONE)


def _result(call: Invocation, bound: BoundArguments, url: str) -> Any:
    paths = texts_of(bound.values.get("outfile"))
    for path in paths:
        touch(call.state, "fs.write", path, call.site, frozenset({"download"}))
        keep_download(call, path, url)
    return call.state.result(f"response of {text_of(url)}", frozenset({"download"}), url)


def _transfer(call: Invocation) -> Any:
    """`Start-BitsTransfer`: from an address into a file, or the other way round."""
    cmdlet = CMDLETS["start-bitstransfer"]
    bound = bind(call.arguments, cmdlet)
    target = bound.text("destination")
    if not is_url(target):
        return apply(call, "start-bitstransfer", cmdlet, bound)
    first = len(call.state.reading.effects)
    body = [read_file(call.state, path, call.site) for path in texts_of(bound.values.get("source"))]
    call.state.reading.url("net.send", call.site, target, _request_marks(call, bound, body, first))
    return None


def _resolve(call: Invocation) -> Any:
    """`Resolve-DnsName`: a name that is asked for leaves the machine, and so does what it is made of."""
    cmdlet = CMDLETS["resolve-dnsname"]
    marks = call.marks() & _SENT
    if marks:
        names = [text for argument in call.arguments for text in texts_of(argument.value)]
        call.state.reading.url("net.send", call.site, names[0] if names else "", marks | {"dns"})
    return apply(call, "resolve-dnsname", cmdlet, bind(call.arguments, cmdlet))


def _mail(call: Invocation) -> Any:
    """`Send-MailMessage`: what is attached or stands in the text leaves with the message."""
    cmdlet = CMDLETS["send-mailmessage"]
    bound = bind(call.arguments, cmdlet)
    reading, first = call.state.reading, len(call.state.reading.effects)
    result = apply(call, "send-mailmessage", cmdlet, bound)
    carried = "attachments" in bound.values or "carried" in call.marks()
    people = [one for name in ("to", "cc", "bcc") for one in texts_of(bound.values.get(name))]
    outside = not people or any(HOLE in one or is_public_host(one) for one in people)
    if len(people) >= MAILING or any("carried" in call.state.marks(one) for one in people):
        reading.mark_effects(first, "message.send", frozenset({"many"}))
    if carried and outside:
        reading.mark_effects(first, "message.send", frozenset({"attached", "carried", "elsewhere"}))
    return result


WEB: dict[str, Callable[[Invocation], Any]] = {
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod"), _web),
    "start-bitstransfer": _transfer,
    "send-mailmessage": _mail,
    **dict.fromkeys(("resolve-dnsname", "test-connection", "test-netconnection"), _resolve),
}
