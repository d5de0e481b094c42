"""The table `[sign_in]`: OpenID Connect providers, and whether passwords are accepted beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.addresses import describe_kind, find_address_problem
from interlock.config.values import expect, texts
from interlock.documents import Document
from interlock.errors import nearest
from interlock.patterns import late

_NAME = late(r"[a-z0-9][a-z0-9-]{0,31}")
_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")
_DOMAIN = late(r"(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}")
_SECRETS_THEMSELVES = frozenset("secret client_secret password key token".split())
ROLES = ("reviewer", "admin")
MAX_HOURS = 7 * 24


class OidcSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A provider: `[sign_in.oidc.NAME]`.

    `name_claim` names the person, `groups_claim` lists their groups. `roles` gives groups a role, and `groups` fills
    groups of Interlock with the members of the provider's. `require` are claims that must have a value. `inside` lists
    internal hosts and networks that the provider may be at.
    """

    name: str
    label: str
    issuer: str
    client_id: str
    secret_variable: str | None = None
    secret_file: str | None = None
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    name_claim: str = "email"
    groups_claim: str | None = None
    allowed_domains: tuple[str, ...] = ()
    require: Mapping[str, str] = {}
    roles: Mapping[str, str] = {}
    groups: Mapping[str, str] = {}
    create: bool = False
    link_existing: bool = False
    session_hours: int = 12
    inside: tuple[str, ...] = ()


class SignInSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How people sign in. Without `local`, passwords are not accepted; one-time links still are."""

    local: bool = True
    oidc: Mapping[str, OidcSettings] = {}


def read_sign_in(document: Document, key: str, value: Any) -> SignInSettings:
    """Return the settings of `[sign_in]`, or raise with the line and a correction."""
    table = expect(document, value, dict, "a table", key)
    _check_names(document, table, SignInSettings.__struct_fields__, key)
    local = expect(document, table.get("local", True), bool, "true or false", key, "local")
    found = {}
    for name, given in expect(document, table.get("oidc", {}), dict, "a table of providers", key, "oidc").items():
        if not isinstance(given, dict):
            raise document.error(f"write a table with the provider's name: `[{key}.oidc.okta]`", key, "oidc")
        if not _NAME.fullmatch(name):
            message = f"a provider's name has lower-case letters, digits and hyphens, found `{name}`"
            raise document.error(message, key, "oidc", name)
        found[name] = _provider(document, (key, "oidc", name), name, given)
    if not local and not found:
        raise document.error("without a provider, nobody could sign in with `local = false`", key, "local")
    return SignInSettings(local=local, oidc=found)


ClaimPath = tuple[str, ...]


def _provider(document: Document, path: ClaimPath, name: str, table: Mapping[str, Any]) -> OidcSettings:
    for word in table:
        if word in _SECRETS_THEMSELVES:
            raise document.error(
                f"`{word}` must not be in this file; name the variable that holds it as `secret_variable`, or its file "
                "as `secret_file`",
                *path,
                word,
            )
    _check_names(document, table, [one for one in OidcSettings.__struct_fields__ if one != "name"], *path)
    found: dict[str, Any] = {"label": name, **table}
    problem = find_address_problem("issuer", table["issuer"]) if "issuer" in table else "a provider needs its `issuer`"
    if problem:
        raise document.error(problem, *path, "issuer")
    if not table.get("client_id"):
        raise document.error("a provider needs the `client_id` that it has registered for Interlock", *path)
    for word in ("label", "client_id", "name_claim", "groups_claim"):
        if word in table:
            _text(document, table[word], *path, word)
    for word in ("scopes", "allowed_domains", "inside"):
        if word in table:
            found[word] = texts(document, word, table[word])
    for word in ("create", "link_existing"):
        expect(document, table.get(word, False), bool, "true or false", *path, word)
    _check_secret(document, path, table)
    _check_numbers(document, path, table)
    for word in ("require", "roles", "groups"):
        _check_mapping(document, path, word, table.get(word, {}))
    settings = OidcSettings(name=name, **found)
    _check_meaning(document, path, settings)
    return settings


def _check_names(document: Document, table: Mapping[str, Any], known: Any, *path: str) -> None:
    for name in table:
        if name not in known:
            raise document.error(f"unknown key `{name}`{nearest(name, known)}", *path, name)


def _text(document: Document, value: Any, *path: str) -> str:
    text = expect(document, value, str, "a string", *path)
    if not text or not text.isprintable():
        raise document.error(f"`{path[-1]}` must be a non-empty string of printable characters", *path)
    return str(text)


def _check_secret(document: Document, path: ClaimPath, table: Mapping[str, Any]) -> None:
    """Raise unless a table names at most one place for the client's secret; a public client has none."""
    given = [name for name in ("secret_variable", "secret_file") if name in table]
    if len(given) > 1:
        raise document.error("a provider has either `secret_variable` or `secret_file`, found both", *path)
    for name in given:
        value = table[name]
        if not isinstance(value, str):
            raise document.error(f"`{name}` must be a string, found {describe_kind(value)}", *path, name)
        if name == "secret_variable" and not _VARIABLE.fullmatch(value):
            message = "`secret_variable` must be the name of a variable in capital letters, as `INTERLOCK_OIDC_SECRET`"
            raise document.error(f"{message}; never the secret itself", *path, name)
        if name == "secret_file" and not value.startswith(("/", "~/")):
            raise document.error(f"`secret_file` must be an absolute path, found `{value}`", *path, name)


def _check_numbers(document: Document, path: ClaimPath, table: Mapping[str, Any]) -> None:
    hours = expect(document, table.get("session_hours", 1), int, "a whole number", *path, "session_hours")
    if not 1 <= hours <= MAX_HOURS:
        raise document.error(f"`session_hours` must be 1 to {MAX_HOURS}, found `{hours}`", *path, "session_hours")


def _check_mapping(document: Document, path: ClaimPath, word: str, value: Any) -> None:
    for name, given in expect(document, value, dict, "a table of strings", *path, word).items():
        _text(document, given, *path, word, name)
        if word == "roles" and given not in ROLES:
            message = f"group `{name}` has the unknown role `{given}`{nearest(given, ROLES)}"
            raise document.error(message, *path, word, name)
        if word == "groups" and (given.startswith("@") or "/" in given or len(given) > 100):
            message = f"a group's name has at most 100 characters, no `/` and no `@` in front, found `{given}`"
            raise document.error(message, *path, word, name)


def _check_meaning(document: Document, path: ClaimPath, settings: OidcSettings) -> None:
    """Raise for settings that contradict each other, or that would let in anybody with an account at the provider."""
    if "openid" not in settings.scopes:
        raise document.error("`scopes` must contain `openid`", *path, "scopes")
    for domain in settings.allowed_domains:
        if not _DOMAIN.fullmatch(domain):
            message = f"`allowed_domains` lists domains in lower case such as `acme.com`, found `{domain}`"
            raise document.error(message, *path, "allowed_domains")
    for word in ("roles", "groups"):
        if getattr(settings, word) and settings.groups_claim is None:
            raise document.error(f"`{word}` needs `groups_claim`: the claim that lists a person's groups", *path, word)
    if settings.create and not (settings.allowed_domains or settings.roles or settings.require):
        raise document.error(
            "`create = true` would let in everybody with an account at the provider; add `allowed_domains`, `roles` "
            "or `require`",
            *path,
            "create",
        )
