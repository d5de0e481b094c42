"""Data classes: the kinds of data that an action carries or reads, from its effects and its input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interlock.analyse.secrets.key_shapes import holds_key
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.secrets.personal_data import find_personal_data
from interlock.memory.exposures.record_names import is_records_file
from interlock.model import Action, Assessment, Effect
from interlock.patterns import late
from interlock.payload import plain_key

#: Classes that are about people.
_ABOUT_PEOPLE = frozenset({"identity", "card", "customer", "health"})
_BY_FLAG: dict[str, str] = {
    **dict.fromkeys(("secret", "holds_key", "printed", "show_secrets", "credentials", "browser_secrets"), "secret"),
    **dict.fromkeys(("personal", "mail", "browser", "exposing", "screen", "recording", "clipboard"), "personal"),
    **dict.fromkeys(("records", "dump"), "customer"),
    "bank_account": "bank_account",
    "health": "health",
    "confidential": "confidential",
    "sensitive": "confidential",
}
_BY_NUMBER = {"cards": "card", "accounts": "bank_account", "identities": "identity"}
#: Every card, account and identity number contains a match of this pattern.
_NUMBER = late(r"\d(?:[ .-]?\d){4}|[A-Z]{6}\d\d[A-Z]\d\d")
_BEARER = late(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8}")
#: A literal password in a command: in an option, a variable, or a URL. References to variables and files do not count.
_GIVEN = late(
    r"""(?x) (?: (?<!\S)--?[\w-]*(?i:passw(?:or)?d|passphrase|token|secret|api-?key)(?:=|\s+)
    | \b[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|PWD|TOKEN|SECRET|API_?KEY|ACCESS_KEY)=
    | ://[^\s:/@'"]*:(?=[^\s/@'"]+@)
    | (?<!\S)(?:-u|--user|--proxy-user)(?:\s+|=)["']?[^\s:'"]+:(?!\d+(?!\S)) )
    ["']?[^\s"'`$({</~.@-][^\s"']{2,}"""
)
#: A long word, which may be a key. Each word is tested separately, which is fast; very long words in overlapping parts.
_LONG_WORD = late(r"[\w.-]{14,}")
_PART, _STEP = 4_000, 3_000
_EMPTY = (None, "", True, False)


def find_data_classes(action: Action, assessment: Assessment) -> frozenset[str]:
    """Return the classes of data that an action carries or reads."""
    found = {name for effect in assessment.effects for name in _classes_of_effect(effect)}
    analysis = assessment.analysis
    for text in (analysis.text, *_texts(action.input_payload, found)):
        found |= _classes_of_text(text)
    if "shell" in analysis.languages and _GIVEN.search(analysis.text):
        found.add("secret")
    if not found.isdisjoint(_ABOUT_PEOPLE):
        found.add("personal")
    return frozenset(found)


def _classes_of_effect(effect: Effect) -> Iterator[str]:
    if effect.kind == "secret.read":
        yield "secret"
    for flag in effect.flags:
        if flag in _BY_FLAG:
            yield _BY_FLAG[flag]
    if effect.resource is not None and effect.kind in _DATA_KINDS:
        name = effect.resource.name
        if is_records_file(f"{name}.csv" if effect.resource.type == "table" else name):
            yield "customer"


_DATA_KINDS = frozenset("fs.read db.read data.export net.send net.upload".split())


def _classes_of_text(text: str) -> set[str]:
    found = set()
    if _NUMBER.search(text):
        found = {_BY_NUMBER[name] for name in find_personal_data(text)}
    if "PRIVATE KEY-----" in text or _BEARER.search(text) or any(map(holds_key, _long_words(text))):
        found.add("secret")
    return found


def _long_words(text: str) -> Iterator[str]:
    for word in _LONG_WORD.findall(text):
        yield from (word[start : start + _PART] for start in range(0, len(word), _STEP))


def _texts(value: Any, found: set[str]) -> Iterable[str]:
    """Yield the texts and numbers in a payload; add `secret` to what was found where a key says that it holds one."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, Mapping):
            pending.extend(one.values())
            for name, inner in one.items():
                yield str(name)
                if inner not in _EMPTY and is_secret_name(plain_key(name)):
                    found.add("secret")
        elif isinstance(one, (list, tuple)):
            pending.extend(one)
        elif isinstance(one, (bytes, bytearray)):
            yield bytes(one).decode("utf-8", "replace")
        elif isinstance(one, (str, int)) and not isinstance(one, bool):
            yield str(one)
