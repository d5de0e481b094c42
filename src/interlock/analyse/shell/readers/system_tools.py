"""System tools with unusual arguments: `dd`, `tar`, `chmod`, `install`, `tee`, `sysctl`."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.output.provenance import ENDLESS
from interlock.analyse.shell.redirection import append_content
from interlock.analyse.shell.repositories import replaces_work
from interlock.knowledge.arguments import ArgumentValue
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late


def _dd(call: ShellCall) -> Flow:
    """`dd if=… of=…`: report the input and the output, and an endless input that fills the disk."""
    reading, site = call.scope.reading, call.site
    keys = {word.partition("=")[0] for word in call.words[1:]}
    to_device = any(word.startswith("of=/dev/") and not word.startswith("of=/dev/shm/") for word in call.words)
    if "endless" in call.stdin.marks and "if" not in keys and "count" not in keys and not to_device:
        reading.emit("disk.fill", site, "standard input")
    elif _block_size(call.words) * _number(call.words, "count") >= LARGE and not to_device:
        reading.emit("disk.fill", site, " ".join(call.words[1:]))
    for word in call.words[1:]:
        key, _, path = word.partition("=")
        if key == "if" and path in ENDLESS and "count" not in keys and not to_device:
            reading.emit("disk.fill", site, path)
        if key == "if":
            reading.file("fs.read", site, path)
        elif key == "of":
            kept = any(word.startswith("conv=") and "notrunc" in word for word in call.words)  # it already exists
            reading.file("fs.write", site, path, frozenset({"raw", "overwrites"} if kept else {"raw"}))
            if keys <= _WHOLE and "if" not in keys and call.stdin.text is not None:
                reading.files[reading.places.resolve(path, call.scope.cwd) or path] = call.stdin
    return call.stdin if keys <= _COPYING else UNKNOWN


#: Operands of `dd` with which it copies all of its input, and to its output.
_WHOLE = frozenset({"of", "status", "bs", "obs", "ibs"})
_COPYING = _WHOLE - {"of"}


#: Bytes that fill an ordinary disk.
LARGE = 100 * 10**9
_UNITS = {"": 1, "B": 1, "C": 1, "W": 2, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_SIZE = late(r"^(\d{1,15})([BCWKMGTP]?)(?:I?B)?$")


def _number(words: list[str], key: str) -> int:
    """Return the number of an argument such as `count=10`, or 0."""
    found = next((word.partition("=")[2] for word in words if word.startswith(key + "=")), "")
    size = _SIZE.match(found.upper())
    return int(size[1]) * _UNITS[size[2]] if size else 0


def _block_size(words: list[str]) -> int:
    return _number(words, "bs") or _number(words, "obs") or 512


def _tar(call: ShellCall) -> Flow:
    """`tar`: its first option decides whether the archive is read or written; the dash may be missing."""
    words = call.words
    if len(words) > 1 and words[1][:1] != "-" and re.fullmatch(r"[a-zA-Z]+", words[1]):
        call = call.with_words([words[0], "-" + words[1], *words[2:]], call.nodes)
    parsed = parse(call.words, PROGRAMS["tar"])
    creates = {"-c", "--create", "-r", "-u", "--append", "--update"} & parsed.options.keys()
    kept = [_tar_value(call, value, bool(creates)) for value in parsed.values]
    parsed.values = [value for value in kept if value.text != "-"]
    folder = parsed.options.get("-C") or parsed.options.get("--directory")
    if creates:
        parsed.flags.discard("absolute")
        if folder:
            parsed.operands = [one.replace(text=_in_folder(folder, one.text)) for one in parsed.operands]
    else:
        for value in parsed.operands[:MAX_MEMBERS] if folder else ():
            call.scope.reading.file("fs.write", call.site, f"{folder}/{value.text}")
        parsed.operands = []
        if not {"-C", "--directory", "-t", "--list", "-O", "--to-stdout"} & parsed.options.keys():
            call.scope.reading.file("fs.write", call.site, ".", frozenset({"new"} | parsed.flags))
    first = len(call.scope.reading.effects)
    flow = apply(call, PROGRAMS["tar"], parsed)
    for effect in call.scope.reading.effects[first:]:
        if effect.kind == "fs.write" and effect.resource and replaces_work(call.stdin, effect.resource.name):
            call.scope.reading.emit("vcs.discard", call.site, "git archive", frozenset({"files"}))
            break
    return flow


def _tar_value(call: ShellCall, value: ArgumentValue, creates: bool) -> ArgumentValue:
    """Return a value with the role that it has when an archive is created, or read."""
    if _option_of(call, value).startswith(_OWN_FILES):
        return value
    if value.role == "fs.read":
        return value.replace(role="fs.write" if creates else "fs.read")
    if value.role == "fs.write" and creates:
        return value.replace(role="data")
    if value.role == "code:shell" and value.text.startswith("exec="):  # `--checkpoint-action=exec=…`
        return value.replace(text=value.text[5:], inner=0)
    return value


#: Options of `tar` whose files are neither the archive nor the folder to work in.
_OWN_FILES = ("--index-file", "--volno-file", "--add-file", "--listed-incremental", "-g")


def _option_of(call: ShellCall, value: ArgumentValue) -> str:
    """Return the option that has a value."""
    return call.words[value.at] if value.inner else call.words[value.at - 1]


def _in_folder(folder: str, path: str) -> str:
    return path if path[:1] in "/~" else f"{folder.rstrip('/')}/{path}"


MAX_MEMBERS = 16  # of an archive, that a command names
_OCTAL = late(r"^[0-7]{1,5}$")
_CLAUSE = late(r"([ugoa]*)([-+=])([rwxXst]*)")


def _mode_flags(mode: str) -> set[str]:
    """Return the flags of a file mode, octal or symbolic: `world_writable`, `set_id`, `closed`, …"""
    found: set[str] = set()
    if _OCTAL.match(mode):
        bits = int(mode, 8)
        found |= {"world_writable"} if bits & 0o002 else set()
        found |= {"set_id"} if bits & 0o6000 else set()
        found |= {"closed"} if bits & 0o777 == 0 else set()
        found |= {"world_readable"} if bits & 0o006 == 0o004 else set()
        found |= {"owner_only"} if bits & 0o7077 == 0 and bits else set()
        found |= {"not_executable"} if not bits & 0o111 else set()
        return found
    for who, sign, what in _CLAUSE.findall(mode):
        everyone = not who or "o" in who or "a" in who
        if sign != "-" and "w" in what and everyone:
            found.add("world_writable")
        if sign != "-" and "r" in what and everyone:
            found.add("world_readable")
        if sign != "-" and "s" in what:
            found.add("set_id")
        if sign != "-" and "x" in what:
            found.add("executable")
        if (sign == "-" and "x" in what) or (sign == "=" and "x" not in what):
            found.add("not_executable")
        if (sign == "-" and set("rw") <= set(what) and everyone) or (sign == "=" and not what and everyone):
            found.add("closed")
    return found


def _chmod(call: ShellCall) -> Flow:
    """`chmod`: report the files with the flags of the mode."""
    parsed = parse(call.words, PROGRAMS["chmod"])
    mode = parsed.operands[0].text[:32] if parsed.operands else ""
    parsed.flags |= _mode_flags(mode)
    if HOLE in mode:
        parsed.flags.add("executable")
    return apply(call, PROGRAMS["chmod"], parsed)


def _install(call: ShellCall) -> Flow:
    """`install -m MODE`: a copy whose mode is set at once."""
    parsed = parse(call.words, PROGRAMS["install"])
    mode = parsed.options.get("-m") or parsed.options.get("--mode") or ""
    opened = _mode_flags(mode[:32]) & {"set_id", "world_writable"}
    if opened and parsed.operands:
        call.scope.reading.file("fs.mode", call.site, parsed.operands[-1].text, frozenset(opened))
    return read(call, PROGRAMS["install"])


def _tee(call: ShellCall) -> Flow:
    """`tee`: write standard input to the files, and print it."""
    scope, reading = call.scope, call.scope.reading
    appends = any(word in ("-a", "--append", "-ai", "-ia") for word in call.words)
    paths = [
        reading.places.resolve(value.text, scope.cwd) or value.text
        for value in parse(call.words, PROGRAMS["tee"]).operands
    ]
    before = {path: reading.files.get(path) for path in paths}
    flow = read(call, PROGRAMS["tee"])
    for path in paths:
        reading.files[path] = append_content(before[path], call.stdin) if appends else call.stdin
    return Flow(call.stdin.text, flow.marks, flow.url)


def _sysctl(call: ShellCall) -> Flow:
    """`sysctl`: `name=value` sets a parameter, and a file sets all parameters in it."""
    reading, site = call.scope.reading, call.site
    words = call.words[1:]
    names = [word for word in words if "=" in word and not word.startswith("-")]
    files = [word for word in words if word[:1] != "-" and "=" not in word]
    files += [word.partition("=")[2] for word in words if word.startswith("--load=")]
    loads = {"-p", "-f", "--load", "--system"} & {word.partition("=")[0] for word in words}
    for name in names:
        reading.emit("kernel.tune", site, name)
    if loads and files:
        reading.emit("kernel.change", site, " ".join(files), frozenset({"file"}))
    elif loads or (not names and any(word in ("-w", "--write") for word in words)):
        reading.emit("kernel.tune", site, " ".join(files) or None)
    return UNKNOWN if names or loads else read(call, PROGRAMS["sysctl"])


SYSTEM_TOOLS: dict[str, Callable[[ShellCall], Flow]] = {
    "dd": _dd,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "chmod": _chmod,
    "install": _install,
    "sysctl": _sysctl,
    "tee": _tee,
}
