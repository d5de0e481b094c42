"""Contexts: which cluster, account or project a command switches a client to; and the tags that it creates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from interlock.memory.additions import add_tags
from interlock.memory.calls.command_lines import CommandLine, name_of, read_command_line
from interlock.memory.calls.switches import ENVIRONMENT, Switch, find_switches, switch_table
from interlock.memory.model import ANY_TAG, ClientContext
from interlock.model import Analysis
from interlock.patterns import late

#: Names that only the shell resolves, or that mean the previous context.
_UNKNOWN = late(r"[$`*?{}<>]|\s-(?:\s|$)")
_TAG = late(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
_SETTING = frozenset({"target", "settings", "role"})
_OTHER = "other"


def find_contexts(analysis: Analysis) -> tuple[ClientContext, ...]:
    """Return what a command switches each client to."""
    found: dict[str, list[str]] = {}
    for one in find_switches(analysis):
        if one.sets in _SETTING and one.client != ENVIRONMENT:
            found.setdefault(_context_of(one), []).append(_text_of(one))
    return tuple(ClientContext(client, _name_of(texts)) for client, texts in found.items())


def _context_of(switch: Switch) -> str:
    """Return the client by which a context is stored; those without an entry are stored together."""
    return switch.client if any(one.name == switch.client for one in switch_table().clients) else _OTHER


def _text_of(switch: Switch) -> str:
    """Return a command without its quotes, and with its options in order."""
    if switch.line is None:
        return switch.text
    options = (f"{name}={value}" for name, value in sorted(switch.line.options.items()))
    return " ".join([switch.line.program, *switch.line.plain_operands, *options])


def _name_of(texts: Iterable[str]) -> str:
    text = "\n".join(texts)
    if _UNKNOWN.search(f"{text} "):
        return ""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def find_tags(analysis: Analysis) -> tuple[str, ...]:
    """Return the words of commands that may be names of tags that they create."""
    lines = [read_command_line(call) for call in analysis.commands if name_of(call) == "git"]
    words = [word for line in lines for word in _tag_words(line)]
    unknown = (ANY_TAG,) if any(_UNKNOWN.search(word) for word in words) else ()
    return add_tags(unknown, filter(_TAG.fullmatch, words))


def _tag_words(line: CommandLine) -> Iterator[str]:
    """Yield the operands of `git tag` and `git update-ref`, and the names of references of tags."""
    creates = line.begins_with("tag") or line.begins_with("update-ref")
    for word in line.call.words[1:]:
        if word.startswith("refs/tags/") or (creates and word[:1] != "-" and word not in ("tag", "update-ref")):
            yield word.removeprefix("refs/tags/")
        elif ":refs/tags/" in word:
            yield word.rpartition(":refs/tags/")[2]
