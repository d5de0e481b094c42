"""Calls of programs that the catalogue describes: parse options and operands by the description, emit effects."""

from __future__ import annotations

from operator import attrgetter

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.secrets.disclosure import VALUE, holds_value
from interlock.analyse.shell.argument_values import read_value, report_searches, run_known_file
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_flow
from interlock.analyse.shell.output.command_output import PASSING, record_edits, record_output, trace_printed
from interlock.analyse.shell.output.local_content import find_carried_mark
from interlock.analyse.shell.output.partial_views import VIEWING, view_of
from interlock.analyse.shell.output.provenance import (
    PACKERS,
    record_backup,
    record_origin,
    record_packed,
)
from interlock.effects import KINDS, READS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments, assign_roles
from interlock.knowledge.catalogue import programs_in
from interlock.knowledge.command import Command
from interlock.model import kind_of


def read(call: ShellCall, spec: Command, start: int = 1, inherited: frozenset[str] = NONE) -> Flow:
    """Analyse a command by its description, from the word at `start` on; return what it prints.

    `inherited` are flags that options before a subcommand put on its effects.
    """
    if spec.operands_before_command:
        call = _move_verb_first(call, spec.operands_before_command, start)
    return read_parsed(call, spec, parse(call.words, spec, start), inherited)


def read_parsed(call: ShellCall, spec: Command, parsed: ParsedArguments, inherited: frozenset[str] = NONE) -> Flow:
    """Analyse a command whose arguments are parsed by its description, with `inherited` flags."""
    start = parsed.start
    if spec.default_operand and not parsed.operands:
        parsed.operands.append(ArgumentValue("", spec.default_operand, len(call.words)))
    if inherited:
        parsed.flags |= inherited
    if len(call.words) == start + 1 and _asks_about(call.words[start], spec, parsed):
        call.scope.reading.emit("system.read", call.site, call.words[0])
        return UNKNOWN
    if spec.has_subcommands:
        return _read_subcommand(call, spec, parsed)
    return apply(call, spec, parsed)


def _asks_about(word: str, spec: Command, parsed: ParsedArguments) -> bool:
    """Whether the only argument of a command asks for its help or version. With others, some programs ignore it."""
    if "--help" in parsed.options or "--version" in parsed.options:
        return True
    return word in _ASKING and spec.does in _STARTING and bool(spec.operands)  # `gobuster version`


_ASKING = frozenset({"version", "help"})
_STARTING = frozenset({"net.connect", "process.run"})
#: Programs that copy or move files under the names that they have, or under another one.
_COPYING = programs_in("copiers")


def _move_verb_first(call: ShellCall, verb: int, start: int) -> ShellCall:
    """Return a call with its subcommand moved to the front: `service NAME start` → `service start NAME`."""
    words, nodes = call.words, call.nodes
    operands = [index for index in range(start, len(words)) if words[index][:1] != "-"]
    if len(operands) <= verb:
        return call
    order = [*range(start), operands[verb], *(at for at in range(start, len(words)) if at != operands[verb])]
    return call.with_words([words[at] for at in order], [nodes[at] if at < len(nodes) else None for at in order])


def _read_subcommand(call: ShellCall, spec: Command, parsed: ParsedArguments) -> Flow:
    """Analyse a subcommand by its own description, or by the program's default."""
    operands = parsed.operands
    known = spec.subcommands
    sub = known.get(operands[0].text) if operands else spec.alone
    scope = call.scope
    if parsed.kind:  # an option of the program decides what the call does
        scope.reading.emit(parsed.kind, call.site, " ".join(call.words[1:4]), frozenset(parsed.flags))
        return UNKNOWN
    cwd = scope.cwd
    for value in parsed.values:  # options before the subcommand
        if value.role in KINDS:
            scope.reading.on(value.role, call.site, value.text, frozenset(parsed.flags))
        else:
            read_value(call, parsed, value, frozenset(parsed.flags))
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


_role_of = attrgetter("role")


def apply(call: ShellCall, spec: Command, parsed: ParsedArguments) -> Flow:
    """Emit the effects of a command whose arguments are parsed; return what it prints."""
    if not parsed.values or "directory" not in map(_role_of, parsed.values):
        return _apply(call, spec, parsed)
    before = call.scope.cwd
    try:
        return _apply(call, spec, parsed)
    finally:
        call.scope.cwd = before  # an option such as `-C` changes the folder of this call only


def _find_copied_files(call: ShellCall) -> dict[str, Flow]:
    """Return what is known of the files that a program may copy, standard input among them."""
    held = dict(call.scope.reading.files)
    if call.stdin.text is not None and "/dev/stdin" in call.words:
        held["/dev/stdin"] = call.stdin
    return held


