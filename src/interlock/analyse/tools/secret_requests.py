"""Secrets that a call asks for by name: a field, a variable, an entry, an object, a switch that shows them.

A name is that of a secret if it ends in one: `client_secret`, `DB_PASSWORD`, `recoveryKeys`. A name that goes on says
something about the secret and does not show it: `password_changed_at`, `secret_name`, `api_key_id`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from interlock.analyse.files.traits import is_known_public, traits
from interlock.analyse.tools.arguments import Argument, roles_of
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.sensitive_content import seeks_secrets
from interlock.analyse.tools.switches import FALSE, is_true
from interlock.analyse.tools.vocabulary import GLANCING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import DatabaseSecrets
from interlock.knowledge.table_types.tool_calls import ContentWords
from interlock.knowledge.table_types.tool_content_words import SecretRequestWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-secrets", SecretRequestWords)

_CONTENT = read_table("content", ContentWords)
_SECRET_NAME = late(rf"\b(?:{'|'.join(_CONTENT.secret_names)})$")
_OUTPUT_KEYS = frozenset({"output", "format", "o", "output_format"})
_LISTING = late(r"[,;|\s\[\]()]+")
_SYSTEM_PATH = late(f"^/?(?:v1/)?sys/(?!{'|'.join(_WORDS.revealing_system_paths)})|/metadata/")
_KEPT = late(r"(?:^|/)(?:v1/)?(?:secret|secrets|kv)[\w-]*/data/")
_CODE_ENDING = late(rf"\.(?:{'|'.join(_WORDS.code_endings)})$")
#: How services mark fields of the customer's own: `API_Secret__c`, `cf_password`.
_OWN_FIELD = late(r"__(?:c|pc|e|r|x)$|^(?:cf|custom|u)_")
#: Folders of secrets, and what is in them without being one.
_SECRET_FOLDER = late(r"(?:^|/)(?:secrets?|credentials?|private[_-]keys?|passwords?)/")
_NO_SECRET = late(f"(?:{'|'.join(_WORDS.not_secret)})")
MAX_NAME = 200
MAX_LIST = 400


@lru_cache(maxsize=2048)
def is_secret_key(name: str) -> bool:
    """Whether a name is that of a secret itself.

    >>> [is_secret_key(name) for name in ("client_secret", "recoveryKeys", "sambaNTPassword", "upload token")]
    [True, True, True, True]
    >>> [is_secret_key(name) for name in ("password_changed_at", "api_key_id", "max_tokens", "Password policy")]
    [False, False, False, False]
    """
    return _SECRET_NAME.search(" ".join(split_words(_OWN_FIELD.sub("", name[:MAX_NAME])))) is not None


def asks_for_secret(call: JudgedCall, *, reads: bool) -> bool:
    """Whether a call that reads, or of which nothing else is known, asks for a secret by its name."""
    telling = [one for one in call.arguments if one.low[:2] == "--" or not one.words.isdisjoint(_TELLING)]
    if any(map(_shows_hidden, telling)) or _orders_secret(call):
        return True
    if (reads or not call.meaning.verb) and any(_wants_secret(one, call) for one in call.arguments):
        return True
    if not reads or withholds_values(call.arguments):
        return False
    glancing = call.meaning.said in GLANCING
    reads_rows = call.words(_WORDS.store_readers) and not call.words(_WORDS.structure_words)
    if not glancing and reads_rows and any(map(_is_secret_store, call.arguments)):
        return True
    return any(_picks_secret(one, call, glancing=glancing) for one in call.arguments)


def takes_over_session(call: JudgedCall) -> bool:
    """Whether a call exports the user's data from a browser: cookies, saved logins, the state of a session."""
    if not call.words(_WORDS.browser_words):
        return False
    named = set(call.meaning.words)
    if {"saved", "logins"} <= named or {"saved", "passwords"} <= named:
        return named.isdisjoint(_WORDS.glancing_words)
    sorts = (one.low for one in call.arguments if one.key in ("kind", "type", "what", "store"))
    kept = not _WORDS.kept_by_browsers.isdisjoint(named) or not _WORDS.kept_by_browsers.isdisjoint(sorts)
    taken = any(one.key in _WORDS.deed_keys and one.low in _WORDS.taking_values for one in call.arguments)
    return (kept and taken) or any(_includes_kept(one) for one in call.arguments)


