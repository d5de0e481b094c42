"""The tools, programs, hosts, folders, rules and unread parts of a recorded action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from interlock.analyse.shell.readers import READERS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.metrics.stop_cause import STOPPING, stop_cause
from interlock.patterns import late
from interlock.policy.used_places import FOLDER, HOST, UNKNOWN_PLACE, find_used_places

TOOL, PROGRAM = "tool", "program"
RULE, POLICY, STOPPED = "rule", "policy", "stopped"
DRIFT, ACTIVITY = "drift", "activity"
UNKNOWN_PROGRAM, UNKNOWN_TOOL, UNREAD = "unknown_program", "unknown_tool", "unread"
#: The kinds that are counted for each agent, and all of them.
BY_AGENT = (TOOL, PROGRAM, HOST, FOLDER, ACTIVITY)
KINDS = (*BY_AGENT, RULE, POLICY, STOPPED, DRIFT, UNKNOWN_PROGRAM, UNKNOWN_TOOL, UNREAD)
#: Where commands of a shell line begin, and the first word of one: after variables that are set for it.
_SEPARATORS = late(r"[;&|\n(){}]+")
_FIRST_WORD = late(r"^\s*(?:\w+=\S*\s+)*([\w./+-]+)")
_PLAIN = late(r"[\w.+-]{1,100}")


class UsedData(msgspec.Struct, frozen=True):
    """The fields of a decision's record that say what was used."""

    text: str = ""
    mode: str = ""
    rules: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    coverage: str = "full"


#: A kind of usage, a name, and whether it is counted for each agent.
UsedName = tuple[str, str, bool]


def list_used(tool: str, verdict: str, data: UsedData, policies: Sequence[tuple[str, str]]) -> Iterator[UsedName]:
    """Yield what an action used, each once. `policies` are those that matched, and the verdict of each."""
    yield TOOL, tool, True
    yield ACTIVITY, "actions", True
    yield from dict.fromkeys((RULE, rule, False) for rule in data.rules)
    yield from dict.fromkeys((POLICY, policy, False) for policy, _ in policies)
    if verdict in STOPPING:
        yield STOPPED, stop_cause(verdict, data.rules, data.mode, policies), False
    yield from dict.fromkeys((PROGRAM, name, True) for name in programs_in(data))
    for what, name in dict.fromkeys(_places(data.resources)):
        yield what, name, True
    yield from ((UNKNOWN_PROGRAM, name, False) for name in unknown_programs(data))
    if data.effects[:1] == ("tool.unknown",):
        yield UNKNOWN_TOOL, tool, False
    if data.coverage != "full":
        yield UNREAD, unread_part(data), False


def is_known(name: str) -> bool:
    """Whether the analysis knows a program by its name."""
    return name in PROGRAMS or name in READERS


def unknown_programs(data: UsedData) -> list[str]:
    """Return the programs that the analysis did not know.

    Recorded resources do not say whose effect they are. A program that is started by name (`make build`) has another
    kind of effect, so a name counts only if a command of the text begins with it.

    >>> unknown_programs(UsedData(text="frob ls; make build", effects=("process.run",), resources=("program:frob",)))
    ['frob']
    """
    if "process.run" not in data.effects:
        return []
    named = {name.removeprefix("program:") for name in data.resources if name.startswith("program:")}
    named = {name for name in named if not is_known(name) and _PLAIN.fullmatch(name)}
    if "process.spawn" in data.effects:
        named &= set(_first_words(data.text))
    return sorted(named)


def programs_in(data: UsedData) -> list[str]:
    """Return the programs that the commands of a text begin with, if they are known, or ran as unknown ones.

    >>> programs_in(UsedData(text="cd app && git push; echo done | tee x", effects=("vcs.push",)))
    ['cd', 'echo', 'git', 'tee']
    """
    if not data.effects or data.effects[0].startswith("tool."):
        return []
    found = {word for word in _first_words(data.text) if is_known(word)}
    return sorted(found.union(unknown_programs(data)))


def _first_words(text: str) -> Iterator[str]:
    for part in _SEPARATORS.split(text):
        if first := _FIRST_WORD.match(part):
            yield first[1].rpartition("/")[2]


def unread_part(data: UsedData) -> str:
    """Return why a part of an action was not read, without text from the agent."""
    for name in data.resources:
        if name.startswith("code:"):
            return name.removeprefix("code:").partition("`")[0].rstrip(" :") or "code"
    return "a script" if "code.run" in data.effects else "code"


def _places(resources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the hosts and folders among the resources of an action that it names."""
    return (place for place in find_used_places(resources) if place[1] != UNKNOWN_PLACE)
