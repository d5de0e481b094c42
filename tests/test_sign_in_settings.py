"""`[sign_in]`: what it accepts, and the corrections for what it does not."""

from __future__ import annotations

import pytest

from interlock.config.schema import parse
from interlock.documents import Document
from interlock.errors import ConfigError

GOOD = """
[sign_in.oidc.okta]
issuer = "https://acme.okta.com"
client_id = "c"
"""


def test_a_provider_has_safe_defaults() -> None:
    settings = parse(Document(GOOD, "interlock.toml")).sign_in
    assert settings is not None
    okta = settings.oidc["okta"]
    assert (settings.local, okta.label, okta.name_claim) == (True, "okta", "email")
    assert (okta.create, okta.link_existing, okta.inside) == (False, False, ())


WRONG = {
    "isuer = 'x'": "unknown key `isuer`; did you mean `issuer`?",
    "client_secret = 'x'": "must not be in this file",
    "secret_variable = 'lower'": "never the secret itself",
    "secret_file = 'relative'": "must be an absolute path",
    "secret_variable = 'A'\nsecret_file = '/x'": "found both",
    "create = true": "would let in everybody",
    "scopes = ['email']": "must contain `openid`",
    "allowed_domains = ['ACME.com']": "in lower case",
    "roles = { sre = 'admin' }": "needs `groups_claim`",
    "groups_claim = 'groups'\nroles = { sre = 'root' }": "group `sre` has the unknown role `root`",
    "groups_claim = 'groups'\ngroups = { sre = '@oncall' }": "no `@` in front",
    "session_hours = 1000": "must be 1 to 168",
    "link_existing = 'yes'": "must be true or false",
    "name_claim = ''": "must be a non-empty string",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_setting_is_named_with_its_line(line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(Document(GOOD + line, "interlock.toml"))
    assert WRONG[line] in str(raised.value)
    assert "interlock.toml:" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[sign_in]\nlocal = false", "nobody could sign in"),
        ("[sign_in.oidc]\nissuer = 'https://a.example'", "write a table with the provider's name"),
        ("[sign_in.oidc.Okta]", "lower-case letters"),
        ("[sign_in.oidc.okta]\nclient_id = 'c'", "needs its `issuer`"),
        ("[sign_in.oidc.okta]\nissuer = 'http://acme.example'\nclient_id = 'c'", "must use https"),
        ("[sign_in.oidc.okta]\nissuer = 'https://acme.example'", "needs the `client_id`"),
        ("[sign_in]\nlocl = true", "did you mean `local`?"),
    ],
)
def test_a_wrong_table_is_corrected(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse(Document(text, "interlock.toml"))
