"""Package managers and agents whose arguments do not follow the common form."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.hosts import host_flags
from interlock.analyse.reading import UNKNOWN, Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_READING = {"S": "silgpw", "R": "p", "U": "p"}


def _pacman(call: Call) -> Flow:
    """`pacman`: one capital letter says what it does, small ones how."""
    name = call.program
    letters = "".join(word[1:] for word in call.words[1:] if re.fullmatch(r"-[A-Za-z]+", word))
    long = {word.partition("=")[0] for word in call.words[1:] if word.startswith("--")}
    does = next((letter for letter in letters if letter in "SRUQFTDV"), "")
    for option, letter in (("--sync", "S"), ("--remove", "R"), ("--upgrade", "U")):
        does = letter if option in long else does
    if not does and name in ("yay", "paru") and len(call.words) == 1:
        does = "S"
    packages = [word for word in call.words[1:] if not word.startswith("-")]
    kind = {"S": "package.install", "U": "package.install", "R": "package.remove"}.get(does, "package.read")
    refresh = does == "S" and not packages and not set(letters) & set("u")
    if refresh or set(letters) & set(_READING.get(does, "")) or long & {"--print", "--search", "--info"}:
        kind = "package.read"
    flags = {"system"} | ({"forced"} if letters.count("d") > 1 or "--nodeps" in long else set())
    for package in packages or [""]:
        if package:
            call.scope.reading.on(kind, call.site, package, frozenset(flags))
        else:
            call.scope.reading.emit(kind, call.site, None, frozenset(flags))
    return UNKNOWN


_INVOKES = late(
    r"(?i)^(?:-o|--option=)?((?:apt|dpkg|dir|acquire)::[\w:-]*(?:invoke|pre-install-pkgs|commandline|proxyautodetect|proxy-auto-detect)[\w:-]*)=(.*)$",
    re.DOTALL,
)


def _apt(call: Call) -> Flow:
    """`apt -o APT::…::Pre-Invoke=…` runs a command."""
    for word in call.words[1:]:
        found = _INVOKES.match(word)
        if found:
            call.scope.reading.nest("shell", found[2].strip("{};\"' "), call.site.behind("apt -o"))
    return read(call, PROGRAMS[call.program])


_SOURCES = late(
    r"(?i)(?:^|[:.])(?:registry|index-url|extra-index-url|index|trusted-host|find-links|npmregistryserver|proxy|https-proxy|http-proxy)$"
)
_CHECKS = late(r"(?i)(?:^|[:.])(?:strict-ssl|enablestrictssl|enablehttpsignorechecks|verify|secure-http|disable-tls)$")
_RUNS = late(r"(?i)(?:^|[:.])(?:script-shell|shell|git|node-options|onload-script|init-module|prepublish)$")


def registry_setting(call: Call, rest: list[str]) -> bool:
    """Read `config set NAME VALUE`; whether it was one that says where packages come from, or who checks them."""
    words = [word for word in rest if not word.startswith("-")]
    words = words[1:] if words[:1] == ["set"] else words
    key, equals, value = words[0].partition("=") if words else ("", "", "")
    value = value if equals else " ".join(words[1:2])
    reading, site = call.scope.reading, call.site
    if not value:
        return False
    if _SOURCES.search(key) and "local" not in host_flags(value):
        reading.emit("system.change", site, f"{key} {value}", frozenset({"package_source"}))
    elif _CHECKS.search(key) and value.lower() in ("false", "0", "no", "off"):
        reading.emit("defence.disable", site, key, frozenset({"tls"}))
    elif _RUNS.search(key):
        reading.nest("shell", value, site.behind("config"))
        reading.emit("system.change", site, f"{key} {value}", frozenset({"package_source"}))
    else:
        reading.emit("process.run", site, "config set")
    return True


def _pip(call: Call) -> Flow:
    parsed = parse(call.words, PROGRAMS["pip"])
    rest = call.words[parsed.rest :]
    if parsed.operands and parsed.operands[0].text == "config" and "set" in rest and registry_setting(call, rest):
        return UNKNOWN
    return read(call, PROGRAMS["pip"])


_PUBLISHES = late(
    r"^(?:deploy|site-deploy|release:perform|release:prepare|nexus-staging:\w+|jreleaser:\S+|central-publishing:\S+|deploy:deploy(?:-file)?"
    r"|:?(?:[\w-]+:)*publish(?!ToMavenLocal)\w*|:?uploadArchives|bintrayUpload|publishSigned|sonatype\w*Release\w*|\+?publish)$"
)


def publishing_task(words: list[str]) -> str:
    """Return the task among a build tool's words that puts an artefact where everyone gets it, or nothing.

    >>> publishing_task(["clean", "deploy"]), publishing_task(["publishToMavenLocal"])
    ('deploy', '')
    """
    return next((word for word in words if _PUBLISHES.match(word)), "")


# Goals that are a migration tool's: `flyway:clean`, `flywayClean`, `org.liquibase:liquibase-maven-plugin:4.0:dropAll`.
_EMPTIES = late(r"(?:^|:)(?:flyway[-\w]*(?::[\d.]+)?:clean|flywayClean|liquibase[-\w]*(?::[\d.]+)?:dropAll|dropAll)$")


def _build_tool(call: Call) -> Flow:
    """`mvn`, `gradle`: tasks that publish."""
    spec = PROGRAMS[call.program]
    task = publishing_task(call.words[1:])
    if task and not {"--dry-run", "-m", "-DdryRun=true"} & set(call.words):
        call.scope.reading.emit("package.publish", call.site, task)
    for word in call.words[1:]:
        if _EMPTIES.search(word[:200]):
            call.scope.reading.emit("db.drop", call.site, word, frozenset({"task", "reset"}))
    return read(call, spec)


_UNGUARDED_VALUES = {
    "--permission-mode": frozenset({"bypassPermissions"}),
    "--approval-mode": frozenset({"yolo"}),
    "--ask-for-approval": frozenset({"never"}),
    "-a": frozenset({"never"}),
    "--sandbox": frozenset({"danger-full-access"}),
    "-s": frozenset({"danger-full-access"}),
    "--allow-tool": frozenset({"shell", "*"}),
    **dict.fromkeys(
        ("--allowedTools", "--allowed-tools"), frozenset({"*", "Bash", "Bash(*)", "Bash(*:*)", "Bash(:*)"})
    ),
}
_PERMISSIONS = late(r"(?i)permissions\.(?:allow|default)|allowedTools|approval_policy|sandbox_mode")
_FORCING = {"cursor-agent": ("-f", "--force"), "gemini": ("-y",), "qwen": ("-y",), "amazon-q": ("-a",), "q": ("-a",)}


def _coding_agent(call: Call) -> Flow:
    """An agent: a mode that asks nobody may also be a value, or a short name of its own."""
    name = call.program
    for at, word in enumerate(call.words[1:], 1):
        option, equals, value = word.partition("=")
        value = value if equals else next(iter(call.words[at + 1 : at + 2]), "")
        if value in _UNGUARDED_VALUES.get(option, ()) or word in _FORCING.get(name, ()):
            call.scope.reading.emit("process.run", call.site, name, frozenset({"unguarded"}))
    if call.words[1:2] == ["config"] and any(_PERMISSIONS.match(word) for word in call.words[2:]):
        call.scope.reading.emit("process.run", call.site, name, frozenset({"unguarded"}))
    spec = PROGRAMS[name]
    parsed = parse(call.words, spec)
    if parsed.kind and not parsed.operands:
        return apply(call, spec, parsed)
    return read(call, spec)


_AGENTS = PROGRAMS["claude"].names

PACKAGE_MANAGERS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys(PROGRAMS["pacman"].names, _pacman),
    **dict.fromkeys(("apt", "apt-get", "aptitude"), _apt),
    **dict.fromkeys(("pip", "pip3"), _pip),
    **dict.fromkeys("mvn mvnw gradle gradlew sbt".split(), _build_tool),
    **dict.fromkeys(_AGENTS, _coding_agent),
}
