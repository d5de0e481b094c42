"""Programs whose arguments do not follow the common form."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NONE, UNKNOWN, Flow
from interlock.analyse.shell.call import Call, apply, read
from interlock.analyse.traits import traits


def _dd(call: Call) -> Flow:
    """`dd if=… of=…`."""
    reading, site = call.scope.reading, call.site
    keys = {word.partition("=")[0] for word in call.words[1:]}
    for word in call.words[1:]:
        key, _, path = word.partition("=")
        if key == "if" and "of" not in keys and path in ("/dev/zero", "/dev/random", "/dev/urandom"):
            reading.emit("disk.fill", site, path)
        if key == "if":
            reading.file("fs.read", site, path)
        elif key == "of":
            reading.file("fs.write", site, path, frozenset({"raw"}))
    return UNKNOWN


def _tar(call: Call) -> Flow:
    """`tar`: its first letters say whether the archive is read or written; the dash may be missing."""
    words = call.words
    if len(words) > 1 and words[1][:1] != "-" and re.fullmatch(r"[a-zA-Z]+", words[1]):
        call = call.replaced([words[0], "-" + words[1], *words[2:]], call.nodes)
    parsed = parse(call.words, PROGRAMS["tar"])
    creates = {"-c", "--create", "-r", "-u", "--append", "--update"} & parsed.options.keys()
    kept = []
    for value in parsed.values:
        if value.role == "fs.read":
            value = value._replace(role="fs.write" if creates else "fs.read")
        elif value.role == "fs.write" and creates:
            value = value._replace(role="fs.read")
        kept.append(value)
    parsed.values = [value for value in kept if value.text != "-"]
    if not creates:
        parsed.operands = []
        if not {"-C", "--directory", "-t", "--list", "-O", "--to-stdout"} & parsed.options.keys():
            call.scope.reading.file("fs.write", call.site, ".", frozenset({"new"}))
    return apply(call, PROGRAMS["tar"], parsed)


_WORLD = re.compile(r"^0?[0-7]?[0-7]?[0-7]?[2367]$|[ao]*\+[rx]*w|^\+[rx]*w")
_SET_ID = re.compile(r"^[2467][0-7]{3}$|[ugo]*\+[rwx]*s")


def _chmod(call: Call) -> Flow:
    """`chmod`: what the mode opens."""
    parsed = parse(call.words, PROGRAMS["chmod"])
    mode = parsed.operands[0].text[:32] if parsed.operands else ""
    if _SET_ID.search(mode):
        parsed.flags.add("set_id")
    if _WORLD.search(mode) and not mode.startswith(("u+", "g+", "ug+")):
        parsed.flags.add("world_writable")
    if mode.endswith("+x") or HOLE in mode:
        parsed.flags.add("executable")
    return apply(call, PROGRAMS["chmod"], parsed)


#: Subcommands that put other content at a path.
_BRINGING = frozenset("checkout restore mv rm apply am merge pull cherry-pick stash".split())


def _git(call: Call) -> Flow:
    """`git`: a refspec with `+` forces, one with `:` deletes, and a checkout of paths discards changes."""
    spec = PROGRAMS["git"]
    parsed = parse(call.words, spec)
    name = parsed.operands[0].text if parsed.operands else ""
    rest = call.words[parsed.rest :]
    flags = NONE
    for word in rest if name in _BRINGING else ():
        if " " not in word and "guard_config" in traits(word):
            call.scope.reading.file("fs.write", call.site, word)
    if rest in (["--help"], ["-h"]):
        call.scope.reading.emit("vcs.read", call.site)
        return UNKNOWN
    if name == "push":
        refs = [word for word in rest if not word.startswith("-")]
        flags = frozenset(
            ["force"] * any(ref.startswith("+") for ref in refs) + ["delete"] * any(ref.startswith(":") for ref in refs)
        )
    elif name in ("checkout", "restore") and _discards(name, rest):
        call.scope.reading.emit("vcs.discard", call.site, " ".join(rest[:4]), frozenset({"files"}))
        return UNKNOWN
    elif name == "restore":
        call.scope.reading.emit("vcs.change", call.site)
        return UNKNOWN
    return read(call, spec, inherited=flags)


def _discards(name: str, rest: list[str]) -> bool:
    if name == "restore":
        return not ({"--staged", "-S"} & set(rest)) or bool({"--worktree", "-W"} & set(rest))
    return ("--" in rest and rest[-1] != "--") or "." in rest


def _tee(call: Call) -> Flow:
    """`tee`: what comes in is in the files afterwards, and goes on."""
    scope = call.scope
    flow = read(call, PROGRAMS["tee"])
    for value in parse(call.words, PROGRAMS["tee"]).operands:
        scope.reading.files[scope.reading.places.resolve(value.text, scope.cwd) or value.text] = call.stdin
    return Flow(call.stdin.text, flow.marks, flow.url)


def _sysctl(call: Call) -> Flow:
    """`sysctl`: a name with `=` sets it."""
    if any("=" in word and not word.startswith("--") for word in call.words[1:]):
        call.scope.reading.emit("kernel.change", call.site, " ".join(call.words[1:3]))
        return UNKNOWN
    return read(call, PROGRAMS["sysctl"])


SPECIAL: dict[str, Callable[[Call], Flow]] = {
    "dd": _dd,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "chmod": _chmod,
    "sysctl": _sysctl,
    "tee": _tee,
    "git": _git,
}
