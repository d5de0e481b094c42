"""Addresses made to deceive: text before `@`, confusable letters, look-alikes of well-known names, odd numbers.

The letters that look alike are a part of the data of Unicode UTS #39, in `knowledge/tables/confusables.toml`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Hosts
from interlock.knowledge.table_types.texts import Confusables
from interlock.patterns import late

_HOSTS = read_table("hosts", Hosts)
_LETTERS = read_table("confusables", Confusables)
_PLAIN = {ord(letter): plain for plain, letters in _LETTERS.letters.items() for letter in letters}
_WELL_KNOWN = frozenset(_HOSTS.well_known)
_GENUINE = frozenset(_HOSTS.genuine) | frozenset(_HOSTS.usual) | _WELL_KNOWN
_SUFFIXES = frozenset(_HOSTS.public_endings)
_IMITATED = frozenset(_HOSTS.imitated)
_CARRIERS = frozenset(_HOSTS.carriers)
_ENDINGS = frozenset(_HOSTS.endings_inside)
#: Endings that do not exist and look like one that does, and endings that a slip of the finger makes.
_FALSE_ENDINGS = frozenset(_HOSTS.false_endings)
_SLIPS = frozenset(_HOSTS.mistyped_endings)
_KNOWN_NAMES = frozenset(known.partition(".")[0] for known in _GENUINE)
#: Shorter names have too many neighbours that are real.
_MIN_TYPO = 6
_USER = late(r"^(?:https?|ftps?|wss?):/{0,3}([^/?#\s]*)@", re.IGNORECASE)
_NAME = late(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|co|app|ai|gov|edu|sh|cloud|me|info)$")
_ODD_NUMBER = late(
    r"0x[0-9a-f]{2,8}(?:\.(?:0x)?[0-9a-f]+){0,3}|\d{8,10}|(?:0\d+|0x[0-9a-f]+|\d+)(?:\.(?:0\d+|0x[0-9a-f]+|\d+)){1,3}"
)
_QUAD = late(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}")
_SHORT_LOOPBACK = frozenset({"127.1", "127.0.1"})


def is_deceptive(url: str, host: str) -> bool:
    """Whether an address is written so that people take it for another one.

    >>> is_deceptive("https://github.com@a.example/x", "a.example"), is_deceptive("https://github.com/x", "github.com")
    (True, False)
    """
    if "@" in url and _has_false_user(url):
        return True
    if "%" in host or not host.isascii() or "xn--" in host:
        return _is_disguised(host)
    return is_odd_number(host) or is_lookalike(host)


def _has_false_user(url: str) -> bool:
    """Whether the text before `@` looks like a host."""
    found = _USER.match(url)
    if found is None:
        return False
    user = found[1].lower().partition(":")[0].replace("%2e", ".")
    return _NAME.match(user.replace("%2f", "/").partition("/")[0]) is not None


def is_odd_number(host: str) -> bool:
    """Whether a host is an IP address in decimal, octal, hexadecimal or shortened form.

    >>> is_odd_number("0x7f000001"), is_odd_number("3232235777"), is_odd_number("10.0.0.1"), is_odd_number("127.1")
    (True, True, False, False)
    """
    if not host or not (host[0].isdigit()) or host in _SHORT_LOOPBACK:
        return False
    return _ODD_NUMBER.fullmatch(host) is not None and _QUAD.fullmatch(host) is None


def _is_disguised(host: str) -> bool:
    """Whether a host has encoded or foreign dots, or labels in letters that only look plain."""
    if "%2e" in host or any(dot in host for dot in _LETTERS.dots):
        return True
    labels = [_decode_label(label) for label in host.split(".")]
    return any(map(_is_confusable, labels)) or _has_accents(".".join(labels))


def _has_accents(host: str) -> bool:
    """Whether a host is a well-known one with accents on its letters: `gíthub.com`."""
    plain = "".join(part for part in unicodedata.normalize("NFKD", host) if not unicodedata.combining(part))
    return plain != host and plain.isascii() and (registrable(plain) in _WELL_KNOWN or is_lookalike(plain))


def _decode_label(label: str) -> str:
    """Return a label as it is shown: decoded, if it is punycode."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return label


def _is_confusable(label: str) -> bool:
    """Whether a label mixes scripts, or consists entirely of letters that look like plain ones."""
    if label.isascii():
        return False
    scripts = {_script_of(letter) for letter in label if letter.isalpha()}
    return len(scripts - _TOGETHER) > 1 or label.translate(_PLAIN).isascii()


#: Scripts that are written together: Japanese, and Latin with Chinese or Korean.
_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})


def _script_of(letter: str) -> str:
    """Return the script of a letter, the first word of its name."""
    return unicodedata.name(letter, "UNKNOWN").partition(" ")[0]


def registrable(host: str) -> str:
    """Return the registrable domain: the public suffix and one more label.

    >>> registrable("api.github.com"), registrable("a.b.example.co.uk")
    ('github.com', 'example.co.uk')
    """
    labels = host.rsplit(".", 3)
    if len(labels) > 2 and ".".join(labels[-2:]) in _SUFFIXES:
        return ".".join(labels[-3:])
    return ".".join(labels[-2:])


