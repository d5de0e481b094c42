"""Sign-in with a company account: the whole flow against a real provider, and attacks that must fail."""

from __future__ import annotations

import base64
import hmac
import html
import json
import os
import re
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jws

from interlock.access.groups import Groups
from interlock.access.identities import Account, Identities
from interlock.access.roles import Role
from interlock.audit.keys import KeyRing
from interlock.audit.verify import verify
from interlock.gate import Gate
from interlock.server.rate_limits import RateLimiter
from interlock.store.clock import MICROSECONDS, now_in
from tests.server.client import Client, Reply
from tests.server.conftest import Serve
from tests.server.live_server import Running, served
from tests.server.oidc_provider import CLIENT, SECRET, Claims, Provider, key_named, new_key, running_provider

ANN = {"sub": "ann-1", "email": "ann@acme.com", "email_verified": True, "groups": ["eng"]}
ROLES = '[sign_in.oidc.acme.roles]\neng = "reviewer"\nsre = "admin"\n'


def configuration(provider: Provider, more: str = "", tables: str = "") -> str:
    return f"""
[sign_in.oidc.acme]
label = "Acme"
issuer = "{provider.issuer}"
client_id = "{CLIENT}"
secret_variable = "TEST_OIDC_SECRET"
groups_claim = "groups"
allowed_domains = ["acme.com"]
inside = ["127.0.0.1"]
create = true
{more}
{tables}
"""


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("TEST_OIDC_SECRET", SECRET)
    with running_provider() as found:
        found.person = dict(ANN)
        yield found


@pytest.fixture
def acme(serve: Serve, provider: Provider) -> Running:
    return serve(configured=configuration(provider, tables=ROLES))


@pytest.fixture(scope="module")
def _shared(_home: Path) -> Iterator[tuple[Running, Provider]]:
    with running_provider() as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEST_OIDC_SECRET", SECRET)
        (_home / "own" / "interlock.toml").write_text(configuration(found, tables=ROLES))
        with served(Gate(store=f"sqlite:///{_home / 'store.db'}")) as running:
            yield running, found


@pytest.fixture
def misled(_shared: tuple[Running, Provider]) -> Running:
    """A server for attempts that must fail and leave nothing behind, which share it."""
    server, found = _shared
    found.person, found.change, found.forge, found.documents = dict(ANN), {}, None, {}
    server.service.providers._known.clear()  # what is cached about the provider
    server.service.link_limiter = RateLimiter(1_000, 1_000)
    return server


@pytest.fixture
def misleading(_shared: tuple[Running, Provider], misled: Running) -> Provider:
    """The provider of that server."""
    return _shared[1]


