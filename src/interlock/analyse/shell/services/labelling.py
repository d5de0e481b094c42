"""Commands of service clients that change nothing but labels or descriptions: `aws ec2 create-tags`.

A command counts by its verb and its options, all of which have to be about labels or say which thing is meant. Tags on
which rights, firewalls or releases depend are not labels: those of users and roles, of Google's networks, of images.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.shell.services.client_vocabulary import split_word
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.clients import Clients

_TABLE = read_table("clients", Clients).labelling
_OPTIONS = frozenset(_TABLE.options)
_LABELS = frozenset((*_TABLE.labels, *_TABLE.descriptions))
_TAGS = frozenset(_TABLE.tags)
_VERBS = frozenset(_TABLE.verbs)
_DESCRIPTIONS = frozenset(_TABLE.descriptions)
_DECISIVE = frozenset(_TABLE.decisive)
_PROGRAMS = frozenset(_TABLE.programs)
#: Programs whose tags decide which rules of a firewall hold.
_NETWORK_TAGS = frozenset({"gcloud"})


def only_labels(program: str, arguments: Sequence[str], words: Sequence[str], at: int) -> bool:
    """Whether a command with its verb at a position of its words changes nothing but labels or descriptions.

    >>> only_labels("az", ["az", "resource", "tag", "--ids", "/x", "--tags", "a=b"], ["resource", "tag"], 1)
    True
    >>> only_labels("aws", ["aws", "ec2", "create-tags", "--endpoint-x", "y"], ["ec2", "create-tags"], 1)
    False
    """
    if program not in _PROGRAMS or not 0 < at < len(words):
        return False
    named = {part for word in words[: at + 1] for part in split_word(word)}
    if _DESCRIPTIONS.isdisjoint(named) and not _DECISIVE.isdisjoint(named):
        return False
    options = (word.partition("=")[0] for word in arguments[1:] if word[:1] == "-")
    return _writes_labels(program, words[at - 1], split_word(words[at])) and _OPTIONS.issuperset(options)


def _writes_labels(program: str, before: str, verb: Sequence[str]) -> bool:
    """Whether a verb writes labels: `tag-resource`, `update-key-description`, `add-labels`, `tag set`."""
    labels = _LABELS if program in _NETWORK_TAGS else _LABELS | _TAGS
    if verb[0] in labels:
        return True
    return verb[0] in _VERBS and (not labels.isdisjoint(verb[1:]) or (len(verb) == 1 and before in labels))
