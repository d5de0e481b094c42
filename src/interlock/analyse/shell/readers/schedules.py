"""Schedulers and services: `at`, `crontab`, `systemctl`, `service`. A scheduled command is read as if it ran now."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from interlock.analyse.argv import parse
from interlock.analyse.disposable_machines import HERE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_CRON_LINE = late(r"^\s*(?:@\w+|(?:[\d*/,\-A-Za-z]+\s+){4}[\d*/,\-A-Za-z]+)\s+(\S.*)$")


def _at(call: ShellCall) -> Flow:
    """`at` and `batch`: analyse the job on standard input or in a file."""
    name = call.program
    parsed = parse(call.words, PROGRAMS[name])
    flow = read(call, PROGRAMS[name])
    if parsed.kind:
        return flow
    for value in parsed.values:
        run_file(call, value.text)
    if call.stdin is not NOTHING:
        run_flow(call, call.stdin, "shell", name)
    return flow


def _crontab(call: ShellCall) -> Flow:
    """`crontab`: analyse the command of each line of the table."""
    parsed = parse(call.words, PROGRAMS["crontab"])
    flow = read(call, PROGRAMS["crontab"])
    if parsed.kind or {"-r", "-e"} & parsed.options.keys():
        return flow
    scope = call.scope
    table = call.stdin
    for value in parsed.operands:
        if value.text not in ("-", "/dev/stdin"):
            scope.reading.file("fs.read", call.site, value.text)
            full = scope.reading.places.resolve(value.text, scope.cwd) or value.text
            table = scope.reading.files.get(full, NOTHING)
    for line in (table.text or "").splitlines()[:64]:
        found = _CRON_LINE.match(line)
        if found:
            scope.reading.nest("shell", found[1], call.site.behind("crontab"))
    return flow


_ELSEWHERE = frozenset({"-H", "--host", "-M", "--machine"})
_RESTARTED = frozenset({"restarted"})
_OWN = frozenset({"user"})


def _service(call: ShellCall) -> Flow:
    """`systemctl`, `service`, `sv`: report what happens to services, by whose they are.

    A service that is restarted comes back, but on another machine others depend on it. Stopping one's own is ordinary.
    """
    effects = call.scope.reading.effects
    first = len(effects)
    flow = read(call, PROGRAMS[call.program])
    away = not HERE.issuperset(call.site.via) or any(word.partition("=")[0] in _ELSEWHERE for word in call.words)
    for at in range(first, len(effects)):
        effect = effects[at]
        if away and "restarted" in effect.flags:
            effects[at] = replace(effect, kind="service.change", flags=effect.flags - _RESTARTED)
        elif not away and effect.kind == "service.change" and effect.flags == _OWN:
            effects[at] = replace(effect, kind="local.change")
    return flow


SCHEDULES: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("at", "batch"), _at),
    "crontab": _crontab,
    **dict.fromkeys("systemctl service invoke-rc.d rc-service sv initctl".split(), _service),
}
