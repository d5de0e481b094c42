"""One provider: the redirect to its sign-in page, and the exchange of the code for tokens."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlencode

from interlock.access.provider_sign_in import ProvidedPerson
from interlock.config.sign_in import OidcSettings
from interlock.server.oidc.claims import lacks_claims, merge_userinfo, person_from_claims
from interlock.server.oidc.id_token import TokenReply, verify_id_token
from interlock.server.oidc.metadata import Metadata, ProviderMetadata
from interlock.server.oidc.provider_http import ProviderError, ProviderHttp
from interlock.server.oidc.state import nonce_for, verifier_for

MAX_CODE = 4_000


class OidcProvider:
    """A provider of the configuration. `callback` is the URL that it sends people back to."""

    def __init__(self, settings: OidcSettings, callback: str) -> None:
        self.settings, self._callback = settings, callback
        self._http = ProviderHttp(settings)
        self._metadata = ProviderMetadata(settings, self._http)

    def authorization_url(self, state: str, browser: str) -> str:
        """Return the URL at which a person signs in."""
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        url = prepare_grant_uri(
            self._metadata.get().authorization_endpoint,
            self.settings.client_id,
            "code",
            redirect_uri=self._callback,
            scope=list(self.settings.scopes),
            state=state,
            nonce=nonce_for(state, browser),
            code_challenge=create_s256_code_challenge(verifier_for(state, browser)),
            code_challenge_method="S256",
        )
        return str(url)

    def check_issuer(self, issuer: str | None) -> None:
        """Raise unless a response comes from this provider, and not from another one that was mixed up with it."""
        required = self._metadata.get().authorization_response_iss_parameter_supported
        if issuer != self.settings.issuer and (issuer is not None or required):
            raise ProviderError(f"the response does not come from {self.settings.label}; start again")

    def person(self, code: str, state: str, browser: str) -> ProvidedPerson:
        """Exchange a code for tokens, verify them, and return the person whom they describe."""
        if not 0 < len(code) <= MAX_CODE:
            raise ProviderError(f"{self.settings.label} sent no valid code; start again")
        metadata = self._metadata.get()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback,
            "code_verifier": verifier_for(state, browser),
        }
        credentials, headers = self._authenticate(metadata)
        reply = self._http.post(metadata.token_endpoint, {**fields, **credentials}, headers, TokenReply)
        claims = verify_id_token(self.settings, self._metadata, reply, nonce_for(state, browser))
        return person_from_claims(self.settings, self._add_userinfo(metadata, reply, claims))

    def _add_userinfo(self, metadata: Metadata, reply: TokenReply, claims: Mapping[str, Any]) -> Mapping[str, Any]:
        if metadata.userinfo_endpoint is None or reply.access_token is None or not lacks_claims(self.settings, claims):
            return claims
        found = self._http.get(metadata.userinfo_endpoint, dict[str, Any], token=reply.access_token)
        if found.get("sub") != claims["sub"]:
            raise ProviderError(f"{self.settings.label} sent details of another person; start again")
        return merge_userinfo(claims, found)

    def _authenticate(self, metadata: Metadata) -> tuple[dict[str, str], dict[str, str]]:
        """Return the form fields and the headers by which Interlock authenticates itself at the token endpoint."""
        secret, client_id = read_secret(self.settings), self.settings.client_id
        if secret is None:
            return {"client_id": client_id}, {}
        methods = metadata.token_endpoint_auth_methods_supported
        if "client_secret_basic" not in methods and "client_secret_post" in methods:
            return {"client_id": client_id, "client_secret": secret}, {}
        pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
        return {}, {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def sign_out_url(self, back: str) -> str | None:
        """Return the URL at which a person also signs out of the provider, if it has one."""
        endpoint = self._metadata.get().end_session_endpoint
        if endpoint is None:
            return None
        query = urlencode({"client_id": self.settings.client_id, "post_logout_redirect_uri": back})
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"


def read_secret(settings: OidcSettings) -> str | None:
    """Return the client's secret, or None for a public client; raise and name the place if it is not there."""
    if settings.secret_variable is not None:
        found, where = os.environ.get(settings.secret_variable, "").strip(), f"variable `{settings.secret_variable}`"
    elif settings.secret_file is not None:
        where = f"file `{settings.secret_file}`"
        try:
            found = Path(settings.secret_file).expanduser().read_text("utf-8").strip()
        except (OSError, ValueError):
            raise ProviderError(f"the secret for {settings.label} in {where} cannot be read; ask an admin") from None
    else:
        return None
    if not found:
        raise ProviderError(f"the secret for {settings.label} is missing in {where}; ask an admin")
    return found
