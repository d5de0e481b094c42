"""Query languages other than SQL: Redis commands, the MongoDB shell and Cypher."""

from __future__ import annotations

import re

from interlock.analyse.keys import is_secret_name
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NONE, UNKNOWN, Flow, Reading, Site
from interlock.patterns import late

MAX_CHARS = 20_000
_CAP = frozenset({"cap"})

# A command, or a command with its first argument → what it does.
_REDIS = {
    "FLUSHALL FLUSHDB": "db.drop database",
    "SHUTDOWN DEBUG FAILOVER": "db.execute stopped",
    "CONFIG EVAL EVALSHA FCALL MODULE SLAVEOF REPLICAOF SCRIPT FUNCTION ACL CLUSTER MIGRATE": "db.execute",
    "CONFIG|GET CONFIG|HELP MODULE|LIST SCRIPT|EXISTS FUNCTION|LIST FUNCTION|DUMP ACL|LIST ACL|CAT": "db.read",
    "ACL|WHOAMI CLUSTER|INFO CLUSTER|NODES CLUSTER|SLOTS CLUSTER|SHARDS": "db.read",
    "CONFIG|SET": "db.execute outside",
    "MODULE|LOAD": "db.execute outside",
    "ACL|SETUSER ACL|DELUSER": "db.grant",
    "SWAPDB RESTORE": "db.write",
    "SET MSET HSET HMSET LPUSH RPUSH SADD ZADD INCR INCRBY DECR DECRBY APPEND SETEX PSETEX SETNX": "db.write",
    "GETSET XADD PUBLISH HINCRBY LSET PFADD BGSAVE SAVE BGREWRITEAOF COPY MOVE SORT": "db.write",
    "DEL UNLINK EXPIRE PEXPIRE EXPIREAT PERSIST RENAME RENAMENX SPOP LPOP RPOP HDEL SREM ZREM LTRIM GETDEL": "db.write",
    "XDEL XTRIM": "db.write",
}
_KEYED = frozenset({"DEL", "UNLINK"})
_SCRIPTED = frozenset({"EVAL", "EVAL_RO"})
_LUA_CALL = late(r"redis\.p?call\s*\(\s*['\"](\w+)['\"]")
_COMMANDS = {name: meaning.split() for names, meaning in _REDIS.items() for name in names.split()}


def read_redis(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse Redis commands, one on each line."""
    if len(text) > MAX_CHARS:
        reading.unread("redis commands too long to be read", site, flags=_CAP)
    for line in text[:MAX_CHARS].splitlines():
        if line.strip():
            redis_command(reading, line.replace('"', " ").replace("'", " ").split(), site)
    return UNKNOWN


def redis_command(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effect of one Redis command."""
    if words and words[0].upper() in _SCRIPTED and len(words) > 1 and HOLE not in words[1]:
        for found in _LUA_CALL.finditer(words[1]) if _LUA_CALL.search(words[1]) else ():
            redis_command(reading, [found[1]], site)
        if not _LUA_CALL.search(words[1]):
            reading.emit("db.read", site, words[0])
        return
    if words and words[0].upper() in _KEYED and (len(words) == 1 or HOLE in words[1]):  # the keys are unknown
        reading.emit("db.delete", site, words[0], frozenset({"many"}))
        return
    name, argument = (*(word.upper() for word in words[:2]), "", "")[:2]
    kind, *flags = _COMMANDS.get(f"{name}|{argument}") or _COMMANDS.get(name) or ["db.read"]
    if kind == "db.read" and len(words) > 1 and is_secret_name(words[1].replace(":", "_").replace("/", "_")):
        reading.emit("secret.read", site, words[1], frozenset({"store"}))
    reading.emit(kind, site, " ".join(words[:2]), frozenset(flags))


# Pattern of a call → its effect; an empty filter makes it `unbounded`.
_MONGO = (
    (r"\bsystem\.users\b|\bgetUsers\s*\(|showCredentials", "db.read credentials"),
    (r"\.dropDatabase\s*\(|\bdropDatabase\b", "db.drop database"),
    (r"\.drop\s*\(\s*\)|\bdrop\s*:", "db.drop table"),
    (r"\.(deleteMany|remove)\s*+\(\s*+(\{\s*+\}\s*+)?[,)]", "db.delete unbounded"),
    (r"\.(deleteMany|deleteOne|remove|findOneAndDelete|bulkWrite)\s*\(", "db.delete"),
    (r"\.(updateMany|update)\s*\(\s*\{\s*\}", "db.write unbounded"),
    (
        r"\.(createUser|updateUser|dropUser|dropAllUsers|grantRolesToUser|createRole|changeUserPassword)\s*\(",
        "db.grant",
    ),
    (r"\.shutdownServer\s*\(|\bshutdown\s*:", "db.execute stopped"),
    (r"\.(dropIndexes|dropIndex|renameCollection)\s*\(|\brs\.(remove|reconfig|stepDown)\s*\(", "db.alter"),
    (
        r"\.(insert|insertOne|insertMany|update|updateOne|updateMany|replaceOne|save|createIndex|createCollection)\s*\(",
        "db.write",
    ),
)
_MONGO_CALLS = tuple((re.compile(pattern), meaning.split()) for pattern, meaning in _MONGO)
_COMPUTED = late(r"\b(eval|Function|require|load|run|runProgram|child_process)\s*\(|\bdb\s*\[|\]\s*\(")


def read_mongo(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse text for the MongoDB shell by the calls in it. The text is JavaScript."""
    found = [meaning for pattern, meaning in _MONGO_CALLS if pattern.search(text[:MAX_CHARS])]
    for kind, *flags in found or [["db.read"]]:
        reading.emit(kind, site, None, frozenset(flags) if flags else NONE)
    if len(text) > MAX_CHARS or _COMPUTED.search(text[:MAX_CHARS]):
        reading.unread("javascript code", site, flags=_CAP if len(text) > MAX_CHARS else NONE)
    return UNKNOWN


# A deletion without a condition or a property deletes every node.
_CYPHER = (
    (
        r"\bload\s+csv\b[^;]*''[^;]*\bfile\b|\bapoc\.(load|export|import|systemdb|trigger|cypher\.runfile|util\.sleep)",
        "db.execute outside",
    ),
    (r"\bdrop\s+(composite\s+)?database\b", "db.drop database"),
    (r"\bdrop\s+(index|constraint)\b", "db.alter"),
    (r"\b(create|alter|drop)\s+(user|role)\b|\b(grant|deny|revoke)\b", "db.grant"),
    (r"\A(?!.*(\bwhere\b|\{)).*\bdelete\b", "db.delete unbounded"),
    (r"\bdelete\b", "db.delete many"),
    (r"\b(create|merge|set|remove)\b", "db.write"),
)
_CYPHER_CLAUSES = tuple((re.compile(pattern, re.I | re.S), meaning.split()) for pattern, meaning in _CYPHER)
_CYPHER_TEXT = late(r"'[^'\\]*+'|\"[^\"\\]*+\"|//[^\n]*+")


def read_cypher(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse Cypher, the language of graph databases, by its clauses."""
    clauses = _CYPHER_TEXT.sub("''", text[:MAX_CHARS])
    found = [meaning for pattern, meaning in _CYPHER_CLAUSES if pattern.search(clauses)]
    for kind, *flags in found[:1] or [["db.read"]]:
        reading.emit(kind, site, None, frozenset(flags) if flags else NONE)
    if len(text) > MAX_CHARS:
        reading.unread("cypher too long to be read", site, flags=_CAP)
    return UNKNOWN
