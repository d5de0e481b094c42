"""Windows commands: names are case-insensitive, options may be abbreviated, paths have backslashes."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS, programs_in
from interlock.knowledge.command import Command
from interlock.patterns import late

#: Commands whose options begin with a slash.
SLASHED = programs_in("slashed-commands")
_SLASH = late(r"/([A-Za-z?]\w{0,15})(?::(.*))?", re.DOTALL)
_DASH = late(r"[-–]([A-Za-z][\w-]*)(?::(.+))?", re.DOTALL)
_REGISTRY = late(r"^(?:Registry::)?(?:HK(?:LM|CU|CR|U|CC)|HKEY_\w+)(?::|\\|/|$)", re.IGNORECASE)


def raw_word(call: ShellCall, index: int) -> str:
    """Return a word as written, before the shell removed the backslashes of a path."""
    node = call.nodes[index] if index < len(call.nodes) else None
    if node is not None and node.type == "word":
        written = call.scope.source.of(node)
        return written if "\\" in written else call.words[index]
    return call.words[index]


def plain_words(call: ShellCall, spec: Command | None, slashed: bool) -> list[str]:
    """Return a command's words with options in lower case and unabbreviated, and paths in Unix form."""
    words = [call.words[0]]
    for index in range(1, len(call.words)):
        word = raw_word(call, index)
        option = _SLASH.fullmatch(word) if slashed and word[:1] == "/" else _DASH.fullmatch(word)
        if option is None:
            words.append(unix_path(word))
            continue
        words.append(expand_option("-" + option[1].lower(), spec))
        if option[2]:
            words.append(unix_path(option[2]))
    return words


def expand_option(name: str, spec: Command | None) -> str:
    """Return the full name of an option that may be abbreviated."""
    table = spec.option_table if spec else {}
    if name in table:
        return name
    return next((known for known in table if len(name) > 1 and known.startswith(name)), name)


def plain_name(call: ShellCall) -> str:
    """Return a command's name as the catalogue spells it."""
    return call.program.rpartition("\\")[2].lower().removesuffix(".exe")


def _read(call: ShellCall) -> Flow:
    """Analyse a Windows command by its description."""
    name = plain_name(call)
    spec = PROGRAMS[name]
    words = plain_words(call, _subcommand_spec(call, spec), name in SLASHED)
    if any(_REGISTRY.match(word) for word in words[1:]) and not spec.has_subcommands and "registry" not in spec.flags:
        reads = spec.operands.roles[:1] == ("fs.read",) or name in ("get-item", "gi")
        call.scope.reading.emit("system.read" if reads else "system.change", call.site, words[-1], _REGISTRY_FLAG)
        return UNKNOWN
    return read(call.with_words([name, *words[1:]], []), spec)


_REGISTRY_FLAG = frozenset({"registry"})


def _subcommand_spec(call: ShellCall, spec: Command) -> Command:
    """Return the description of the subcommand, or of the command if it has none."""
    word = call.words[1].lower() if spec.has_subcommands and len(call.words) > 1 else ""
    return spec.subcommands.get(word, spec)


def _web_request(call: ShellCall) -> Flow:
    """`Invoke-WebRequest`: report what is sent, what is fetched and where it is saved."""
    name = plain_name(call)
    spec = PROGRAMS[name]
    words = plain_words(call, spec, False)
    parsed = parse(words, spec)
    method = parsed.options.get("-method", "").lower()
    if "send" in parsed.flags or method not in ("", "get", "head", "default"):
        parsed.values = [v.replace(role="net.send") if v.role == "net.fetch" else v for v in parsed.values]
        parsed.values += [v.replace(role="net.send") for v in parsed.operands]
        parsed.operands = []
    parsed.flags.discard("send")
    flow = apply(call.with_words(words, []), spec, parsed)
    _record_downloads(call, parsed, flow)
    return Flow(None, flow.marks | {"download"}, flow.url)


def _record_downloads(call: ShellCall, parsed: ParsedArguments, flow: Flow) -> None:
    reading = call.scope.reading
    for value in parsed.values:
        if value.role == "fs.write":
            full = reading.places.resolve(value.text, call.scope.cwd) or value.text
            reading.files[full] = Flow(None, flow.marks | {"download"}, flow.url)


