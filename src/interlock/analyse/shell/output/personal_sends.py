"""Files of a person that a program without a description sends somewhere, by its verb: `frob upload ~/Documents/x`."""

from __future__ import annotations

from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.options import CommandWords
from interlock.model import Place
from interlock.patterns import late

_WORDS = read_table("command-words", CommandWords)

#: Verbs with which programs send what they are given.
SENDING = _WORDS.sending_commands
# Folders below home in which people keep what is theirs.
_OWN = late(
    r"(?i)^(?:/home/[^/]+|/Users/[^/]+|/root|~)/(?:documents|desktop|pictures|photos|downloads|videos|movies|music|mail"
    r"|onedrive|dropbox|private|personal|finances?|taxes|scans|contracts|clients|work)(?:/|$)"
)
_CARRIED = frozenset({"carried", "elsewhere"})


def report_personal_sends(call: ShellCall, words: list[str], name: str) -> None:
    """Report files of a person among the arguments of a program that sends them."""
    reading = call.scope.reading
    for word in words:
        path = word.rpartition("=")[2].lstrip("@")
        if path[:1] not in ("/", "~", "."):
            continue
        resource, _ = reading.places.resource(path, call.scope.cwd)
        if resource.place is Place.HOME and _OWN.match(resource.name):
            reading.emit("net.send", call.site, name, _CARRIED)
            return
