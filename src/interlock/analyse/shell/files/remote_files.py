"""Secret files of other machines, containers and buckets that a client shows or brings to this machine."""

from __future__ import annotations

from interlock.analyse.files.traits import traits
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import RemoteFiles

_TABLE = read_table("remote-files", RemoteFiles)
_COMMANDS = {
    program: [command.split() for command in client.commands]
    for client in _TABLE.clients
    for program in client.programs
}
# Commands that show a file, or whose operands are all remote.
_SHOWING = frozenset(_TABLE.showing)
# Options whose value is the name of an object or a file at the service.
_NAMING = frozenset(_TABLE.naming)


def report_fetched_secrets(call: ShellCall) -> None:
    """Report secret files that a client shows or brings here: `aws s3 cp s3://acme/prod/.env -`."""
    for command in _COMMANDS[call.program]:
        at = _find_words_end(call.words, command)
        if at:
            for name in _sources(call.words[at:], call.words[at - 1]):
                found = traits(_path_of(name))
                if "secret" in found or _is_kept_secret(name):
                    call.scope.reading.emit("secret.read", call.site, name, found)
                    return


def _find_words_end(words: list[str], command: list[str]) -> int:
    """Return the position after a command's words, which stand together, or 0 if they are not there."""
    count = len(command)
    if count and command[0] not in words:
        return 0
    for at in range(1, len(words) - count + 1):
        if words[at : at + count] == command:
            return at + count
    return 0


def _sources(words: list[str], verb: str) -> list[str]:
    """Return the names of what a command reads: its operands but for the destination, and what options name."""
    named, operands = [], []
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        before = words[at - 1] if at else ""
        if option in _NAMING and equals:
            named.append(value)
        elif before in _NAMING:
            named.append(word)
        elif word[:1] != "-" and before[:2] != "--":
            operands.append(word)
    shows = verb.rpartition("/")[2] in _SHOWING or len(operands) == 1
    return named + (operands if shows else operands[:-1])


def _path_of(name: str) -> str:
    """Return the path in the name of a remote file: `s3://bucket/path`, `host:/path`."""
    scheme, separator, rest = name.partition("://")
    if separator and scheme != "file":
        return rest.partition("/")[2]
    return name.rpartition(":")[2]


def _is_kept_secret(name: str) -> bool:
    """Whether a remote file is one of settings, or in a bucket for secrets: `gs://acme-secrets/prod.env`."""
    bucket = name.partition("://")[2].partition("/")[0]
    return name.endswith(".env") or not _SECRETS.isdisjoint(bucket.split("-"))


_SECRETS = frozenset(_TABLE.buckets)
