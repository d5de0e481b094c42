"""Transfers: `curl`, `wget`, `httpie`, `scp`, `rsync`, and the files that they send and save."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from interlock.analyse.addresses.destinations import address_of, is_public_host
from interlock.analyse.addresses.hosts import is_root_socket
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE, holes
from interlock.analyse.files.remote_places import report_fetched_place, report_written_place
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.secrets.correspondence import reads_letters
from interlock.analyse.secrets.credentials import carries_key
from interlock.analyse.secrets.disclosure import holds_value
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.files.copied_files import KEEPING, read_copies
from interlock.analyse.shell.output.local_content import input_marks
from interlock.analyse.shell.readers.wrappers import ssh_settings
from interlock.analyse.shell.services.service_requests import report_service_request
from interlock.analyse.stores.requests import read_store_request
from interlock.effects import KINDS
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.lazy import LazyModule
from interlock.model import Effect, Place
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.readers import request_options
else:
    request_options = LazyModule("interlock.analyse.shell.readers.request_options")

_TABLE = frozenset({"table"})
_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"})


def _fetch(call: ShellCall) -> Flow:
    """`curl` and `wget`: report what is sent, what is fetched and where it is saved."""
    spec = PROGRAMS[call.program]
    call = _expand(call)
    parsed = parse(call.words, spec)
    if "--help" in parsed.options or "--version" in parsed.options:
        return read(call, spec)
    if call.program != "wget" and not _NAMING.isdisjoint(call.words):
        _take_files(call, parsed)
    method = (
        parsed.options.get("-X") or parsed.options.get("--request") or parsed.options.get("--method") or ""
    ).upper()
    sends = "send" in parsed.flags or (method and method not in _READING_METHODS)
    if "-G" in parsed.options or "--get" in parsed.options:
        sends = method not in ("", *_READING_METHODS)
    parsed.flags.discard("send")
    marks = _request_marks(call)
    carried = (marks | _file_marks(call, parsed, bool(sends))) & _CARRIED
    parsed.flags |= marks - _CARRIED
    _read_local_addresses(call, parsed, bool(sends))
    urls = [value.text for value in parsed.operands] + [v.text for v in parsed.values if v.role == "net.fetch"]
    saved = _output_paths(parsed, urls, "wget" in call.words[0])
    if any(HOLE in word for word in call.words):
        _report_stray_keys(call, parsed, urls)
    if parsed.options.get("-K") == "-" or parsed.options.get("--config") == "-":
        _read_options_from_input(call)
    if any(map(reads_letters, urls)):
        call.scope.reading.emit("system.read", call.site, urls[0], _PRIVATE_LIFE)
    for url in urls:
        report_service_request(call.scope.reading, call.site, method, url, bool(sends))
    body = _body(parsed)
    used = method or ("POST" if sends else "GET")
    asks = [read_store_request(call.scope.reading, call.site, used, url, body) for url in urls]
    if asks and all(asks) and not carried:
        parsed.flags.add("routine")
    if sends:
        targets = [value.replace(role="net.send") if value.role == "net.fetch" else value for value in parsed.values]
        parsed.values = targets + [value.replace(role="net.send") for value in parsed.operands]
        parsed.operands = []
    first = len(call.scope.reading.effects)
    given = call.stdin.replace(marks=call.stdin.marks | carried) if carried else call.stdin
    flow = apply(call.with_words(call.words, call.nodes, given), spec, parsed)
    if not _VERBOSE.isdisjoint(parsed.options) and any(map(holds_value, call.words)):
        flow = flow.replace(marks=flow.marks | _HEADERS)
    return _record_download(call, saved, flow.replace(marks=flow.marks - carried), first)


#: Options with which a client prints what it sends, its credentials too.
_VERBOSE = frozenset("-v --verbose --trace --trace-ascii -d --debug".split())
_HEADERS = frozenset({"request_headers"})
_PRIVATE_LIFE = frozenset({"private_life"})
#: Options that name more options elsewhere.
_ELSEWHERE = ("-K", "--config", "-e", "--execute")
_NAMING = frozenset({"-b", "--cookie", "-H", "--header", "--proxy-header", "--variable", "-w", "--write-out"})


def _expand(call: ShellCall) -> ShellCall:
    for word in call.words:
        if word[:1] == "-" and word.startswith(_ELSEWHERE):
            return request_options.expand_options(call)
    return call


def _take_files(call: ShellCall, parsed: ParsedArguments) -> None:
    request_options.take_named_files(call, parsed)


_BODIES = (
    "-d",
    "--data",
    "--data-urlencode",
    "--data-raw",
    "--json",
    "--data-binary",
    "--data-ascii",
    "--post-data",
    "--body-data",
)
_ANY_BODY = frozenset(_BODIES)


def _body(parsed: ParsedArguments) -> str:
    options = parsed.options
    return "" if _ANY_BODY.isdisjoint(options) else next((options[name] for name in _BODIES if options.get(name)), "")


# Headers that carry credentials by design.
_SIGNED = late(r"(?i)(?:authorization|[\w-]*(?:api-?key|token)|cookie)\s*:|.*(?:bearer|basic|token)\s")
_SIGNING = frozenset({"-u", "--user", "--oauth2-bearer", "--proxy-user", "--password", "--http-password"})


def _request_marks(call: ShellCall) -> frozenset[str]:
    """Return the provenance marks of data in the arguments of a request, except for its own credentials."""
    reading, marks = call.scope.reading, frozenset[str]()
    for at, word in enumerate(call.words[1:], 1):
        if HOLE not in word:
            if carries_key(word) and not _SIGNED.match(word) and call.words[at - 1] not in _SIGNING:
                marks |= _SECRET
            continue
        for name in holes(word):
            marks |= reading.taints.get(name, NONE)
        if not _SIGNED.match(word) and call.words[at - 1] not in _SIGNING:
            marks |= reading.marks(word)
    return marks & _PRIVATE


_SECRET = frozenset({"secret"})


def _report_stray_keys(call: ShellCall, parsed: ParsedArguments, urls: list[str]) -> None:
    """Report a key that goes to a host that is not its issuer's, or in plain text through a proxy elsewhere."""
    names = [name for word in call.words[1:] if HOLE in word for name in holes(word)]
    if not names:
        return
    from interlock.analyse.addresses.issuers import leaves_issuer

    rerouted = next(
        (host for option, at in _REROUTING.items() if (host := _host_in(parsed.options.get(option), at))), ""
    )
    proxy = next((parsed.options[name] for name in ("-x", "--proxy") if parsed.options.get(name)), "")
    unchecked = any(name in parsed.options for name in _UNCHECKED)
    for url in urls:
        plain = rerouted or (proxy if unchecked or not url.startswith("https://") else "")
        target = plain or url
        if any(leaves_issuer(name, target) or (plain and is_secret_name(name)) for name in names):
            call.scope.reading.url("net.send", call.site, target, _SECRET)
            return


