"""Redis commands, and the text protocols of key-value stores that are spoken over a plain connection."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.stores.scratch import DatabaseTarget, mark_connection
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import StoreCommands
from interlock.patterns import late

MAX_CHARS = 20_000
_CAP = frozenset({"cap"})
_STORE = frozenset({"store"})

# A command, or a command with its first argument → what it does.
_STORES = read_table("store-commands", StoreCommands).stores
_COMMANDS = _STORES["redis"].meanings()
_KEYED = frozenset({"DEL", "UNLINK"})
_SCRIPTED = frozenset({"EVAL", "EVAL_RO"})
_LUA_CALL = late(r"redis\.p?call\s*\(\s*['\"](\w+)['\"]")
#: Settings of a server that hold a password; a pattern shows them among others.
_SECRET_SETTINGS = late(r"(?i)requirepass|masterauth|masteruser|sentinel-pass|key-file-pass|^\*$|\*pass|pass\*|\*auth")


#: A name and words, whose quotes are closed.
_NAME = rf"[A-Za-z{HOLE}][\w.|{HOLE}-]*"
_WORD = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\s\"'][^\s\"]*"
_COMMAND_LINE = late(rf"\s*(?:(?:{_NAME}|\"{_NAME}\"|'{_NAME}')(?:\s+(?:{_WORD}))*|[#*$+:-].*)\s*")


def read_redis(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse Redis commands, one on each line."""
    if len(text) > MAX_CHARS:
        reading.unread("redis commands too long to be read", site, flags=_CAP)
    for line in text[:MAX_CHARS].splitlines():
        if line.strip():
            if not _COMMAND_LINE.fullmatch(line):
                reading.reject("redis", site)
            redis_command(reading, line.replace('"', " ").replace("'", " ").split(), site)
    return UNKNOWN


def redis_command(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effect of one Redis command."""
    name, argument = (*(word.upper() for word in words[:2]), "", "")[:2]
    if name in _SCRIPTED and len(words) > 1 and HOLE not in words[1]:
        _read_script(reading, words, site)
        return
    if name in _KEYED and (len(words) == 1 or HOLE in words[1]):  # the keys are unknown
        reading.emit("db.delete", site, words[0], frozenset({"many"}))
        return
    if _empties(name, [word.upper() for word in words[2:]]):
        reading.emit("db.delete", site, " ".join(words[:2]), frozenset({"many"}))
        return
    kind, *flags = _COMMANDS.get(f"{name} {argument}") or _COMMANDS.get(name) or ["db.read"]
    if kind == "db.read" and _shows_secret(name, words):
        reading.emit("secret.read", site, words[-1], _STORE)
    reading.emit(kind, site, " ".join(words[:2]), frozenset(flags))


def _read_script(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effects of a Lua script by the commands that it calls."""
    calls = [found[1] for found in _LUA_CALL.finditer(words[1])]
    for name in calls:
        redis_command(reading, [name], site)
    if not calls:
        reading.emit("db.read", site, words[0])


def _empties(name: str, rest: list[str]) -> bool:
    """Whether a command empties a list or a stream: `LTRIM jobs 1 0`, `XTRIM orders MAXLEN 0`."""
    if name == "LTRIM":
        return rest[:2] in (["1", "0"], ["-1", "0"], ["0", "0"])
    return name == "XTRIM" and rest[-1:] == ["0"] and "MAXLEN" in rest


def _shows_secret(name: str, words: list[str]) -> bool:
    if name == "CONFIG":
        return any(_SECRET_SETTINGS.search(word) for word in words[2:])
    return len(words) > 1 and is_secret_name(words[1].replace(":", "_").replace("/", "_"))


#: Port → what each line does that is sent to it.
_LINES = {port: _STORES[name].meanings() for name in ("memcached", "zookeeper") for port in _STORES[name].ports}
_REDIS_PORTS = frozenset(_STORES["redis"].ports)


def read_lines_to_port(reading: Reading, host: str, port: str, text: str | None, site: Site) -> None:
    """Report the effects of lines that a plain connection such as `nc` sends to the port of a store."""
    if not text or (port not in _REDIS_PORTS and port not in _LINES):
        return
    first = len(reading.effects)
    text = text[:MAX_CHARS].replace("\\r", "").replace("\\n", "\n")
    if port in _REDIS_PORTS:
        read_redis(reading, text, site, UNKNOWN)
    else:
        for line in text.splitlines():
            meaning = _LINES[port].get(line.strip().lower().partition(" ")[0])
            if meaning:
                kind, *flags = meaning
                reading.emit(kind, site, line.strip(), frozenset(flags))
    mark_connection(reading, first, DatabaseTarget(host))
