"""Correspondence at a service: requests and calls that read a person's mail, chats and calendar."""

from __future__ import annotations

from interlock.patterns import late

# Words without which a text has none of the requests below.
_HINTS = ("conversations", "with_subject", "/users/", "search.messages", "discovery", "delegate")
_PERSON = r"[\w.%+-]+(?:@|%40)[\w.-]+"
_REQUESTS = late(
    r"(?i)graph\.microsoft\.com/[\w.]+/users/(?:"
    + _PERSON
    + r"|\{[^}]*\})/(?:messages|mailfolders|chats|calendar|onenote|drive)"
    r"|googleapis\.com/(?:gmail|calendar|drive)/v\d/(?:users|calendars)/"
    + _PERSON
    + r"|slack\.com/api/(?:discovery\.|search\.messages)"
)
_DIRECT = late(r"(?i)\btypes[\"']?\s*[=:]\s*[\"'][^\"']*\b(?:im|mpim)\b|\bchannel[\"']?\s*[=:]\s*[\"']?D0\w+")
_HISTORY = late(r"conversations[._](?:history|replies)")
_DELEGATED = late(r"(?:with_subject|create_delegated)\(|\bsubject\s*=\s*[\"']" + _PERSON)
_LETTERS = late(r"[\"'](?:gmail|chat|drive|calendar|people)[\"']\s*,\s*[\"']v\d|gmail\.readonly")


def reads_letters(text: str) -> bool:
    """Whether a request or code reads the letters or chats of a person at a service.

    >>> reads_letters("https://graph.microsoft.com/v1.0/users/ann@example.com/messages")
    True
    >>> reads_letters("https://graph.microsoft.com/v1.0/me/messages")
    False
    >>> reads_letters("conversations_history(channel='C01')")
    False
    """
    if not any(hint in text for hint in _HINTS):
        return False
    if _REQUESTS.search(text) or (_HISTORY.search(text) and _DIRECT.search(text)):
        return True
    return _DELEGATED.search(text) is not None and _LETTERS.search(text) is not None
