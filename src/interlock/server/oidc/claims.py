"""Turn verified claims into the person who signs in: their name, and their groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.access.identities import Account
from interlock.access.provider_sign_in import ProvidedPerson
from interlock.config.sign_in import OidcSettings
from interlock.server.oidc.provider_http import ProviderError

MAX_GROUPS = 2_000
Claims = Mapping[str, Any]


def lacks_claims(settings: OidcSettings, claims: Claims) -> bool:
    """Whether the ID token lacks claims that the userinfo endpoint may have."""
    wanted = [settings.name_claim, *settings.require]
    wanted += ["email_verified"] if _needs_email(settings) else []
    wanted += [settings.groups_claim] if settings.groups_claim else []
    return any(find_claim(claims, name) is None for name in wanted)


def merge_userinfo(claims: Claims, userinfo: Claims) -> dict[str, Any]:
    """Return claims with those that only userinfo has. An address counts as verified only where it says so itself."""
    merged = {**userinfo, **claims}
    if "email_verified" not in claims and userinfo.get("email") != merged.get("email"):
        merged.pop("email_verified", None)
    return merged


def person_from_claims(settings: OidcSettings, claims: Claims) -> ProvidedPerson:
    """Return the person whom claims describe, or raise if they do not meet the settings."""
    for name, value in settings.require.items():
        if find_claim(claims, name) != value:
            raise ProviderError(f"your {settings.label} account does not have the required `{name}`; use another one")
    if _needs_email(settings):
        _check_email(settings, claims)
    name = find_claim(claims, settings.name_claim)
    if not isinstance(name, str) or not name:
        raise ProviderError(f"{settings.label} sent no `{settings.name_claim}`; an admin can change `name_claim`")
    account = Account(issuer=settings.issuer, subject=claims["sub"], provider=settings.name)
    name = name.lower() if settings.name_claim == "email" else name
    return ProvidedPerson(account=account, name=name, groups=_groups(settings, claims))


def _needs_email(settings: OidcSettings) -> bool:
    return settings.name_claim == "email" or bool(settings.allowed_domains)


def _check_email(settings: OidcSettings, claims: Claims) -> None:
    """Raise unless the address is verified, and in an allowed domain."""
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email:
        raise ProviderError(f"{settings.label} sent no e-mail address; an admin can request the scope `email`")
    if claims.get("email_verified") not in (True, "true"):
        raise ProviderError(f"{settings.label} has not verified your e-mail address")
    domain = email.rpartition("@")[2].lower()
    if settings.allowed_domains and domain not in settings.allowed_domains:
        raise ProviderError(
            f"e-mail addresses at this domain may not sign in; use your company's {settings.label} account"
        )


def _groups(settings: OidcSettings, claims: Claims) -> tuple[str, ...]:
    if settings.groups_claim is None:
        return ()
    elsewhere = claims.get("_claim_names")
    if isinstance(elsewhere, dict) and settings.groups_claim in elsewhere:
        raise ProviderError(f"{settings.label} did not list your groups because there are too many; ask an admin")
    found = find_claim(claims, settings.groups_claim)
    groups = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    return tuple(group for group in groups[:MAX_GROUPS] if isinstance(group, str))


def find_claim(claims: Claims, name: str) -> Any:
    """Return a claim by its name, or by its path in nested claims, or None.

    >>> find_claim({"realm_access": {"roles": ["sre"]}, "https://a.example/x": 1}, "realm_access.roles")
    ['sre']
    """
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found