class Visitor:
    """A browser, which keeps its cookies and follows no redirect by itself."""

    def __init__(self, server: Running) -> None:
        self.server, self.cookies = server, dict[str, str]()

    def get(self, path: str, **headers: str) -> Reply:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = Client(self.server.port, {"accept": "text/html", "cookie": cookie} | headers).send("GET", path)
        if "set-cookie" in reply.headers:
            name, _, value = reply.headers["set-cookie"].partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    def start(self, wanted: str = "/runs") -> str:
        """Begin to sign in; return the address at the provider."""
        reply = self.get(f"/sign-in/oidc/acme?{urlencode({'to': wanted})}")
        assert reply.status == 303, reply.body
        return reply.headers["location"]

    def back(self, wanted: str = "/runs") -> str:
        """Sign in at the provider; return the path that it leads back to."""
        return at_provider(self.start(wanted))

    def sign_in(self, wanted: str = "/runs") -> Reply:
        return self.get(self.back(wanted))

    @property
    def api(self) -> Client:
        return Client(self.server.port, {"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())})


def at_provider(url: str) -> str:
    """Visit the provider, which signs everybody in; return the path and query at Interlock that it leads to."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", f"{parts.path}?{parts.query}")
    reply = connection.getresponse()
    reply.read()
    connection.close()
    assert reply.status == 303
    there = urlsplit(reply.getheader("location") or "")
    return f"{there.path}?{there.query}"


def changed(path: str, **changes: str | None) -> str:
    """Return a path with other query parameters."""
    parts = urlsplit(path)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changes
    return f"{parts.path}?{urlencode({name: value for name, value in query.items() if value is not None})}"


def people(server: Running) -> dict[str, tuple[str, str]]:
    return {one.name: (one.role.value, one.state) for one in server.service.authenticator.people.list()}


def records(server: Running, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.reviewer("bob").get("/v1/audit", kind=kind).ok()["items"]
    return found


def assert_refused(visitor: Visitor, reply: Reply, *words: str) -> None:
    assert reply.status in (403, 502), reply
    assert not any(name == "interlock" for name in visitor.cookies)
    alert = re.search(r'role="alert">(.*?)</p>', html.unescape(reply.body.decode()), re.DOTALL)
    assert alert is not None, reply
    for word in words:
        assert word in re.sub("<.*?>", "", alert[1])
    assert visitor.api.get("/v1/runs").status == 401


# the way in


def test_a_new_person_gets_the_role_of_their_group(acme: Running, provider: Provider) -> None:
    page = acme.nobody.having(accept="text/html").get("/runs")
    assert page.body.index(b"Sign in with Acme") < page.body.index(b"Password")
    assert b"/sign-in/oidc/acme?to=%2Fruns" in page.body
    visitor = Visitor(acme)
    sent = parse_qs(urlsplit(visitor.start("/runs")).query)
    assert sent["redirect_uri"] == [f"http://127.0.0.1:{acme.port}/sign-in/oidc/acme/callback"]
    reply = visitor.sign_in("/runs?state=open")
    assert (reply.status, reply.headers["location"]) == (303, "/runs?state=open")
    visitor.api.get("/v1/runs").ok()
    assert visitor.api.get("/v1/people").status == 403
    assert people(acme) == {"ann@acme.com": ("reviewer", "active")}
    (added,) = records(acme, "person.added")
    assert added["actor"] == "oidc:acme"
    assert added["data"]["why"] == f"role set by group `eng` of {provider.issuer}"
    (linked,) = records(acme, "identity.linked")
    assert (linked["data"]["issuer"], linked["data"]["subject"]) == (provider.issuer, "ann-1")
    assert records(acme, "session.began")[0]["outcome"] == "oidc:acme"


def test_the_one_who_was_alone_is_told_about_the_second_person(acme: Running) -> None:
    lead, told = (
        acme.signed_in("lead", Role.ADMIN).having(accept="text/html"),
        b"You can no longer approve requests from",
    )
    assert told not in lead.get("/").body
    visitor = Visitor(acme)
    visitor.sign_in()
    assert told in lead.get("/").body
    assert told not in visitor.api.having(accept="text/html").get("/").body
    acme.service.authenticator.people.add("bob", Role.REVIEWER, "lead")
    assert told not in lead.get("/").body, "with three people, it is no news"


def test_roles_follow_groups_in_both_directions_at_once(acme: Running, provider: Provider) -> None:
    first = Visitor(acme)
    first.sign_in()
    provider.person["groups"] = ["eng", "sre"]
    second = Visitor(acme)
    second.sign_in()
    second.api.get("/v1/people").ok()
    first.api.get("/v1/people").ok()  # an older session has the new role
    provider.person["groups"] = ["eng"]
    Visitor(acme).sign_in()
    assert [one.api.get("/v1/people").status for one in (first, second)] == [403, 403]
    provider.person["groups"] = ["cooks"]
    third = Visitor(acme)
    assert_refused(third, third.sign_in(), "is in no group of Acme that has access")
    assert [one.api.get("/v1/runs").status for one in (first, second)] == [401, 401]
    assert people(acme) == {"ann@acme.com": ("reviewer", "in no group with a role")}
    provider.person["groups"] = ["sre"]
    assert Visitor(acme).sign_in().status == 303
    whys = [one["data"].get("why", "") for one in records(acme, "person.changed")]
    assert [why.partition(" of ")[0] for why in whys] == [
        "role set by group `sre`",
        "in no group with a role",
        "role set by group `eng`",
        "role set by group `sre`",
    ]
    assert verify(acme.service.journal.database, KeyRing([acme.service.journal.key.public])).good


def test_an_admin_who_shuts_a_person_out_is_stronger_than_their_groups(acme: Running) -> None:
    Visitor(acme).sign_in()
    acme.service.authenticator.people.change("ann@acme.com", "eve", state="shut out")
    visitor = Visitor(acme)
    assert_refused(visitor, visitor.sign_in(), "Your account is suspended")


def test_groups_of_the_provider_fill_groups_here(serve: Serve, provider: Provider) -> None:
    tables = ROLES + '[sign_in.oidc.acme.groups]\neng = "engineers"\nsre = "oncall"\nops = "fixed"\n'
    server = serve(configured=configuration(provider, tables=tables + '[roles]\nfixed = ["bob"]\n'))
    groups = Groups(server.service.journal)
    provider.person["groups"] = ["eng", "sre", "ops"]
    Visitor(server).sign_in()
    groups.add("oncall", "cid", "eve")
    groups.add("engineers", "bob", "eve")
    provider.person["groups"] = ["eng"]
    Visitor(server).sign_in()
    assert {one.name: one.names for one in groups.list()} == {"engineers": ("ann@acme.com", "bob"), "oncall": ("cid",)}
    provider.person["groups"] = []
    Visitor(server).sign_in()
    assert {one.name: one.names for one in groups.list()} == {"engineers": ("bob",), "oncall": ("cid",)}


def test_claims_may_come_from_userinfo(acme: Running, provider: Provider) -> None:
    provider.person = {"sub": "ann-1"}
    provider.userinfo = dict(ANN)
    assert Visitor(acme).sign_in().status == 303
    provider.userinfo = {**ANN, "sub": "bob-1"}
    visitor = Visitor(acme)
    assert_refused(visitor, visitor.sign_in(), "details of another person")


def test_keys_may_be_rotated(acme: Running, provider: Provider) -> None:
    assert Visitor(acme).sign_in().status == 303
    provider.keys = [key_named("second")]
    assert Visitor(acme).sign_in().status == 303
    assert provider.fetched.count("/jwks") == 2
    assert provider.fetched.count("/.well-known/openid-configuration") == 1


def test_signing_out_ends_the_session_and_offers_to_end_that_of_the_provider(acme: Running, provider: Provider) -> None:
    visitor = Visitor(acme)
    visitor.sign_in()
    person = acme.browser(visitor.cookies["interlock"])
    reply = person.post("/sign-out", b"")
    assert (reply.status, reply.headers["location"]) == (303, "/sign-in?out=acme")
    assert visitor.api.get("/v1/runs").status == 401
    assert b'href="/sign-out/acme"' in Client(acme.port, {"accept": "text/html"}).get("/sign-in", out="acme").body
    there = acme.nobody.get("/sign-out/acme").headers["location"]
    query = {"client_id": CLIENT, "post_logout_redirect_uri": f"http://127.0.0.1:{acme.port}/sign-in"}
    assert there == f"{provider.issuer}/logout?{urlencode(query)}"


def test_sessions_end_after_the_configured_hours(
    serve: Serve, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(configured=configuration(provider, "session_hours = 2", ROLES))
    visitor = Visitor(server)
    visitor.sign_in()

    def later(connection: Any) -> Any:
        at = now_in(connection)
        return at._replace(wall=at.wall + 2 * 3_600 * MICROSECONDS)

    visitor.api.get("/v1/runs").ok()
    monkeypatch.setattr("interlock.access.sessions.now_in", later)
    server.service.authenticator.clear_cache()
    assert visitor.api.get("/v1/runs").status == 401


# who may be created and linked


def test_an_existing_person_is_linked_by_an_admin_only(acme: Running, provider: Provider) -> None:
    acme.service.authenticator.people.add("ann@acme.com", Role.REVIEWER, "test")
    visitor = Visitor(acme)
    assert_refused(visitor, visitor.sign_in(), "is not linked to this Acme account; ask an admin")
    admin = acme.admin("eve")
    page = acme.signed_in("adam", Role.ADMIN).having(accept="text/html").get("/settings/sign-in").body.decode()
    assert "Waiting to be linked" in page
    assert "ann-1" in page
    given = {"person": "ann@acme.com", "provider": "acme", "subject": "ann-1"}
    linked = admin.post("/v1/identities", given).ok(201)
    assert visitor.sign_in().status == 303
    assert admin.post("/v1/identities", given).status == 409
    admin.send("DELETE", f"/v1/identities/{linked['identityId']}").ok()
    other = Visitor(acme)
    assert_refused(other, other.sign_in())
    acme.service.authenticator.people.add("root", Role.ADMIN, "test")
    assert "command line" in admin.post("/v1/identities", {**given, "person": "root"}).detail


def test_link_existing_links_once(serve: Serve, provider: Provider) -> None:
    server = serve(configured=configuration(provider, "link_existing = true", ROLES))
    server.service.authenticator.people.add("ann@acme.com", Role.REVIEWER, "test")
    assert Visitor(server).sign_in().status == 303
    provider.person["sub"] = "somebody-else"
    visitor = Visitor(server)
    assert_refused(visitor, visitor.sign_in(), "is not linked to this Acme account")


def test_an_address_that_was_given_to_somebody_else_does_not_take_over(acme: Running, provider: Provider) -> None:
    Visitor(acme).sign_in()
    provider.person["sub"] = "ann-2"
    visitor = Visitor(acme)
    assert_refused(visitor, visitor.sign_in(), "ann@acme.com", "already exists")
    provider.person = {**ANN, "email": "ann.smith@acme.com"}
    renamed = Visitor(acme)
    assert renamed.sign_in().status == 303
    assert list(people(acme)) == ["ann@acme.com"]


def test_a_second_provider_with_the_same_subject_is_another_account(acme: Running, provider: Provider) -> None:
    Visitor(acme).sign_in()
    elsewhere = Account(issuer="https://other.example", subject="ann-1", provider="other")
    (linked,) = Identities(acme.service.journal).list()
    assert elsewhere.identity_id != linked.identity_id


def test_without_create_only_known_people_sign_in(serve: Serve, provider: Provider) -> None:
    server = serve(configured=configuration(provider).replace("create = true", ""))
    visitor = Visitor(server)
    assert_refused(visitor, visitor.sign_in(), "There is no account for", "ask an admin to add you")
    assert people(server) == {}


def test_local_passwords_can_be_switched_off(serve: Serve, provider: Provider) -> None:
    server = serve(configured="[sign_in]\nlocal = false\n" + configuration(provider, tables=ROLES))
    assert b"Password" not in server.nobody.having(accept="text/html").get("/runs").body
    form = Client(server.port, {"content-type": "application/x-www-form-urlencoded"})
    assert "passwords are not accepted" in form.post("/sign-in", b"name=a&password=b").detail
    Visitor(server).sign_in()
    secret = server.service.authenticator.sessions.create_link("ann@acme.com")
    assert server.nobody.get(f"/sign-in/{secret}").status == 200


UNUSABLE: dict[str, tuple[Claims, str]] = {
    "unverified": ({"email_verified": False}, "has not verified your e-mail"),
    "verification missing": ({"email_verified": None}, "has not verified your e-mail"),
    "other domain": ({"email": "ann@evil.example"}, "may not sign in"),
    "look-alike domain": ({"email": "ann@acme.com.evil.example"}, "may not sign in"),
    "subdomain": ({"email": "ann@x.acme.com"}, "may not sign in"),
    "two addresses": ({"email": "ann@evil.example@acme.com/x"}, "may not sign in"),
    "no address": ({"email": None}, "sent no e-mail address"),
    "slash": ({"email": "ann/x@acme.com"}, "name that cannot be used"),
    "control characters": ({"email": "ann\u202e@acme.com"}, "name that cannot be used"),
    "look-alike letters": ({"email": "аnn@acme.com"}, "name that cannot be used"),
    "too many groups": ({"groups": None, "_claim_names": {"groups": "src1"}}, "there are too many"),
    "empty subject": ({"sub": ""}, "ID token"),
    "number as subject": ({"sub": 7}, "ID token"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_claims_that_are_not_enough(misled: Running, misleading: Provider, case: str) -> None:
    change, words = UNUSABLE[case]
    misleading.change = change
    visitor = Visitor(misled)
    assert_refused(visitor, visitor.sign_in(), words)
    assert people(misled) == {}


# attacks on the way back


def test_a_state_is_needed_and_counts_once(acme: Running, provider: Provider) -> None:
    visitor = Visitor(acme)
    path = visitor.back()
    state = parse_qs(urlsplit(path).query)["state"][0]
    payload, _, signature = state.partition(".")
    data = json.loads(base64.urlsafe_b64decode(payload + "=="))
    forged = base64.urlsafe_b64encode(json.dumps([data[0], "/settings", *data[2:]]).encode()).rstrip(b"=").decode()
    altered = state[:-1] + ("1" if state[-1] == "0" else "0")
    for wrong in (None, "", "x", f"{payload}.", f"{forged}.{signature}", altered):
        other = Visitor(acme)
        other.cookies = dict(visitor.cookies)
        assert_refused(other, other.get(changed(path, state=wrong)), "not started in this browser")
    assert visitor.get(path).status == 303
    replayed = Visitor(acme)
    replayed.cookies = {name: value for name, value in visitor.cookies.items() if name == "interlock-oidc"}
    assert_refused(replayed, replayed.get(path), "used already")


def test_a_sign_in_of_another_browser_is_not_accepted(misled: Running, misleading: Provider) -> None:
    """An attacker signs in, and makes a victim open the last link, so that the victim acts as the attacker."""
    attacker, victim = Visitor(misled), Visitor(misled)
    path = attacker.back()
    assert_refused(victim, victim.get(path), "not started in this browser")
    victim.start()  # now it has a cookie of its own
    assert_refused(victim, victim.get(path), "not started in this browser")


def test_a_code_of_another_sign_in_is_not_accepted(misled: Running, misleading: Provider) -> None:
    """An attacker has stolen a victim's code, and puts it into a sign-in of their own."""
    victim, attacker = Visitor(misled), Visitor(misled)
    stolen = parse_qs(urlsplit(victim.back()).query)["code"][0]
    path = changed(attacker.back(), code=stolen)
    assert_refused(attacker, attacker.get(path), "invalid_grant")


def test_a_token_of_another_sign_in_is_not_accepted(misled: Running, misleading: Provider) -> None:
    misleading.change = {"nonce": "of-another-sign-in"}
    visitor = Visitor(misled)
    assert_refused(visitor, visitor.sign_in(), "nonce")


def test_a_response_of_another_provider_is_not_accepted(misled: Running, misleading: Provider) -> None:
    for iss in ("https://evil.example", "", None):
        visitor = Visitor(misled)
        assert_refused(visitor, visitor.get(changed(visitor.back(), iss=iss)), "does not come from Acme")


@pytest.mark.parametrize("name", ["code", "state", "iss", "error"])
def test_a_response_that_can_be_read_in_two_ways_is_not_accepted(
    misled: Running, misleading: Provider, name: str
) -> None:
    for pattern in ("{path}&{more}&{more}", "{route}?{more}&{query}&{more}"):
        visitor = Visitor(misled)
        path = visitor.back()
        route, _, query = path.partition("?")
        given = pattern.format(path=path, route=route, query=query, more=urlencode({name: "of-another"}))
        assert_refused(visitor, visitor.get(given), "more than once")


def test_a_state_is_for_one_provider(serve: Serve, provider: Provider) -> None:
    second = configuration(provider).replace("oidc.acme", "oidc.other")
    server = serve(configured=configuration(provider) + second)
    visitor = Visitor(server)
    path = visitor.back().replace("/oidc/acme/", "/oidc/other/")
    assert_refused(visitor, visitor.get(path), "not started in this browser")


def encoded(*parts: Claims) -> str:
    return ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode() for one in parts)


def hs256(provider: Provider, claims: Claims) -> str:
    """Sign with the public key as if it were a shared secret."""
    text = encoded({"alg": "HS256", "kid": "first"}, claims)
    signature = hmac.digest(provider.keys[-1].as_pem(private=False), text.encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def unsigned(provider: Provider, claims: Claims) -> str:
    return encoded({"alg": "none", "kid": "first"}, claims) + "."


def foreign(provider: Provider, claims: Claims) -> str:
    """Sign with another key, which the token brings along."""
    key = new_key("first")
    head = {"alg": "RS256", "kid": "first", "jwk": key.as_dict(private=False)}
    return jws.serialize_compact(head, json.dumps(claims), key)


def altered(provider: Provider, claims: Claims) -> str:
    head, _, signature = provider.sign(claims).split(".")
    return f"{head}.{encoded({**claims, 'sub': 'root'})}.{signature}"


FORGERIES: dict[str, Callable[[Provider, Claims], str]] = {
    "alg none": unsigned,
    "HS256 with the public key": hs256,
    "a key of its own": foreign,
    "altered": altered,
    "no token": lambda _, __: "",
    "no JWT": lambda _, __: "a.b.c",
    "a very long one": lambda _, __: "a" * 300_000,
    "wrong audience": lambda one, claims: one.sign({**claims, "aud": "another-client"}),
    "two audiences without azp": lambda one, claims: one.sign({**claims, "aud": [CLIENT, "another"]}),
    "other azp": lambda one, claims: one.sign({**claims, "azp": "another"}),
    "wrong issuer": lambda one, claims: one.sign({**claims, "iss": "https://evil.example"}),
    "expired": lambda one, claims: one.sign({**claims, "exp": claims["iat"] - 3_600}),
    "issued in the future": lambda one, claims: one.sign({**claims, "iat": claims["iat"] + 3_600}),
    "no expiry": lambda one, claims: one.sign({name: value for name, value in claims.items() if name != "exp"}),
    "no nonce": lambda one, claims: one.sign({name: value for name, value in claims.items() if name != "nonce"}),
    "no subject": lambda one, claims: one.sign({name: value for name, value in claims.items() if name != "sub"}),
    "other access token": lambda one, claims: one.sign({**claims, "at_hash": "x" * 22}),
}


@pytest.mark.parametrize("how", FORGERIES)
def test_a_forged_token_signs_nobody_in(misled: Running, misleading: Provider, how: str) -> None:
    misleading.forge = lambda claims: FORGERIES[how](misleading, claims)
    visitor = Visitor(misled)
    assert_refused(visitor, visitor.sign_in(), "ID token")
    assert people(misled) == {}
    assert records(misled, "session.refused")[0]["name"] == "oidc:acme"


# attacks on where things lead


@pytest.mark.parametrize("wanted", ["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example"])
def test_signing_in_leads_nowhere_else(acme: Running, wanted: str) -> None:
    assert Visitor(acme).sign_in(wanted).headers["location"] == "/"


def test_the_host_header_does_not_decide_where_the_provider_leads_back(misled: Running) -> None:
    reply = Client(misled.port, {"host": f"localhost:{misled.port}"}).get("/sign-in/oidc/acme")
    assert reply.headers["location"].startswith(f"http://127.0.0.1:{misled.port}/sign-in/oidc/acme?")
    assert Client(misled.port, {"host": "evil.example"}).get("/sign-in/oidc/acme").status == 421
    forwarded = Client(misled.port, {"x-forwarded-host": "evil.example"}).get("/sign-in/oidc/acme").headers["location"]
    assert parse_qs(urlsplit(forwarded).query)["redirect_uri"][0].startswith(f"http://127.0.0.1:{misled.port}/")


BAD_DOCUMENTS: dict[str, tuple[str, Any, str]] = {
    "other issuer": ("issuer", "https://evil.example", "names another issuer"),
    "script": ("authorization_endpoint", "javascript:alert(1)", "not an https URL"),
    "plain http": ("authorization_endpoint", "http://evil.example/authorize", "not an https URL"),
    "metadata service": ("token_endpoint", "http://169.254.169.254/latest", "not a public address"),
    "internal address": ("jwks_uri", "https://10.0.0.1/jwks", "not a public address"),
    "a file": ("token_endpoint", "file:///etc/passwd", "has the form"),
    "no text": ("token_endpoint", 7, "cannot be read"),
}


@pytest.mark.parametrize("case", BAD_DOCUMENTS)
def test_a_discovery_document_that_leads_elsewhere(misled: Running, misleading: Provider, case: str) -> None:
    name, value, words = BAD_DOCUMENTS[case]
    misleading.documents["/.well-known/openid-configuration"] = {**misleading.metadata, name: value}
    visitor = Visitor(misled)
    reply = visitor.get("/sign-in/oidc/acme")
    if reply.status == 303:
        reply = visitor.get(at_provider(reply.headers["location"]))
    assert_refused(visitor, reply, words)


def test_an_issuer_at_an_internal_address_has_to_be_allowed(serve: Serve, provider: Provider) -> None:
    server = serve(configured=configuration(provider).replace('inside = ["127.0.0.1"]', ""))
    reply = Visitor(server).get("/sign-in/oidc/acme")
    assert reply.status == 502
    assert b"add it to <code>sign_in.oidc.acme.inside</code>" in reply.body
    assert provider.fetched == []


def test_huge_and_broken_replies_are_refused(misled: Running, misleading: Provider) -> None:
    for path, reply in (("/.well-known/openid-configuration", b"{" + b" " * 2_000_000), ("/jwks", b"[]")):
        misleading.documents = {path: reply}
        visitor = Visitor(misled)
        answer = visitor.get("/sign-in/oidc/acme")
        if answer.status == 303:
            answer = visitor.get(at_provider(answer.headers["location"]))
        assert_refused(visitor, answer)


def test_a_refusal_of_the_provider_is_shown_and_harmless(misled: Running, misleading: Provider) -> None:
    visitor = Visitor(misled)
    path = changed(visitor.back(), error="<b>access_denied</b>", code=None)
    reply = visitor.get(path)
    assert_refused(visitor, reply, "did not sign you in")
    assert b"<b>access" not in reply.body


def test_a_missing_secret_is_said(misled: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Visitor(misled)
    path = visitor.back()
    monkeypatch.delenv("TEST_OIDC_SECRET")
    assert "TEST_OIDC_SECRET" not in os.environ
    assert_refused(visitor, visitor.get(path), "The secret for Acme is missing")


def test_an_identity_that_was_changed_in_the_store_is_not_used(acme: Running, provider: Provider) -> None:
    Visitor(acme).sign_in()
    acme.service.authenticator.people.add("root", Role.ADMIN, "test")
    with acme.service.journal.database.write() as connection:
        connection.run("UPDATE interlock_identities SET person = 'root'")
    visitor = Visitor(acme)
    reply = visitor.sign_in()
    assert reply.status == 503, reply
    assert visitor.api.get("/v1/runs").status == 401
