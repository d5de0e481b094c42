"""Detection of keys and tokens by their shape and by the names of variables."""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.secrets.key_shapes import is_key_beginning
from interlock.patterns import compile_once

# Beginnings of keys as searches write them, besides those in `key-shapes.toml`, and the header of a private key.
_SHAPE = (
    r"AKIA[0-9A-Z\[\\.(]|ASIA[0-9A-Z\[\\.(]|gh[pousr]_[A-Za-z0-9\[\\.(]|xox[abprs]-|sk-(?:proj|ant|live)"
    r"|sk-[A-Za-z0-9]{20}|AIza[0-9A-Za-z\[]|npm_(?:\[|[A-Za-z0-9]{20})|SG\.[\w-]{16}"
    r"|BEGIN[ .\\s*+]*(?:\(?(?:(?:RSA|EC|DSA|OPENSSH|PGP|ENCRYPTED)[|)]?)+\??)?[ .\\s*+]*PRIVATE KEY"
    r"|\beyJ\[|hvs\.|sq0[a-z]{3}-|Bearer[ :\\s+]*[\[(]"
    r"|\((?:\?:)?(?:[\w-]+\|)*(?:gh[pousr]|github_pat|glpat|xox[abprs]|AKIA|ASIA|sk_live)(?:\|[\w-]+)*\)[_\[-]"
)
_NAME = (
    r"(?<![A-Za-z_])(?i:passw(?:or)?d|passphrase|credential|secret|private.?key|api.?key|access.?key|auth.?token|token)s?(?![a-z_(])"
    r"|(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)(?:_[A-Z_]+)?\b"
    r"|(?i:(?:secret|api|private|access)_(?:access_)?key)\b"
)
# Beginnings of keys, and headers that carry them. By themselves they are only telling outside of source code.
_TRACE = (
    r"\bAKIA\b|\bASIA\b|\bgh[pousr]_|\bxox[abprs]|\beyJ|\bsk_live|\bsk-|\bglpat|(?i:\bbearer\b|\bauthori[sz]ation\b|set-cookie)"
    r"|(?:^|[_.*\s(|])KEY\b|(?i:auth_?token)|(?i:export\b.*(?:key|token|pass|secret))"
    r"|[a-z](?:Password|Passphrase|Token|Secret|ApiKey|PrivateKey|AccessKey|SecretKey)\b"
    r"|(?i:\b(?:keys?|tokens?|secrets?|passw?o?r?d?|pwd|cred(?:ential)?s?)\\?\|\(?"
    r"(?:api.?)?(?:keys?|tokens?|secrets?|passw?o?r?d?|pwd|cred(?:ential)?s?)\b)"
    r"|:?//\[\^[^\]]*\][+*]@|:?//[.\\\w*+:]*@|--password"
    r"|(?i:PRIVATE KEY|begin rsa|begin openssh|-----BEGIN|identified by|\bpass(?:w|wd|phrase)?\b|\bpasswd=|mysql.*-p\b)"
)
_GROUP = r"\((?:\?:)?([\w| -]+)\)\??"
# What logs say about signing in, which shows no password.
_SIGN_IN = (
    r"(?i)\b(?:failed|accepted|invalid|incorrect|wrong|bad|expired) (?:password|passwd|token|publickey|credentials?)"
)
MAX_TEXT = 20_000
MAX_EXPANDED = 64
MAX_NAME = 200


@lru_cache(maxsize=512)
def is_key_shape(pattern: str) -> bool:
    """Whether a search pattern matches the shape of a key.

    >>> is_key_shape("AKIA[0-9A-Z]{16}"), is_key_shape("(ghp|gho)_[A-Za-z0-9]+"), is_key_shape("parse_token")
    (True, True, False)
    """
    pattern = pattern[:MAX_TEXT]
    shape = compile_once(_SHAPE)
    if shape.search(pattern) or is_key_beginning(pattern):
        return True
    return "|" in pattern and any(map(shape.search, _expand_groups(pattern)))