def _certutil(call: ShellCall) -> Flow:
    """`certutil`: a certificate tool that also downloads and decodes files."""
    reading, site = call.scope.reading, call.site
    words = [word.lower() for word in call.words[1:]]
    options = {word.lstrip("-/") for word in words if word[:1] in "-/"}
    operands = [
        unix_path(raw_word(call, at))
        for at in range(1, len(call.words))
        if call.words[at][:1] not in "-/" or "://" in call.words[at]
    ]
    if {"urlcache", "verifyctl", "ping", "url"} & options and operands:
        reading.url("net.fetch", site, operands[0], frozenset({"unusual"}))
        for path in operands[1:]:
            reading.file("fs.write", site, path, frozenset({"download"}))
            reading.files[reading.places.resolve(path, call.scope.cwd) or path] = Flow(
                None, frozenset({"download"}), operands[0]
            )
    elif {"decode", "decodehex"} & options and len(operands) > 1:
        reading.file("fs.read", site, operands[0])
        reading.file("fs.write", site, operands[1])
        reading.files[reading.places.resolve(operands[1], call.scope.cwd) or operands[1]] = Flow(
            None, frozenset({"decoded"})
        )
    elif _KEY_OPTIONS & options:
        reading.emit("secret.read", site, "certificates", frozenset({"secret"}))
    elif {"addstore", "delstore", "importpfx"} & options or not _NSS_CHANGES.isdisjoint(call.words):
        reading.emit("defence.disable", site, "certificates")
    else:
        reading.emit("system.read", site, "certutil")
    return UNKNOWN


#: Options that write private keys out of their store.
_KEY_OPTIONS = frozenset({"exportpfx", "mergepfx", "getkey", "recoverkey", "backupkey", "backup", "key"})
# Options of the program of the same name that comes with Mozilla's NSS: add, delete, change what is trusted.
_NSS_CHANGES = frozenset({"-A", "-D", "-E", "-F", "-M"})


def _wmic(call: ShellCall) -> Flow:
    """`wmic`: queries, but also starts programs and deletes shadow copies."""
    words, reading, site = [word.lower() for word in call.words[1:]], call.scope.reading, call.site
    node = next((word.partition(":")[2] for word in words if word.startswith("/node:")), "")
    if node.strip("'\"") not in ("", "localhost", "127.0.0.1", "."):
        reading.url("net.connect", site, node, frozenset({"remote_run"}) if "call" in words else frozenset())
    if "create" in words and "call" in words:
        at = words.index("create") + 2
        return reading.nest("batch", " ".join(call.words[at:]), site.behind("wmic"))
    if "shadowcopy" in words and "delete" in words:
        reading.emit("fs.delete", site, None, frozenset({"backups"}))
    elif {"delete", "terminate", "set", "call"} & set(words):
        reading.emit("process.signal" if "process" in words else "system.change", site, " ".join(words[:3]))
    else:
        reading.emit("system.read", site, "wmic")
    return UNKNOWN


def _netsh(call: ShellCall) -> Flow:
    """`netsh`: what it shows is read; everything else changes the network or the firewall."""
    words, reading, site = [word.lower() for word in call.words[1:]], call.scope.reading, call.site
    text = " ".join(words[:6])
    verb = next((word for word in words if word in _NETSH_VERBS), "")
    if words[:1] in (["advfirewall"], ["firewall"]):
        off = verb == "reset" or not {"off", "disable", "delete"}.isdisjoint(words)
        reading.emit("defence.disable" if off else "system.change" if verb else "system.read", site, text)
    elif "portproxy" in words and verb == "add":
        reading.emit("net.listen", site, text)
    elif "trace" in words[:1] and "start" in words:
        reading.emit("system.read", site, text, frozenset({"capture"}))
    else:
        reading.emit("system.change" if verb else "system.read", site, text)
    return UNKNOWN


_NETSH_VERBS = frozenset("set add delete reset import exec load install uninstall start stop connect".split())


def _net(call: ShellCall) -> Flow:
    """`net user`, `net localgroup`, `net stop`, `net share`, `net use`."""
    words, reading, site = [word.lower() for word in call.words[1:]], call.scope.reading, call.site
    text = " ".join(words[:6])
    first = words[0] if words else ""
    if first in ("localgroup", "group") and len(words) > 2:
        reading.emit("user.grant" if "/add" in words else "user.change", site, words[1])
    elif (first == "user" and len(words) > 2) or (first == "accounts" and any("/" in word for word in words[1:])):
        reading.emit("user.change", site, text)
    elif first in ("start", "continue") and len(words) > 1:
        reading.emit("service.start", site, text)
    elif first in ("stop", "pause") and len(words) > 1:
        reading.emit("service.change", site, text)
    elif first == "share" and len(words) > 1:
        opened = frozenset({"shell_shared"}) if any("everyone" in word for word in words) else frozenset[str]()
        reading.emit("net.listen", site, text, opened)
    elif first == "use" and any(_ADMIN_SHARE.search(word) for word in words):
        reading.emit("net.connect", site, text, frozenset({"attack"}))
    else:
        reading.emit("system.read", site, text)
    return UNKNOWN


#: A share by which administrators reach the whole of a machine.
_ADMIN_SHARE = late(r"\\\\[^\\]+\\(?:[a-z]|admin|ipc)\$", re.IGNORECASE)


