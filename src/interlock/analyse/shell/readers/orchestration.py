"""Orchestration: `ansible` and `salt`, which run commands on many hosts, and `terraform`."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_RUNS = frozenset("shell command raw script win_shell win_command expect".split())
_SHOWS = frozenset("ping setup debug stat gather_facts service_facts package_facts assert fail win_ping slurp".split())
_SALT_SHOWS = (
    "test. grains.get grains.item grains.ls pillar. status. sys. disk.usage network. pkg.list service.status manage."
    " jobs.list jobs.lookup jobs.active state.show"
).split()


def ansible(call: ShellCall) -> Flow:
    """`ansible HOSTS -m MODULE -a ARGUMENTS`: analyse the command that a module runs; the default is `command`."""
    spec = PROGRAMS["ansible"]
    parsed = parse(call.words, spec)
    options = parsed.options
    module = (options.get("-m") or options.get("--module-name") or "command").rpartition(".")[2]
    text = options.get("-a") or options.get("--args") or ""
    if parsed.kind or module in _SHOWS or "-h" in call.words:
        call.scope.reading.emit("infra.read", call.site, module)
        return UNKNOWN
    if module in _RUNS and text:
        call.scope.reading.nest("shell", text, call.site.behind("ansible"))
    return apply(call, spec, parsed)


def playbook(call: ShellCall) -> Flow:
    """`ansible-playbook`: `-h` is help only as a separate argument."""
    if "-h" in call.words:
        call.scope.reading.emit("infra.read", call.site, "help")
        return UNKNOWN
    return read(call, PROGRAMS[call.program])


def terraform(call: ShellCall) -> Flow:
    """`terraform console`: report an expression that shows a secret or the content of a private file."""
    if "console" in call.words[1:3]:
        _read_expression(call, call.stdin.text or "")
    return read(call, PROGRAMS[call.program])


def _read_expression(call: ShellCall, text: str) -> None:
    """Report secrets and files that an expression shows: `nonsensitive(var.db_password)`, `file("~/.ssh/id_rsa")`."""
    reading = call.scope.reading
    if "nonsensitive(" in text or any(is_secret_name(name[1]) for name in _REFERENCE.finditer(text)):
        reading.emit("secret.read", call.site, "terraform console", frozenset({"store"}))
    for found in _FILE.finditer(text):
        reading.file("fs.read", call.site, found[1])


_REFERENCE = late(r"\b(?:var|local|module|data|output|random_\w+|tls_\w+)\.([\w.\[\]\"-]+)")
_FILE = late(r"\bfile(?:base64)?\(\s*\"([^\"]+)\"")


def salt(call: ShellCall) -> Flow:
    """`salt TARGET FUNCTION ARGUMENTS`: analyse the command of `cmd.run`."""
    spec = PROGRAMS[call.program]
    parsed = parse(call.words, spec)
    names = [value.text for value in parsed.operands]
    for name in names[2:] if "pillar.get" in names[:2] else ():
        call.scope.reading.on("env.read", call.site, name.rpartition(":")[2])
    if not {"pillar.items", "pillar.raw"}.isdisjoint(names[:2]):
        call.scope.reading.emit("secret.read", call.site, " ".join(names[:2]), frozenset({"store"}))
    shows = any(name.startswith(tuple(_SALT_SHOWS)) for name in names[:2]) and "cmd.run" not in names[:2]
    if shows or "test=true" in [name.lower() for name in names]:
        call.scope.reading.emit("infra.read", call.site, " ".join(names[:2]))
        return UNKNOWN
    if "cmd.run" in names[:2]:
        text = " ".join(names[names.index("cmd.run") + 1 :])
        call.scope.reading.nest("shell", text, call.site.behind("salt"))
    return apply(call, spec, parsed)


ORCHESTRATION: dict[str, Callable[[ShellCall], Flow]] = {
    "ansible": ansible,
    **dict.fromkeys(("ansible-playbook", "ansible-pull"), playbook),
    **dict.fromkeys(("salt", "salt-ssh", "salt-call", "salt-run"), salt),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), terraform),
}
