"""Masking: secrets, by name, shape and entropy, and personal data are removed before anything is stored or hashed.

A mask shows the length of the secret and nothing else. A stored secret cannot be unstored, so doubtful cases are
masked.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import NoneType
from typing import Any

from interlock.analyse.secrets.key_shapes import mask_keys
from interlock.analyse.secrets.keys import mentions_secret
from interlock.patterns import late
from interlock.payload import plain_key
from interlock.sanitise import clean

MAX_TEXT = 20_000
MAX_SECRET = 4_000
MAX_ITEMS = 1_000
MAX_DEPTH = 32
_WORDS = (
    r"pass(?:wor[dt]|wd|phrase|code)?s?|secrets?|tokens?|api[_-]?key|access[_-]?key|private[_-]?key|credentials?"
    r"|authorization|auth(?!or)|bearer|pwd|pin(?![a-z])|otp(?![a-z])|cookie|session[_-]?id|signature|[_-]sig(?![a-z])"
)
#: A text in which something may follow that is a secret has one of these words, or one of these options.
_HINTS = (
    "pass secret token key cred auth bearer basic pwd pin otp cookie session sig :// mysql identified docker redis"
).split()
_OPTION = r"\s(?:-u|--user|--proxy-user|-a)"
_HINT = late(f"(?i){'|'.join(_HINTS)}|{_OPTION}")

#: Pairs of groups: the text before a secret, which is kept, and the secret.
_AFTER = late(
    r"""(?ix)
    ( (?<![\w/-]) (?: --?[\w-]{0,40}? (?:WORDS) [\w-]{0,40} (?: \s*=\s* | [ ]+ )                    # --password x
      | [\w.-]{0,60}? (?:WORDS) [\w.-]{0,60} \\?["']? \]? \s* (?: =>? \s* | :=? \s* | , \s*(?=["']) ) )  # TOKEN=x
      (?: (?:bearer|basic|token|apikey) \s+ )? )
    ( \\?"(?:[^"\\\n]|\\(?!").){1,2000}\\?" | '[^'\n]{1,2000}' | [^\s"'`&;|<>(){}\[\],]{3,2000} )
    | ( (?:bearer|basic) \s+ ) ( [\w.~+/=-]{8,2000} )                                                 # Bearer x
    | ( (?:with|encrypted)?\s password \s+ | identified \s+ by \s+ (?:password \s+)? ) ( '[^'\n]{1,400}' )  # SQL
    | ( [a-z][a-z0-9+.-]{1,20} :// [^\s:/@'"]{0,200} : ) ( [^\s'"]{1,400}? ) (?=@[\w.\[-]+(?:[:/?#\s"']|$))   # u:x@h
    | ( [a-z][a-z0-9+.-]{1,20} :// ) ( [\w.~%+-]{12,400} ) (?=@)                                       # x@host
    | ( [?&] (?:key|sig|code|auth) = ) ( [^\s&'"]{3,400} )                                            # ?key=x
    | ( \s (?:-u|--user|--proxy-user) (?:\s+|=|(?=\w+:)) ["']? [^\s:'"]{1,100} : ) ( [^\s'"]{1,400} )  # curl -u user:x
    | ( \b (?:mysql(?:dump|admin)?|mariadb) \s (?:[^|;&\n]{0,200}?\s)? -p ) ( [^\s-]\S{0,200} )    # mysql -px
    | ( \b (?:sshpass|docker \s+ login|podman \s+ login|helm \s+ registry \s+ login) \b (?:[^|;&\n]{0,200}?\s)? -p \s* )
      ( [^\s-]\S{0,200} )                                                                            # docker login -p x
    | ( \b (?:redis-cli|valkey-cli) \b (?:[^|;&\n]{0,200}?\s)? -a \s+ ) ( \S{1,200} )               # redis-cli -a x
    | ( <[\w:-]{0,40}? (?:WORDS) [\w:-]{0,40}> ) ( [^<]{1,400} )                                      # <password>x<
    """.replace("WORDS", _WORDS)
)
#: What may be a secret by its entropy: a long word.
_LONG = late(r"(?<![\w+/=.-])[A-Za-z0-9+_-][A-Za-z0-9+/_=-]{19,4000}(?![\w+/])")
#: What every one of those shapes and every random word contains: a quick test before the longer patterns.
_RUN = late(r"[\w.+=-]{8}")
#: A pattern that every card, account and identity number contains.
_PERSONAL = late(r"\d(?:[ .-]?\d){4}|[A-Z]{6}\d\d[A-Z]\d\d")
#: The classes of personal data that are masked: all, unless the owner's configuration says otherwise.
_MASKED: list[str] = ["cards", "accounts", "identities"]
_HEXADECIMAL = late(r"(?i)[0-9a-f]+")
_DIGESTS = frozenset({40, 64})  # lengths of SHA-1 (commits) and SHA-256 (images, files)
_BITS = 3.9


def mask_text(text: str) -> str:
    """Return a text with its secrets masked.

    >>> mask_text("curl -H 'Authorization: Bearer abcdefgh12345678' https://x.example")
    "curl -H 'Authorization: Bearer ‹16 masked›' https://x.example"
    >>> mask_text("git log --grep password")
    'git log --grep password'
    """
    if text in _UNMASKED:
        return text
    masked = _mask_text(text)
    if masked is text and len(text) <= MAX_REMEMBERED and _PERSONAL.search(text) is None:
        if len(_UNMASKED) >= MAX_UNMASKED:
            _UNMASKED.clear()
        _UNMASKED.add(text)
    return masked


#: Short texts without secrets, such as keys and names of rules: most of a record is made of them. Those with numbers
#: are left out, since the configuration decides whether they are masked.
_UNMASKED: set[str] = set()
MAX_UNMASKED, MAX_REMEMBERED = 4_096, 120


def _mask_text(text: str) -> str:
    more, given = len(text) - MAX_TEXT, text
    text = clean(text[: MAX_TEXT + MAX_SECRET])
    if len(text) > 7:
        runs = _RUN.search(text) is not None
        if runs:
            text = mask_keys(text, _mask)
        text = _AFTER.sub(_mask_after, text) if _has_hint(text) else text
        text = _LONG.sub(_mask_long, text) if runs else text
        if _MASKED and _PERSONAL.search(text):
            from interlock.analyse.secrets.personal_data import mask_personal_data  # few texts have such numbers

            text = mask_personal_data(text, _mask, _MASKED)
    if more <= 0:
        return given if text == given else text
    return f"{text[:MAX_TEXT]}… ({more} more)"


def mask_classes(classes: Iterable[str]) -> None:
    """Set which classes of personal data are masked in this process."""
    _MASKED[:] = classes


def _has_hint(text: str) -> bool:
    """Whether a text matches `_HINT`, which is compiled only where words are not enough to tell."""
    if text.isascii() and "-" not in text:
        lowered = text.lower()
        return any(hint in lowered for hint in _HINTS)
    return _HINT.search(text) is not None


def _mask(secret: str) -> str:
    return f"‹{len(secret)} masked›"


def _mask_after(found: re.Match[str]) -> str:
    before, secret = next((found[at], found[at + 1]) for at in range(1, _AFTER.groups, 2) if found[at + 1] is not None)
    quote = next((mark for mark in ('\\"', '"', "'") if secret.startswith(mark)), "")
    bare = secret.removeprefix(quote).removesuffix(quote)
    if _OPEN.match(bare) or (quote and len(bare) < 2):  # a variable, a mask, an option or a file name
        return found[0]
    return f"{before}{quote}{_mask(bare)}{quote}"


_OPEN = late(r"\$[\w{(]|‹|%\w+%|--?[a-z][\w-]*$|\.?/|~/")


def _mask_long(found: re.Match[str]) -> str:
    text = found[0]
    return _mask(text) if _is_random(text) else text


def _is_random(text: str) -> bool:
    """Whether a word looks random: by the kinds of its characters, and by their entropy."""
    if _HEXADECIMAL.fullmatch(text):
        return len(text) >= 32 and len(text) not in _DIGESTS and not text.isdigit()
    kinds = (any(map(str.islower, text)), any(map(str.isupper, text)), any(map(str.isdigit, text)))
    if sum(kinds) < 3 or text.count("/") > len(text) // 12 or text.count("-") > len(text) // 10:
        return False  # words, a path, or a name with hyphens
    return _entropy(text) >= _BITS


def _entropy(text: str) -> float:
    """Return the Shannon entropy of a text, in bits per character."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def mask(value: Any, depth: int = 0) -> Any:
    """Return a JSON value with its secrets masked; the value of a key such as `password` is masked whole.

    >>> mask({"user": "ann", "apiKey": "x1", "nested": {"password": ["a"]}, "keyboard": "de"})
    {'user': 'ann', 'apiKey': '‹2 masked›', 'nested': {'password': '‹masked›'}, 'keyboard': 'de'}
    """
    reader = _READERS.get(type(value))
    if reader is None:
        return _mask_number(value) if isinstance(value, (bool, int, float, NoneType)) else mask_text(str(value))
    return reader(value, depth) if depth < MAX_DEPTH else "‹too deep›"


def _mask_number(value: Any) -> Any:
    """Return a number, or a mask if it is that of a card or an account."""
    if isinstance(value, bool) or not isinstance(value, int) or not MIN_CARD <= value < MIN_CARD * 10**7:
        return value
    text = str(value)
    masked = mask_text(text)
    return value if masked == text else masked


MIN_CARD = 10**12


def _mask_table(table: dict[Any, Any], depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in list(table.items())[:MAX_ITEMS]:
        key = mask_text(str(name)[:200])
        secret = _names_a_secret(plain_key(name)) and value not in (None, "", True, False)
        named = str(table.get("name", "")) if name == "value" else ""  # {"name": "DB_PASSWORD", "value": "x"}
        secret = secret or (bool(named) and _names_a_secret(plain_key(named)))
        found[key] = (_mask(value) if isinstance(value, str) else "‹masked›") if secret else mask(value, depth + 1)
    if len(table) > MAX_ITEMS:
        found["…"] = f"and {len(table) - MAX_ITEMS:,} more"
    return found


_NAMES = late(rf"(?i)(?:^|_)(?:{_WORDS})(?:_|$)")


#: Every name of a secret contains one of these.
_PARTS = (
    "pass",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "bearer",
    "pwd",
    "pin",
    "otp",
    "cookie",
    "session",
    "sig",
    "pw",
    "pat",
    "jwt",
)


@lru_cache(maxsize=4096)
def _names_a_secret(name: str) -> bool:
    if name.isascii() and not any(part in name.lower() for part in _PARTS):
        return False
    return mentions_secret(name) or _NAMES.search(name) is not None


def _mask_list(items: Any, depth: int) -> list[Any]:
    """Return a list with its secrets masked, such as the item after `--password`."""
    found = [mask(item, depth + 1) for item in items[:MAX_ITEMS]]
    for at, (item, follows) in enumerate(itertools.pairwise(items[:MAX_ITEMS])):
        option = isinstance(item, str) and item.startswith("-") and _names_a_secret(plain_key(item.lstrip("-")))
        if option and isinstance(follows, str) and not _OPEN.match(follows):
            found[at + 1] = _mask(follows)
    if len(items) > MAX_ITEMS:
        found.append(f"… and {len(items) - MAX_ITEMS:,} more")
    return found


_READERS: dict[type, Callable[[Any, int], Any]] = {
    str: lambda text, _: mask_text(text),
    bytes: lambda data, _: f"‹{len(data)} bytes›",
    dict: _mask_table,
    list: _mask_list,
    tuple: _mask_list,
    float: lambda number, _: number if math.isfinite(number) else str(number),
}
