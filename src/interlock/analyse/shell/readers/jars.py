"""Archives that `java` runs: one that is named after a program takes that program's arguments."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_VERSION = late(r"(?:-\d[\w.]*)?(?:-all|-jar-with-dependencies)?\.jar$")

#: Options of the virtual machine that name a file which it writes.
_LOG = late(r"-(?:Xlog:[^:]*:(?:file=)?|Xloggc:)\"?([^:\"]+)")


def java(call: ShellCall) -> Flow:
    """`java -jar jenkins-cli.jar …`: analyse the arguments as those of `jenkins-cli` too."""
    flow = read(call, PROGRAMS[call.program])
    words = call.words
    for found in filter(None, map(_LOG.match, words)):
        if found[1] not in ("stdout", "stderr"):
            call.scope.reading.file("fs.write", call.site, found[1])
    at = words.index("-jar") + 1 if "-jar" in words else len(words)
    if at < len(words) - 1:
        name = _VERSION.sub("", words[at].rpartition("/")[2])
        if name != words[at] and name in PROGRAMS:
            call.with_words([name, *words[at + 1 :]], [None, *call.nodes[at + 1 :]]).tail(0, call.program)
    return flow


JARS: dict[str, Callable[[ShellCall], Flow]] = {"java": java, "javaw": java}
