"""Browsers and screens that a tool operates: buttons that are pressed, forms that are filled, and orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name import Meaning
from interlock.analyse.tools.phrases import operation_meaning, orders_in
from interlock.knowledge.tool_names import split_words

#: Words in names of tools that operate a page or a screen.
BROWSING = frozenset(
    (
        "browser page puppeteer playwright selenium stagehand computer web webpage dom click tab skyvern "
        "browserbase webdriver cdp ui screen desktop chrome firefox devtools "
        "website site form mouse keyboard gui rpa uipath multion operator hyperbrowser nova surf"
    ).split()
)
_ORDER_KEYS = frozenset(
    "instruction instructions goal prompt objective task action act order query request command intent "
    "step steps description".split()
)
_BUTTON_KEYS = frozenset(
    "element label text selector button click press form focused target locator link name role_name "
    "aria_label css xpath tap submit double_click copy".split()
)
_FIELD_KEYS = frozenset("name label selector element field locator id key placeholder".split())
_VALUE_KEYS = frozenset("value text input content".split())
_TYPING = frozenset("fill type enter set input write form".split())
MAX_NAME = 300
#: Fields by what typing into them prepares: a new bank account, an administrator, a password.
_FIELDS = {
    **dict.fromkeys("iban bic swift routing payout payee beneficiary".split(), "bank_account"),
    **dict.fromkeys("admin administrator owner".split(), "admin"),
    "forwarding": "forwarding",
    "recovery": "recovery_email",
}
_ORDINARY_FIELDS = frozenset("search filter login signin q find".split())


def is_browsing(words: Sequence[str]) -> bool:
    """Whether a tool operates a page or a screen."""
    return not BROWSING.isdisjoint(words)


def presses_in(words: Sequence[str], arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what the buttons, forms and orders in arguments do."""
    typing = not _TYPING.isdisjoint(words)
    for one in arguments:
        if not isinstance(one.value, str):
            continue
        if one.key in _ORDER_KEYS and " " in one.value.strip():
            yield from orders_in(one.value)
        elif one.key in _BUTTON_KEYS and len(one.value) <= MAX_NAME and not (typing and one.key in _VALUE_KEYS):
            yield from orders_in(one.value, pressed=not typing)
    if typing:
        yield from _fields(arguments)


def _fields(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what the fields that are filled in are for, where it is more than a search or an ordinary entry."""
    for one in arguments:
        if isinstance(one.value, str) and one.key in _FIELD_KEYS and len(one.value) <= MAX_NAME:
            named = split_words(one.value)
            if not _ORDINARY_FIELDS.isdisjoint(named):
                continue
            yield from (operation_meaning(f"change_{_FIELDS[word]}") for word in named if word in _FIELDS)
