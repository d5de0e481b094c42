"""A call read by its description in the catalogue: options and operands in, effects out."""

from __future__ import annotations

from interlock.analyse.argv import ParsedArguments, Value, assign_roles, parse
from interlock.analyse.keys import is_key_shape, names_a_key
from interlock.analyse.languages import language_of
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.decoders import decodes
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.analyse.shell.filters import apply_filter
from interlock.analyse.shell.provenance import COPYING, record_copies, record_origin, trace_output
from interlock.effects import KINDS, READS
from interlock.knowledge.command import Command


def read(call: Call, spec: Command, start: int = 1, inherited: frozenset[str] = NONE) -> Flow:
    """Read a command by its description."""
    if spec.operands_before_command:
        call = _move_verb_first(call, spec.operands_before_command, start)
    parsed = parse(call.words, spec, start)
    if spec.default_operand and not parsed.operands:
        parsed.operands.append(Value("", spec.default_operand, len(call.words)))
    if inherited:
        parsed.flags |= inherited
    asked = parsed.options.keys() & {"--help", "--version"}
    if asked and len(call.words) == start + 1:  # alone, so that nothing else can be meant
        call.scope.reading.emit("system.read", call.site, call.words[0])
        return UNKNOWN
    if spec.has_subcommands:
        return _read_subcommand(call, spec, parsed)
    return apply(call, spec, parsed)


def _move_verb_first(call: Call, verb: int, start: int) -> Call:
    """Return a call with its subcommand where others have it: before what it acts on."""
    words, nodes = call.words, call.nodes
    operands = [index for index in range(start, len(words)) if words[index][:1] != "-"]
    if len(operands) <= verb:
        return call
    order = [*range(start), operands[verb], *(at for at in range(start, len(words)) if at != operands[verb])]
    return call.with_words([words[at] for at in order], [nodes[at] if at < len(nodes) else None for at in order])


def _read_subcommand(call: Call, spec: Command, parsed: ParsedArguments) -> Flow:
    operands = parsed.operands
    known = spec.subcommands
    sub = known.get(operands[0].text) if operands else spec.alone
    scope = call.scope
    if parsed.kind:  # an option of the program itself says what it does
        scope.reading.emit(parsed.kind, call.site, " ".join(call.words[1:4]), frozenset(parsed.flags))
        return UNKNOWN
    cwd = scope.cwd
    for value in parsed.values:  # options before the subcommand
        if value.role in KINDS:
            scope.reading.on(value.role, call.site, value.text, frozenset(parsed.flags))
        else:
            _read_value(call, parsed, value, frozenset(parsed.flags))
    try:
        if sub is None:
            sub = spec.otherwise
            if sub is None:
                scope.reading.emit(spec.does or "process.run", call.site, " ".join(call.words[:2]))
                return UNKNOWN
            return read(call, sub, operands[0].at if operands else parsed.rest, frozenset(parsed.flags))
        return read(call, sub, parsed.rest, frozenset(parsed.flags))
    finally:
        scope.cwd = cwd


def apply(call: Call, spec: Command, parsed: ParsedArguments) -> Flow:
    """Put the effects of a command that was taken apart into the reading."""
    if not parsed.values or not any(value.role == "directory" for value in parsed.values):
        return _apply(call, spec, parsed)
    before = call.scope.cwd
    try:
        return _apply(call, spec, parsed)
    finally:
        call.scope.cwd = before  # a folder that an option names is the program's own


def _apply(call: Call, spec: Command, parsed: ParsedArguments) -> Flow:
    reading, site = call.scope.reading, call.site
    first = len(reading.effects)
    held = dict(reading.files) if reading.files and call.program in COPYING else None
    values, does = _assign_roles(spec, parsed)
    flags = frozenset(parsed.flags) if parsed.flags else NONE
    marks = call.stdin.marks
    late: list[tuple[str, str]] = []
    for value in values:
        role = value.role
        if role not in KINDS:
            marks |= _read_value(call, parsed, value, flags)
            continue
        if role.startswith("net.") or role == "message.send":
            late.append((role, value.text))
        else:
            reading.on(role, site, value.text, flags)
            _run_known_file(call, spec, role, value.text)
        if HOLE in value.text:
            marks |= reading.marks(value.text)
    if does:
        late.append((does, " ".join(value.text for value in parsed.operands[:4])))
    if spec.stdin and call.stdin is not NOTHING and not any(v.role.startswith(("code:", "script")) for v in values):
        return run_flow(call, call.stdin, spec.stdin, call.words[0])
    if late:
        _emit_late(call, late, flags, marks, first)
    elif len(reading.effects) == first and not parsed.values:
        _read_without_operands(call, spec, parsed.kind, flags)
    paths = [value.text for value in values if value.role.startswith("fs.")] if spec.filters else []
    printed = _trace_printed(call, spec, first, marks, paths)
    if reading.files and "in_place" in flags:
        _record_edits(call, spec, [value.text for value in values if value.role == "fs.write"])
    if held:
        record_copies(call.program, reading, first, held)
    elif printed.marks:
        record_origin(call.program, reading, call.scope.cwd, first, printed.marks)
    return printed


def _run_known_file(call: Call, spec: Command, role: str, path: str) -> None:
    """Read a file that a client is told to run, where this run has written it."""
    reading = call.scope.reading
    if role != "code.run" or not reading.files:
        return
    held = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    if held is not None and held.text is not None:
        language = spec.stdin or language_of(path, held.text) or "shell"
        reading.nest(language, held.text, call.site.behind(path.rpartition("/")[2]))


