"""Programs that fetch from the network or send to it, and put the result somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import Parsed, Value, parse
from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.reading import UNKNOWN, Flow
from interlock.analyse.shell.call import Call, apply, read

_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _fetch(call: Call) -> Flow:
    """`curl` and `wget`: what is sent, what is fetched, and where it is put."""
    spec = PROGRAMS[call.words[0].rpartition("/")[2]]
    parsed = parse(call.words, spec)
    if "--help" in parsed.options or "--version" in parsed.options:
        return read(call, spec)
    method = (
        parsed.options.get("-X") or parsed.options.get("--request") or parsed.options.get("--method") or ""
    ).upper()
    sends = "send" in parsed.flags or (method and method not in _READING_METHODS)
    if "-G" in parsed.options or "--get" in parsed.options:
        sends = method not in ("", *_READING_METHODS)
    parsed.flags.discard("send")
    urls = [value.text for value in parsed.operands] + [v.text for v in parsed.values if v.role == "net.fetch"]
    saved = _saved_as(parsed, urls, call.words[0].endswith("wget"))
    if sends:
        parsed.operands = [Value("net.send", *value[1:]) for value in parsed.operands]
        parsed.values += parsed.operands
        parsed.operands = []
    first = len(call.scope.reading.effects)
    flow = apply(call, spec, parsed)
    return _save(call, saved, flow, first)


def _saved_as(parsed: Parsed, urls: list[str], wget: bool) -> list[str]:
    to = [v.text for v in parsed.values if v.role == "fs.write"]
    if to or not (wget or "saved" in parsed.flags):
        return to
    return [url.partition("?")[0].rstrip("/").rpartition("/")[2] or "index.html" for url in urls]


def _save(call: Call, saved: list[str], flow: Flow, first: int) -> Flow:
    scope, reading = call.scope, call.scope.reading
    url = flow.url
    download = Flow(None, flow.marks | {"download"}, url)
    written = any(effect.kind == "fs.write" for effect in reading.effects[first:])
    for path in saved:
        if path in ("-", "/dev/stdout"):
            return download
        if not written:
            reading.file("fs.write", call.site, path, frozenset({"download"}))
        scope.reading.files[reading.places.resolve(path, scope.cwd) or path] = download
    return download if saved else flow  # whoever pipes it on means the download


_REMOTE = re.compile(r"^(?:[\w.-]+@)?\[?[\w.-]{2,}\]?:(?!//)|^\w+://")


def _copy(call: Call) -> Flow:
    """`scp` and `rsync`: an operand `host:path` is another machine."""
    spec = PROGRAMS[call.words[0].rpartition("/")[2]]
    parsed = parse(call.words, spec)
    if "dry_run" in parsed.flags or not parsed.operands:
        call.scope.reading.emit("fs.read", call.site)
        return UNKNOWN
    *sources, target = [value.text for value in parsed.operands]
    reading, site = call.scope.reading, call.site
    first = len(reading.effects)
    flags = frozenset(parsed.flags)
    fetched = [source for source in sources if _REMOTE.match(source)]
    for source in sources:
        if source not in fetched:
            reading.file("fs.read", site, source, flags)
    secret = any(effect.kind == "secret.read" for effect in reading.effects[first:])
    for source in fetched:
        reading.url("net.fetch", site, source)
    if _REMOTE.match(target):
        reading.url("net.send", site, target, frozenset({"copy", "secret"} if secret else {"copy"}))
    elif "delete" in flags:
        reading.file("fs.delete", site, target, flags | {"recursive"})
    else:
        reading.file("fs.write", site, target, flags)
    return UNKNOWN


FETCHERS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys(("curl", "wget"), _fetch),
    **dict.fromkeys(("scp", "rsync"), _copy),
}
