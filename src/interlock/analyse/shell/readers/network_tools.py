"""Network tools: `nc`, `nmap`, `socat`, DNS lookups, `ftp`, simple web servers, text browsers, interfaces."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.addresses.destinations import host_address
from interlock.analyse.addresses.hosts import host_flags, host_of, is_root_socket
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.argument_values import read_value
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.output.local_content import input_marks
from interlock.analyse.shell.readers.wrappers import ssh_settings
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_DOWNLOAD = frozenset({"download"})


def _nc(call: ShellCall) -> Flow:
    """`nc`: a range of ports is a scan; the output is what the peer sends, so it is a download."""
    spec = PROGRAMS["nc"]
    parsed = parse(call.words, spec)
    reading = call.scope.reading
    if "-U" in parsed.options and is_root_socket(parsed.options["-U"]):
        reading.emit("net.connect", call.site, parsed.options["-U"], frozenset({"root_daemon"}))
    ports = parsed.operands[1].text if len(parsed.operands) > 1 else ""
    target = parsed.operands[0].text if parsed.operands else ""
    if re.fullmatch(r"\d+-\d+", ports) and "local" not in host_flags(target):
        parsed.flags.add("scan")
    _read_store_lines(call, target, ports)
    parsed.operands = parsed.operands[:1] if "-l" not in parsed.options else []
    if "port_check" not in parsed.flags:
        parsed.flags |= input_marks(call.stdin, reading)
    flow = apply(call, spec, parsed)
    return flow if "port_check" in parsed.flags else Flow(None, flow.marks | _DOWNLOAD, target)


def _read_store_lines(call: ShellCall, host: str, port: str) -> None:
    """Report what the text on standard input makes a store do that listens on a port."""
    if port and call.stdin.text:
        from interlock.analyse.stores.redis import read_lines_to_port

        read_lines_to_port(call.scope.reading, host, port, call.stdin.text, call.site)


def _telnet(call: ShellCall) -> Flow:
    """`telnet HOST PORT`: what stands on standard input is sent."""
    spec = PROGRAMS["telnet"]
    operands = [value.text for value in parse(call.words, spec).operands]
    if len(operands) > 1:
        _read_store_lines(call, operands[0], operands[1])
    return read(call, spec)


_MANY = late(r"[/*]|\d-\d|,")
_THOROUGH = late(r"-(?:A|O|sC|sV|sU|p-|iL|iR)|--script.*|--top-ports.*")


def _nmap(call: ShellCall) -> Flow:
    """`nmap`: a default scan of one host does not count as a network scan."""
    spec = PROGRAMS["nmap"]
    parsed = parse(call.words, spec)
    thorough = any(_THOROUGH.fullmatch(word) for word in call.words[1:])
    targets = [value.text for value in parsed.operands]
    if len(targets) == 1 and not thorough and not _MANY.search(targets[0]):
        parsed.flags.discard("scan")
    if targets and all(host_of(target) in _THIS_MACHINE for target in targets):
        parsed.flags.add("loopback")
    return apply(call, spec, parsed)


def _vegeta(call: ShellCall) -> Flow:
    """`vegeta attack`: the requests are read from standard input."""
    targets = _TARGET.findall(call.stdin.text or "")[:1] if "attack" in call.words[1:2] else []
    if not targets:
        return read(call, PROGRAMS["vegeta"])
    call.scope.reading.url("net.connect", call.site, targets[0], frozenset({"load"}))
    return UNKNOWN


_TARGET = late(r"https?://[^\s\"'\\]+")
_OWN_INTERFACES = frozenset({"lo", "lo0", "loopback", "docker0"})


def _capture(call: ShellCall) -> Flow:
    """`tcpdump`: on the loopback interface there is only the traffic of this machine with itself."""
    spec = PROGRAMS[call.program]
    parsed = parse(call.words, spec)
    if (parsed.options.get("-i") or parsed.options.get("--interface")) in _OWN_INTERFACES:
        parsed.flags.add("loopback")
    return apply(call, spec, parsed)


_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - a name, not a binding
_ADDRESS = late(r"^([A-Za-z0-9-]+)(?::(.*))?$", re.DOTALL)
_RUNS = frozenset({"EXEC", "SYSTEM", "SHELL"})
_FILES = frozenset({"OPEN", "FILE", "GOPEN", "CREATE", "CREAT"})


def _socat(call: ShellCall) -> Flow:
    """`socat`: connect two addresses. A program next to a network address is a remote shell."""
    parsed = parse(call.words, PROGRAMS["socat"])
    reading, site = call.scope.reading, call.site
    runs = any((value.text.partition(":")[0].upper()) in _RUNS for value in parsed.operands)
    flags = frozenset({"shell"}) if runs else frozenset()
    taken = _socat_input(call, parsed)
    for value in parsed.values:
        reading.on(value.role, site, value.text)
    for value in parsed.operands:
        found = _ADDRESS.match(value.text)
        kind, rest = (found[1].upper(), found[2] or "") if found else (value.text, "")
        main = _strip_options(rest)
        if kind in _RUNS:
            reading.nest("shell", main.strip("'\""), site.behind("socat"))
        elif kind in _FILES or value.text[:1] in ("/", "."):
            reads = value is (
                parsed.operands[0]
                if "-u" in parsed.options
                else parsed.operands[-1]
                if "-U" in parsed.options
                else None
            )
            reading.file("fs.read" if reads else "fs.write", site, main or value.text.partition(",")[0])
        elif kind.endswith(("-LISTEN", "-L", "-RECVFROM", "-RECV", "-DATAGRAM")):
            reading.emit("net.listen", site, main, flags)
        elif kind.startswith("UNIX") or kind in ("GOPEN", "ABSTRACT-CONNECT"):
            daemon = {"root_daemon"} if is_root_socket(main) else {"socket_file"}
            reading.emit("net.connect", site, main, frozenset(daemon))
        elif rest and kind not in ("STDIN", "STDOUT", "STDIO", "STDERR", "FD", "PIPE", "PTY", "READLINE", "TUN"):
            reading.url("net.connect", site, main, flags | taken)
            _read_store_lines(call, *main.rpartition(":")[::2])
    return Flow(None, _DOWNLOAD)


def _socat_input(call: ShellCall, parsed: ParsedArguments) -> frozenset[str]:
    """Return the marks of what `socat` sends: standard input, a file, or what a program prints."""
    kinds = {value.text.partition(":")[0].upper() for value in parsed.operands}
    files = kinds & _FILES or any(value.text[:1] in ("/", ".") for value in parsed.operands)
    return input_marks(call.stdin, call.scope.reading) | (frozenset({"carried"}) if files else NONE)


def _strip_options(text: str) -> str:
    """Return an address without the options that follow a comma outside quotes."""
    quote = ""
    for end, letter in enumerate(text):
        if letter in "'\"":
            quote = "" if letter == quote else quote or letter
        elif letter == "," and not quote:
            return text[:end]
    return text


_COMPUTED_LABEL = late("\0\\([^\0]*\0[^\\s/]*\\.[A-Za-z]|\0\\([^\0]*\0\\.\0")
_TAINTED_LABEL = late("\0[^\0]*\0[^\\s/]*\\.[A-Za-z]")


def _lookup(call: ShellCall) -> Flow:
    """`dig`, `ping`: a computed host name can exfiltrate data over DNS."""
    name = call.program
    reading = call.scope.reading
    for word in call.words[1:]:
        if HOLE not in word:
            continue
        marks = reading.marks(word)
        if name in _ASKING and marks:
            reading.emit("net.send", call.site, word, marks)
            return Flow(None, _DOWNLOAD)
        pattern = name.startswith("ping") and word == _pattern(call)  # bytes in the packets themselves
        if _COMPUTED_LABEL.search(word) or (marks and _TAINTED_LABEL.search(word)) or pattern:
            reading.emit("net.send", call.site, word, marks | {"dns"})
            return Flow(None, _DOWNLOAD)
    flow = read(call, PROGRAMS[name])
    return Flow(None, flow.marks | _DOWNLOAD)


#: Clients that send what they are asked about as it is, to a server that the command may name.
_ASKING = frozenset({"whois", "finger"})


def _pattern(call: ShellCall) -> str:
    at = call.words.index("-p") if "-p" in call.words else len(call.words)
    return call.words[at + 1] if at + 1 < len(call.words) else ""


_FTP_SEND = late(
    r"^\s*(?:(?:binary|ascii)\s+)?(?:m?put|m?reput|mupload|send|append|mirror\s+(?:-\S+\s+)*(?:-\w*R\w*|--reverse|--put\S*))\s*(?:-\S+\s+)*(\S*)"
)


_FTP_REMOVE = late(r"\s*(?:m?rm|rmdir|m?delete)\b")


def _ftp(call: ShellCall) -> Flow:
    """`ftp`, `sftp`, `smbclient`: analyse commands on standard input and in options; `!` runs a local command."""
    name = call.program
    parsed = parse(call.words, PROGRAMS[name])
    host = parsed.operands[0].text if parsed.operands else ""
    for line in re.split(r"[;\n]", "\n".join(_ftp_texts(call, parsed)))[:256]:
        opened = _FTP_OPEN.match(line)
        if opened:
            host = opened[1]
        _read_ftp_command(call, line, host)
    parsed.values = [value for value in parsed.values if value.role != "code:ftp" and value.text != "-"]
    if name == "sftp":
        ssh_settings(call)
    return apply(call, PROGRAMS[name], parsed)


def _ftp_texts(call: ShellCall, parsed: ParsedArguments) -> list[str]:
    """Return the commands that a file transfer program is given."""
    if call.program in ("tftp", "atftp") and "-c" in call.words:
        return [" ".join(call.words[call.words.index("-c") + 1 :])]
    texts = [value.text for value in parsed.values if value.role == "code:ftp"]
    return texts + ([call.stdin.text] if call.stdin.text and call.stdin is not NOTHING else [])


def _read_ftp_command(call: ShellCall, line: str, host: str) -> None:
    """Analyse one command of a file transfer program."""
    reading, site = call.scope.reading, call.site
    sent = _FTP_SEND.match(line)
    if line.strip().startswith("!"):
        reading.nest("shell", line.strip()[1:], site.behind(call.program))
    elif _FTP_REMOVE.match(line):
        reading.emit("infra.destroy", site, line.strip())
    elif sent:
        first = len(reading.effects)
        if sent[1]:
            reading.file("fs.read", site, sent[1])
        secret = any(effect.kind == "secret.read" for effect in reading.effects[first:])
        flags = frozenset({"copy", "carried", "secret"} if secret else {"copy", "carried"})
        reading.url("net.send", site, host or "ftp", flags, host_address(host))


_FTP_OPEN = late(r"^\s*open\s+(?:-\S+\s+\S+\s+)*(\S+)")


def _serve(call: ShellCall) -> Flow:
    """A simple web server: report the folder that it serves, the code that it loads, and that it listens."""
    name = call.program
    parsed = parse(call.words, PROGRAMS[name])
    if parsed.kind:  # an option by which it only shows something
        call.scope.reading.emit(parsed.kind, call.site, name)
        return UNKNOWN
    named = [value.text for value in parsed.values if value.role == "fs.read"]
    folders = named or [value.text for value in parsed.operands if not value.text.isdigit()]
    for folder in folders[:1] or ["."]:
        call.scope.reading.file("fs.read", call.site, folder, frozenset({"names", "served"}))
    for value in parsed.values:
        if value.role != "fs.read":
            read_value(call, parsed, value, NONE)
    call.scope.reading.emit("net.listen", call.site, name, frozenset(parsed.flags) - {"served"})
    return UNKNOWN


def _browser(call: ShellCall) -> Flow:
    """`lynx`, `w3m`: report operands that are local files, and fetch the others."""
    spec = PROGRAMS[call.program]
    parsed = parse(call.words, spec)
    here = [value for value in parsed.operands if _HERE.match(value.text)]
    for value in here:
        call.scope.reading.file("fs.read", call.site, _HERE.sub(r"\1", value.text))
    parsed.operands = [value for value in parsed.operands if value not in here]
    return apply(call, spec, parsed) if parsed.operands or not here else UNKNOWN


_HERE = late(r"^(?:file:(?://(?:localhost)?(?=/))?)?([/~.])", re.IGNORECASE)

_SETTING = {
    "ifconfig": late(r"\s(?!-)\S+(?:\s+\S+)*\s+(?:down|add|del|netmask|mtu|hw|ether|-?promisc|\d+\.\d+\.\d+\.\d+)\b"),
    "iwconfig": late(r"\s\S+\s+(?:essid|mode|channel|freq|key|power|txpower|ap)\s"),
    "route": late(r"\s(?:add|del|delete|change|flush)\b"),
    "arp": late(r"\s(?:-\w*[sdfS]\w*|--set|--delete|--file)\b"),
    "ethtool": late(r"\s(?:-[sKGACLEfpUNWX]|--change|--set-\S+|--features|--flash|--reset)\b"),
    "networksetup": late(
        r"(?i)\s-(?:set(?!computername)|add|remove|create|delete|order|switch|connect|enable|disable|import|detect)"
    ),
    "scutil": late(r"\s--(?:set|nc\s+(?:start|stop|select))\b"),
    "mii-tool": late(r"\s(?:-[rRFA]|--restart|--reset|--force|--advertise)\b"),
}


def _interface(call: ShellCall) -> Flow:
    """`ifconfig` and similar: report a change of settings by the arguments, else a read."""
    name = call.program
    if _SETTING[name].search(" " + " ".join(call.words[1:])):
        call.scope.reading.emit("system.change", call.site, " ".join(call.words[:4]), frozenset({"interface"}))
        return UNKNOWN
    return read(call, PROGRAMS[name])


_LOOKUPS = (
    "ping ping6 dig nslookup host drill delv dog kdig getent resolvectl mtr tracepath fping traceroute whois finger"
).split()
_SERVERS = (
    "http.server SimpleHTTPServer http-server serve miniserve simplehttpserver live-server darkhttpd thttpd mini_httpd "
    "micro_httpd quark sws static-web-server webfsd pyftpdlib"
).split()

NETWORK_TOOLS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("nc ncat netcat nc.traditional nc.openbsd".split(), _nc),
    "nmap": _nmap,
    "telnet": _telnet,
    "vegeta": _vegeta,
    **dict.fromkeys("tcpdump tshark dumpcap".split(), _capture),
    "socat": _socat,
    **dict.fromkeys(_LOOKUPS, _lookup),
    **dict.fromkeys("ftp tftp lftp ncftp sftp smbclient tnftp atftp".split(), _ftp),
    **dict.fromkeys(_SERVERS, _serve),
    **dict.fromkeys(_SETTING, _interface),
    **dict.fromkeys("lynx w3m links elinks".split(), _browser),
}
