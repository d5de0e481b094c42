"""Clients of services that no description covers, read by the verb and the resources among their words."""

from __future__ import annotations

from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.project_tasks import is_practice
from interlock.analyse.shell.services.client_vocabulary import CHANGE, DESTROY, classes_of, find_verb
from interlock.analyse.shell.services.local_systems import is_rehearsal
from interlock.patterns import late

_WORD = late(r"[a-z][a-z0-9:_-]*")
_CLIENT = late(r".{2,}(?:ctl|cli|cloud)")
_DEPLOYING = frozenset("deploy redeploy rollout promote publish undeploy".split())
#: Classes of resources that are seldom found on one's own machine.
_SHARED = frozenset("cluster compute database dns identity network backup queue".split())
_DETACHED = frozenset({"--help", "-h", "--version"})
MAX_WORDS = 3


def report_client_verbs(call: ShellCall, name: str) -> None:
    """Report what an unlisted client does to a service: `frobctl cluster delete`, `frob deploy`."""
    words = _command_words(call.words)
    if not words or not _WORD.fullmatch(name) or is_rehearsal(call.words) or not _DETACHED.isdisjoint(call.words):
        return
    emit, text = call.scope.reading.emit, " ".join([name, *words])
    if not _DEPLOYING.isdisjoint(words[:2]):
        if not is_practice(call):
            emit("deploy.release", call.site, text)
        return
    found = find_verb(words, 0, MAX_WORDS)
    if found is None or found[1][0] not in (CHANGE, DESTROY):
        return
    classes = classes_of(tuple(words[: found[0] + 2]))
    listed = _CLIENT.fullmatch(name) is not None
    if found[1][0] == DESTROY and (classes & _SHARED or (listed and classes)):
        emit("infra.destroy", call.site, text, classes)
    elif found[1][0] == CHANGE and listed and classes & _SHARED:
        emit("infra.change", call.site, text, classes)


def _command_words(words: list[str]) -> list[str]:
    """Return the plain words before the first option or path."""
    found: list[str] = []
    for word in words[1:]:
        if len(found) == MAX_WORDS or not _WORD.fullmatch(word[:80]):
            break
        found.append(word)
    return found