def _expand_groups(pattern: str) -> list[str]:
    """Return a pattern once for each alternative in its first groups: `(ghp|gho)_` stands for `ghp_` and `gho_`."""
    done: list[str] = []
    left = [pattern]
    while left and len(done) < MAX_EXPANDED:
        text = left.pop()
        group = compile_once(_GROUP).search(text)
        if group is None:
            done.append(text)
        else:
            left += [f"{text[: group.start()]}{part}{text[group.end() :]}" for part in group[1].split("|")[:16]]
    return done


def names_a_key(pattern: str) -> bool:
    """Whether a search pattern names a key or a password.

    >>> names_a_key("OPENAI_API_KEY"), names_a_key("password|token"), names_a_key("parse_token")
    (True, True, False)
    """
    return bool(compile_once(_NAME).search(pattern[:MAX_TEXT]))


@lru_cache(maxsize=512)
def traces_a_key(pattern: str) -> bool:
    """Whether a search in logs, histories or dumps would show keys: by their names, beginnings or headers.

    >>> traces_a_key("authorization"), traces_a_key("AKIA"), traces_a_key("ERROR|WARN")
    (True, True, False)
    """
    pattern = pattern[:MAX_TEXT]
    if compile_once(_SIGN_IN).search(pattern):
        return False
    return (
        names_a_key(pattern)
        or (pattern.isupper() and shows_secret(pattern))
        or bool(compile_once(_TRACE).search(pattern))
    )


_VARIABLE = (
    r"(?i)(?:^|_)(?:secret|token|password|passwd|passphrase|pass|pwd|pw|pat|jwt|credentials?|api_?key|access_?key|private_?key|key)(?:_|$)"
    r"|(?:password|passwd|passphrase|secret|apikey|token)$"
)
# Names with such a word that hold no secret: a place, a name, a number, the name of a column.
_ORDINARY = (
    r"(?i)^(?:old)?pwd$|(?:^|_)(?:public|primary|foreign|sort|cache|partition|hash|range|map|idempotency)_?keys?(?:_|$)"
    r"|_(?:path|file|dir|folder|name|count|len|length|size|limit|budget|ttl|expiry|expires|expiration|type|kind|prefix|suffix"
    r"|column|field|header|endpoint|host|port|user|username|policy|arn|version|algorithm|fingerprint|exists|set|at)$"
    r"|(?:^|_)(?:max|min|num|total|prompt|completion|input|output|new)_?tokens?(?:_|$)"
)
_CONNECTION = (
    r"(?i)(?:^|_)(?:database|db|postgres(?:ql)?|pg|mysql|mariadb|redis|mongo(?:db)?|amqp|rabbitmq|cloudamqp|broker|jdbc|sql"
    r"|elastic(?:search)?|clickhouse|smtp|mail(?:er)?|ldap|neon|supabase)_?(?:url|uri|dsn|connection_?string)$"
    r"|(?:^|_)dsn$|connection_?strings?$"
)


def mentions_secret(name: str) -> bool:
    """Whether a name has a word for secrets in it, even if it may hold something else.

    >>> mentions_secret("TOKEN_FILE"), mentions_secret("LOG_FILE")
    (True, False)
    """
    return bool(compile_once(_VARIABLE).search(name[:MAX_NAME]))


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Whether the name of a variable suggests that it holds a secret.

    >>> is_secret_name("DB_KEY"), is_secret_name("GITHUB_TOKEN"), is_secret_name("PGPASSWORD")
    (True, True, True)
    >>> is_secret_name("KEYBOARD"), is_secret_name("TOKEN_FILE"), is_secret_name("MAX_TOKENS")
    (False, False, False)
    """
    return mentions_secret(name) and not compile_once(_ORDINARY).search(name[:MAX_NAME])


@lru_cache(maxsize=1024)
def shows_secret(name: str) -> bool:
    """Whether printing a variable would show a secret: a secret itself, or an address with a password in it.

    >>> shows_secret("API_TOKEN"), shows_secret("DATABASE_URL"), shows_secret("BASE_URL")
    (True, True, False)
    """
    return is_secret_name(name) or bool(compile_once(_CONNECTION).search(name[:MAX_NAME]))
