"""A small OpenID Connect provider on this machine: discovery, authorization, tokens with real signatures, userinfo."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "interlock-client", "s3cret/with+odd chars"
Claims = dict[str, Any]


@functools.cache
def key_named(name: str) -> RSAKey:
    """Return a key for signatures, which all providers with a key of this name share: making one takes a second."""
    return new_key(name)


def new_key(name: str) -> RSAKey:
    """Return a new key for signatures."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


class Provider:
    """What a provider knows and does. Tests change its attributes to make it misbehave."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.keys = [key_named("first")]
        self.person: Claims = {}
        self.userinfo: Claims | None = None
        self.issued: dict[str, tuple[dict[str, str], Claims]] = {}  # the request and the person of each code
        self.sends_issuer = True
        self.page = False  # whether a person has to press a link, as at a real provider
        self.forge: Callable[[Claims], str] | None = None  # makes the ID token
        self.change: Claims = {}  # claims that replace those of the ID token
        self.documents: dict[str, Any] = {}  # replies that replace those of a path
        self.fetched: list[str] = []

    @property
    def metadata(self) -> Claims:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/logout",
            "authorization_response_iss_parameter_supported": self.sends_issuer,
        }

    def authorize(self, request: dict[str, str]) -> str:
        """Return where a person is led after they have signed in."""
        assert request["response_type"] == "code"
        assert request["client_id"] == CLIENT
        assert request["code_challenge_method"] == "S256"
        assert len(request["code_challenge"]) == 43
        assert "openid" in request["scope"].split()
        code = secrets.token_urlsafe(16)
        self.issued[code] = request, dict(self.person)
        back = {"code": code, "state": request["state"]} | ({"iss": self.issuer} if self.sends_issuer else {})
        return f"{request['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """Exchange a code."""
        pair = base64.b64encode(f"{CLIENT}:s3cret%2Fwith%2Bodd+chars".encode()).decode()
        if authorization != f"Basic {pair}":
            return 401, {"error": "invalid_client"}
        request, person = self.issued.pop(form.get("code", ""), ({}, {}))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if request.get("redirect_uri") != form.get("redirect_uri") or request.get("code_challenge") != challenge:
            return 400, {"error": "invalid_grant", "error_description": "the code is not for you"}
        at = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": at, "exp": at + 300, "nonce": request["nonce"], **person}
        claims |= self.change
        claims = {name: value for name, value in claims.items() if value is not None}
        signed = self.forge(claims) if self.forge else self.sign(claims)
        return 200, {"access_token": f"at-{person['sub']}", "token_type": "Bearer", "id_token": signed}

    def sign(self, claims: Claims) -> str:
        """Sign an ID token with the newest key."""
        key = self.keys[-1]
        return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.provider.fetched.append(url.path)
        if url.path == "/authorize":
            back = self.provider.authorize(query)
            if self.provider.page:
                self._reply(200, f'<title>Acme</title><a href="{back}">Continue</a>'.encode(), "text/html")
            else:
                self._reply(303, b"", "text/plain", location=back)
        elif url.path == "/logout":
            self._reply(200, f"<title>Acme</title>Signed out, back to {query['post_logout_redirect_uri']}".encode())
        else:
            documents = {
                "/.well-known/openid-configuration": self.provider.metadata,
                "/jwks": {"keys": [key.as_dict(private=False) for key in self.provider.keys]},
                "/userinfo": self.provider.userinfo or {"sub": self.provider.person["sub"]},
                **self.provider.documents,
            }
            found = documents.get(url.path)
            self._reply(
                404 if found is None else 200, found if isinstance(found, bytes) else json.dumps(found).encode()
            )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        status, found = self.provider.token(form, self.headers.get("authorization", ""))
        self._reply(status, json.dumps(found).encode())

    def _reply(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Print nothing."""


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run a provider until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    provider = Provider(server.server_port)
    server.RequestHandlerClass = type("Handler", (_Handler,), {"provider": provider})
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
