"""Arguments of service clients beyond their verb: files to copy, remote commands, queries."""

from __future__ import annotations

from interlock.analyse.flow import NONE, NOTHING
from interlock.analyse.shell.argument_values import read_value
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.sql import begins_like_sql, looks_like_sql
from interlock.effects import KINDS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.knowledge.command import ClientCall as CallMeaning

_TAKING = frozenset("cp sync copy rsync c s mirror".split())


def copies_to_here(call: ShellCall, parsed: ParsedArguments, verb: str) -> bool:
    """Whether a copy takes something from the service to this machine, and leaves the service as it was."""
    names = _copy_operands(call, parsed, verb)
    return verb in _TAKING and len(names) > 1 and "://" in names[0] and "://" not in names[-1]


def _copy_operands(call: ShellCall, parsed: ParsedArguments, verb: str) -> list[str]:
    """Return the operands of a copy, its destination last."""
    table = parsed.spec.option_table
    names = [
        value.text
        for value in parsed.operands
        if call.words[value.at - 1][:1] != "-" or call.words[value.at - 1] in table
    ]
    return names[names.index(verb) + 1 :] if verb in names else []


def read_copy(call: ShellCall, parsed: ParsedArguments, verb: str) -> None:
    """Report the local files that a copy reads and writes, and what it uploads."""
    reading, site = call.scope.reading, call.site
    names = _copy_operands(call, parsed, verb)
    remote = [name for name in names if "://" in name]
    first = len(reading.effects)
    for name in names if remote else ():
        if name not in remote and name != "-":
            reading.file("fs.write" if name is names[-1] else "fs.read", site, name)
    marks = call.stdin.marks
    if any(effect.kind == "secret.read" for effect in reading.effects[first:]):
        marks |= {"secret"}
    if remote and remote[-1] == names[-1]:
        reading.emit("net.send", site, remote[-1], marks | {"copy"})


def read_carried_command(
    call: ShellCall, parsed: ParsedArguments, meaning: tuple[CallMeaning, int] | None, name: str
) -> None:
    """Analyse code and uploads in options, and a command after the call's own words."""
    if "shell" in call.words or "connect" in call.words:
        _read_queries(call, parsed.operands, name)
    for value in parsed.values:
        _read_option(call, parsed, value, name)
    if meaning is None:
        return
    if meaning[0].value == "command":
        _run_command(call, parsed.operands, meaning[1], name)
    elif meaning[0].value in KINDS:
        for value in _after_words(parsed.operands, meaning[1])[:1]:
            call.scope.reading.on(meaning[0].value, call.site, value.text)
    elif meaning[0].value.startswith("code:"):
        for value in _after_words(parsed.operands, meaning[1]):
            _read_code(call, value, name, meaning[0].value[5:])
    elif meaning[0].makes == "net.connect" and "--" in call.words:
        start = call.words.index("--") + 1
        if call.words[start : start + 1] and call.words[start][:1] != "-":
            call.tail(start, name)


def _read_option(call: ShellCall, parsed: ParsedArguments, value: ArgumentValue, name: str) -> None:
    """Read the value of an option by its role."""
    if value.role.startswith("code:"):
        _read_code(call, value, name, value.role[5:])
    elif value.role == "upload":
        _read_upload(call, value.text)
    elif value.role in KINDS:
        call.scope.reading.on(value.role, call.site, value.text)
    elif value.role != "directory":
        read_value(call, parsed, value, NONE)


def _read_queries(call: ShellCall, operands: list[ArgumentValue], name: str) -> None:
    """Analyse the statements that the shell of a database is given as an operand or on standard input."""
    for value in operands:
        if " " in value.text and looks_like_sql(value.text):
            call.scope.reading.nest("sql", value.text, call.inner(value.at, value.inner).behind(name), NOTHING)
    if call.stdin.text and looks_like_sql(call.stdin.text):
        call.scope.reading.nest("sql", call.stdin.text, call.inner(0).behind(name), NOTHING)


def _run_command(call: ShellCall, operands: list[ArgumentValue], count: int, name: str) -> None:
    """Analyse the command that follows the first `count` words."""
    for value in _after_words(operands, count)[:1]:
        if " " in value.text:
            call.scope.reading.nest("shell", value.text, call.inner(value.at).behind(name))
        else:
            call.tail(value.at, name)


def _after_words(operands: list[ArgumentValue], count: int) -> list[ArgumentValue]:
    """Return the operands after the first `count` words of a command."""
    for at, value in enumerate(operands):
        if count <= 0:
            return operands[at:]
        count -= len(value.text.split(":"))
    return []


def _read_upload(call: ShellCall, path: str) -> None:
    """Report a file that is uploaded to the service."""
    reading, first = call.scope.reading, len(call.scope.reading.effects)
    reading.file("fs.read", call.site, path)
    if reading.effects[first].kind == "secret.read":
        reading.emit("net.send", call.site, call.words[0], frozenset({"copy", "secret"}))


def _read_code(call: ShellCall, value: ArgumentValue, name: str, language: str) -> None:
    """Analyse code in an argument. Options for SQL take files and other query languages too."""
    if language == "sql" and not begins_like_sql(value.text):
        return
    call.scope.reading.nest(language, value.text, call.inner(value.at, value.inner).behind(name), NOTHING)
