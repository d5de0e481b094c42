"""Whether the place that an argument names is for real or for practice: `env: staging`, `bucket: dev-scratch`."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.analyse.tools.arguments import DECLARED, VALUES, Argument
from interlock.analyse.tools.switches import FALSE, TRUE
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

NOTHING: frozenset[str] = frozenset()
REAL = frozenset({"live"})
PRACTICE = frozenset({"practice"})
#: What the name of a project, an account or a thing says, but not about money, rights, deletions and messages.
PRACTICE_NAME = frozenset({"practice_name"})
_LONG = 200  # characters of a text that is no name
#: Keys of environments only if they hold the address of a host: companies are called `acme-dev` too.
_HOSTS = frozenset({"address", "org", "store", "shop", "base"})
_MACHINES = frozenset({"host", "server", "addr"})
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
#: An address of this machine, and nothing else: `postgres://app@localhost/shop`, `sitl:127.0.0.1:14550`.
_ADDRESS_HERE = late(
    r"(?:\w+=)?(?:[a-z][a-z0-9+.-]*:(?://)?)?(?:[\w.:-]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:/[\w./-]*)?"
)
#: Keys of keys, and how those begin that open nothing but a test system.
_KEYS = frozenset({"api_key", "secret_key"})
_TEST_KEYS = ("sk_test_", "rk_test_", "pk_test_", "test_", "sandbox-")
_LIVE_SWITCHES = frozenset("live livemode live_mode is_live production prod is_prod is_production".split())
#: Keys of names on the internet, of which only some words and endings are for practice: `corp.local` is for real.
_DOMAINS = frozenset({"zone", "domain", "fqdn"})
_NO_DOMAIN = frozenset({"local", "kind", "demo", "trial", "paper", "main", "real", "live", "release"})
#: Keys of environments that are names of something as well.
_PLACES = frozenset(
    "target context profile account site system project workspace branch ref controller service app theme "
    "zone domain fqdn portal".split()
)
#: Keys of places whose name is for practice if it is nothing but such a word, where the tool's schema declares the
#: argument: no company is called `staging`, but any agent can add such a word to a call.
_WHOLE = frozenset("target context profile system workspace portal org tenant store shop".split())
#: Keys of things and servers that a call works on. Names of trials (`dev-limits`) ease it if the schema declares them.
_THINGS = frozenset(
    "ledger dataset collection table table_name bucket bucket_name queue stream catalog entity vehicle drone robot plc "
    "unit machine index_name keyspace warehouse_name schema_name vm vm_name pool user_pool_id userpoolid project_id "
    "project_ref uri dsn datasource data_source connection connection_string rpc endpoint kubeconfig".split()
)
_LIVE_THINGS = frozenset({"prod", "production", "live", "prd", "mainnet"})


def environment_flags(one: Argument) -> frozenset[str]:
    """Return `live`, `practice` or `practice_name` for an argument with the role of an environment, or nothing."""
    eases, low = one.is_own and one.eases_as("environment"), one.low
    if one.key in _LIVE_SWITCHES:
        return REAL if low in TRUE else _if(eases and low in FALSE, _practice(one.key))
    if one.key in _KEYS:
        return _if(eases and low.startswith(_TEST_KEYS), _practice(one.key))
    declared = eases and DECLARED in one.roles
    if declared and one.key in _WHOLE and low in VALUES["practice"]:
        return PRACTICE
    if one.key in _THINGS:
        return _thing_flags(low, eases=declared)
    return _place_flags(one.key, one.text, eases=eases)


def _place_flags(key: str, text: str, *, eases: bool) -> frozenset[str]:
    low = text.strip().lower()
    if eases and "://" in low and host_of(low) in _HERE:
        return PRACTICE
    if low.startswith(("http://", "https://")):
        if "local" in host_flags(low) and _LIVE_THINGS.isdisjoint(split_words(host_of(low))):
            return _if(eases, _practice(key))
        text = host_of(low)
    elif key in _HOSTS and "." not in low:
        return NOTHING
    elif key in _MACHINES:
        text = low.partition("/")[0]
    words = {word.lower() for word in split_words(text)} if len(text) < _LONG else set()
    if key in _DOMAINS:
        words = words - _NO_DOMAIN if "." in low else set()
    if not words.isdisjoint(VALUES["live"]):
        return REAL
    return _if(eases and (not words.isdisjoint(VALUES["practice"]) or is_scratch_name(low)), _practice(key))


def _thing_flags(low: str, *, eases: bool) -> frozenset[str]:
    name = host_of(low) if low.startswith(("http://", "https://")) else low
    if len(name) >= _LONG:
        return NOTHING
    if not _LIVE_THINGS.isdisjoint(split_words(name)):
        return REAL
    return _if(eases and (_is_here(low) or is_scratch_name(name)), PRACTICE_NAME)


def _is_here(low: str) -> bool:
    """Whether a text is an address of this machine."""
    return len(low) < _LONG and _ADDRESS_HERE.fullmatch(low) is not None


def _practice(key: str) -> frozenset[str]:
    return PRACTICE_NAME if key.rpartition("_")[2] in _PLACES else PRACTICE


def _if(eases: bool, flags: frozenset[str]) -> frozenset[str]:
    return flags if eases else NOTHING