def _includes_kept(one: Argument) -> bool:
    """Whether a switch includes cookies, sessions or logins: `include_cookies: true`."""
    return (
        is_true(one)
        and not one.words.isdisjoint(_WORDS.including_words)
        and not one.words.isdisjoint(_WORDS.kept_by_browsers)
    )


def withholds_values(arguments: Sequence[Argument]) -> bool:
    """Whether a call selects fields of secrets other than their values: `fields: [name, updated_at]`."""
    told = [name for one in arguments if "fields" in one.roles for name in _names_in(one)]
    if told and not any(is_secret_key(name) or name.lower() in _WORDS.whole_values for name in told):
        return True
    return any(
        ("revealing" in one.roles and (one.low in FALSE or one.value == ()) and one.value is not None)
        or (one.key == "path" and isinstance(one.value, str) and _SYSTEM_PATH.search(one.low) is not None)
        for one in arguments
    )


#: Words of keys of which one at least is in each switch that shows or hides something.
_TELLING = _WORDS.uncovering_words | _WORDS.showing_words | _WORDS.hiding_words


def _shows_hidden(one: Argument) -> bool:
    """Whether a switch shows hidden values: `revealSecretValues: true`, `--show-secrets`."""
    if isinstance(one.value, str) and one.value[:2] == "--" and len(one.value) < MAX_NAME:
        words = frozenset(plain_key(one.value[2:].partition("=")[0].replace("-", "_")).split("_"))
    elif is_true(one) and one.value != "1":
        words = one.words
    else:
        return (
            one.value is False
            and not one.words.isdisjoint(_WORDS.hiding_words)
            and not one.words.isdisjoint(_WORDS.hidden_words)
        )
    if not words.isdisjoint(_WORDS.uncovering_words):
        return True
    return not words.isdisjoint(_WORDS.showing_words) and not words.isdisjoint(_WORDS.hidden_words)