def _option_value(call: ShellCall, name: str) -> str:
    """Return the value of `/p value` or `/p:value`."""
    for at in range(1, len(call.words)):
        word = raw_word(call, at)
        if word.lower() in (f"/{name}", f"-{name}") and at + 1 < len(call.words):
            return raw_word(call, at + 1)
        if word.lower().startswith((f"/{name}:", f"-{name}:")):
            return word[len(name) + 2 :]
    return ""


def _forfiles(call: ShellCall) -> Flow:
    """`forfiles /p FOLDER /s /c "cmd /c del @path"`: a command for each file."""
    folder, command = _option_value(call, "p") or ".", _option_value(call, "c")
    files = folder.rstrip("\\/") + "\\*"
    command = re.sub(r"(?i)@(?:path|file|relpath|fname)", lambda _: files, command)
    if not command:
        call.scope.reading.emit("fs.read", call.site, folder, frozenset({"names"}))
        return UNKNOWN
    if any(word.lower() == "/s" for word in call.words):
        command = re.sub(r"(?i)\b(del|erase)\b", r"\1 /s", command)
    return call.scope.reading.nest("batch", command, call.site.behind("forfiles"))


def _runas(call: ShellCall) -> Flow:
    """`runas /user:NAME COMMAND`: a command with the rights of another person."""
    operands = [raw_word(call, at) for at in range(1, len(call.words)) if call.words[at][:1] not in "/-"]
    user = _option_value(call, "user") or "administrator"
    call.scope.reading.emit("privilege.raise", call.site, user)
    return call.scope.reading.nest("batch", " ".join(operands), call.site.behind("runas")) if operands else UNKNOWN


def _winrs(call: ShellCall) -> Flow:
    """`winrs -r:HOST COMMAND`: a command on another machine."""
    reading, site = call.scope.reading, call.site
    at = 1
    while at < len(call.words) and call.words[at][:1] in ("-", "/"):
        at += 1
    host = _option_value(call, "r") or _option_value(call, "remote") or "localhost"
    reading.url("net.connect", site, host, frozenset({"remote_run"}))
    words = [raw_word(call, index) for index in range(at, len(call.words))]
    return reading.nest("batch", " ".join(words), site.behind("winrs")) if words else UNKNOWN


def _robocopy(call: ShellCall) -> Flow:
    """`robocopy`: a copy; mirroring deletes what the destination has besides."""
    from interlock.model import Place

    flow = _read(call)
    options = {word.lower() for word in call.words[1:]}
    operands = [unix_path(raw_word(call, at)) for at in range(1, len(call.words)) if call.words[at][:1] != "/"]
    reading = call.scope.reading
    if {"/mir", "/purge"} & options and len(operands) > 1 and "/l" not in options:
        place, _, full = reading.places.locate(operands[1], call.scope.cwd)
        if full is not None and place not in (Place.WORKSPACE, Place.SCRATCH):
            reading.file("fs.delete", call.site, operands[1], frozenset({"recursive", "mirror"}))
    if {"/mov", "/move"} & options and operands:
        reading.file("fs.move", call.site, operands[0], frozenset({"recursive"}))
    return flow


_DELETES = late(r"-(?:r|fo|path|lit)|[~.\\/]|[A-Za-z]:|\*", re.IGNORECASE)


def _remove_item(call: ShellCall) -> Flow:
    """`ri`: `Remove-Item`, or with names that are not paths the manual of Ruby."""
    if any(_DELETES.match(word) for word in call.words[1:]):
        return _read(call)
    call.scope.reading.emit("out.print", call.site)
    return UNKNOWN


def _remove_folder(call: ShellCall) -> Flow:
    """`rmdir`: the Windows command with `/s` or `/q`, else the Unix one."""
    if any(word.lower() in ("/s", "/q") for word in call.words[1:]):
        return _read(call.with_words(["rd", *call.words[1:]], call.nodes))
    return read(call, PROGRAMS["rmdir"])


def _script_host(call: ShellCall) -> Flow:
    """`mshta`, `regsvr32` and similar run the code they are given; from a URL it is remote code."""
    for index in range(1, len(call.words)):
        word = raw_word(call, index)
        if re.search(r"https?:", word, re.IGNORECASE) or word.lower().startswith(("javascript:", "vbscript:")):
            call.scope.reading.emit("code.remote", call.site, word)
            return UNKNOWN
    return _read(call)


_OWN: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("invoke-webrequest", "iwr", "invoke-restmethod", "irm"), _web_request),
    **dict.fromkeys(("mshta", "rundll32", "regsvr32", "cscript", "wscript", "installutil", "msiexec"), _script_host),
    **dict.fromkeys(("net", "net1"), _net),
    "netsh": _netsh,
    "forfiles": _forfiles,
    "runas": _runas,
    "winrs": _winrs,
    "robocopy": _robocopy,
    "certutil": _certutil,
    "wmic": _wmic,
    "ri": _remove_item,
    "rmdir": _remove_folder,
}

WINDOWS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(PROGRAMS.index.windows, _read),
    **_OWN,
}
