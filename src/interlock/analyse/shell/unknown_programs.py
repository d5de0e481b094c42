"""Programs that are not in the catalogue: verbs, paths and commands among their arguments."""

from __future__ import annotations

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.personal_sends import SENDING, report_personal_sends
from interlock.analyse.shell.output.secret_verbs import report_secret_verbs
from interlock.analyse.shell.readers import READERS
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.commands import Agents
from interlock.knowledge.table_types.options import CommandWords
from interlock.patterns import late

_WORDS = read_table("command-words", CommandWords)

_UNGUARDED = frozenset(read_table("agents", Agents).unguarded_options)
#: Subcommands that delete something.
DESTROYING = _WORDS.destroying_commands
#: Options that skip a confirmation, or apply to everything.
_UNATTENDED = _WORDS.unattended_options
#: Options whose value is a command in most programs.
_COMMAND_OPTIONS = _WORDS.command_options
#: Names that, followed by arguments, can only be a command.
_COMMAND_NAMES = _WORDS.command_names
_PARTS = late(r"[:._/-]+")
_VALUE = late(r"^(?:-[\w-]*=|@|[\w.-]+=@?)(.+)$")
MAX_VERBS = 3


def read_unknown_program(call: ShellCall, name: str) -> Flow:
    """Report an unknown program that runs, and analyse paths and commands among its arguments."""
    reading, site, words = call.scope.reading, call.site, call.words
    if len(words) == 2 and words[1] in ("--version", "--help"):
        reading.emit("system.read", site, name)
        return Flow()
    if share_address(name):  # a program at another machine
        reading.emit("code.remote", site, name)
        return Flow(None, call.stdin.marks)
    unguarded = frozenset({"unguarded"}) if not _UNGUARDED.isdisjoint(words) else frozenset[str]()
    reading.emit("process.run", site, name, destructive_flags(words) | unguarded | _cmdlet_flags(name, words))
    report_secret_verbs(call)
    if len(words) > 1 and "-" not in words[1][:1]:
        from interlock.analyse.shell.services.unlisted_clients import report_client_verbs

        report_client_verbs(call, name)
        if not SENDING.isdisjoint(words[1:4]):
            report_personal_sends(call, words[1:], name)
    if any("stratum+" in word for word in words):
        reading.emit("net.connect", site, name, frozenset({"mining"}))
    for word in words[1:]:
        _read_path(call, word)
    _read_carried_commands(call, name)
    spoiled = frozenset({"decoded"} if call.stdin.text else ())  # known input became unknown output
    return Flow(None, call.stdin.marks - VALUE | spoiled)


def destructive_flags(words: list[str]) -> frozenset[str]:
    """Return the flags of a destructive subcommand: `destroys`, and `unattended` if it skips the confirmation.

    >>> sorted(destructive_flags(["frob", "volume", "delete", "x", "--yes"]))
    ['destroys', 'unattended']
    >>> sorted(destructive_flags(["frob", "list"]))
    []
    """
    verbs = [word for word in words[1:] if word[:1] not in ("-", "/", ".", "~")][:MAX_VERBS]
    verbs += [word for word in words[1:] if word.startswith("--")]
    if not any(part in DESTROYING for verb in verbs for part in _PARTS.split(verb.lower().partition("=")[0])):
        return frozenset()
    unattended = any(word in _UNATTENDED or word.startswith(("--yes", "--permanent")) for word in words[1:])
    in_use = any(not REAL_PARTS.isdisjoint(_PARTS.split(word.lower())) for word in words[1:])
    return frozenset({"destroys", "unattended"}) if unattended or in_use else frozenset({"destroys"})


#: Parts of names that say that others depend on the thing.
REAL_PARTS = frozenset({"prod", "production", "prd", "live"})


_CMDLET = late(r"(?:remove|clear|disable|uninstall|reset|revoke|unregister|dismount)-[a-z]{2,}")


def _cmdlet_flags(name: str, words: list[str]) -> frozenset[str]:
    """Return the flags of a PowerShell cmdlet with a destructive verb, like `destructive_flags`.

    >>> sorted(_cmdlet_flags("remove-vm", ["remove-vm", "a", "-Force"])), sorted(_cmdlet_flags("get-vm", ["get-vm"]))
    (['destroys', 'unattended'], [])
    """
    if not _CMDLET.fullmatch(name):
        return frozenset()
    asked = {word.lower() for word in words[1:]}
    unattended = any(word == "-force" or word == "*" or word.startswith("-confirm:") for word in asked)
    return frozenset({"destroys", "unattended"}) if unattended else frozenset({"destroys"})


def _read_path(call: ShellCall, word: str) -> None:
    """Report a path among the arguments as read.

    It is scored apart from the program, except for a device or the root, which an unknown program could damage.
    """
    valued = _VALUE.match(word)
    path = valued[1] if valued else word
    reading = call.scope.reading
    hidden = path[:1] == "." and "secret" in traits(path)  # a bare `password` is more likely a word than a file
    if path[:1] not in ("/", "~") and path[:2] not in ("./", "..") and not hidden:
        return
    full = reading.places.resolve(path, call.scope.cwd)
    if full != "/" and not (full or "").startswith("/dev/"):
        reading.call += 1
    reading.file("fs.read", call.site, path)


def _read_carried_commands(call: ShellCall, name: str) -> None:
    """Analyse commands among the arguments: after `--`, as the value of an option, or by the name of a program."""
    words = call.words
    for at, word in enumerate(words[1:-1], 1):
        following = words[at + 1]
        if word == "--" and _is_program(following):
            call.tail(at + 1, name, NOTHING)
            return
        if word in _COMMAND_OPTIONS and _is_program(following.split(" ")[0]) and " " in following:
            call.scope.reading.nest("shell", following, call.inner(at + 1).behind(name), call.stdin)
        elif word in _COMMAND_NAMES:
            call.tail(at, name, NOTHING)
            return


def _is_program(word: str) -> bool:
    base = word.rpartition("/")[2]
    return base in PROGRAMS or base in READERS
