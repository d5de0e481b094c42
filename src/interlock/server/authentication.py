"""Find out who sent a request: by the API key in its header, or by the cookie of a session."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Any, NamedTuple

import msgspec
from litestar.connection import ASGIConnection

from interlock.access.keys import AccessKey, AccessKeys
from interlock.access.last_used import KeyUses
from interlock.access.people import People
from interlock.access.roles import Caller, Right
from interlock.access.secrets import KEY_PREFIX, secret_hash
from interlock.access.sessions import LoginSessions
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.errors import StoreError, TamperedError
from interlock.server.problems import RequestError
from interlock.server.rate_limits import RateLimiter
from interlock.server.remembered_keys import STORE_SECONDS, RememberedKeys
from interlock.server.single_flight import SingleFlight

#: How long an authenticated caller is cached.
CACHE_SECONDS = 1.0
MAX_CACHED = 4_096
#: A cached caller is looked up again before it expires, by this many times the duration of the last lookup.
REFRESH_FACTOR = 2
#: Names of query parameters that keys are often put into.
_KEY_PARAMETERS = frozenset({"key", "api_key", "apikey", "token", "access_token", "authorization"})


class Authentication(NamedTuple):
    """Who sent a request, and the new secret for their cookie when the session's secret was rotated."""

    caller: Caller
    new_secret: str | None = None