def _apply(call: ShellCall, spec: Command, parsed: ParsedArguments) -> Flow:
    """Emit the effects of each value by its role, then those of the command itself."""
    reading = call.scope.reading
    first = len(reading.effects)
    held = _find_copied_files(call) if call.program in _COPYING else None
    packs = call.program in PACKERS
    packed = dict(reading.files) if reading.files and (packs or spec.filters) else None
    values, does = _assign_roles(spec, parsed)
    flags = frozenset(parsed.flags) if parsed.flags else NONE
    marks, flags = _find_input_marks(call, spec, flags)
    late: list[tuple[str, str]] = []
    for value in _enter_directories(call, parsed, values) if values else ():
        if value.role not in KINDS:
            marks |= read_value(call, parsed, value, flags)
            continue
        marks |= _read_kind(call, spec, value, flags, late)
        marks |= reading.marks(value.text) if HOLE in value.text else NONE
    if does:
        late.append((does, " ".join([value.text for value in parsed.operands[:4]]) if parsed.operands else ""))
    if spec.stdin and call.stdin is not NOTHING and not any(v.role.startswith(("code:", "script")) for v in values):
        return run_flow(call, call.stdin, spec.stdin, call.words[0])
    if late:
        _emit_last(call, late, flags, marks, first)
        marks = _find_shown_marks(marks, late, does == "env.read" and not parsed.operands)
    elif len(reading.effects) == first and not parsed.values:
        _read_without_operands(call, spec, parsed.kind, flags)
    if flags and "task" in flags:
        _mark_task(call, first)
    paths = _find_filtered_paths(call, values) if spec.filters else []
    printed = trace_printed(call, spec, first, marks, paths)
    if flags and "in_place" in flags:
        record_edits(call, spec, _in_role(values, "fs.write"))
    elif packed and spec.filters:
        record_output(call, _in_role(values, "fs.read"), _in_role(values, "fs.write"), packed)
    if printed.marks or held is not None:
        _record_files(call, first, held, printed.marks)
    if packed and packs:
        record_packed(call.program, reading, first, packed)
    return printed


def _enter_directories(call: ShellCall, parsed: ParsedArguments, values: list[ArgumentValue]) -> list[ArgumentValue]:
    """Change to the folders that options name, wherever they stand; return the values with what is fetched into one."""
    if "directory" not in map(_role_of, values):
        return values
    left = [value for value in values if value.role != "directory"]
    for value in values:
        if value.role == "directory":
            read_value(call, parsed, value, NONE)
    roles = {value.role for value in left}
    if "net.fetch" in roles and "fs.write" not in roles:  # `aria2c -d FOLDER URL`
        left.append(ArgumentValue("fs.write", ".", len(call.words)))
    return left


def _read_kind(
    call: ShellCall, spec: Command, value: ArgumentValue, flags: frozenset[str], late: list[tuple[str, str]]
) -> frozenset[str]:
    """Emit the effect of a value whose role is one, or leave it for last; return the marks of what is sent."""
    role, text = value.role, value.text
    if role.startswith("net.") or role == "message.send":
        late.append((role, text))
    elif role == "fs.write" and _is_elsewhere(text):
        return _write_elsewhere(call, text, late)
    elif role == "fs.read" and "://" in text and is_url(text) and not text.startswith("file:"):
        late.append(("net.fetch", text))
    else:
        call.scope.reading.on(role, call.site, text, _file_flags(call, role, text, flags))
        run_known_file(call, spec, role, text)
    return NONE


def _in_role(values: list[ArgumentValue], role: str) -> list[str]:
    return [value.text for value in values if value.role == role]


def _record_files(call: ShellCall, first: int, held: dict[str, Flow] | None, marks: frozenset[str]) -> None:
    """Record what is known of the files that a command wrote: the content of their source, or where it comes from."""
    if held is not None:
        from interlock.analyse.shell.files.copied_files import KEEPING, read_copies

        uncertain = not KEEPING.isdisjoint(call.words) or (call.program == "ln" and "-f" not in " ".join(call.words))
        read_copies(call, first, held, uncertain=uncertain)
    if marks:
        record_origin(call.program, call.scope.reading, call.scope.cwd, first, marks)
    if held is not None:
        record_backup(call.program, call.scope.reading, first)


_CARRIED = frozenset({"carried"})
#: What stands before a command in place of a file to write: `strace -o '|cat'`, `gs -o '%pipe%lpr'`.
_PIPES = ("|", "!", "%pipe%")


def _is_elsewhere(text: str) -> bool:
    """Whether a file to write is none: an address, or a command that takes the output."""
    return text.startswith(_PIPES) or ("://" in text and not text.startswith("file:"))


def _write_elsewhere(call: ShellCall, text: str, late: list[tuple[str, str]]) -> frozenset[str]:
    """Report output that goes to an address or into a command; return the marks of what is sent."""
    if text.startswith(_PIPES):
        command = text.removeprefix("%pipe%").lstrip("|!")
        call.scope.reading.nest("shell", command, call.site.behind(call.program))
        return NONE
    late.append(("net.send", text))
    return _CARRIED


