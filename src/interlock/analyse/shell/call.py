"""A call: a command's words with where they stand, and the reading of them by the catalogue's description."""

from __future__ import annotations

from tree_sitter import Node

from interlock.analyse.argv import Parsed, Value, assign, parse
from interlock.analyse.catalogue.spec import Spec
from interlock.analyse.keys import is_key_shape, names_a_key
from interlock.analyse.languages import spoken
from interlock.analyse.paths import HOLE, shown
from interlock.analyse.reading import NONE, NOTHING, UNKNOWN, Flow, Reading, Site
from interlock.analyse.shell.decoders import decodes
from interlock.analyse.shell.filters import filtered
from interlock.analyse.shell.scope import Scope
from interlock.effects import KINDS, READS
from interlock.model import Place, Span

#: Scripts that every project of a framework has; what they are given decides what they do.
TASK_RUNNERS = frozenset({"manage.py", "artisan", "console", "rails", "rake", "magento"})


class Call:
    """A command about to be read: its words, where they stand, its scope and its input."""

    __slots__ = ("nodes", "program", "scope", "span", "stdin", "words")

    def __init__(
        self,
        words: list[str],
        nodes: list[Node | None],
        scope: Scope,
        stdin: Flow,
        span: Span,
    ) -> None:
        self.words, self.nodes, self.scope = words, nodes, scope
        self.stdin, self.span = stdin, span
        self.program = words[0].rpartition("/")[2] if words else ""  # without the folder that it stands in

    @property
    def site(self) -> Site:
        """Where this command stands."""
        return self.scope.site(self.span)

    def inner(self, index: int, inner: int = 0) -> Site:
        """Return the site of a text that one of the words carries: exact where it stands there as it is."""
        site = self.scope.site(self.span)
        node = self.nodes[index] if index < len(self.nodes) else None
        if node is None or node.start_byte > node.end_byte:
            return site
        source = self.scope.source
        start, text = node.start_byte, self.words[index]
        if node.type in ("raw_string", "string"):
            start += 1
        if source.slice(start, start + len(text)) != text:
            return site
        base = source.base(start)
        return site if base < 0 else site._replace(base=base + inner)

    def tail(self, index: int, wrapper: str, stdin: Flow | None = None) -> Flow:
        """Run the words from `index` on as a command of their own, behind `wrapper`."""
        if index >= len(self.words):
            return NOTHING
        scope = self.scope
        scope.reading.spend(len(scope.via) + 1)
        before, scope.via = scope.via, (*scope.via, wrapper)
        try:
            if index + 1 == len(self.words) and _is_text(self.words[index]):  # one word that is a whole command
                return scope.reading.nest("shell", self.words[index], self.inner(index), stdin or NOTHING)
            return scope.shell.run(self.replaced(self.words[index:], self.nodes[index:], stdin))
        finally:
            scope.via = before

    def replaced(self, words: list[str], nodes: list[Node | None], stdin: Flow | None = None) -> Call:
        """Return the same call with other words."""
        return Call(words, nodes, self.scope, self.stdin if stdin is None else stdin, self.span)


_SPECIAL = frozenset(" \t\n;&|<>()$`=")


def _is_text(word: str) -> bool:
    """Whether a word is more than a program's name."""
    return not _SPECIAL.isdisjoint(word.strip())


def run_file(call: Call, path: str, language: str = "shell") -> Flow:
    """Read the running of a script: as code if this action wrote it, as remote code if it was downloaded."""
    scope, site = call.scope, call.site
    reading = scope.reading
    full = reading.places.resolve(path, scope.cwd) or path
    known = scope.reading.files.get(full) or scope.reading.files.get(path)
    if known is not None:
        return feed(call, known, language, shown(path))
    if path in _INPUTS and call.stdin is not NOTHING:
        return feed(call, call.stdin, language, shown(path))
    if any(space in path for space in " \t\n"):  # nothing that is run has such a name: it is text
        reading.emit("process.run", site, path)
        return UNKNOWN
    if full in reading.downloaded or path in reading.downloaded or _came_along(full, reading):
        reading.emit("code.remote", site, path)
        return UNKNOWN
    reading.file("code.run", site, path)
    reading.opaque.append(f"a script: `{shown(path)}`")
    name = path.rpartition("/")[2]
    if name in TASK_RUNNERS and path in call.words:  # a framework's own script: its tasks are known by their names
        at = call.words.index(path)
        scope.shell.run(call.replaced([name, *call.words[at + 1 :]], [None, *call.nodes[at + 1 :]]))
    return UNKNOWN


