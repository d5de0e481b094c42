"""`Invoke-WebRequest` and `Invoke-RestMethod`: what is fetched, what is sent, and where it is put."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.powershell.binding import Bound, bind
from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet
from interlock.analyse.powershell.cmdlets.reading import keep_download
from interlock.analyse.powershell.files import read_file, touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.values import text_of, texts_of
from interlock.analyse.reading import NONE

_SENT = frozenset({"secret", "environment", "personal", "workspace", "history"})
_WEB = Cmdlet(
    "Invoke-WebRequest",
    order="Uri",
    takes={
        "Uri OutFile Method Body InFile Form Headers CustomMethod CM ContentType UserAgent TimeoutSec Credential": "-",
        "WebSession SV SessionVariable Proxy ProxyCredential MaximumRedirection TransferEncoding Certificate": "-",
        "CertificateThumbprint Token Authentication MaximumRetryCount RetryIntervalSec SslProtocol": "-",
        "ResponseHeadersVariable RHV StatusCodeVariable HttpVersion ConnectionTimeoutSeconds": "-",
    },
    switches={
        "UseBasicParsing UseDefaultCredentials DisableKeepAlive PassThru SkipCertificateCheck SkipHttpErrorCheck": "",
        "AllowUnencryptedAuthentication NoProxy Resume PreserveAuthorizationOnRedirect FollowRelLink": "",
        "SkipHeaderValidation AllowInsecureRedirect ProxyUseDefaultCredentials": "",
    },
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
    marks = _carried(call, bound, body, first) if sends else state.marks(bound.values.get("uri")) & _SENT
    urls = texts_of(bound.values.get("uri")) or (texts_of(call.given) if call.piped else [""])
    for url in urls[:8]:
        reading.url("net.send" if sends else "net.fetch", call.site, url, frozenset(marks))
    return _result(call, bound, urls[0])


def _carried(call: Invocation, bound: Bound, body: list[Any], first: int) -> frozenset[str]:
    """Return what goes out with a request: the marks of its body, headers and address."""
    marks = call.state.marks(*body, bound.values.get("uri")) & _SENT
    secret = any(effect.kind == "secret.read" for effect in call.state.reading.effects[first:])
    return marks | ({"secret"} if secret else NONE)


def _result(call: Invocation, bound: Bound, url: str) -> Any:
    paths = texts_of(bound.values.get("outfile"))
    for path in paths:
        touch(call.state, "fs.write", path, call.site, frozenset({"download"}))
        keep_download(call, path, url)
    return call.state.result(f"response of {text_of(url)}", frozenset({"download"}), url)


WEB: dict[str, Callable[[Invocation], Any]] = dict.fromkeys(("invoke-webrequest", "invoke-restmethod"), _web)