_CHANGED = frozenset({"changed"})


def _record_edits(call: Call, spec: Command, paths: list[str]) -> None:
    """Note what files hold that are edited in place: what a filter makes of it, else that nobody read the change."""
    reading = call.scope.reading
    words = [word for word in call.words if word not in paths and not word.startswith(("-i", "--in-place"))]
    for path in paths:
        full = reading.places.resolve(path, call.scope.cwd) or path
        held = reading.files.get(full)
        if held is not None:
            text = apply_filter(words, held.text) if spec.filters and held.text is not None else None
            changed = Flow(held.text, held.marks | _CHANGED, held.url)
            reading.files[full] = changed if text is None else Flow(text, held.marks, held.url)


def _assign_roles(spec: Command, parsed: ParsedArguments) -> tuple[list[Value], str]:
    """Return what each value of a command is, and what the command does besides."""
    operands = assign_roles(parsed.operands, spec, int(parsed.first)) if spec.operands else []
    does = spec.without_operands if spec.does and spec.without_operands and not parsed.operands else spec.does
    if parsed.kind:  # an option that makes it something else
        operands = [value._replace(role=parsed.kind) if value.role in KINDS else value for value in operands]
        does = parsed.kind if does else does
    values = []
    asks_only = parsed.kind is not None and parsed.kind in READS
    for value in parsed.values + operands:
        if asks_only and value.role in ("command", "script"):
            continue  # `command -v x` runs nothing
        if value.role == "data" or (value.text == "-" and value.role.startswith("fs.")):
            continue  # data, or what comes in and goes out
        values.append(value)
        if value.role == does or (value.role.startswith("code:") and does.endswith(".read")):
            does = ""  # said already, or said better by the code
    return values, does


def _read_without_operands(call: Call, spec: Command, kind: str | None, flags: frozenset[str]) -> None:
    """Read a command in which nothing is named: what it does, it does to something that is not known."""
    kinds = [role for role in spec.operands.roles if role in KINDS]
    changes = [kind for kind in kinds if kind not in READS]
    kind = (
        kind or spec.without_operands or (changes[0] if changes else "fs.read" if "fs.read" in kinds else "system.read")
    )
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


def _read_value(call: Call, parsed: ParsedArguments, value: Value, flags: frozenset[str]) -> frozenset[str]:
    """Follow a value that is code, a command, a script, or data to be sent."""
    role, reading = value.role, call.scope.reading
    program = call.program
    wrapper = program if parsed.start == 1 else f"{program} {call.words[parsed.start - 1]}"  # `git rebase`
    if role == "command":
        call.tail(value.at, wrapper)
    elif role == "script":
        run_file(call, value.text)
    elif role.startswith("code:"):
        site = call.inner(value.at, value.inner).behind(wrapper)
        reading.nest(role[5:], value.text, site, call.stdin)
    elif role == "upload":
        return _read_upload(call, value.text, flags)
    elif role == "mount":
        source = value.text.partition(":")[0]
        if source[:1] in ("/", ".", "~", HOLE):
            reading.file("fs.write", call.site, source, flags)
    elif role in ("pattern", "history"):
        _read_search(call, value.text, role == "history")
    elif role == "repository" and value.text.startswith("ext::"):
        reading.nest("shell", value.text[5:].replace("% ", "\\ "), call.site.behind(wrapper))
    elif role == "directory":
        call.scope.cwd = reading.places.resolve(value.text, call.scope.cwd)
    return NONE


def _read_search(call: Call, pattern: str, far: bool) -> None:
    """Note a search for keys: by their shape anywhere, by their names where others left them."""
    far = far or not call.stdin.marks.isdisjoint(("environment", "history"))
    if is_key_shape(pattern) or (far and names_a_key(pattern)):
        call.scope.reading.emit("fs.read", call.site, pattern, frozenset({"secret_search"}))


def _read_upload(call: Call, text: str, flags: frozenset[str]) -> frozenset[str]:
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


#: Programs that hand on what comes in as it is, or nearly so.
_PASSING = frozenset("pv sponge col iconv strings expand unexpand mbuffer buffer unbuffer lolcat".split())
_DECODED = frozenset({"decoded"})


def _trace_printed(call: Call, spec: Command, first: int, marks: frozenset[str], paths: list[str]) -> Flow:
    """Return what the command prints: its text where a filter can tell, and where it came from."""
    marks, url = trace_output(call.program, call.words, call.scope.reading, first, marks, call.stdin.url)
    hidden = _DECODED if decodes(call.words) else NONE
    if call.program in _PASSING:
        return Flow(call.stdin.text, marks, url)
    if not spec.filters:
        return Flow(None, marks | hidden, url)
    source = _filter_input(call, paths)
    words = [call.words[0], *(word for word in call.words[1:] if word not in paths)] if paths else call.words
    text = apply_filter(words, source.text)
    if text is None:
        spoiled = bool(source.text) and HOLE not in (source.text or "")  # a known text that came out as none
        return Flow(None, marks | source.marks | (_DECODED if spoiled else hidden), url)
    call.scope.reading.spend(len(text) // 128)
    return Flow(text, marks | source.marks, url)


def _filter_input(call: Call, paths: list[str]) -> Flow:
    """Return what a filter is given: what comes in, or what the files hold that it names."""
    if not paths:
        return call.stdin
    reading, flow = call.scope.reading, NOTHING
    for path in paths:
        held = call.stdin if path == "-" else reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
        if held is None:
            return UNKNOWN
        flow = flow.then(held)
    return flow