def _came_along(full: str, reading: Reading) -> bool:
    """Whether a file stands in a folder that this action fetched: an archive that was unpacked, a clone."""
    folder = full
    while reading.files and (cut := folder.rfind("/")) > 0:
        folder = folder[:cut]
        known = reading.files.get(folder)
        if known is not None and "download" in known.marks:
            return True
    return False


_INPUTS = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def feed(call: Call, flow: Flow, language: str, name: str) -> Flow:
    """Read what runs into an interpreter: as code if it is known, else as what is known about it."""
    site = call.site.behind(name)
    reading = call.scope.reading
    if flow.text is not None and HOLE not in flow.text:
        spoken_language = spoken(flow.text, language)
        if spoken_language == "shell":
            return _child(call, flow.text, site)
        return reading.nest(spoken_language, flow.text, site)
    if "download" in flow.marks:
        reading.emit("code.remote", site, flow.url or None)
        reading.opaque.append("code that is downloaded")
    elif flow.text is not None:
        reading.nest(language, flow.text, site)
        reading.opaque.append(f"{language} code with unknown parts")
    else:
        hidden = _DECODED if "decoded" in flow.marks and language != "sql" else NONE
        reading.unread(f"{language} code that is not in the text", site, flags=hidden)
    return UNKNOWN


