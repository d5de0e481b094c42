"""Actions in browsers and on screens: pressed buttons, filled forms, and orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.orders_in_words import order_meanings
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import PageWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-pages", PageWords)
BROWSING = _WORDS.page_tools | _WORDS.page_words
#: Key combinations that mean the same in nearly every program.
_SHORTCUTS = {word: meaning for meaning, words in _WORDS.shortcuts.items() for word in words}
#: Keys of the option that is selected in a list.
_CHOSEN_KEYS = frozenset({"value", "values", "options", "choice"})
_NARROWING = late(rf"\b(?:{'|'.join(_WORDS.narrowing_words)})\b")
_VALUE_KEYS = frozenset("value text input content".split())
MAX_NAME = 300
#: Form fields, by what filling them in sets up: a new bank account, an administrator, a password.
_FIELDS = {word: meaning for meaning, words in _WORDS.telling_fields.items() for word in words}


def is_browsing(words: Sequence[str]) -> bool:
    """Whether a tool operates a page or a screen."""
    return not _WORDS.page_tools.isdisjoint(words) or (
        not _WORDS.page_words.isdisjoint(words) and not _WORDS.operating_words.isdisjoint(words)
    )


def is_setting_up(words: Sequence[str]) -> bool:
    """Whether a tool changes the browser itself, and not only its pages."""
    return not _WORDS.browser_settings.isdisjoint(words)


@lru_cache(maxsize=512)
def is_page_operation(words: tuple[str, ...]) -> bool:
    """Whether the name of a tool only says how a page or a screen is operated.

    >>> is_page_operation(("browser", "submit")), is_page_operation(("browser", "set", "proxy"))
    (True, False)
    """
    return is_browsing(words) and all(
        word in BROWSING or word in _WORDS.handling_words or word == "mcp" for word in words
    )


def button_meanings(words: Sequence[str], arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the meanings of the buttons, forms and orders among arguments."""
    typing = not _WORDS.typing_words.isdisjoint(words)
    if not _WORDS.answering_tools.isdisjoint(words):
        yield from _answers(arguments)
    yield from _shortcuts(arguments)
    found_by = not typing and any(one.key in _WORDS.finding_keys for one in arguments)
    choosing = "select" in words and not any(
        _NARROWING.search(one.low) for one in arguments if one.key in _WORDS.button_keys
    )
    for one in arguments:
        if not isinstance(one.value, str):
            continue
        if one.key in _WORDS.order_keys and " " in one.value.strip():
            yield from order_meanings(one.value)
        elif (
            (
                one.key in _WORDS.button_keys
                or (found_by and one.key == "value")
                or (choosing and one.key in _CHOSEN_KEYS)
            )
            and len(one.value) <= MAX_NAME
            and not (typing and one.key in _VALUE_KEYS)
        ):
            yield from order_meanings(one.value, pressed=not typing)
    if typing:
        yield from _fields(arguments)


def _answers(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the action that a dialog asks to confirm, unless the answer is no."""
    if any(one.key in _WORDS.answer_keys and one.low in _WORDS.no_answers for one in arguments):
        return
    if any(one.key in _WORDS.typed_keys and _CONFIRMATION.fullmatch(one.low) for one in arguments):
        yield operation_meaning("delete_account")  # people type the name of something only to end it
    for one in arguments:
        if one.key in _WORDS.question_keys and isinstance(one.value, str) and len(one.value) <= MAX_NAME:
            yield from order_meanings(one.value, pressed=True)


_CONFIRMATION = late(rf"[a-z0-9.]+(?:[-/_][a-z0-9.]+)+|(?:yes,? )?(?:{'|'.join(_WORDS.confirming_verbs)})(?: \S+)?")


def _shortcuts(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the actions of key combinations, in the window that an argument names."""
    pressed = [one.text.lower().replace(" ", "") for one in arguments if one.key in _WORDS.shortcut_keys]
    verb = next((_SHORTCUTS[keys] for keys in pressed if keys in _SHORTCUTS), "")
    if verb:
        place = " ".join(one.text for one in arguments if one.key in _WORDS.window_keys and isinstance(one.value, str))
        yield from order_meanings(f"{verb} {_PUNCTUATION.sub(' ', place[:MAX_NAME])}", pressed=True)


_PUNCTUATION = late(r"[,.;!?–—-]+")


def _fields(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the purposes of the fields that are filled in, other than searches and ordinary entries."""
    for one in arguments:
        if isinstance(one.value, str) and one.key in _WORDS.field_keys and len(one.value) <= MAX_NAME:
            named = split_words(one.value)
            if not _WORDS.ordinary_fields.isdisjoint(named):
                continue
            yield from (operation_meaning(f"change_{_FIELDS[word]}") for word in named if word in _FIELDS)
