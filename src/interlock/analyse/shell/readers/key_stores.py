"""`keytool`: whether the file of an option is read or written depends on the command."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS

#: Option → the commands that write the file which it names.
_WRITING = {
    "-file": frozenset({"-exportcert", "-export", "-certreq", "-gencrl"}),
    "-outfile": frozenset({"-gencert"}),
    "-keystore": frozenset("-genkeypair -genkey -genseckey -importcert -import -importpass -delete".split()),
    "-destkeystore": frozenset({"-importkeystore"}),
}
#: Commands that add an entry to a store and leave the others as they are.
_ADDING = frozenset("-genkeypair -genkey -genseckey -importcert -import -importpass".split())
_NEW = frozenset({"new"})


def _keytool(call: ShellCall) -> Flow:
    """Report the files that a call writes, then read it by its description."""
    options = parse(call.words, PROGRAMS["keytool"]).options
    for option, commands in _WRITING.items():
        if options.get(option) and not commands.isdisjoint(call.words):
            adds = option == "-keystore" and not _ADDING.isdisjoint(call.words)
            call.scope.reading.file("fs.write", call.site, options[option], _NEW if adds else NONE)
    return read(call, PROGRAMS["keytool"])


KEY_STORES: dict[str, Callable[[ShellCall], Flow]] = {"keytool": _keytool}