def _child(call: Call, text: str, site: Site) -> Flow:
    """Read a text that another shell runs: what was exported is there too; what was not, nobody can tell from here."""
    inner = call.scope.copy()
    inner.aliases, inner.via = {}, site.via
    call.scope.reading.spend(len(text) // 16 + 1)
    return inner.shell.evaluate(text, inner, NOTHING, site)


_DECODED = frozenset({"decoded"})


def read(call: Call, spec: Spec, start: int = 1, inherited: frozenset[str] = NONE) -> Flow:
    """Read a command by its description."""
    if spec.verb:
        call = _verb_first(call, spec.verb, start)
    parsed = parse(call.words, spec, start)
    if spec.default and not parsed.operands:
        parsed.operands.append(Value("", spec.default, len(call.words)))
    if inherited:
        parsed.flags |= inherited
    asked = parsed.options.keys() & {"--help", "--version"}
    if asked and len(call.words) == start + 1:  # alone, so that nothing else can be meant
        call.scope.reading.emit("system.read", call.site, call.words[0])
        return UNKNOWN
    if spec.sub:
        return _subcommand(call, spec, parsed)
    return apply(call, spec, parsed)


def _verb_first(call: Call, verb: int, start: int) -> Call:
    """Return a call with its subcommand where others have it: before what it acts on."""
    words, nodes = call.words, call.nodes
    operands = [index for index in range(start, len(words)) if words[index][:1] != "-"]
    if len(operands) <= verb:
        return call
    order = [*range(start), operands[verb], *(at for at in range(start, len(words)) if at != operands[verb])]
    return call.replaced([words[at] for at in order], [nodes[at] if at < len(nodes) else None for at in order])


def _subcommand(call: Call, spec: Spec, parsed: Parsed) -> Flow:
    operands = parsed.operands
    known = spec.subcommands
    sub = known.get(operands[0].text) if operands else known.get("")
    scope = call.scope
    if parsed.kind:  # an option of the program itself says what it does
        scope.reading.emit(parsed.kind, call.site, " ".join(call.words[1:4]), frozenset(parsed.flags))
        return UNKNOWN
    cwd = scope.cwd
    for value in parsed.values:
        if value.role == "chdir":
            scope.cwd = scope.reading.places.resolve(value.text, scope.cwd)
    try:
        if sub is None:
            sub = known.get("*")
            if sub is None:
                scope.reading.emit(spec.does or "process.run", call.site, " ".join(call.words[:2]))
                return UNKNOWN
            return read(call, sub, operands[0].at if operands else parsed.rest, frozenset(parsed.flags))
        return read(call, sub, parsed.rest, frozenset(parsed.flags))
    finally:
        scope.cwd = cwd


def apply(call: Call, spec: Spec, parsed: Parsed) -> Flow:
    """Put the effects of a command that was taken apart into the reading."""
    if not parsed.values or not any(value.role == "chdir" for value in parsed.values):
        return _apply(call, spec, parsed)
    before = call.scope.cwd
    try:
        return _apply(call, spec, parsed)
    finally:
        call.scope.cwd = before  # a folder that an option names is the program's own


def _apply(call: Call, spec: Spec, parsed: Parsed) -> Flow:
    reading, site = call.scope.reading, call.site
    first = len(reading.effects)
    held = dict(reading.files) if reading.files and call.program in _COPYING else None
    values, does = _roles(spec, parsed)
    flags = frozenset(parsed.flags) if parsed.flags else NONE
    marks = call.stdin.marks
    late: list[tuple[str, str]] = []
    for value in values:
        role = value.role
        if role not in KINDS:
            marks |= _carried(call, spec, value, flags)
            continue
        if role.startswith("net.") or role == "message.send":
            late.append((role, value.text))
        else:
            reading.on(role, site, value.text, flags)
        if HOLE in value.text:
            marks |= reading.marks(value.text)
    if does:
        late.append((does, " ".join(value.text for value in parsed.operands[:4])))
    if spec.stdin and call.stdin is not NOTHING and not any(v.role.startswith(("code:", "script")) for v in values):
        return feed(call, call.stdin, spec.stdin, call.words[0])
    if late:
        _emit_late(call, late, flags, marks, first)
    elif len(reading.effects) == first and not parsed.values:
        _nothing_named(call, spec, parsed.kind, flags)
    paths = [value.text for value in values if value.role.startswith("fs.")] if spec.filters else []
    printed = _printed(call, spec, first, marks, paths)
    if held:
        _copied(call, first, held)
    elif printed.marks:
        _left_behind(call, spec, first, printed.marks)
    return printed


_COPYING = frozenset("cp gcp mv gmv ln install".split())


def _copied(call: Call, first: int, held: dict[str, Flow]) -> None:
    """Remember what a copy holds: whatever the file held that it was made of."""
    reading = call.scope.reading
    names = [effect.resource.name for effect in reading.effects[first:] if effect.resource]
    sources, target = names[:-1], names[-1] if names else ""
    for source in sources:
        flow = held.get(source)
        if flow is not None:
            reading.files[target] = flow
            reading.files[f"{target.rstrip('/')}/{source.rpartition('/')[2]}"] = flow
    for source in sources:
        if source in held and source not in reading.files and call.program not in ("mv", "gmv"):
            reading.files[source] = held[source]


#: Programs that take an archive apart, into the working folder unless another one is named.
_UNPACKING = frozenset("tar gtar bsdtar unzip 7z 7za unar bsdunzip cpio".split())


def _left_behind(call: Call, spec: Spec, first: int, marks: frozenset[str]) -> None:
    """Remember where what a command wrote came from: a copy of a key is a key."""
    reading = call.scope.reading
    written = [
        effect.resource.name for effect in reading.effects[first:] if effect.kind == "fs.write" and effect.resource
    ]
    if "download" in marks and not _UNPACKING.isdisjoint(spec.names.split()):
        written.append(call.scope.cwd or reading.places.cwd or "")
    for name in written:
        if name and name not in reading.files:
            reading.files[name] = Flow(None, marks)


def _roles(spec: Spec, parsed: Parsed) -> tuple[list[Value], str]:
    """Return what each value of a command is, and what the command does besides."""
    operands = assign(parsed.operands, spec, int(parsed.first)) if spec.operands else []
    does = spec.bare if spec.bare and spec.does and not parsed.operands else spec.does
    if parsed.kind:  # an option that makes it something else
        operands = [value._replace(role=parsed.kind) if value.role in KINDS else value for value in operands]
        does = parsed.kind if does else does
    values = []
    asks_only = parsed.kind is not None and parsed.kind in READS
    for value in parsed.values + operands:
        if asks_only and value.role in ("command", "script"):
            continue  # `command -v x` runs nothing
        if value.role == "-" or (value.text == "-" and value.role.startswith("fs.")):
            continue  # data, or what comes in and goes out
        values.append(value)
        if value.role == does or (value.role.startswith("code:") and does.endswith(".read")):
            does = ""  # said already, or said better by the code
    return values, does


def _nothing_named(call: Call, spec: Spec, kind: str | None, flags: frozenset[str]) -> None:
    """Read a command in which nothing is named: what it does, it does to something that is not known."""
    head, star, tail = spec.operand_roles
    kinds = [role for role in (*head, star or "-", *tail) if role in KINDS]
    changes = [kind for kind in kinds if kind not in READS]
    kind = kind or spec.bare or (changes[0] if changes else "fs.read" if "fs.read" in kinds else "system.read")
    call.scope.reading.emit(kind, call.site, None, flags)


def _emit_late(
    call: Call, late: list[tuple[str, str]], flags: frozenset[str], marks: frozenset[str], first: int
) -> None:
    """Emit what leaves the machine last, so that it knows what else the command took along."""
    reading, site = call.scope.reading, call.site
    if any(effect.kind == "secret.read" for effect in reading.effects[first:]):
        marks |= {"secret"}
    for kind, text in late:
        if not text or kind == "disk.wipe":  # a volume's name is no path
            reading.emit(kind, site, text or None, flags | marks)
        else:
            reading.on(kind, site, text, flags | marks)


def _carried(call: Call, spec: Spec, value: Value, flags: frozenset[str]) -> frozenset[str]:
    """Follow a value that is code, a command, a script, or data to be sent."""
    role, reading = value.role, call.scope.reading
    program = call.program
    wrapper = program if program in spec.names.split() else f"{program} {spec.names}"
    if role == "command":
        call.tail(value.at, wrapper)
    elif role == "script":
        run_file(call, value.text)
    elif role.startswith("code:"):
        site = call.inner(value.at, value.inner).behind(wrapper)
        reading.nest(role[5:], value.text, site, call.stdin)
    elif role == "upload":
        return _uploaded(call, value.text, flags)
    elif role == "mount":
        source = value.text.partition(":")[0]
        if source[:1] in ("/", ".", "~", HOLE):
            reading.file("fs.write", call.site, source, flags)
    elif role == "pattern":
        searched(call, value.text)
    elif role == "repository" and value.text.startswith("ext::"):
        reading.nest("shell", value.text[5:].replace("% ", "\\ "), call.site.behind(wrapper))
    elif role == "chdir":
        call.scope.cwd = reading.places.resolve(value.text, call.scope.cwd)
    return NONE


def searched(call: Call, pattern: str) -> None:
    """Note a search for keys: by their shape anywhere, by their names where others left them."""
    far = not call.stdin.marks.isdisjoint(("environment", "history")) or call.words[1:2] == ["log"]
    if is_key_shape(pattern) or (far and names_a_key(pattern)):
        call.scope.reading.emit("fs.read", call.site, pattern, frozenset({"secret_search"}))


def _uploaded(call: Call, text: str, flags: frozenset[str]) -> frozenset[str]:
    """Read data that is sent: `@name`, `field=@name` and `@-` are files."""
    reading = call.scope.reading
    _, at, path = text.partition("@")
    if at and (text[0] == "@" or text[: -len(path) - 1].endswith(("=", "<"))):
        if path == "-":
            return call.stdin.marks
        path = path.partition(";")[0]
        reading.file("fs.read", call.site, path, flags)
        known = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
        if known:
            return known.marks | reading.marks(text)
    return reading.marks(text)


#: What gives bytes for as long as anyone reads.
ENDLESS = frozenset({"/dev/zero", "/dev/random", "/dev/urandom"})
_PERSONAL = frozenset({Place.HOME, Place.SYSTEM, Place.ROOT})
# Programs that print the process which holds a port, or was started here: their options that say so.
_FINDING = {"lsof": ("-i", "-ti", "-t"), "jobs": ("-p",), "pgrep": ("-f", "-P")}
# Where what a command prints comes from.
_ORIGINS = {
    "secret.read": frozenset({"secret"}),
    "env.read": frozenset({"environment"}),
    "net.fetch": frozenset({"download"}),
    "net.connect": frozenset({"download"}),
    "net.listen": frozenset({"download"}),
    "vcs.read": frozenset({"history"}),
}


def _printed(call: Call, spec: Spec, first: int, marks: frozenset[str], paths: list[str]) -> Flow:
    """Return what the command prints: its text where a filter can tell, and where it came from."""
    url = call.stdin.url
    reading = call.scope.reading
    for effect in reading.effects[first:]:
        mark = _ORIGINS.get(effect.kind)
        if mark is not None:
            marks |= mark
            if "download" in mark:
                url = effect.resource.name if effect.resource else ""
        elif effect.kind == "fs.read" and effect.resource:
            if effect.resource.place in _PERSONAL and "names" not in effect.flags:
                marks |= {"personal"}
            elif effect.resource.name in ENDLESS and call.program == "cat":
                marks |= {"endless"}
            elif effect.resource.name.endswith(".pid"):
                marks |= {"own_process"}
            if reading.files and (known := reading.files.get(effect.resource.name)):
                marks |= known.marks
    if call.program in _FINDING and any(word.startswith(_FINDING[call.program]) for word in call.words[1:]):
        marks |= {"own_process"}
    hidden = _DECODED if decodes(call.words) else NONE
    if not spec.filters:
        return Flow(None, marks | hidden, url)
    source = _source(call, paths)
    text = filtered([word for word in call.words if word not in paths] if paths else call.words, source.text)
    if text is None:
        spoiled = bool(source.text) and HOLE not in (source.text or "")  # a known text that came out as none
        return Flow(None, marks | source.marks | (_DECODED if spoiled else hidden), url)
    call.scope.reading.spend(len(text) // 128)
    return Flow(text, marks | source.marks, url)


def _source(call: Call, paths: list[str]) -> Flow:
    """Return what a filter is given: what comes in, or what the one file holds that it names."""
    if not paths:
        return call.stdin
    reading = call.scope.reading
    held = reading.files.get(reading.places.resolve(paths[0], call.scope.cwd) or paths[0]) if len(paths) == 1 else None
    return UNKNOWN if held is None else held
