"""Production tasks: scripts and tasks of a project that change something in production, by what they are told.

The code of such a task is the project's own and is not read. Its name and its arguments say enough: that they name
production, and a verb that changes or destroys data there, or that a message goes out to everyone.
"""

from __future__ import annotations

from interlock.analyse.shell.call import Call
from interlock.patterns import late

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PRODUCTION = frozenset({"prod", "production", "prd"})
_DESTROYS = frozenset(
    "drop truncate delete destroy wipe purge erase flush reset down terminate nuke decommission teardown".split()
)
_CHANGES = frozenset("migrate seed restore backfill rollback deploy promote scale failover rotate".split())
_REHEARSES = frozenset({"dry", "dryrun", "noop", "simulate"})
_HARMLESS = frozenset("plan status list check preview help diff validate cache test tests build logs".split())
_MESSAGES = frozenset("newsletter newsletters broadcast campaign campaigns blast announcement mailing".split())
_REAL = frozenset("live send all everyone subscribers customers users production prod".split())
MIN_WORDS, MAX_WORDS = 2, 40


def read_production_task(call: Call, task: str) -> None:
    """Report a task that is told to change production, or to send a message to everyone."""
    told = call.words[call.words.index(task) :] if task in call.words else []
    if len(told) < MIN_WORDS:
        return
    words = {word.lower() for text in told[:MAX_WORDS] for word in _WORDS.findall(text[:200])}
    if not words.isdisjoint(_REHEARSES) or any(_is_harmless(text) for text in told[:MAX_WORDS]):
        return
    name = " ".join(call.words)[:200]
    if not words.isdisjoint(_PRODUCTION):
        if not words.isdisjoint(_DESTROYS):
            call.scope.reading.emit("infra.destroy", call.site, name)
        elif not words.isdisjoint(_CHANGES):
            call.scope.reading.emit("infra.change", call.site, name)
    elif not words.isdisjoint(_MESSAGES) and not words.isdisjoint(_REAL):
        call.scope.reading.emit("message.send", call.site, name, _MANY)


def _is_harmless(word: str) -> bool:
    """Whether a word of the command line only asks for something: `status`, `--list`; not `--list=all`."""
    parts = [part.lower() for part in _WORDS.findall(word[:200])]
    return bool(parts) and "=" not in word and not _HARMLESS.isdisjoint((parts[0], parts[-1]))


_MANY = frozenset({"many"})
