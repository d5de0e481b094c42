"""Whether an argument names a live system or a test system: `env: staging`, `bucket: dev-scratch`."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.analyse.tools.arguments import DECLARED, VALUES, Argument
from interlock.analyse.tools.switches import FALSE, TRUE
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-arguments", ArgumentWords)

NOTHING: frozenset[str] = frozenset()
REAL = frozenset({"live"})
PRACTICE = frozenset({"practice"})
#: The flag of a name of a test system. It has no effect on money, rights, deletions and messages.
PRACTICE_NAME = frozenset({"practice_name"})
#: The flags of the name of a thing that holds test data, which may be deleted.
SCRATCH_NAME = PRACTICE_NAME | {"scratch_name"}
_LONG = 200  # characters of a text that is no name
_MACHINES = frozenset({"host", "server", "addr"})
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
#: An address of this machine, and nothing else: `postgres://app@localhost/shop`, `sitl:127.0.0.1:14550`.
_ADDRESS_HERE = late(
    r"(?:\w+=)?(?:[a-z][a-z0-9+.-]*:(?://)?)?(?:[\w.:-]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:/[\w./-]*)?"
)
#: Keys of keys, and how those begin that open nothing but a test system.
_KEYS = frozenset({"api_key", "secret_key"})
#: Keys of names on the internet, of which only some words and endings are for practice: `corp.local` is for real.
_DOMAINS = frozenset({"zone", "domain", "fqdn"})


def environment_flags(one: Argument) -> frozenset[str]:
    """Return `live`, `practice`, `practice_name` or no flag for an argument that names an environment."""
    eases, low = one.is_own and one.eases_as("environment"), one.low
    if one.key in _WORDS.live_switches:
        return REAL if low in TRUE else _if(eases and low in FALSE, _practice(one.key))
    if one.key in _KEYS:
        return _if(eases and low.startswith(_WORDS.test_key_beginnings), _practice(one.key))
    declared = eases and DECLARED in one.roles
    if declared and one.key in _WORDS.whole_place_keys and low in VALUES["practice"]:
        return PRACTICE
    if one.key in _WORDS.thing_keys:
        return _thing_flags(low, eases=declared)
    return _place_flags(one.key, one.text, eases=eases)


def _place_flags(key: str, text: str, *, eases: bool) -> frozenset[str]:
    low = text.strip().lower()
    if eases and "://" in low and host_of(low) in _HERE:
        return PRACTICE
    if low.startswith(("http://", "https://")):
        if "local" in host_flags(low) and _WORDS.live_words.isdisjoint(split_words(host_of(low))):
            return _if(eases, _practice(key))
        text = host_of(low)
    elif key in _WORDS.host_keys and "." not in low:
        return NOTHING
    elif key in _MACHINES:
        text = low.partition("/")[0]
    words = {word.lower() for word in split_words(text)} if len(text) < _LONG else set()
    if key in _DOMAINS:
        words = words - _WORDS.real_in_domains if "." in low else set()
    if not words.isdisjoint(VALUES["live"]):
        return REAL
    return _if(eases and (not words.isdisjoint(VALUES["practice"]) or is_scratch_name(low)), _practice(key))


def _thing_flags(low: str, *, eases: bool) -> frozenset[str]:
    name = host_of(low) if low.startswith(("http://", "https://")) else low
    if len(name) >= _LONG:
        return NOTHING
    if not _WORDS.live_words.isdisjoint(split_words(name)):
        return REAL
    if is_scratch_name(name):
        return _if(eases, SCRATCH_NAME)
    return _if(eases and _is_here(low), PRACTICE_NAME)


def _is_here(low: str) -> bool:
    """Whether a text is an address of this machine."""
    return len(low) < _LONG and _ADDRESS_HERE.fullmatch(low) is not None


def _practice(key: str) -> frozenset[str]:
    return PRACTICE_NAME if key.rpartition("_")[2] in _WORDS.place_keys else PRACTICE


def _if(eases: bool, flags: frozenset[str]) -> frozenset[str]:
    return flags if eases else NOTHING
