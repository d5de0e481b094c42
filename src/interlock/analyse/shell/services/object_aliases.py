"""Aliases of object stores, by which `mc` names servers: `local/uploads` is a bucket of the server `local`."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_of
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.stores.scratch import is_local_host
from interlock.analyse.stores.scratch_names import REAL, is_scratch_thing
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

#: Programs that name servers by aliases.
CLIENTS = frozenset({"mc", "mcli"})
#: Before an alias, in the name of a variable that holds its address; no variable of a shell has such a name.
_KNOWN = "\0alias "
_VARIABLE = "MC_HOST_"
_WORDS = late(r"[a-z]+")
_NEAR = frozenset({"local", "localhost", "localdev"})
_DELETING = frozenset({"rb", "rm"})
_COPYING = frozenset({"cp", "mv", "mirror", "get", "put", "pipe"})
_HERE = ("./", "../", "/", "~", HOLE)


def keep_alias(call: ShellCall) -> None:
    """Remember the address that `mc alias set NAME URL` gives to an alias."""
    operands = _operands(call)
    if operands[:2] in (["alias", "set"], ["alias", "s"], ["config", "host"]) and len(operands) > 3:
        at = 3 if operands[2] == "add" else 2
        call.scope.variables[_KNOWN + operands[at]] = "".join(operands[at + 1 : at + 2])


def brings_here(call: ShellCall) -> bool:
    """Whether a copy takes objects from a server to this machine, and leaves the server as it was."""
    operands = _operands(call)
    if operands[:1] not in (["cp"], ["mirror"], ["get"]) or len(operands) < 3:
        return False
    return operands[-1] == "." or operands[-1].startswith(_HERE)


def is_local_store(call: ShellCall) -> bool:
    """Whether a call changes a server of this machine, and takes nothing away there but what is for a trial."""
    operands = _operands(call)
    if len(operands) < 2 or "--dangerous" in call.words:
        return False
    verb = operands[0]
    changed = operands[-1:] if verb in _COPYING - {"mv"} else operands[1:]
    named = [name for name in changed if "/" in name] or changed[-1:]
    if verb == "mv":
        named = [name for name in named if not name.startswith(_HERE)]
    if not named or not all(_is_local_alias(call, name.partition("/")[0]) for name in named):
        return False
    if verb not in _DELETING or (verb == "rm" and not _deletes_many(call)):
        return True
    return all(is_scratch_thing(name.partition("/")[2]) for name in named)


def _deletes_many(call: ShellCall) -> bool:
    return any(word in ("-r", "--recursive", "--versions", "--stdin") for word in call.words)


def _is_local_alias(call: ShellCall, alias: str) -> bool:
    """Whether an alias stands for a server of this machine: by its address, or else by its name."""
    known = call.scope.variables.get(_KNOWN + alias, call.scope.variables.get(_VARIABLE + alias))
    if isinstance(known, str):
        return HOLE not in known and is_local_host(host_of(known))
    words = set(_WORDS.findall(alias.lower()))
    return not _NEAR.isdisjoint(words) and REAL.isdisjoint(words)


def _operands(call: ShellCall) -> list[str]:
    """Return the words that are neither options nor their values."""
    return [value.text for value in parse(call.words, PROGRAMS["mc"]).operands]
