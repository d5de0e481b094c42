"""Browsers and screens that a tool operates: buttons that are pressed, forms that are filled, and orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name import Meaning
from interlock.analyse.tools.phrases import operation_meaning, orders_in
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

#: Words in names of tools that operate a page or a screen, whatever else the names say.
_SURE = frozenset(
    (
        "browser puppeteer playwright selenium stagehand computer dom click skyvern browserbase webdriver cdp chrome "
        "firefox devtools mouse keyboard gui rpa uipath multion hyperbrowser nova surf desktop webpage"
    ).split()
)
#: Words that stand for such a page only next to a word of operating it: `page_submit`, but not `update_page`.
_UNSURE = frozenset("page web tab ui screen website site form operator dialog popup".split())
_OPERATING = frozenset(
    (
        "click goto submit fill type press evaluate eval scroll navigate act do open agent action tap hover select "
        "run execute script respond handle accept dismiss close visit go wait screenshot"
    ).split()
)
BROWSING = _SURE | _UNSURE
_ORDER_KEYS = frozenset(
    "instruction instructions goal prompt objective task action act order query request command intent "
    "step steps description purpose".split()
)
_BUTTON_KEYS = frozenset(
    "element label text selector button click press form focused target locator link name role_name "
    "aria_label css xpath tap submit double_click copy accessible_name option menu_item item target_text "
    "button_text link_text".split()
)
#: Keys of what a dialog asks, and words of tools that answer it.
_QUESTION_KEYS = frozenset({"message", "text", "dialog", "dialog_text", "title", "question", "prompt_text"})
_ANSWERING = frozenset({"dialog", "alert", "confirm", "prompt", "popup", "modal"})
_ACCEPTING = frozenset({"accept", "confirm", "ok", "answer", "response", "choice", "button"})
_NO = frozenset({"false", "no", "dismiss", "cancel", "reject", "decline", "deny", "0"})
#: Keys of the way in which an element is found, whose value names the element: `{"by": "xpath", "value": "//button…"}`.
_FINDING_KEYS = frozenset({"by", "using", "strategy", "locator_type", "selector_type"})
#: Keys that are pressed together, by what they do in nearly every program.
_SHORTCUTS = {
    **dict.fromkeys(("ctrl+enter", "cmd+enter", "meta+enter", "control+enter", "alt+s", "cmd+shift+d"), "send"),
    **dict.fromkeys(("shift+delete", "shift+del", "cmd+alt+backspace", "shift+cmd+backspace"), "delete"),
}
#: Keys of the option that is selected in a list.
_CHOSEN_KEYS = frozenset({"value", "values", "options", "choice"})
_NARROWING = late(r"\b(?:filters?|show|sort(?:ing|ed)?|search|find)\b")
_SHORTCUT_KEYS = frozenset({"keys", "key", "shortcut", "hotkey", "combo", "key_combination"})
_PLACE_KEYS = frozenset({"window", "window_title", "app", "dialog", "focused", "selection", "selected", "page"})
#: Words of names that say how a page is operated.
_HANDLING = frozenset(
    (
        "submit fill click type press select form session run task act action element key keys sequence hover check "
        "uncheck tap enter input write set perform do double right left drag drop dialog handle code snippet script "
        "option stagehand batch steps step extract observe"
    ).split()
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
    return not _SURE.isdisjoint(words) or (not _UNSURE.isdisjoint(words) and not _OPERATING.isdisjoint(words))


def is_setting_up(words: Sequence[str]) -> bool:
    """Whether a tool changes the browser itself, and not only what it shows."""
    return not _SETTINGS.isdisjoint(words)


_SETTINGS = frozenset(
    "proxy extension extensions permission permissions certificate certificates profile profiles policy settings "
    "preferences flags".split()
)


@lru_cache(maxsize=512)
def is_handling(words: tuple[str, ...]) -> bool:
    """Whether the name of a tool says no more than how a page or a screen is operated.

    >>> is_handling(("browser", "submit")), is_handling(("browser", "set", "proxy"))
    (True, False)
    """
    return is_browsing(words) and all(word in BROWSING or word in _HANDLING or word == "mcp" for word in words)


def presses_in(words: Sequence[str], arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what the buttons, forms and orders in arguments do."""
    typing = not _TYPING.isdisjoint(words)
    if not _ANSWERING.isdisjoint(words):
        yield from _answers(arguments)
    yield from _shortcuts(arguments)
    found_by = not typing and any(one.key in _FINDING_KEYS for one in arguments)
    choosing = "select" in words and not any(_NARROWING.search(one.low) for one in arguments if one.key in _BUTTON_KEYS)
    for one in arguments:
        if not isinstance(one.value, str):
            continue
        if one.key in _ORDER_KEYS and " " in one.value.strip():
            yield from orders_in(one.value)
        elif (
            (one.key in _BUTTON_KEYS or (found_by and one.key == "value") or (choosing and one.key in _CHOSEN_KEYS))
            and len(one.value) <= MAX_NAME
            and not (typing and one.key in _VALUE_KEYS)
        ):
            yield from orders_in(one.value, pressed=not typing)
    if typing:
        yield from _fields(arguments)


def _answers(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what the question of a dialog is about, unless the answer is no."""
    if any(one.key in _ACCEPTING and one.low in _NO for one in arguments):
        return
    if any(one.key in _TYPED_KEYS and _CONFIRMATION.fullmatch(one.low) for one in arguments):
        yield operation_meaning("delete_account")  # people type the name of something only to end it
    for one in arguments:
        if one.key in _QUESTION_KEYS and isinstance(one.value, str) and len(one.value) <= MAX_NAME:
            yield from orders_in(one.value, pressed=True)


#: Keys of the text typed into a dialog, and texts that confirm a deletion: the name of the thing, or a command.
_TYPED_KEYS = frozenset(
    {"prompt_text", "prompttext", "prompt", "typed", "confirmation", "confirmation_text", "answer_text"}
)
_CONFIRMATION = late(
    r"[a-z0-9.]+(?:[-/_][a-z0-9.]+)+|(?:yes,? )?(?:delete|destroy|löschen|supprimer|eliminar)(?: \S+)?"
)


def _shortcuts(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what keys do that are pressed together, in the window that an argument names."""
    pressed = [one.text.lower().replace(" ", "") for one in arguments if one.key in _SHORTCUT_KEYS]
    verb = next((_SHORTCUTS[keys] for keys in pressed if keys in _SHORTCUTS), "")
    if verb:
        place = " ".join(one.text for one in arguments if one.key in _PLACE_KEYS and isinstance(one.value, str))
        yield from orders_in(f"{verb} {_PUNCTUATION.sub(' ', place[:MAX_NAME])}", pressed=True)


_PUNCTUATION = late(r"[,.;!?–—-]+")


def _fields(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what the fields that are filled in are for, where it is more than a search or an ordinary entry."""
    for one in arguments:
        if isinstance(one.value, str) and one.key in _FIELD_KEYS and len(one.value) <= MAX_NAME:
            named = split_words(one.value)
            if not _ORDINARY_FIELDS.isdisjoint(named):
                continue
            yield from (operation_meaning(f"change_{_FIELDS[word]}") for word in named if word in _FIELDS)