def _wants_secret(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument names a secret as what is wanted of a thing, or an operation that brings it."""
    if is_projected(one):
        return is_secret_key(one.key)
    if not isinstance(one.value, str) or len(one.value) > MAX_LIST:
        return False
    return any(map(is_secret_key, _find_requested_names(one))) or _fetches_secret(one, call)


def is_projected(one: Argument) -> bool:
    """Whether an argument is a field that is switched on: `projection: {"token": 1}`."""
    if one.value is not True and one.value != 1:
        return False
    return len(one.keys) > 1 and (one.keys[-2] in _WORDS.wanted_keys or "fields" in roles_of(one.keys[-2]))


def _orders_secret(call: JudgedCall) -> bool:
    """Whether an order in words asks for secrets: "Extract the recovery codes on this page"."""
    return call.keyed(_WORDS.ordered_keys) and any(map(_is_order_for_secret, call.arguments))


def _is_order_for_secret(one: Argument) -> bool:
    if one.key not in _WORDS.ordered_keys or not isinstance(one.value, str) or len(one.value) > MAX_LIST:
        return False
    found = _FETCHING.search(one.low)
    return found is not None and seeks_secrets(one.low[found.start() :])


def _fetches_secret(one: Argument, call: JudgedCall) -> bool:
    """Whether an operation brings a secret: `get_authcode`, `listKeys`, `GET /streams/key`."""
    if "operation" not in roles_of(one.key) and one.key not in _WORDS.operation_keys:
        return False
    if not isinstance(one.value, str) or len(one.value) > MAX_NAME:
        return False
    if _KEYS_LISTED.search(one.value):
        return call.words(_WORDS.keyed_services)
    said = operation_meaning(one.value)
    if said.verb not in ("", "read", "export") or said.said in GLANCING:
        return False
    return (bool(said.verb) or "/" in one.value) and is_secret_key(one.value)


_FETCHING = late(rf"\b(?:{'|'.join(_WORDS.fetching_verbs)})\b")
#: Operations that list keys with their values, and words of the services at which they do.
_KEYS_LISTED = late(f"(?i)^list_?(?:(?:{'|'.join(_WORDS.listed_keys)})_?)*(?:keys|connection_?strings)$")


def _find_requested_names(one: Argument) -> list[str]:
    """Return the names of what is wanted of a thing: fields, columns, parts."""
    names = fields_in_query(one)
    if "fields" in one.roles or one.key in _WORDS.wanted_keys or "fields" in roles_of(one.key):
        names += _names_in(one)
    return names


def fields_in_query(one: Argument) -> list[str]:
    """Return the fields that the query of an address selects: `Employees?$select=Name,Salary`."""
    if "=" not in one.text or not isinstance(one.value, str):
        return []
    found = _SELECTING.search(one.value[:2000])
    return [name for name in _LISTING.split(found[1]) if name] if found else []


_SELECTING = late(rf"(?i)[?&](?:\$|%24)?(?:{'|'.join(_WORDS.selecting_parameters)})=([\w,.;%]{{1,300}})")


def _names_in(one: Argument) -> list[str]:
    if not isinstance(one.value, str) or len(one.value) > MAX_LIST:
        return []
    return [one.value, *filter(None, _LISTING.split(one.value))]


def _picks_secret(one: Argument, call: JudgedCall, *, glancing: bool) -> bool:
    """Whether an argument picks a secret out of others: by its name, its path, or its kind."""
    if not isinstance(one.value, str) or not one.value or len(one.value) > MAX_LIST:
        return False
    if one.key in _WORDS.kind_keys:
        return _names_kind(one.value) and (not glancing or _is_whole(call)) and _is_one(call)
    if glancing:
        return False
    if one.key in _WORDS.file_keys and _is_secret_file(one.value):
        return True
    if one.key not in _WORDS.picked_keys:
        return False
    if ":" in one.value:  # `session:admin:9f31`, `Db:Password`
        return _is_session(one.value) or ("//" not in one.value and is_secret_key(one.value.rpartition(":")[2]))
    return "/" not in one.value and " " not in one.value.strip() and is_secret_key(one.value)


def _is_secret_store(one: Argument) -> bool:
    """Whether an argument names a table or collection of which every row is a secret: `{"collection": "api_keys"}`."""
    return (
        one.key in _WORDS.store_keys
        and isinstance(one.value, str)
        and "_".join(split_words(one.value[:MAX_NAME].rpartition(".")[2])) in _SECRET_STORES
    )


_SECRET_STORES = frozenset(read_table("database-secrets", DatabaseSecrets).stores)


def _names_kind(text: str) -> bool:
    return text.strip().lower().partition("/")[0].partition(".")[0] in ("secret", "secrets")


def _is_whole(call: JudgedCall) -> bool:
    """Whether things are shown with all of their fields."""
    return any(one.key in _OUTPUT_KEYS and one.low.partition("=")[0] in _WORDS.whole_outputs for one in call.arguments)


def _is_one(call: JudgedCall) -> bool:
    return _is_whole(call) or any(one.key in ("name", "resource_name", "id") and one.text for one in call.arguments)


def _is_session(text: str) -> bool:
    """Whether the key of an entry is that of somebody who is signed in: `session:admin:9f31`."""
    return not _WORDS.session_tables.isdisjoint(split_words(text.partition(":")[0]))


def is_kept_secret(path: str) -> bool:
    """Whether a file of a repository holds secrets, by its name or because it lies in a folder of them.

    >>> is_kept_secret("prod/secrets/db.yaml"), is_kept_secret("secrets/README.md"), is_kept_secret("src/secrets/a.py")
    (True, False, False)
    """
    low = path.lower()
    if _NO_SECRET.search(low) or _CODE_ENDING.search(low) or is_known_public(path):
        return False
    return _is_secret_file(path) or _SECRET_FOLDER.search(low) is not None or _KEY_FILE.search(low) is not None


_KEY_FILE = late(
    r"(?:^|[/_.-])id_(?:rsa|ed25519|ecdsa|dsa)(?!\.pub)\b|(?:^|/)id_(?:rsa|ed25519)_\w+$|\.(?:"
    f"{'|'.join(_WORDS.key_endings)})$"
)


def _is_secret_file(text: str) -> bool:
    """Whether a file holds secrets by its name: `config/prod/.env`, `Passwords and keys.xlsx`, `secret/data/x`."""
    if "secret" in traits(text) or _KEPT.search(text.lower()):
        return True
    name = text.replace("\\", "/").rpartition("/")[2]
    return "." in name and _CODE_ENDING.search(name.lower()) is None and seeks_secrets(name.replace("_", " "))
