"""Verbs of services' clients: what the word of a command says it does, in any client."""

from __future__ import annotations

from interlock.patterns import late

READ, CHANGE, DESTROY = 0, 1, 2

# Words that are nothing but verbs in a client's command.
_READS = (
    "describe list get show ls lookup view read check wait help whoami validate verify estimate preview simulate "
    "explain inspect count cat stat du exists detect summarize batch-get admin-get admin-list download fetch retrieve "
    "presign print tail"
)
_DESTROYS = (
    "delete destroy terminate purge rm rb drop wipe erase remove nuke batch-delete admin-delete del obliterate "
    "undeploy teardown bulk-delete force-delete multi-delete truncate"
)
# Verbs that change something, by what a rule may want to know about it.
_CHANGES = {
    "disabled": "disable stop suspend pause deactivate deallocate halt shutdown poweroff power-off",
    "detached": "detach revoke disassociate deregister unassign unlink unset unsubscribe untag leave",
    "run": "execute invoke send-command start-session",
    "": (
        "create update put modify set add attach start reboot enable apply send reset cp mv associate authorize "
        "register grant login logout configure scale restart promote upload submit rename move edit replace rotate "
        "renew upgrade resize assign subscribe install uninstall mb mk generate clone resume failover recover approve "
        "cancel rebuild"
    ),
}
# Words that are verbs where no other one stands, and names of things elsewhere: `secrets versions destroy 1`.
_ALSO_NAMES = {
    (0, ""): (
        "head search query version info status filter scan select test diff history logs log stats top find plan "
        "versions tree about completion doctor doc docs pull dump wizard ps events metrics lint fmt output synth open "
        "browse dashboard"
    ),
    (1, "disabled"): "off hibernate",
    (1, "run"): "run exec ssh console",
    (1, ""): (
        "deploy import restore copy sync publish init new push tag label patch change link unlock lock join switch "
        "use build export rollback release migrate save load downgrade"
    ),
}

#: Verb → what it does, and a flag.
VERBS: dict[str, tuple[int, str]] = {
    **{verb: (CHANGE, flag) for flag, verbs in _CHANGES.items() for verb in verbs.split()},
    **dict.fromkeys(_READS.split(), (READ, "")),
    **dict.fromkeys(_DESTROYS.split(), (DESTROY, "")),
}
NAMES: dict[str, tuple[int, str]] = {word: does for does, words in _ALSO_NAMES.items() for word in words.split()}

# What `remove-…` takes away is a membership or a tag; a thing itself goes by `delete-…`.
_BY_PREFIX = {**VERBS, "remove": (CHANGE, "detached")}
_CAMEL = late(r"(?<=[a-z0-9])(?=[A-Z])")


def find_verb(words: list[str], start: int, span: int) -> tuple[int, tuple[int, str]] | None:
    """Return where the verb of a command is, and what it does: a whole word first, then a part of one.

    >>> find_verb(["ec2", "delete-volume"], 1, 1)
    (1, (2, ''))
    >>> find_verb(["compute", "instances", "list", "delete"], 1, 5)
    (2, (0, ''))
    >>> find_verb(["secrets", "versions", "destroy", "1"], 1, 5)
    (2, (2, ''))
    """
    places = range(start, min(start + span, len(words)))
    for reader in (VERBS.get, _inside, NAMES.get, _begun):
        for at in places:
            found = reader(words[at])
            if found is not None:
                return at, found
    return None


def _parts(word: str) -> list[str]:
    return _CAMEL.sub("-", word[:100]).lower().replace("_", "-").split("-")


def _inside(word: str) -> tuple[int, str] | None:
    """Return the verb that a word begins with, or ends with: `delete-volume`, `DeleteVolume`, `instance-delete`."""
    parts = _parts(word)
    if len(parts) < 2:
        return None
    return VERBS.get("-".join(parts[:2])) or _BY_PREFIX.get(parts[0]) or VERBS.get(parts[-1])


def _begun(word: str) -> tuple[int, str] | None:
    """Return what a word begins with that is a verb at times: `run-instances`."""
    parts = _parts(word)
    return NAMES.get(parts[0]) if len(parts) > 1 else None
