"""Sensitive pages in a browser, and content that is copied from them and pasted into another site."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.words import memory_words
from interlock.memory.exposures.private_names import is_confidential, sources
from interlock.memory.model import Content, DataFlow
from interlock.memory.taint.propagation import COPIED, COPIED_ELSEWHERE, PAGE
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import leaves

MAX_LABEL = 80
_ADDRESS = late(
    r"(?i)https?://(?:[^/@\s]{1,80}@)?(?P<host>[\w.-]{1,200}|\[[\da-f:]{2,45}\])(?::\d+)?(?P<path>/[^\s?#]{0,400})?"
)
_LOCAL_HOST = late(r"(?i)localhost|127\.\d+\.\d+\.\d+|\[::1\]|(?:[\w-]+\.)+(?:localhost|test)")
_INTERNAL_PAGE = late(r"10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|[\w-]+")
_COPY_KEYS = late(r"(?i)\b(?:control|ctrl|cmd|meta|command)\s?\+\s?(?:shift\s?\+\s?)?(?:[cx]|insert)\b|\^c\b")
_PASTE_KEYS = late(r"(?i)\b(?:control|ctrl|cmd|meta|command)\s?\+\s?(?:shift\s?\+\s?)?v\b|\bshift\+insert|\^v\b")
_SEPARATORS = late(r"[^\w]+")


def find_pages(action: Action) -> Iterator[DataFlow]:
    """Yield what a call of a browser opens or copies: a sensitive page, or another one after it."""
    if memory_words().browsers.isdisjoint(split_words(action.tool_name)):
        return
    for _, value in leaves(action.input_payload):
        found = _ADDRESS.fullmatch(value) if isinstance(value, str) and value[:4].lower() == "http" else None
        if found is None or _LOCAL_HOST.fullmatch(found["host"]):
            continue
        if _is_internal_page(found["host"], found["path"] or ""):
            yield DataFlow((), (PAGE,), Content.PRIVATE)
        else:
            yield DataFlow((COPIED,), (COPIED_ELSEWHERE,))
    if _is_operation(action, memory_words().copying, _COPY_KEYS):
        yield DataFlow((PAGE,), (COPIED,))


def is_paste(action: Action) -> bool:
    """Whether a call of a browser or a screen pastes what was copied."""
    return _is_operation(action, memory_words().pasting, _PASTE_KEYS)


def _is_operation(action: Action, words: frozenset[str], keys: re.Pattern[str]) -> bool:
    """Whether a call is an operation, by the name of its tool, the keys that it presses or the label of a button."""
    if not words.isdisjoint(split_words(action.tool_name)):
        return True
    texts = [value.strip() for _, value in leaves(action.input_payload) if isinstance(value, str)]
    return any(
        keys.search(text) or (len(text) <= MAX_LABEL and not words.isdisjoint(_SEPARATORS.split(text.lower())))
        for text in texts
    )


def _is_internal_page(host: str, path: str) -> bool:
    """Whether the address of a page says that the page is sensitive.

    >>> _is_internal_page("intra.example.com", "/"), _is_internal_page("example.com", "/hr/sick-leave")
    (True, True)
    >>> _is_internal_page("example.com", "/")
    False
    """
    labels, folders = frozenset(host.lower().split(".")[:-1]), frozenset(path.lower().strip("/").split("/"))
    return (
        _INTERNAL_PAGE.fullmatch(host) is not None
        or not memory_words().inner_hosts.isdisjoint((*labels, host.rpartition(".")[2].lower()))
        or not sources().private_folders.isdisjoint(folders)
        or is_confidential(path)
    )
