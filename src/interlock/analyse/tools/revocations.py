"""Calls that only revoke rights: they end a share, remove a role or revoke a token.

The right, whose it was and what it was for are named by the arguments, and the higher the right, the better that it
goes. People, accounts and protections are not rights: who removes them takes something from others.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.chosen_operations import LEADING
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.selected_operations import is_listed
from interlock.analyse.tools.switches import is_true
from interlock.analyse.tools.vocabulary import stem
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words
from interlock.model import Action

_WORDS = read_table("tool-rights", RightWords)
_KEYS = LEADING | _WORDS.taking_keys
MAX_VERB = 40
_EVERYBODY = VALUES["company"] | VALUES["all"] - {"true"}


def only_revokes(action: Action, meaning: Meaning, arguments: Sequence[Argument], told: str) -> bool:
    """Whether a call takes rights away and does nothing else. `told` is the description of the tool."""
    words = frozenset(meaning.words)
    verb = _verb_of(action, meaning, arguments, told)
    if verb in _WORDS.revoking_verbs:
        named = words & (_WORDS.rights | _WORDS.credentials)
        barred = _WORDS.not_rights - _WORDS.detached_things
    elif verb in _WORDS.ending_verbs:
        named, barred = words & _WORDS.rights, _WORDS.not_rights
    else:
        return False
    if not named or not words.isdisjoint(barred) or not words.isdisjoint(_WORDS.many_words):
        return False
    if named <= _WORDS.credentials and any(one.low in _EVERYBODY for one in arguments):
        return False  # every session ends
    return len(arguments) > 0 and not any(map(_does_more, arguments))


def _verb_of(action: Action, meaning: Meaning, arguments: Sequence[Argument], told: str) -> str:
    """Return the verb of a call: that of its name, or the one that an argument selects and the tool lists."""
    selecting = [one for one in arguments if one.key in _KEYS and one.is_own and isinstance(one.value, str)]
    if not selecting:
        return meaning.said
    words = split_words(selecting[0].low[:MAX_VERB])
    verb = stem(words[0].lower()) if words and len(selecting) == 1 else ""
    return verb if verb == meaning.said or (verb and is_listed(selecting[0], action, told)) else ""


def _does_more(one: Argument) -> bool:
    """Whether an argument does something besides: `wipe_data: true`, `transfer_to: …`."""
    if one.value in (None, False, "", ()):
        return False
    return ("final" in one.roles and is_true(one)) or not one.words.isdisjoint(_WORDS.more_than_taking)