#: Options that lead a request to another host, and where its name stands in their value.
_REROUTING = {"--resolve": 2, "--connect-to": 2}
#: Options with which a proxy can read what passes through it.
_UNCHECKED = ("-k", "--insecure", "--proxy-insecure")


def _host_in(value: str | None, at: int) -> str:
    """Return the address of the public host that a request is led to, if it is one."""
    parts = (value or "").lstrip("+").split(":")
    host = parts[at] if len(parts) > at else ""
    return f"https://{host}/" if host and is_public_host(host) else ""


def _read_options_from_input(call: ShellCall) -> None:
    """Analyse the options that `curl -K -` reads from its input, one on each line."""
    if call.stdin.text is None:
        if call.stdin is not NOTHING:
            call.scope.reading.unread("options from standard input", call.site)
        return
    words = ["curl"]
    for line in call.stdin.text.splitlines():
        found = _OPTION_LINE.match(line.strip())
        if found is not None:
            words.append(found[1] if found[1][:1] == "-" else f"--{found[1]}")
            words += [found[2].strip("\"'")] if found[2] else []
    if len(words) > 1:
        _fetch(ShellCall(words, [None] * len(words), call.scope, NOTHING, call.span))


_OPTION_LINE = late(r"^(-{0,2}[\w-]+)(?:\s*[=:\s]\s*(.+))?$")


