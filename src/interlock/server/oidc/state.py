"""The state of a sign-in: signed, bound to one browser and one provider, valid for a few minutes, and usable once."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

import msgspec

from interlock.access.secrets import new_secret, secret_hash
from interlock.audit.chain import Transaction
from interlock.errors import ForbiddenError
from interlock.patterns import late
from interlock.server.authentication import Authenticator
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import used_states

STATE_SECONDS = 10 * 60
MAX_STATE = 2_000
_BROWSER = late(r"[\w-]{43}")
_INVALID = "this sign-in was not started in this browser, has expired, or was used already; start again"


class _StatePayload(msgspec.Struct, frozen=True, array_like=True):
    provider: str
    wanted: str
    expires_at: int
    random: str


class SignInStates:
    """Creates and checks states. `browser` is the secret in the cookie of the browser that signs in.

    The nonce and the PKCE verifier are derived from the browser's secret and the state, so that neither is stored.
    """

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    def create(self, provider: str, wanted: str, browser: str) -> str:
        """Return the state of a new sign-in."""
        with self._authenticator.journal.database.read() as connection:
            until = now_in(connection).wall + STATE_SECONDS * MICROSECONDS
        payload = _encode(msgspec.json.encode(_StatePayload(provider, wanted, until, secrets.token_hex(16))))
        return f"{payload}.{self._authenticator.sign(_text_to_sign(payload, browser))}"

    def use(self, state: str, provider: str, browser: str) -> str:
        """Use a state up; return the page that was wanted, or raise if the state is not valid here."""
        payload, _, signature = state.partition(".")
        if len(state) > MAX_STATE or not self._authenticator.has_signed(_text_to_sign(payload, browser), signature):
            raise ForbiddenError(_INVALID)
        try:
            found = msgspec.json.decode(_decode(payload), type=_StatePayload)
        except (msgspec.DecodeError, binascii.Error, ValueError):
            raise ForbiddenError(_INVALID) from None
        if found.provider != provider or not self._authenticator.journal.commit(lambda it: _use(it, state, found)):
            raise ForbiddenError(_INVALID)
        return found.wanted


def _use(transaction: Transaction, state: str, payload: _StatePayload) -> bool:
    """Mark a state as used; return whether it was valid until now."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    connection.run("DELETE FROM interlock_used_states WHERE expires_at < :at", at=at)
    row = {"hash": secret_hash(state), "expires_at": payload.expires_at}
    if payload.expires_at <= at or connection.row(
        "SELECT * FROM interlock_used_states WHERE hash = :hash", hash=row["hash"]
    ):
        return False
    connection.insert(used_states, row)
    return True


def browser_secret(cookie: str | None) -> str:
    """Return the secret of a browser: the one in its cookie, or a new one."""
    return cookie if cookie is not None and _BROWSER.fullmatch(cookie) else new_secret()


def nonce_for(state: str, browser: str) -> str:
    """Return the nonce of a sign-in."""
    return _derive("nonce", state, browser)


def verifier_for(state: str, browser: str) -> str:
    """Return the PKCE verifier of a sign-in."""
    return _derive("verifier", state, browser)


def _derive(purpose: str, state: str, browser: str) -> str:
    return _encode(hmac.digest(browser.encode(), f"{purpose} {state}".encode(), hashlib.sha256))


def _text_to_sign(payload: str, browser: str) -> str:
    return f"oidc {payload} {secret_hash(browser)}"


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
