"""Files of settings and tasks, converted to commands: compose files, options of `ssh`, CMake, recipes of `just`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from textwrap import dedent

from interlock.analyse.languages import script_language
from interlock.patterns import late

_SERVICE = late(r"^(\s{2,4})[\w.-]+:\s*$")
_SWITCH = late(r"^[ \t]*(privileged|pid|network_mode|ipc|user|cap_add|security_opt|image):(.*)$")
_VOLUME = late(r"^\s*-\s+[\"']?((?:/|~|\$\{?HOME|\$\{?PWD|\.{1,2}/)[^:\"']*:[^\"'\s]+)[\"']?\s*$")
_SSH = late(r"(?im)^[ \t]*(RemoteForward|LocalCommand|ProxyCommand|ForwardAgent|HostName|DynamicForward)[ \t](.+)$")
_CMAKE = late(r"(?is)\bfile\s{0,9}\(\s{0,99}(REMOVE_RECURSE|REMOVE|DOWNLOAD)\s([^)]{1,1000})\)")
MAX_SERVICES = 30


def compose_commands(text: str) -> Iterator[str]:
    """Yield each service of a compose file as the command that starts its container.

    >>> list(compose_commands("services:\\n  a:\\n    image: x\\n    volumes:\\n      - /:/host\\n"))
    ['docker run -v /:/host x']
    """
    options: list[str] = []
    image, level = "", -1  # how far in the names of services are
    lines = text.split("\n")
    for count, line in enumerate([*lines, ""]):
        found = _SERVICE.match(line)
        if found and level < 0:
            level = len(found[1])
        if (found and len(found[1]) == level) or count == len(lines):
            if options:
                yield " ".join(["docker run", *options, image or "image"])
            options, image = [], ""
        elif found := _VOLUME.match(line):
            options += ["-v", found[1]]
        elif found := _SWITCH.match(line):
            name, value = found[1], found[2].strip(" \t\"'")
            if name == "image":
                image = value
            elif name == "privileged" and value == "true":
                options.append("--privileged")
            elif name in ("pid", "ipc") and value == "host":
                options.append(f"--{name}=host")
            elif name == "network_mode" and value == "host":
                options.append("--network=host")


def ssh_command(text: str, host: str) -> str:
    """Return the command line that is equivalent to a settings file of `ssh`."""
    words = ["ssh"]
    for name, value in ((name, value.strip()) for name, value in _SSH.findall(text)):
        if name.lower() == "remoteforward":
            parts = value.split()
            words += ["-R", ":".join(parts)]
        elif name.lower() == "forwardagent" and value.lower() == "yes":
            words.append("-A")
        elif name.lower() in ("localcommand", "proxycommand"):
            words += ["-o", shlex.quote(f"{name}={value}")]
        elif name.lower() == "hostname":
            host = value
    return " ".join([*words, host]) if len(words) > 1 else ""


def cmake_commands(text: str) -> Iterator[str]:
    """Yield the `file` commands of CMake as equivalent shell commands."""
    runs = "execute_process" in text or "add_custom_" in text
    for what, rest in _CMAKE.findall(text):
        words = rest.replace("$ENV{HOME}", "~").split()
        if what.upper() == "DOWNLOAD":
            if runs and words:
                yield f"curl -s {words[0]} | sh"
        else:
            yield " ".join(["rm -rf", *(word.strip('"') for word in words)])


def just_recipes(text: str, whole: str = "") -> Iterator[tuple[str, str]]:
    """Yield the language and the code of each recipe of a justfile: the indented lines below a line that names it.

    `whole` is the file that the recipes are from; its variables with constant values are filled in.

    >>> list(just_recipes("clean:\\n    @rm -rf {{out}}\\n    sync\\n"))
    [('shell', 'rm -rf $out\\nsync')]
    """
    values = {found[1]: found[3] for found in _ASSIGNED.finditer(whole or text)}

    def fill(found: re.Match[str]) -> str:
        return values.get(found[1], f"${found[1]}")

    lines: list[str] = []
    for line in [*text.replace("\\\n", " ").split("\n"), "end"]:
        if line[:1] in (" ", "\t") or not line.strip():
            lines.append(line)
            continue
        code = dedent("\n".join(lines)).strip("\n")
        lines = []
        if code.startswith("#!"):
            yield script_language(code, "shell"), _INTERPOLATED.sub(fill, code)
        elif code:
            plain = "\n".join(one.strip().lstrip("@-") for one in code.split("\n"))
            yield "shell", _INTERPOLATED.sub(fill, plain)


#: A variable of a justfile that is a constant text.
_ASSIGNED = late(r"(?m)^(?:export\s+)?(\w+)\s*:=\s*([\"'])([^\"'\n]*)\2[ \t]*$")
_INTERPOLATED = late(r"\{\{\s*([A-Za-z_]\w*)[^{}]*\}\}")