def _file_marks(call: ShellCall, parsed: ParsedArguments, sends: bool) -> frozenset[str]:
    """Return `carried` if the request takes a file or standard input with it."""
    known = _FILE_OPTIONS if "wget" in call.program else ("-T", *_FILE_OPTIONS)
    files = [parsed.options[name] for name in known if parsed.options.get(name)]
    uploads = [value.text for value in parsed.values if value.role == "upload"]
    piped = any(name in ("-", ".") for name in files) or any(_names_input(text) for text in uploads)
    if piped or (sends and not (files or uploads)):  # what is piped into a request is meant to go with it
        return input_marks(call.stdin, call.scope.reading) & _PRIVATE
    return _CARRIED if files or any(_names_file(text) for text in uploads) else NONE


_FILE_OPTIONS = ("--upload-file", "--post-file", "--body-file")
_CARRIED = frozenset({"carried"})


def _names_input(text: str) -> bool:
    """Whether an upload takes standard input."""
    return text.endswith(("@-", "<-")) or "@-;" in text or text == "-"


def _names_file(text: str) -> bool:
    """Whether an upload names a file: `@name`, `field=@name`, `field@name`, `field=<name`."""
    head, mark, name = text.partition("@")
    if mark:
        return bool(name) and (not head or head.endswith("=") or head.isidentifier())
    return "=<" in text


_STATE = late(
    r"^https?://[^/]+(?:/v[\d.]+)?/(?:_ping|version|info|(?:containers|images|networks|volumes)(?:/json)?|system/df)/?(?:\?|$)"
)
_PRIVATE = frozenset({"secret", "environment", "personal", "carried"})


def _read_local_addresses(call: ShellCall, parsed: ParsedArguments, sends: bool) -> None:
    """Report addresses on this machine: `file://` URLs, and sockets of daemons that run as root.

    A request to such a daemon that only asks for its state passes, as `docker ps` does.
    """
    reading = call.scope.reading
    here = [value for value in parsed.operands if value.text.lower().startswith("file:")]
    for value in here:
        reading.file("fs.read", call.site, "/" + value.text[5:].removeprefix("//localhost").lstrip("/"))
    parsed.operands = [value for value in parsed.operands if value not in here]
    if "socket_file" in parsed.flags:
        parsed.flags.discard("socket_file")
        path = parsed.options.get("--unix-socket") or parsed.options.get("--abstract-unix-socket") or ""
        asks = not sends and all(_STATE.search(value.text) for value in parsed.operands)
        if is_root_socket(path) and not asks:
            parsed.flags.add("root_daemon")


def _output_paths(parsed: ParsedArguments, urls: list[str], wget: bool) -> list[str]:
    """Return the files that a response is saved to."""
    asked = parsed.options
    named = [asked[name] for name in ("-o", "--output", "-O", "--output-document") if asked.get(name)]
    to = [value.text for value in parsed.values if value.role == "fs.write" and value.text in named]
    if to or not (wget or "saved" in parsed.flags):
        return to if not wget or "-O" in asked or "--output-document" in asked else _names_from_urls(parsed, urls)
    return _names_from_urls(parsed, urls)


def _names_from_urls(parsed: ParsedArguments, urls: list[str]) -> list[str]:
    """Return the file names that `wget` and `curl -O` derive from URLs."""
    asked = parsed.options
    folder = asked.get("-P") or asked.get("--directory-prefix") or asked.get("--output-dir") or ""
    names = [url.partition("?")[0].rstrip("/").rpartition("/")[2] or "index.html" for url in urls]
    return [f"{folder.rstrip('/')}/{name}" if folder else name for name in names]


def _record_download(call: ShellCall, saved: list[str], flow: Flow, first: int) -> Flow:
    """Report the files that a download is saved to, and mark their content as downloaded."""
    scope, reading = call.scope, call.scope.reading
    url = flow.url
    download = Flow(None, flow.marks | {"download"}, url)
    written = any(effect.kind == "fs.write" and "download" in effect.flags for effect in reading.effects[first:])
    for path in saved:
        if path in ("-", "/dev/stdout"):
            return download
        if not written:
            reading.file("fs.write", call.site, path, frozenset({"download"}))
        scope.reading.files[reading.places.resolve(path, scope.cwd) or path] = download
    return download if saved else flow  # a pipe gets the download


_WHOLE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})


