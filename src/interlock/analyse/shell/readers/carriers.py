"""Programs that carry a command further in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import msgspec

from interlock.analyse.argv import Value, parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.paths import HOLE, hole
from interlock.analyse.reading import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call, feed
from interlock.effects import READS

_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")


def _raise_privilege(call: Call) -> Flow:
    """`sudo` and its like: what they carry counts as it is, and that it only reads makes the raise milder."""
    reading = call.scope.reading
    name = call.words[0].rpartition("/")[2]
    at = len(reading.effects)
    parsed = parse(call.words, PROGRAMS[name])
    for value in parsed.values:
        if value.role == "chdir":
            return _elsewhere(call, value, name)
    if "-e" in parsed.options or "--edit" in parsed.options:
        for word in call.words[parsed.operands[0].at :] if parsed.operands else ():
            reading.file("fs.write", call.site, word)
    code = [value for value in parsed.values if value.role == "code:shell"]
    flow = NOTHING
    for value in code:
        flow = reading.nest("shell", value.text, call.inner(value.at, value.inner).behind(name), call.stdin)
    if parsed.operands and not code:
        flow = call.tail(_past_assignments(call.words, parsed.operands[0].at), name)
    carried = reading.effects[at:]
    only_reads = bool(carried) and all(effect.kind in READS for effect in carried)
    reading.emit(
        "privilege.raise",
        call.site,
        parsed.options.get("-u", "root") or "root",
        _READ_ONLY if only_reads else NONE,
    )
    return flow


_READ_ONLY = frozenset({"reads"})
_NAMES = frozenset({"names"})


def _past_assignments(words: list[str], index: int) -> int:
    while index < len(words) and _ASSIGNMENT.match(words[index]):
        index += 1
    return index


def _env(call: Call) -> Flow:
    parsed = parse(call.words, PROGRAMS["env"])
    for value in parsed.values:
        if value.role == "chdir":
            return _elsewhere(call, value, "env")
        if value.role == "code:shell" and len(call.words) > value.at + 1:  # `env -S 'cmd' args`
            text = " ".join([value.text, *map(shlex.quote, call.words[value.at + 1 :])])
            return call.scope.shell.evaluate(text, call.scope, call.stdin, call.site.behind("env"))
        if value.role == "code:shell":  # `env -S 'cmd args'`
            return call.scope.shell.evaluate(
                value.text, call.scope, call.stdin, call.inner(value.at, value.inner).behind("env")
            )
    index = _past_assignments(call.words, parsed.operands[0].at if parsed.operands else len(call.words))
    if index >= len(call.words):
        call.scope.reading.emit("env.read", call.site)
        return Flow(None, frozenset({"environment"}))
    before = dict(call.scope.variables)
    for word in call.words[1:index]:
        name, equals, text = word.partition("=")
        if equals and name.isidentifier():
            call.scope.variables[name] = text
    try:
        return call.tail(index, "env")
    finally:
        call.scope.variables = before


def _elsewhere(call: Call, folder: Value, wrapper: str) -> Flow:
    """Read a carrier that changes the folder first, as if it stood there."""
    scope = call.scope
    before = scope.cwd
    scope.cwd = scope.reading.places.resolve(folder.text, scope.cwd) or hole("cwd")
    drop = 1 if folder.inner else 2
    words = [*call.words[: folder.at + 1 - drop], *call.words[folder.at + 1 :]]
    nodes = [*call.nodes[: folder.at + 1 - drop], *call.nodes[folder.at + 1 :]]
    try:
        return call.replaced(words, nodes).tail(0, wrapper)
    finally:
        scope.cwd = before


def _xargs(call: Call) -> Flow:
    parsed = parse(call.words, PROGRAMS["xargs"])
    index = parsed.operands[0].at if parsed.operands else len(call.words)
    words, nodes = call.words[index:] or ["echo"], call.nodes[index:] or [None]
    text = call.stdin.text
    known = text is not None and HOLE not in text and call.stdin is not NOTHING and "-a" not in parsed.options
    given = (text or "").split()[:64] if known else [hole("input")]
    if call.stdin.marks:
        call.scope.reading.taints["input"] = call.stdin.marks
    mark = parsed.options.get("-I") or parsed.options.get("--replace") or ("{}" if "-i" in parsed.options else "")
    if mark:
        words = [word.replace(mark, " ".join(given)) for word in words]
    else:
        words, nodes = words + given, nodes + [None] * len(given)
    return call.replaced(words, nodes, NOTHING).tail(0, "xargs")


_FIND_COMMANDS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})


def _find(call: Call) -> Flow:
    words, reading, site = call.words, call.scope.reading, call.site
    index = 1
    while index < len(words) and words[index] in ("-H", "-L", "-P"):
        index += 1
    roots = []
    while index < len(words) and words[index][:1] not in ("-", "(", "!"):
        roots.append(words[index])
        index += 1
    roots = roots or ["."]
    deletes = "-delete" in words
    flags = frozenset({"recursive", "filtered"}) if _is_filtered(words) else frozenset({"recursive"})
    for root in roots:
        reading.file("fs.delete" if deletes else "fs.read", site, root, flags if deletes else _NAMES)
    while index < len(words):
        if words[index] in _FIND_COMMANDS:
            index = _find_command(call, index + 1, roots, flags)
        elif words[index] in _FIND_WRITES and index + 1 < len(words):
            reading.file("fs.write", site, words[index + 1])
        index += 1
    return UNKNOWN


_TESTS = frozenset("-name -iname -path -ipath -regex -iregex -mtime -mmin -newer -size -empty".split())


def _is_filtered(words: list[str]) -> bool:
    """Whether a test stands before what is done, and narrows it: not turned around, not one that takes everything."""
    for at, word in enumerate(words):
        if word in ("-delete", *_FIND_COMMANDS, "!", "-not", "-o", "-or"):
            return False
        if word in _TESTS and words[at + 1 : at + 2] not in (["*"], ["**"], ["*.*"], [".*"]):
            return "-o" not in words and "-or" not in words
    return False


def _find_command(call: Call, index: int, roots: list[str], flags: frozenset[str]) -> int:
    """Read the command of `-exec`, on what is found: anything below the roots."""
    end = index
    while end < len(call.words) and call.words[end] not in (";", "+"):
        end += 1
    narrowed = frozenset({"top"}) if "filtered" in flags else NONE
    for root in roots:
        call.scope.reading.spend(end - index)
        found = root.rstrip("/") + "/*" if root != "/" else "/"
        below = call.scope.reading.places.resolve(root, call.scope.cwd) or root
        words = [word.replace("{}", found) for word in call.words[index:end]]
        inner = call.replaced(words, call.nodes[index:end])
        first = len(call.scope.reading.effects)
        inner.tail(0, "find -exec", NOTHING)
        effects = call.scope.reading.effects
        for at in range(first, len(effects)):
            resource = effects[at].resource
            if resource and effects[at].kind.startswith("fs.") and resource.name.startswith(below):
                kept = effects[at].flags | flags
                effects[at] = msgspec.structs.replace(effects[at], flags=kept - narrowed)
    return end


def _ssh(call: Call) -> Flow:
    parsed = parse(call.words, PROGRAMS["ssh"])
    reading = call.scope.reading
    if not parsed.operands:
        return UNKNOWN
    host = parsed.operands[0]
    reading.url("net.connect", call.site, host.text, call.stdin.marks)
    if len(parsed.operands) > 1:
        first = parsed.operands[1].at
        text = " ".join(call.words[first:])
        site = call.inner(first) if len(call.words) == first + 1 else call.site
        return reading.nest("shell", text, site.behind("ssh"), call.stdin)
    if call.stdin is not NOTHING:
        return feed(call, call.stdin, "shell", "ssh")
    return UNKNOWN


CARRIERS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), _raise_privilege),
    "env": _env,
    "xargs": _xargs,
    **dict.fromkeys(("find", "gfind"), _find),
    "ssh": _ssh,
}
