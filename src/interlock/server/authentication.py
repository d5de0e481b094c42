"""The door: who a request comes from, by a key in its header or by a session's cookie, and what they may do."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from typing import Any, NamedTuple

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from interlock.access.keys import AccessKey, AccessKeys
from interlock.access.people import People
from interlock.access.roles import Caller, Right
from interlock.access.secrets import KEY_PREFIX, same, secret_hash, shared_secret
from interlock.access.sessions import Sessions
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.server.problems import Refused
from interlock.server.rate_limits import Limit
from interlock.server.single_flight import Once

#: How long somebody who has come in is not looked at again.
FRESH_SECONDS = 1.0
MAX_KNOWN = 4_096
OPEN = "open"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_HEADER, CSRF_FIELD = "x-csrf-token", "csrf"
#: Names under which somebody could have put a key into an address, where it would end up in logs.
_IN_ADDRESS = frozenset({"key", "api_key", "apikey", "token", "access_token", "authorization"})


class Come(NamedTuple):
    """Whoever has come in, and a new secret for their cookie where it is time for one."""

    caller: Caller
    secret: str | None = None


class Doors:
    """Lets people and programs in."""

    def __init__(self, journal: Journal, *, secure: bool) -> None:
        self.journal = journal
        self.people, self.keys = People(journal), AccessKeys(journal)
        self.sessions = Sessions(journal, self.people)
        self.secure = secure
        self.cookie = "__Host-interlock" if secure else "interlock"
        self._known: OrderedDict[str, tuple[float, Caller]] = OrderedDict()
        self._looked_up: Once[tuple[bool, Caller | None]] = Once()
        self._guesses = Limit(1, 30)
        self._secret = journal.commit(lambda transaction: shared_secret(transaction, "forms")).encode()

    async def come_in(self, connection: ASGIConnection[Any, Any, Any, Any], *, rotate: bool = True) -> Come | None:
        """Return who a request comes from, or None for nobody we know; raise for a key that is none."""
        given = connection.headers.get("authorization")
        if given is not None:
            return Come(await self._by_key(given, connection.client.host if connection.client else ""))
        secret = connection.cookies.get(self.cookie)
        return None if not secret else await self._by_session(secret, rotate=rotate)

    def _guessed(self, address: str) -> None:
        seconds = self._guesses.take(address)
        if seconds:
            raise Refused(429, "too many keys that are none; wait a moment", {"retry-after": str(int(seconds) + 1)})

    async def _by_key(self, header: str, address: str) -> Caller:
        scheme, _, secret = header.partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not secret.startswith(KEY_PREFIX):
            raise Refused(401, f"write `Authorization: Bearer {KEY_PREFIX}…`; `interlock keys create` makes a key")
        hashed = secret_hash(secret)
        caller = self._fresh(hashed)
        if caller is None:
            known, caller = await self._looked_up.of(hashed, lambda: self._look_up(secret, hashed))
            if not known:
                self._guessed(address)
        if caller is None:
            raise Refused(401, "this key is unknown, was taken back, has run out, or its owner was shut out")
        return caller

    async def _look_up(self, secret: str, hashed: str) -> tuple[bool, Caller | None]:
        """Return whether there is such a key, and who comes with it if it still counts."""
        if not await asyncio.to_thread(self.keys.is_there, secret):
            return False, None  # a guess takes nobody's turn to write
        key = await self.journal.acommit(lambda transaction: self._key_of(transaction, secret))
        if key is None:
            return True, None
        self._remember(hashed, key.caller)
        return True, key.caller

    def _key_of(self, transaction: Transaction, secret: str) -> AccessKey | None:
        key = self.keys.of_secret(transaction, secret)
        role = None if key is None else self.people.lends(transaction, key.owner, key.role)
        return None if key is None or role is None else msgspec.structs.replace(key, role=role)

    async def is_still_in(self, connection: ASGIConnection[Any, Any, Any, Any], right: Right) -> bool:
        """Whether who has come in may still do something: what was open to them does not stay so for ever."""
        try:
            come = await self.come_in(connection, rotate=False)
        except Refused:
            return False
        return come is not None and come.caller.may(right)

    async def _by_session(self, secret: str, *, rotate: bool) -> Come | None:
        hashed = secret_hash(secret)
        caller = self._fresh(hashed)
        if caller is not None:
            return Come(caller)
        found = await asyncio.to_thread(self.sessions.enter, secret, rotate=rotate)
        if found is None:
            return None
        if found.secret is None:
            self._remember(hashed, found.caller)
        return Come(found.caller, found.secret)

    def _fresh(self, hashed: str) -> Caller | None:
        known = self._known.get(hashed)
        return known[1] if known is not None and time.monotonic() - known[0] < FRESH_SECONDS else None

    def _remember(self, hashed: str, caller: Caller) -> None:
        self._known[hashed] = time.monotonic(), caller
        self._known.move_to_end(hashed)
        while len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)

    def forget(self) -> None:
        """Look at everybody again: what somebody may do was changed."""
        self._known.clear()

    # forms

    def csrf(self, caller: Caller) -> str:
        """Return the token that a form of this session carries."""
        return self.sign(f"csrf {caller.session_id}")

    def sign(self, text: str) -> str:
        """Return what only a server on this store makes of a text."""
        return hmac.new(self._secret, text.encode(), "sha256").hexdigest()


def check_address(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Refuse a key in an address: those are logged, kept in histories, and passed on."""
    query = connection.query_params
    for name in query:
        if name.lower() in _IN_ADDRESS or any(KEY_PREFIX in value for value in query.getall(name)):
            raise Refused(400, "a key in an address ends up in logs; revoke it, and send `Authorization: Bearer …`")


async def check_form(request: Request[Any, Any, Any], doors: Doors, caller: Caller) -> None:
    """Refuse what another site has sent in somebody's name."""
    if request.method in SAFE_METHODS or caller.session_id is None:
        return
    if is_foreign(request):
        raise Refused(403, "this was sent by another site")
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        given = str((await request.form()).get(CSRF_FIELD, ""))
    if not same(given or "", doors.csrf(caller)):
        raise Refused(403, f"the form is too old, or not ours; load the page again (header `{CSRF_HEADER}`)")


def is_foreign(request: Request[Any, Any, Any]) -> bool:
    """Whether a form was sent by another site than this one."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if site not in (None, "same-origin", "none"):
        return True
    return origin is not None and origin.partition("://")[2].lower() != request.headers.get("host", "").lower()


async def check_right(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Refuse what a caller may not do. A route says in `right` what it takes."""
    right = handler.opt["right"]
    if right == OPEN:
        return
    caller: Caller | None = connection.scope.get("user")
    if caller is None:
        raise Refused(401, "sign in, or send a key as `Authorization: Bearer …`")
    rights = right if isinstance(right, tuple) else (right,)
    if not any(caller.may(one) for one in rights):
        names = " or ".join(f"`{one.value}`" for one in rights)
        raise Refused(403, f"this takes the right to {names}, and `{caller.role.value}` does not have it")
