"""Manifests of dependencies that a run has changed to take code from a host that no ecosystem is known to use.

Nothing happens when such a line is written. The next installation or build fetches and runs what is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import DependencyManifest, Manifests, Packages
from interlock.levels import Level
from interlock.memory.calls.programs import family_of, programs_of_command
from interlock.memory.model import Concern, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.patterns import late
from interlock.sanitise import quotable

RULE = "manifest_names_other_source"
MAX_TEXT, MAX_FILES = 40_000, 40
#: An address, or a path that begins with a host, as in `go.mod`.
_ADDRESS = late(
    r"(?:(?:git|hg|svn)\+)?(?:https?|git|ssh)://(?:[\w.-]+@)?(?P<host>[\w-]+(?:\.[\w-]+)+)(?P<path>/[^\s\"'<>,)\]]*)?"
    r"|=>\s*(?P<module>[\w-]+(?:\.[\w-]+)+)/"
)
#: Words in front of an address that is only a link to documentation, a licence or an issue tracker.
_ABOUT = late(
    r"(?i)(?:home-?page|documentation|\bdocs?\b|repository|\bbugs?\b|issues?|license|changelog|author|funding|schema|xmlns|xsi:"
    r"|\bscm\b|website|contact|source_?url|project[-_.]?urls?|maintainer|description|\bsee\b|#|//|/\*)[^\n]{0,80}$"
)
_BEFORE, _URL = 80, late(r"\"url\"\s*:\s*\"$")
_LOCAL = ("localhost", "127.", "10.", "192.168.", "0.")
_WORD = late(r"[\w.@/~+-]{3,200}")


@cache
def _manifests() -> Sequence[DependencyManifest]:
    return read_table("manifests", Manifests).manifests


@cache
def _names_for(program: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the names of the manifests that a program follows, and the endings of such names."""
    names = [name for one in _manifests() if program in map(family_of, one.programs) for name in one.names]
    return frozenset(names), tuple(name[1:] for name in names if name[:1] == "*")


@cache
def _usual() -> frozenset[str]:
    return frozenset(read_table("packages", Packages).sources) | frozenset(read_table("manifests", Manifests).forges)


def find_manifest_source(_: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a command installs or builds from a manifest of this run that names an unusual host."""
    followed = [found for program, _ in programs_of_command(analysis) if (found := _names_for(family_of(program)))[0]]
    if not followed or not analysis.effects:
        return None
    for path in list(state.written)[: -MAX_FILES - 1 : -1]:
        file, name = state.written[path], path.rpartition("/")[2].lower()
        if not any(name in names or name.endswith(endings) for names, endings in followed):
            continue
        if not file.text or file.state not in ("whole", "part"):
            continue
        host = next(_unusual_hosts(file.text[:MAX_TEXT], name), "")
        agreed = {one.subject for one in state.concerns if one.kind is ConcernKind.MANIFEST_SOURCE}
        if host and quotable(host) not in agreed:
            reason = f"Takes code from `{quotable(host)}`: this run wrote it into `{quotable(name)}`"
            return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    return None


def find_manifest_edit(analysis: Analysis) -> Concern | None:
    """Return a concern if a command rewrites a manifest and adds an unusual host to it."""
    text = analysis.text[:MAX_TEXT]
    if "shell" not in analysis.languages or any(one.kind.startswith(("net.", "code.")) for one in analysis.effects):
        return None
    if "://" not in text or not any(one.kind == "fs.write" for one in analysis.effects):
        return None
    named = {word.rpartition("/")[2].lower() for word in _WORD.findall(text)}
    programs = [program for one in _manifests() if _follows(one.names, named) for program in one.programs]
    addresses = (found for found in _ADDRESS.finditer(text) if not _ABOUT.search(_line_before(text, found)))
    host = next((host for host in map(_host_of, addresses) if _is_foreign(host)), "")
    if not programs or not host:
        return None
    followed = tuple(dict.fromkeys(map(family_of, programs)))[:8]
    return Concern(ConcernKind.MANIFEST_SOURCE, quotable(host), programs=followed)


def _follows(names: Iterable[str], named: set[str]) -> bool:
    return any(name in named for name in names if name[:1] != "*")


def _line_before(text: str, found: re.Match[str]) -> str:
    return text[max(found.start() - _BEFORE, 0) : found.start()].rpartition("\n")[2]


def _host_of(found: re.Match[str]) -> str:
    return (found["host"] or found["module"]).lower()


def _is_foreign(host: str) -> bool:
    return not host.startswith(_LOCAL) and not _is_usual(host)


def _unusual_hosts(text: str, name: str) -> Iterator[str]:
    """Yield the hosts that a manifest fetches from and that are neither usual nor local."""
    for found in _ADDRESS.finditer(text):
        before = _line_before(text, found)
        before = before.rpartition(",")[2] if name.endswith("json") else before
        if name == "package.json" and _URL.search(before):  # of the project itself: dependencies have their names there
            continue
        if _ABOUT.search(before) or (name.endswith("json") and before[-1:] not in ('"', ":")):
            continue
        host = _host_of(found)
        if _is_foreign(host):
            yield host


def _is_usual(host: str) -> bool:
    while host:
        if host in _usual():
            return True
        host = host.partition(".")[2]
    return False
