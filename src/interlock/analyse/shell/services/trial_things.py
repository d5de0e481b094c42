"""Topics, queues, buckets and volumes that are made for a trial: what a client does to them is lost to nobody."""

from __future__ import annotations

import msgspec

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import SCRATCH_POINTS
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.stores.scratch import is_local_host
from interlock.analyse.stores.scratch_names import is_scratch_thing
from interlock.knowledge.arguments import find_values
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.clients import BrokerClients, Naming
from interlock.model import Place, Resource
from interlock.patterns import late

_CHANGES = frozenset({"db.write", "db.delete", "db.drop", "db.alter"})
_HOST = late(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@/\s]*@)?(\[[^\]]*\]|[^:/?#\s]*)")


_TABLE = read_table("broker-clients", BrokerClients)
_NAMINGS = {program: naming for naming in _TABLE.clients for program in naming.programs}
#: Names that stand as `key=value` among operands.
_KEYS = frozenset(_TABLE.keys)


def mark_trial_things(call: ShellCall, first: int) -> None:
    """Mark the changes since `first` as changes of scratch data, if all named things are for a trial."""
    naming = _NAMINGS.get(call.program)
    if naming is None:
        return
    reading = call.scope.reading
    changed = [at for at in range(first, len(reading.effects)) if reading.effects[at].kind in _CHANGES]
    if changed and not is_trial(call, naming):
        changed = [at for at in changed if reading.effects[at].flags >= _OFFSETS] if _is_here(call, naming) else []
    for at in changed:
        effect = reading.effects[at]
        name = effect.resource.name if effect.resource else call.program
        scratch = Resource("table", name, Place.SCRATCH, SCRATCH_POINTS)
        reading.effects[at] = msgspec.structs.replace(effect, resource=scratch)


#: Where consumers stand in a queue: nothing is lost if they read it again, and at home nobody else does.
_OFFSETS = frozenset({"queue", "reset"})
_LOOPBACK = late(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?")


def _is_here(call: ShellCall, naming: Naming) -> bool:
    """Whether a call names its servers, and all of them are this machine."""
    named = [value.removeprefix("brokers=") for _, value in find_values(call.words, naming.servers)]
    return bool(named) and all(_LOOPBACK.fullmatch(one) for value in named for one in value.split(","))


def is_trial(call: ShellCall, naming: Naming) -> bool:
    """Whether a call changes only things for a trial, on a server that is not another machine."""
    if any(_is_remote(value) for _, value in find_values(call.words, naming.servers)):
        return False
    holders = [value for _, value in find_values(call.words, naming.holders)]
    things = [value for _, value in find_values(call.words, naming.things)]
    if naming.command >= 0:
        for word in _operands(call, naming)[naming.command :]:
            key, equals, value = word.partition("=")
            if not equals:
                things.append(word)
            elif key == "vhost":
                holders.append(value)
            elif key in _KEYS:
                things.append(value)
    return any(is_scratch_thing(name) for name in holders) or (
        bool(things) and all(is_scratch_thing(name) for name in things)
    )


def _operands(call: ShellCall, naming: Naming) -> list[str]:
    """Return the words that are neither options nor their values."""
    valued = {*naming.servers, *naming.things, *naming.holders}
    operands = parse(call.words, PROGRAMS[call.program]).operands
    return [value.text for value in operands if call.words[value.at - 1] not in valued]


def _is_remote(value: str) -> bool:
    """Whether a server, one of several, or the context that leads to it is another machine."""
    for server in value.removeprefix("brokers=").split(","):
        found = _HOST.match(server)
        host = found[1] if found else server
        if HOLE in server or (host and not is_local_host(host)):
            return True
    return False
