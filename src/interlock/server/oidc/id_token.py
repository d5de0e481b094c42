"""Verify ID tokens: their signature by a key of the provider, and every claim that ties them to this sign-in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.sign_in import OidcSettings
from interlock.server.oidc.metadata import ProviderMetadata
from interlock.server.oidc.provider_http import ProviderError

#: Asymmetric signatures only: with a symmetric one, a public key or the client's secret could forge a token.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
#: How far the clocks of the provider and this machine may differ, in seconds.
LEEWAY = 60
MAX_TOKEN = 200_000
MAX_SUBJECT = 255


class TokenReply(msgspec.Struct, frozen=True):
    """The reply of a token endpoint."""

    id_token: str
    access_token: str | None = None


def verify_id_token(
    settings: OidcSettings, metadata: ProviderMetadata, reply: TokenReply, nonce: str
) -> Mapping[str, Any]:
    """Return the claims of an ID token, or raise."""
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import JoseError

    try:
        token = jwt.decode(reply.id_token, metadata.keys(_key_id(reply.id_token)), algorithms=list(ALGORITHMS))
        claims = CodeIDToken(
            token.claims,
            token.header,
            {
                "iss": {"essential": True, "value": settings.issuer},
                "aud": {"essential": True, "value": settings.client_id},
                "sub": {"essential": True},
                "nonce": {"essential": True, "value": nonce},
            },
            {"client_id": settings.client_id, "nonce": nonce, "access_token": reply.access_token},
        )
        claims.validate(now=int(time.time()), leeway=LEEWAY)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise ProviderError(f"{settings.label} sent an ID token that is not valid: {_reason(error)}") from None
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
        raise ProviderError(f"{settings.label} sent an ID token without a usable subject")
    return dict(claims)


def _key_id(token: str) -> str | None:
    """Return the id of the key that a token names, before anything about the token is verified."""
    from joserfc import jws

    if len(token) > MAX_TOKEN:
        raise ValueError("too long")
    found = jws.extract_compact(token.encode()).headers().get("kid")
    return found if isinstance(found, str) else None


def _reason(error: Exception) -> str:
    """Return the kind of an error in words. Its own text may quote the token."""
    claim = getattr(error, "claim", None)
    code = str(getattr(error, "error", "") or "malformed").replace("_", " ")
    return f"{code} `{claim}`" if claim else code
