"""Clients of services: the verb among a command's words says what it does, the other words to what."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from interlock.analyse.argv import Parsed, Value, parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.catalogue.cli import Cli
from interlock.analyse.catalogue.resources import classes_of
from interlock.analyse.catalogue.verbs import CHANGE, DESTROY, READ, find_verb
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.sql import looks_like_sql

# Who everyone is, in the words of different services.
_WORLD = re.compile(
    r"(?i)\b(allUsers|allAuthenticatedUsers)\b|(^|[=\",'\[{ ])(0\.0\.0\.0/0|::/0)|^(--acl=)?public-read(-write)?$"
    r"|\"Principal\"\s*:\s*(\"\*\"|{\s*\"AWS\"\s*:\s*\"\*\")|\bGroup=all\b|global/AllUsers"
)
# Rights over everything, in the words of different services.
_ADMIN = re.compile(
    r"(?i)(^|[/:= ])(AdministratorAccess|PowerUserAccess|IAMFullAccess|roles/(owner|editor|iam\.[a-z]*admin)"
    r"|Owner|Contributor|User Access Administrator|cluster-admin)$|\"Action\"\s*:\s*\[?\s*\"\*\""
)
_PLAIN = re.compile(r"[A-Za-z][\w:.-]*")
# What reaches others, so that it matters what it takes along.
_LEAVING = frozenset({"message.send", "net.send", "deploy.release", "vcs.push"})
_COPYING = frozenset("cp mv sync copy rsync upload upload-batch put-object put c".split())
MAX_WORDS = 8
MAX_LENGTH = 80
MAX_LOOKED_AT = 2_000


def client(call: Call, taken: frozenset[str] = NONE) -> Flow:
    """Read a call of a service's client; `taken` says what it takes along: `secret`, …"""
    name = call.words[0].rpartition("/")[2]
    spec = cast("Cli", PROGRAMS[name])
    parsed = parse(call.words, spec)
    words = _words(parsed, spec)
    flags = {*parsed.flags, *_said_by_values(call.words, spec)}
    kind, at = _kind(call, parsed, spec, words, flags)
    if _only_shows(call.words, words, flags):
        kind = spec.three_kinds[READ]
    elif kind in _LEAVING:
        flags |= taken | call.stdin.marks | _held(call)
    named = " ".join([name, *words[: at + 2]])
    call.scope.reading.emit(kind, call.site, named, frozenset(flags))
    if words[at : at + 1] and words[at] in _COPYING:
        _copied(call, parsed, words[at])
    _carried(call, parsed, spec, words, name)
    return Flow(None, frozenset({"secret"})) if kind == "secret.read" else UNKNOWN


def _held(call: Call) -> frozenset[str]:
    """Return what stands behind the unknown parts of the words."""
    found = NONE
    for word in call.words:
        if HOLE in word:
            found |= call.scope.reading.marks(word)
    return found


def _words(parsed: Parsed, spec: Cli) -> list[str]:
    """Return the words of the command: its first operands, taken apart at `:`, without those that say nothing."""
    words: list[str] = []
    for value in parsed.operands[:MAX_WORDS]:
        text = value.text[:MAX_LENGTH]
        if text not in spec.skipped or words:
            words += [part for part in text.split(":") if part] if _PLAIN.fullmatch(text) else [text]
    return words


def _kind(call: Call, parsed: Parsed, spec: Cli, words: list[str], flags: set[str]) -> tuple[str, int]:
    """Return what the command does and where its verb is; add what its words say to the flags."""
    kinds = spec.three_kinds
    start = spec.at if len(words) > 1 else 0
    verb = find_verb(words, start, spec.span + _unknown_before(call.words, parsed, spec))
    at, (does, flag) = verb or (len(words) - 1, (CHANGE if len(words) > spec.at else READ, ""))
    flags |= classes_of(tuple(words[: at + 1]))
    if flag:
        flags.add(flag)
    kind = kinds[does]
    meaning = spec.meaning(words)
    if meaning is not None:
        flags.update(meaning[0].flags)
        kind = meaning[0].kind or kind
    if parsed.kind:
        kind = parsed.kind
    if kind == kinds[CHANGE] and "detached" not in flags:
        flags |= _reach(call.words, words)
    if words[at : at + 1] == ["scale"] and any(word == "0" or word.endswith("=0") for word in call.words):
        flags.add("to_zero")
    if "destroys" in flags:
        kind = kinds[DESTROY]
    return kind, at