class Authenticator:
    """Authenticates people by their session, and programs by their key."""

    def __init__(self, journal: Journal, *, secure: bool) -> None:
        self.journal = journal
        self.people, self.keys = People(journal), AccessKeys(journal)
        self.sessions = LoginSessions(journal, self.people)
        self.secure = secure
        self.cookie_name = "__Host-interlock" if secure else "interlock"
        self._cache: OrderedDict[str, tuple[float, Caller, float]] = OrderedDict()  # since when, and the lookup's time
        self._key_lookups: SingleFlight[tuple[bool, Caller | None]] = SingleFlight()
        self._unknown_keys = RateLimiter(1, 30)
        self._remembered = RememberedKeys()
        self.key_uses = KeyUses(journal.database)
        journal.commit(_drop_form_secret)

    async def authenticate(
        self, connection: ASGIConnection[Any, Any, Any, Any], *, rotate: bool = True
    ) -> Authentication | None:
        """Return who sent a request, or None without credentials; raise for a key that is not valid."""
        header = connection.headers.get("authorization")
        if header is not None:
            return Authentication(await self._authenticate_key(header, client_address(connection)))
        secret = connection.cookies.get(self.cookie_name)
        return None if not secret else await self._authenticate_session(secret, rotate=rotate)

    async def authenticate_in_outage(self, connection: ASGIConnection[Any, Any, Any, Any]) -> Authentication | None:
        """Do the same for a route that has to work while the store does not answer.

        A key that was valid a short while ago is accepted then. A tampered store does answer, and rejects it.
        """
        header = connection.headers.get("authorization")
        known = None if header is None else self._remembered.find(secret_hash(header.partition(" ")[2].strip()))
        if known is None:
            return await self.authenticate(connection)
        try:
            async with asyncio.timeout(STORE_SECONDS):
                return await self.authenticate(connection)
        except TamperedError:
            raise
        except (StoreError, TimeoutError):
            return Authentication(known)

    async def is_still_allowed(self, connection: ASGIConnection[Any, Any, Any, Any], right: Right) -> bool:
        """Whether the sender of a request, such as one that began a stream, still has a right."""
        try:
            identity = await self.authenticate(connection, rotate=False)
        except RequestError:
            return False
        return identity is not None and identity.caller.may(right)

    def sign(self, text: str) -> str:
        """Return the signature of a text by this machine, which every server of this store accepts."""
        key = self.journal.key
        return f"{key.key_id}-{key.sign(self._form_text(text))}"

    def has_signed(self, text: str, token: str) -> bool:
        """Whether a token is the signature of a text by a server of this store."""
        key_id, _, signature = token.partition("-")
        return self.journal.accepts(key_id, signature, self._form_text(text))

    def _form_text(self, text: str) -> bytes:
        return f"interlock form {self.journal.store_id} {text}".encode("utf-8", "surrogatepass")

    def clear_cache(self) -> None:
        """Look up every caller again: keys, people or sessions have changed."""
        self._cache.clear()
        self._remembered.clear()

    # keys

    async def _authenticate_key(self, header: str, address: str) -> Caller:
        scheme, _, secret = header.partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret.startswith(KEY_PREFIX):
            detail = f"write `Authorization: Bearer {KEY_PREFIX}…`; `interlock keys create` makes a key"
            raise RequestError(401, detail)
        hashed = secret_hash(secret)
        caller = self._find_cached_caller(hashed)
        if caller is not None and self._is_due(hashed):
            self._key_lookups.start(hashed, lambda: self._look_up_key(secret, hashed))
        if caller is None:
            exists, caller = await self._key_lookups.run(hashed, lambda: self._look_up_key(secret, hashed))
            if not exists:
                self._limit_unknown_keys(address)
        if caller is None:
            raise RequestError(401, "this key is unknown, revoked or expired, or its owner is suspended")
        return caller

    def _limit_unknown_keys(self, address: str) -> None:
        seconds = self._unknown_keys.take(address)
        if seconds:
            raise RequestError(429, "too many unknown keys; wait a moment", {"retry-after": str(int(seconds) + 1)})

    async def _look_up_key(self, secret: str, hashed: str) -> tuple[bool, Caller | None]:
        """Return whether there is such a key, and its caller if it is still valid."""
        began = time.monotonic()
        exists, key = await asyncio.to_thread(
            self.journal.read_verified,
            lambda transaction: self._find_key(transaction, secret),
            self.keys.queries(secret),
        )
        self._remembered.update(hashed, key)
        if key is None:
            self._cache.pop(hashed, None)
            return exists, None
        self._cache_caller(hashed, key.caller, time.monotonic() - began)
        self.key_uses.note(key.key_id)
        return True, key.caller

    def _find_key(self, transaction: Transaction, secret: str) -> tuple[bool, AccessKey | None]:
        """Return whether there is such a key, and the key if it is valid, with at most the rights of its owner."""
        if not self.keys.exists(transaction, secret):
            return False, None
        key = self.keys.find_valid(transaction, secret, self.people.queries)
        role = None if key is None else self.people.effective_role(transaction, key.owner, key.role)
        return True, None if key is None or role is None else msgspec.structs.replace(key, role=role)

    # sessions

    async def _authenticate_session(self, secret: str, *, rotate: bool) -> Authentication | None:
        hashed = secret_hash(secret)
        caller = self._find_cached_caller(hashed)
        if caller is not None:
            return Authentication(caller)
        session = await asyncio.to_thread(self.sessions.authenticate, secret, rotate=rotate)
        if session is None:
            return None
        if session.new_secret is None:
            self._cache_caller(hashed, session.caller)
        return Authentication(session.caller, session.new_secret)

    # cache

    def _find_cached_caller(self, hashed: str) -> Caller | None:
        cached = self._cache.get(hashed)
        return cached[1] if cached is not None and time.monotonic() - cached[0] < CACHE_SECONDS else None

    def _is_due(self, hashed: str) -> bool:
        """Whether a cached caller is due for another lookup, so that no request waits for a slow store later."""
        cached = self._cache.get(hashed)
        return cached is not None and time.monotonic() - cached[0] > CACHE_SECONDS - REFRESH_FACTOR * cached[2]

    def _cache_caller(self, hashed: str, caller: Caller, took: float = 0.0) -> None:
        self._cache[hashed] = time.monotonic(), caller, took
        self._cache.move_to_end(hashed)
        while len(self._cache) > MAX_CACHED:
            self._cache.popitem(last=False)


def client_address(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Return the address that a request came from."""
    return connection.client.host if connection.client else ""


def reject_key_in_url(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Raise for a key in a URL: URLs are logged, kept in browser histories, and passed on as referrers."""
    query = connection.query_params
    for name in query:
        if name.lower() in _KEY_PARAMETERS or any(KEY_PREFIX in value for value in query.getall(name)):
            raise RequestError(400, "a key in a URL ends up in logs; revoke it, and send `Authorization: Bearer …`")


def _drop_form_secret(transaction: Transaction) -> None:
    """Remove the secret with which earlier versions signed forms: it was in the store that the forms protect."""
    transaction.connection.run("DELETE FROM interlock_secrets WHERE name = 'forms'")
