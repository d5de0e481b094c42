"""Database servers that run from a temporary folder or from the project: stopping them disturbs nobody else."""

from __future__ import annotations

import msgspec

from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.arguments import find_values
from interlock.model import Place

#: Options that name the folder of a server's data, or its socket.
_OPTIONS = frozenset({"-D", "--pgdata", "-S", "--socket"})
_OWN = frozenset({Place.SCRATCH, Place.WORKSPACE})
_LOCAL = frozenset({"local"})
_REMOTE = ("-h", "--host")


def mark_own_servers(call: ShellCall, first: int) -> None:
    """Mark servers that are stopped since `first` as local, if the run started them."""
    reading, words = call.scope.reading, call.words
    named = [path for _, path in find_values(words, _OPTIONS)]
    if not named or any(HOLE in path for path in named) or any(word.startswith(_REMOTE) for word in words[1:]):
        return
    if any(reading.places.locate(path, call.scope.cwd)[0] not in _OWN or _is_usual(path) for path in named):
        return
    for at in range(first, len(reading.effects)):
        effect = reading.effects[at]
        if effect.kind == "db.execute" and "stopped" in effect.flags:
            reading.effects[at] = msgspec.structs.replace(effect, kind="local.change", flags=_LOCAL)


def _is_usual(path: str) -> bool:
    """Whether a socket is where a server of the system has it by default: `/tmp/mysql.sock`."""
    return path.rpartition("/")[2] in ("mysql.sock", "mysqld.sock", "mariadb.sock")
