"""Who gets something: people inside, outsiders, everyone; and addresses that are made to deceive."""

from __future__ import annotations

from interlock.analyse.deception import is_lookalike
from interlock.analyse.hosts import host_flags, is_url
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.patterns import late

_ADDRESS = late(r"[\w.+%-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63})+)")
#: Providers at which anybody has an address.
_FREE = frozenset(
    (
        "gmail.com googlemail.com yahoo.com hotmail.com outlook.com live.com icloud.com me.com aol.com gmx.de gmx.net gmx.com web.de "
        "proton.me protonmail.com pm.me tutanota.com tuta.io tutamail.com mail.ru yandex.ru yandex.com qq.com 163.com 126.com zoho.com "
        "fastmail.com mail.com mailinator.com guerrillamail.com 10minutemail.com tempmail.com yopmail.com t-online.de orange.fr free.fr "
        "libero.it naver.com rediffmail.com hushmail.com duck.com"
    ).split()
)
#: Words in the names of rooms and groups that outsiders are in.
_OUTSIDE_ROOMS = frozenset(
    "ext external partner partners customer customers client clients vendor vendors public community guests".split()
)
_EVERYONE_ROOMS = frozenset("general all everyone company announcements announce allhands".split())
_WORDS = late(r"[a-z]+")


def audience_flags(one: Argument, text: str) -> set[str]:
    """Return the flags of an argument that names people: `outside`, `public`, `everyone`, `deceptive`."""
    flags: set[str] = set()
    if "recipient" not in one.roles and "@" not in text:
        return flags
    if len(text) > 400:
        return flags
    for found in _ADDRESS.finditer(text):
        domain = found[1].lower().rstrip(".")
        if domain in _FREE:
            flags.add("outside")
        if is_lookalike(domain):
            flags |= {"deceptive", "outside"}
    if "recipient" in one.roles:
        low = text.strip().lower().lstrip("#@")
        if low in VALUES["everyone"]:
            flags.add("public")
        words = set(_WORDS.findall(low)) if len(low) < 80 else set()
        if not words.isdisjoint(_OUTSIDE_ROOMS) and "@" not in low:
            flags.add("outside")
        if is_url(text) and not {"local", "private", "usual"} & host_flags(text):
            flags.add("elsewhere")
    return flags
