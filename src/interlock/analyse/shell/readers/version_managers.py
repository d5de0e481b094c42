"""Version managers that run a command after a version which may be missing: `nvm exec 20 node`, `rvm 3.2 do ruby`."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_NODE_VERSION = late(r"v?\d[\w.-]*|iojs[\w.-]*|lts/\S+|default|stable|unstable|system|current")


def _nvm(call: ShellCall) -> Flow:
    """`nvm exec [VERSION] COMMAND`, and `nvm run [VERSION] ARGUMENT`, which runs `node`."""
    words = call.words
    if words[1:2] not in (["exec"], ["run"]):
        return read(call, PROGRAMS["nvm"])
    at = 2
    while at < len(words) and (words[at][:2] == "--" or _NODE_VERSION.fullmatch(words[at])):
        at += 1
    if words[1] == "exec":
        return call.tail(at, "nvm exec", call.stdin)
    run = call.with_words(["node", *words[at:]], [None, *call.nodes[at:]])
    return run.tail(0, "nvm run", call.stdin)


def _rvm(call: ShellCall) -> Flow:
    """`rvm VERSIONS do COMMAND` and `rvm exec COMMAND`; the options stand before."""
    words = call.words
    at = next((at for at, word in enumerate(words[1:4], 1) if word in ("do", "exec")), 0)
    return call.tail(at + 1, "rvm", call.stdin) if at else read(call, PROGRAMS["rvm"])


def _nix(call: ShellCall) -> Flow:
    """`nix run nixpkgs#python3 -- -c …`: a package that is named after a program takes that program's arguments."""
    flow, words = read(call, PROGRAMS["nix"]), call.words
    if words[1:2] != ["run"] or "--" not in words:
        return flow
    at = words.index("--")
    names = [word.partition("#")[2].rpartition(".")[2] for word in words[2:at] if "#" in word]
    if names and names[0]:
        call.with_words([names[0], *words[at + 1 :]], [None, *call.nodes[at + 1 :]]).tail(0, "nix run", call.stdin)
    return flow


def _guix(call: ShellCall) -> Flow:
    """`guix shell PACKAGE -- COMMAND`, and `guix time-machine -- SUBCOMMAND` with an earlier version."""
    words = call.words
    if words[1:2] == ["time-machine"] and "--" in words:
        at = words.index("--")
        read(call.with_words(words[:at], call.nodes[:at]), PROGRAMS["guix"])
        return _guix(call.with_words([words[0], *words[at + 1 :]], [None, *call.nodes[at + 1 :]]))
    at = words.index("--") if words[1:2] in (["shell"], ["environment"]) and "--" in words else 0
    if not at:
        return read(call, PROGRAMS["guix"])
    read(call.with_words(words[:at], call.nodes[:at]), PROGRAMS["guix"])
    return call.tail(at + 1, "guix shell", call.stdin) if at + 1 < len(words) else UNKNOWN


VERSION_MANAGERS: dict[str, Callable[[ShellCall], Flow]] = {"nvm": _nvm, "rvm": _rvm, "nix": _nix, "guix": _guix}
