"""`ln`: where a symbolic link leads is said from the folder that it is in, not from the working folder."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS

_RELATIVE = ("-r", "--relative")


def _ln(call: ShellCall) -> Flow:
    """`ln -s TARGET LINK`: read the target as seen from the folder of the link, if that is another one."""
    named = [at for at, word in enumerate(call.words) if at and word[:1] != "-"]
    if len(named) == 2 and _is_symbolic(call.words):
        words = list(call.words)
        words[named[0]] = _link_target(words[named[1]], words[named[0]])
        call = call.with_words(words, call.nodes)
    return read(call, PROGRAMS["ln"])


def _is_symbolic(words: list[str]) -> bool:
    options = [word for word in words[1:] if word[:1] == "-"]
    if any(word in _RELATIVE or (word[:2] != "--" and "r" in word) for word in options):
        return False
    return any(word == "--symbolic" or (word[:2] != "--" and "s" in word) for word in options)


def _link_target(link: str, target: str) -> str:
    """Return where a link leads, from the working folder.

    >>> _link_target("build/site", "../dist"), _link_target("current", "releases/12"), _link_target("a/b", "/srv/x")
    ('dist', 'releases/12', '/srv/x')
    """
    folder = posixpath.dirname(link)
    if not folder or target[:1] in ("/", "~", "$") or HOLE in target or HOLE in link:
        return target
    return posixpath.normpath(posixpath.join(folder, target))


SYMBOLIC_LINKS: dict[str, Callable[[ShellCall], Flow]] = {"ln": _ln}
