"""Detection of keys and tokens by their shape and by the names of variables."""

from __future__ import annotations

from functools import lru_cache

from interlock.patterns import compile_once

# Prefixes of the keys of well-known services, and the header of a private key.
_SHAPE = (
    r"AKIA[0-9A-Z\[]|ASIA[0-9A-Z\[]|gh[pousr]_[A-Za-z0-9\[]|github_pat_|glpat-|xox[abprs]-|sk-(?:proj|ant|live)"
    r"|sk-[A-Za-z0-9]{20}|sk_live_|rk_live_|AIza[0-9A-Za-z\[]|ya29\.|npm_[A-Za-z0-9\[]|pypi-AgE|SG\.[\w-]{16}"
    r"|BEGIN[ .\\s*+]*(?:RSA|EC|DSA|OPENSSH|PGP)?[ .\\s*+]*PRIVATE KEY"
)
_KEY = (
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bsk-(?:proj-|ant-)?[\w-]{20,}|\b[sr]k_live_\w{16,}|\bAIza[\w-]{30,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
)
_NAME = (
    r"(?<![A-Za-z_])(?i:passw(?:or)?d|passphrase|credential|secret|private.?key|api.?key|access.?key|auth.?token|token)s?(?![a-z_(])"
    r"|(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)(?:_[A-Z_]+)?\b"
    r"|(?i:(?:secret|api|private|access)_(?:access_)?key)\b"
)
MAX_TEXT = 20_000
MAX_NAME = 200


@lru_cache(maxsize=512)
def is_key_shape(pattern: str) -> bool:
    """Whether a search pattern matches the shape of a key.

    >>> is_key_shape("AKIA[0-9A-Z]{16}"), is_key_shape("parse_token")
    (True, False)
    """
    return bool(compile_once(_SHAPE).search(pattern[:MAX_TEXT]))


def names_a_key(pattern: str) -> bool:
    """Whether a search pattern names a key or a password.

    >>> names_a_key("OPENAI_API_KEY"), names_a_key("password|token"), names_a_key("parse_token")
    (True, True, False)
    """
    return bool(compile_once(_NAME).search(pattern[:MAX_TEXT]))


def holds_key(text: str) -> bool:
    """Whether a text contains a complete key.

    >>> holds_key("Authorization: Bearer ghp_" + "a" * 36), holds_key("see ghp_ tokens")
    (True, False)
    """
    return bool(compile_once(_KEY).search(text[:MAX_TEXT]))


_VARIABLE = r"(?i)(?:^|_)(?:secret|token|password|passwd|pwd|credentials?|api_?key|access_?key|private_?key|key)(?:_|$)"


def is_secret_name(name: str) -> bool:
    """Whether the name of a variable suggests that it holds a secret.

    >>> is_secret_name("DB_KEY"), is_secret_name("GITHUB_TOKEN"), is_secret_name("KEYBOARD")
    (True, True, False)
    """
    return bool(compile_once(_VARIABLE).search(name[:MAX_NAME]))