@lru_cache(maxsize=1024)
def is_lookalike(host: str) -> bool:
    """Whether a host can be taken for a well-known one: another spelling, or its name in front of another domain.

    >>> is_lookalike("githib.com"), is_lookalike("github.com.example.net"), is_lookalike("docs.github.com")
    (True, True, False)
    >>> is_lookalike("paypa1-business.support"), is_lookalike("paypal-business.support")
    (True, False)
    """
    domain = registrable(host)
    if domain in _GENUINE or not domain:
        return False
    if _has_false_ending(domain) or _has_domain_inside(host, domain):
        return True
    inside = f".{host}"
    for continued, followed in _inside_others():
        if continued in inside:
            return True  # `github.com-login.example`
        if followed in inside:
            return len(inside.partition(followed)[2]) > 2  # `amazonaws.com.cn` is a country's own
    name = domain.partition(".")[0]
    parts = [part for part in name.split("-") if part not in _KNOWN_NAMES]  # `paypa1-business`
    if any(_names_by_fold().get(_fold(part), _NONE) - {name} for part in (name, *parts)):
        return True
    return any(
        domain.endswith(ending) and real != name and _one_edit(name, real) for real, ending in _names_to_mistype()
    )


@cache
def _inside_others() -> tuple[tuple[str, str], ...]:
    """Return how each well-known name begins another host: as a part of one of its words, and as whole words."""
    return tuple((f".{known}-", f".{known}.") for known in _WELL_KNOWN)


@cache
def _names_by_fold() -> dict[str, frozenset[str]]:
    """Return the well-known names that are long enough to be imitated, by their spelling without similar letters."""
    found: dict[str, frozenset[str]] = {}
    for name in (known.partition(".")[0] for known in _WELL_KNOWN):
        if len(name) > 3:
            found[_fold(name)] = found.get(_fold(name), _NONE) | {name}
    return found


_NONE: frozenset[str] = frozenset()


@cache
def _names_to_mistype() -> tuple[tuple[str, str], ...]:
    """Return the well-known names that are long enough to be mistyped, each with the rest of its address."""
    parts = (known.partition(".") for known in _WELL_KNOWN)
    return tuple((real, f".{ending}") for real, _, ending in parts if len(real) >= _MIN_TYPO)


def _has_false_ending(domain: str) -> bool:
    """Whether a domain has an impossible ending, or a well-known name with a wrong one: `example.c0m`, `github.cm`."""
    name, _, ending = domain.rpartition(".")
    return ending in _FALSE_ENDINGS or (ending in _SLIPS and name in _KNOWN_NAMES)


def _has_domain_inside(host: str, domain: str) -> bool:
    """Whether a host begins with another whole domain: `example.com.sign-in.net`."""
    inside = host[: -len(domain) - 1].split(".")
    if len(inside) < 2 or domain in _CARRIERS:
        return False
    return not _ENDINGS.isdisjoint(inside[1:]) or (
        "-" in domain and not _MORE_ENDINGS.isdisjoint(inside[1:])  # `net` and `dev` are also names of subdomains
    )


_MORE_ENDINGS = frozenset({"net", "dev", "ai", "app", "co", "cloud", "sh"})


_CORRESPONDENT = late(r"(?:@|https?://)([a-z0-9-]+(?:\.[a-z0-9-]+)+)", re.IGNORECASE)
MAX_CORRESPONDENTS = 16


def find_false_correspondent(text: str) -> str:
    """Return the domain of a sender or a link in a message that imitates another one in it.

    >>> find_false_correspondent("it@acrne.io to all@acme.io"), find_false_correspondent("a@acme.io to b@acme.io")
    ('acrne.io', '')
    """
    hosts: list[str] = list(dict.fromkeys(found.lower() for found in _CORRESPONDENT.findall(text)))[:MAX_CORRESPONDENTS]
    domains = list(dict.fromkeys(map(registrable, hosts)))
    for host in hosts:
        if is_lookalike(host):
            return host
    for domain in domains:
        name = domain.partition(".")[0]
        for other in domains:
            real = other.partition(".")[0]
            if name == real or len(real) < 4:
                continue
            if (_fold(name) == _fold(real) and name != _fold(name)) or name.startswith(f"{real}-"):
                return domain
    return ""


def imitates(host: str) -> bool:
    """Whether a domain contains the name of a registry or forge among other words: `pypi-mirror.org`."""
    domain = registrable(host)
    if domain in _GENUINE:
        return False
    words = domain.partition(".")[0].split("-")
    return len(words) > 1 and not _IMITATED.isdisjoint(words)


def _fold(name: str) -> str:
    """Return a name in which similar-looking letters are the same."""
    for pair, letter in _LETTERS.pairs.items():
        name = name.replace(pair, letter)
    return name.replace("-", "")


def _one_edit(name: str, real: str) -> bool:
    """Whether two names differ by one letter that is added, left out, changed or swapped with the next."""
    if abs(len(name) - len(real)) > 1:
        return False
    at = 0
    while at < min(len(name), len(real)) and name[at] == real[at]:
        at += 1
    rest, other = name[at:], real[at:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
