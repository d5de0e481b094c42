"""Commands that `git` runs because its settings, its environment or its arguments say so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from interlock.analyse.argv import Parsed
from interlock.analyse.hosts import host_flags, host_of
from interlock.analyse.shell.call import Call

# Settings whose value is a command, and the environment's names for some of them.
_COMMANDS = re.compile(
    r"(?i)^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass)|pager\..+|sequence\.editor|diff\.external|diff\..+\.(?:command|textconv)"
    r"|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|gpg(?:\..+)?\.program|(?:diff|merge)tool\..+\.cmd|uploadpack\.packobjectshook"
    r"|credential(?:\..+)?\.helper|interactive\.difffilter|man\..+\.cmd|browser\..+\.cmd|web\.browser|sendemail\..+cmd|alias\..+)$"
)
_VARIABLES = (
    "GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND "
    "EDITOR VISUAL PAGER"
).split()
_HARMLESS = frozenset(
    (
        "cat less more true false : delta diff-so-fancy vim vi nvim nano emacs code ssh store cache osxkeychain manager"
    ).split()
)


def settings(call: Call) -> Iterator[tuple[str, str]]:
    """Return the settings that a call gives with `-c` or through the environment."""
    words = call.words
    for at, word in enumerate(words[1:], 1):
        if word == "-c" and at + 1 < len(words):
            name, _, value = words[at + 1].partition("=")
            yield name, value
        elif word.startswith("-c") and "=" in word:
            name, _, value = word[2:].partition("=")
            yield name, value
        elif not word.startswith("-") and words[at - 1] not in ("-c", "-C", "--git-dir", "--work-tree"):
            break
    variables = call.scope.variables
    for variable, key in variables.items():
        if variable.startswith("GIT_CONFIG_KEY_") and isinstance(key, str):
            given = variables.get("GIT_CONFIG_VALUE_" + variable[15:])
            yield key, given if isinstance(given, str) else ""
    packed = variables.get("GIT_CONFIG_PARAMETERS")
    if isinstance(packed, str):
        for found in re.finditer(r"'([^'=]+)=([^']*)'|'([^']+)'='([^']*)'", packed):
            yield found[1] or found[3], found[2] or found[4] or ""


def read_settings(call: Call, parsed: Parsed) -> Call:
    """Read what the settings of a call run; return the call with its alias spelled out."""
    name = parsed.operands[0].text if parsed.operands else ""
    for key, value in settings(call):
        if key.lower() == f"alias.{name}".lower() and not value.startswith("!"):
            return _spelled(call, parsed, value)
        _setting(call, key, value)
    for variable in _VARIABLES:
        command = call.scope.variables.get(variable)
        if isinstance(command, str) and command:
            _command(call, command, variable)
    rest = call.words[parsed.rest :]
    if name == "config":
        _stored(call, [word for word in rest if not word.startswith("-")])
    _arguments(call, name, rest)
    return call


def _spelled(call: Call, parsed: Parsed, alias: str) -> Call:
    try:
        words = shlex.split(alias)
    except ValueError:
        words = alias.split()
    rest = call.words[parsed.rest :]
    return call.replaced(["git", *words, *rest], [None] * (len(words) + len(rest) + 1))


def _setting(call: Call, key: str, value: str) -> None:
    if _COMMANDS.match(key):
        alias = key.lower().startswith("alias.")
        if not alias or value.startswith("!"):
            _command(call, value, key)
    elif key.lower() == "core.hookspath":
        call.scope.reading.file("code.run", call.site, value)


def _command(call: Call, value: str, wrapper: str) -> None:
    text = value.strip().removeprefix("!").strip()
    if text and text.split()[0] not in _HARMLESS - {"ssh"}:
        call.scope.reading.nest("shell", text, call.site.behind(f"git {wrapper}"))


def _stored(call: Call, words: list[str]) -> None:
    """`git config NAME VALUE`: a setting that stays. One that runs a command runs it later, for whoever comes."""
    words = words[1:] if words[:1] == ["set"] else words
    if len(words) < 2:
        return
    key, value = words[0], words[1]
    reading, site = call.scope.reading, call.site
    lower = key.lower()
    if _COMMANDS.match(key) and value.strip("!") and value.split()[0] not in _HARMLESS:
        _setting(call, key, value)
        if not lower.startswith("alias.") and not lower.endswith(("pager", "editor")):
            reading.emit("schedule.change", site, key, frozenset({"git_hook"}))
    elif lower == "core.hookspath" and value.startswith(("/", "~", "..")):
        reading.emit("schedule.change", site, f"{key} {value}", frozenset({"git_hook"}))
    elif lower.endswith("sslverify") and value.lower() in ("false", "0", "no", "off"):
        reading.emit("defence.disable", site, key, frozenset({"tls"}))
    elif _reroutes(lower, value):
        reading.emit("system.change", site, f"{key} {value}", frozenset({"rerouted"}))


def _reroutes(key: str, value: str) -> bool:
    if key.endswith(".proxy"):
        return "local" not in host_flags(value)
    return key.endswith("insteadof") and host_of(key.split(".", 1)[-1]) != host_of(value)


def _arguments(call: Call, name: str, rest: list[str]) -> None:
    """Read arguments that are commands: `bisect run`, `submodule foreach`, `--upload-pack`, `ext::`."""
    reading, site = call.scope.reading, call.site.behind(f"git {name}")
    if rest[:1] in (["run"], ["foreach"]) and name in ("bisect", "submodule"):
        words = [word for at, word in enumerate(rest[1:]) if at or word != "--recursive"]
        call.replaced(words, [None] * len(words)).tail(0, f"git {name}")
    for at, word in enumerate(rest):
        option, equals, value = word.partition("=")
        if option == "-u" and name == "clone":
            option = "--upload-pack"
        if (
            option in ("--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd")
            and name != "rebase"
        ):
            text = value if equals else next(iter(rest[at + 1 : at + 2]), "")
            if text and not text.startswith("git-"):
                reading.nest("shell", text, site)
        elif word.startswith("ext::"):
            reading.nest("shell", re.sub(r"%S|%s", "", word[5:]), site)
        elif word.startswith("-O") and name == "grep" and len(word) > 2:
            reading.nest("shell", word[2:], site)
