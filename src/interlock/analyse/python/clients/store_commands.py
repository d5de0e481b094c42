"""Commands and arguments of store clients in Python that say more than the name of the method."""

from __future__ import annotations

from interlock.analyse.clients.store_effects import takes_in_many
from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.values import as_text
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.stores.mongo import COMMANDS
from interlock.analyse.stores.redis import redis_command
from interlock.patterns import late

_SECRET = late(
    r"(?i)(?:^|[/:._-])(?:secrets?|passwords?|passwd|tokens?|credentials?|private[_-]?keys?|api[_-]?keys?)"
    r"(?:[/:._-]|$)"
)
_READING = ("get", "read", "fetch", "hget", "mget", "find", "scan", "smembers", "lrange", "query")
_SHOWN = late(r"(?i)^(?:password\w*|passwd|secret\w*|api_?key|\w*token)$")


def read_raw_command(call: PythonCall, family: str) -> bool:
    """Emit the effect of a command that is given as text, `execute_command("FLUSHALL")`; return whether it is one."""
    first = call.argument(0)
    if not isinstance(first, str) or HOLE in first:
        return False
    if family == "redis":
        return _read_redis(call, first)
    if family == "mongo" and call.method in ("command", "run_command"):
        kind, *flags = COMMANDS.get(first.lower(), "db.read").split()
        call.reading.emit(kind, call.site, first, frozenset(flags))
        return True
    return False


def _read_redis(call: PythonCall, first: str) -> bool:
    texts = [as_text(value) for value in call.arguments]
    if call.method == "execute_command":
        words = [*first.split(), *texts[1:]]
    elif call.method in ("eval", "eval_ro"):
        words = ["EVAL", first]
    elif call.method in ("config_get", "acl_getuser"):
        words = [*call.method.upper().split("_", 1), first]
    else:
        return False
    redis_command(call.reading, words, call.site)
    return True


def is_wide(call: PythonCall) -> bool:
    """Whether the arguments of a deletion take in many things: `recursive=True`, `index="*"`, `q="*:*"`."""
    return takes_in_many(call.values, call.keywords)


def reads_secret(call: PythonCall) -> bool:
    """Whether a client reads what is named like a secret: a key, a folder of keys, a column that it asks for."""
    words = call.method.lower().split("_")
    if words[0] not in _READING:
        return False
    for value in call.values:
        if isinstance(value, str) and (_SECRET.search(value) or is_secret_name(value.replace("/", "_"))):
            return True
        if isinstance(value, dict) and any(
            _SHOWN.match(str(key)) and shown in (1, True) for key, shown in value.items()
        ):
            return True
    return False