def _mark_task(call: ShellCall, first: int) -> None:
    """Say of a task's effects since `first` that they are on scratch data, if it runs in a test environment."""
    from interlock.analyse.shell.services.connections import mark_test_run

    mark_test_run(call, first)


def _find_shown_marks(marks: frozenset[str], late: list[tuple[str, str]], environment: bool) -> frozenset[str]:
    """Return the marks of what is printed: a program that sends a secret shows the answer, not the secret."""
    if environment:
        return marks | VALUE
    return marks - VALUE if marks and _is_on_network(late) else marks


def _is_on_network(late: list[tuple[str, str]]) -> bool:
    """Whether one of several effects is on the network."""
    return late[0][0][:4] == "net." or (len(late) > 1 and any(kind[:4] == "net." for kind, _ in late))


def _find_filtered_paths(call: ShellCall, values: list[ArgumentValue]) -> list[str]:
    """Return the files that a filter reads, and report a search for secrets in them."""
    report_searches(call, values)
    return [value.text for value in values if value.role.startswith("fs.")]


def _find_input_marks(call: ShellCall, spec: Command, flags: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the marks of what a command takes in, and its flags: a filter passes the values of secrets on."""
    marks = call.stdin.marks
    if not spec.filters:
        return (marks if not marks or call.program in PASSING else marks - _NOT_PASSED), flags
    for word in call.words:
        if HOLE in word and holds_value(word):
            return marks | VALUE, flags | VALUE  # put into the text: `sed "s/x/$TOKEN/"`
    return marks, flags


_NOT_PASSED = VALUE | {"endless"}


def _file_flags(call: ShellCall, role: str, path: str, flags: frozenset[str]) -> frozenset[str]:
    """Return the flags of a file, with `names` if the command shows nothing of the secrets in it."""
    if role != "fs.read":
        return flags | VALUE if "variable" in call.stdin.marks and role == "fs.write" else flags
    if call.program not in VIEWING or not (path[:1] in ("/", "~", ".") or traits(path)):
        return flags  # it shows all that it reads, or nothing of it is secret
    view = view_of(call.words)
    return flags | _NAMES if view == "counts" or (view and "env_file" in traits(path)) else flags


_NAMES = frozenset({"names"})


def _assign_roles(spec: Command, parsed: ParsedArguments) -> tuple[list[ArgumentValue], str]:
    """Return the values of a command with their roles, and the kind of effect that the command has besides them."""
    does, given = spec.does, parsed.values
    if not parsed.operands:
        does = spec.without_operands or does if does else does
    elif spec.has_operands:
        operands = assign_roles(parsed.operands, spec, int(parsed.first))
        if parsed.kind:  # an option replaces the kind of effect
            operands = [value.replace(role=parsed.kind) if value.role in KINDS else value for value in operands]
        given = given + operands if given else operands
    if parsed.kind and does:
        does = parsed.kind
    values = []
    asks_only = parsed.kind is not None and parsed.kind in READS
    for value in given:
        role = value.role
        if role == "data" or (value.text == "-" and role.startswith("fs.")):
            continue  # plain data, or standard input and output
        if asks_only and (role in ("command", "script") or (role == "code:sql" and "dry_run" in parsed.flags)):
            continue  # `command -v x` runs nothing
        values.append(value)
        if role == does or (role[:5] == "code:" and does.endswith(".read")):
            does = ""  # a value has this effect already, or the code states it more exactly
    return values, does


def _read_without_operands(call: ShellCall, spec: Command, kind: str | None, flags: frozenset[str]) -> None:
    """Emit the effect of a command that names no target: what it does, on an unknown resource."""
    kinds = [role for role in spec.operands.roles if role in KINDS]
    changes = [kind for kind in kinds if kind not in READS]
    kind = (
        kind or spec.without_operands or (changes[0] if changes else "fs.read" if "fs.read" in kinds else "system.read")
    )
    call.scope.reading.emit(kind, call.site, None, flags)


def _emit_last(
    call: ShellCall, late: list[tuple[str, str]], flags: frozenset[str], marks: frozenset[str], first: int
) -> None:
    """Emit network effects and the command's own effect last, with the marks of everything that it read."""
    reading, site = call.scope.reading, call.site
    if len(reading.effects) > first and "secret.read" in map(kind_of, reading.effects[first:]):
        marks |= {"secret"}
    if _is_on_network(late):
        marks |= find_carried_mark(call.words, reading)
    if marks:
        flags |= marks
    for kind, text in late:
        if not text or kind == "disk.wipe":  # the name of a volume is not a path
            reading.emit(kind, site, text or None, flags)
        else:
            reading.on(kind, site, text, flags)