def _read_transport(call: ShellCall, parsed: ParsedArguments) -> None:
    """Analyse the transport command of a copy: `rsync -e`, `scp -S`, `-o ProxyCommand`."""
    reading, site = call.scope.reading, call.site
    for value in parsed.values:
        if value.role == "code:shell":
            reading.nest("shell", value.text, site.behind(call.words[0]))
        elif value.role in KINDS:
            reading.on(value.role, site, value.text)
        elif value.role == "loaded":
            report_loading(reading, site, value.text)
    ssh_settings(call)


def _copy_flags(effects: list[Effect]) -> frozenset[str]:
    """Return the flags of an upload by the effects of reading its sources."""
    taken = {"copy", "carried"}
    for effect in effects:
        if effect.kind == "secret.read":
            taken.add("secret")
        elif "top" in effect.flags and effect.resource and effect.resource.place in _WHOLE:
            taken.add("whole")
    return frozenset(taken)


def _copy(call: ShellCall) -> Flow:
    """`scp` and `rsync`: `host:path` is on another host."""
    spec = PROGRAMS[call.program]
    parsed = parse(call.words, spec)
    if "dry_run" in parsed.flags or not parsed.operands:
        call.scope.reading.emit("fs.read", call.site)
        return UNKNOWN
    *sources, target = [value.text for value in parsed.operands]
    reading, site = call.scope.reading, call.site
    _read_transport(call, parsed)
    first = len(reading.effects)
    flags = frozenset(parsed.flags)
    fetched = [source for source in sources if address_of(source)]
    for source in sources:
        if source not in fetched:
            reading.file("fs.read", site, source, flags)
    taken = _copy_flags(reading.effects[first:])
    for source in fetched:
        reading.url("net.fetch", site, source, address=address_of(source))
        report_fetched_place(reading, site, source)
    address = address_of(target)
    if address:
        reading.url("net.send", site, target, taken | (flags & {"delete"}), address)
        report_written_place(reading, site, target)
    elif "delete" in flags:
        reading.file("fs.delete", site, target, flags | {"recursive"})
    else:
        held = dict(reading.files)
        reading.file("fs.write", site, target, flags)
        read_copies(call, first, held, uncertain=not KEEPING.isdisjoint(call.words))
    return UNKNOWN


_METHODS = _READING_METHODS | frozenset("POST PUT PATCH DELETE CONNECT PURGE MKCOL COPY MOVE LOCK SEARCH".split())
_ITEM = late(r"^[^=:@/?]+(:=@|=@|:=|==|=|@|:)")


def _httpie(call: ShellCall) -> Flow:
    """`http [METHOD] URL [item …]`: `name=value` and `name@file` are sent, `name==value` is not."""
    spec = PROGRAMS["http"]
    parsed = parse(call.words, spec)
    reading, site = call.scope.reading, call.site
    words = [value.text for value in parsed.operands]
    method = words.pop(0).upper() if len(words) > 1 and words[0].upper() in _METHODS else ""
    url, items = (words[0], words[1:]) if words else ("", [])
    first = len(reading.effects)
    sends = method not in ("", *_READING_METHODS)
    marks = input_marks(call.stdin, reading)
    sends = sends or (not method and call.stdin is not NOTHING)
    for item in items:
        found = _ITEM.match(item)
        if HOLE in item and not (found and found[1] == ":"):
            marks |= reading.marks(item)
        if not found or found[1] in ("==", ":"):
            continue
        sends = sends or not method
        if found[1].endswith("@"):
            reading.file("fs.read", site, item[found.end() :])
            marks |= _CARRIED
    if HOLE in url:
        marks |= reading.marks(url) & _PRIVATE
    if any(effect.kind == "secret.read" for effect in reading.effects[first:]):
        marks |= {"secret"}
    if "--offline" in parsed.options:
        return UNKNOWN
    address = f"http://localhost{url}" if url.startswith(":") else url
    if read_store_request(reading, site, method or ("POST" if sends else "GET"), address) and not marks:
        marks |= {"routine"}
    reading.url("net.send" if sends else "net.fetch", site, url, marks)
    saved = [value.text for value in parsed.values if value.role == "fs.write"]
    return _record_download(call, saved, Flow(None, marks | {"download"}, url), first)


TRANSFERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("curl", "curlie", "wget", "wget2"), _fetch),
    **dict.fromkeys(("http", "https", "xh", "xhs", "httpie"), _httpie),
    **dict.fromkeys(("scp", "rsync"), _copy),
}