def _unknown_before(arguments: list[str], parsed: Parsed, spec: Cli) -> int:
    """Return how many words before the verb may be the value of an option that nobody knows."""
    end = parsed.operands[1].at if len(parsed.operands) > 1 else 0
    table = spec.option_table
    return sum(word[:1] == "-" and "=" not in word and word not in table for word in arguments[1:end])


def _only_shows(arguments: list[str], words: list[str], flags: set[str]) -> bool:
    """Whether the command shows its help, or what it would do."""
    if "help" in flags or words[:1] == ["help"] or (words[-1:] == ["help"] and len(words) <= 3):
        return True
    return "dry_run" in flags and "--no-dry-run" not in arguments and "--dry-run=false" not in arguments


def _reach(arguments: list[str], words: list[str]) -> set[str]:
    """Return how far what is granted reaches: to everyone, to everything."""
    found = set()
    for word in arguments[1:]:
        looked_at = word[:MAX_LOOKED_AT]
        if _WORLD.search(looked_at) and not any("route" in part or "egress" in part for part in words):
            found.add("public")
        if _ADMIN.search(looked_at):
            found.add("admin")
    return found


def _said_by_values(arguments: list[str], spec: Cli) -> set[str]:
    """Return what the values of options say, by the program's table."""
    table = spec.value_table
    found = set()
    for index, word in enumerate(arguments[1:] if table else (), 1):
        name, equals, text = word.partition("=")
        if name in table:
            pattern, flag = table[name]
            given = text if equals else " ".join(arguments[index + 1 : index + 2])
            if pattern.search(given[:MAX_LOOKED_AT]):
                found.add(flag)
    return found


def _copied(call: Call, parsed: Parsed, verb: str) -> None:
    """Read what a copy takes from this machine, and what it leaves there."""
    reading, site = call.scope.reading, call.site
    table = parsed.spec.option_table
    names = [
        value.text
        for value in parsed.operands
        if call.words[value.at - 1][:1] != "-" or call.words[value.at - 1] in table
    ]
    names = names[names.index(verb) + 1 :] if verb in names else []
    remote = [name for name in names if "://" in name]
    first = len(reading.effects)
    for name in names if remote else ():
        if name not in remote and name != "-":
            reading.file("fs.write" if name is names[-1] else "fs.read", site, name)
    marks = call.stdin.marks
    if any(effect.kind == "secret.read" for effect in reading.effects[first:]):
        marks |= {"secret"}
    if remote and remote[-1] == names[-1]:
        reading.emit("net.send", site, remote[-1], marks | {"copy"})


def _carried(call: Call, parsed: Parsed, spec: Cli, words: list[str], name: str) -> None:
    """Read what a call carries: a command for another machine, or a query."""
    for value in parsed.values:
        if value.role.startswith("code:"):
            _code(call, value, name)
        elif value.role == "upload":
            _sent(call, value.text)
    meaning = spec.meaning(words)
    if meaning is None:
        return
    if meaning[0].role == "command":
        _command(call, parsed.operands, meaning[1], name)
    elif meaning[0].kind == "net.connect" and "--" in call.words:
        start = call.words.index("--") + 1
        if call.words[start : start + 1] and call.words[start][:1] != "-":
            call.tail(start, name)


def _command(call: Call, operands: list[Value], count: int, name: str) -> None:
    """Read the command that follows the first `count` words."""
    for value in operands:
        if count <= 0:
            if " " in value.text:
                call.scope.reading.nest("shell", value.text, call.inner(value.at).behind(name))
            else:
                call.tail(value.at, name)
            return
        count -= len(value.text.split(":"))


def _sent(call: Call, path: str) -> None:
    """Read a file that is sent to the service."""
    reading, first = call.scope.reading, len(call.scope.reading.effects)
    reading.file("fs.read", call.site, path)
    if reading.effects[first].kind == "secret.read":
        reading.emit("net.send", call.site, call.words[0], frozenset({"copy", "secret"}))


def _code(call: Call, value: Value, name: str) -> None:
    language = value.role[5:]
    if language == "sql" and not looks_like_sql(value.text):
        return
    call.scope.reading.nest(language, value.text, call.inner(value.at, value.inner).behind(name), NOTHING)


CLIENTS: dict[str, Callable[[Call], Flow]] = {name: client for name, spec in PROGRAMS.items() if isinstance(spec, Cli)}
