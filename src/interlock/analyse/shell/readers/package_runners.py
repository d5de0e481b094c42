"""Programs that fetch a package and run it: `npx`, `uvx`, `pipx run`, `go run`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from interlock.analyse.argv import parse
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_flow
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.projects import Packages
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse import packages
    from interlock.analyse.other_agents import coding_agents
    from interlock.analyse.shell.output import personal_sends
else:
    packages = LazyModule("interlock.analyse.packages")
    coding_agents = LazyModule("interlock.analyse.other_agents.coding_agents")
    personal_sends = LazyModule("interlock.analyse.shell.output.personal_sends")

_RUN = frozenset({"run"})
_REMOTE_MODULE = late(r"^[\w.-]+\.[a-z]{2,}/")


def run_package(call: ShellCall, start: int, wrapper: str) -> Flow:
    """Analyse a package that is fetched and run. One named after a known program is analysed as that program."""
    parsed = parse(call.words, PROGRAMS[_DESCRIBED.get(call.program, "npx")], start)
    reading, site = call.scope.reading, call.site.behind(wrapper)
    named = [value.text for value in parsed.values if value.role == "package.install"]
    for value in parsed.values:
        if value.role == "code:shell":
            reading.nest("shell", value.text, call.inner(value.at, value.inner).behind(wrapper), call.stdin)
        elif value.role == "loaded":
            report_loading(reading, site, value.text)
    operand = parsed.operands[0] if parsed.operands else None
    program = packages.plain_name(operand.text) if operand else ""
    program = coding_agents.AGENTS.packages.get(program, program)
    if operand and not named:
        named = [operand.text]
    known = program in PROGRAMS
    for package in named:
        ordinary = known and operand is not None and package == operand.text and "://" not in package
        ordinary = ordinary and "lookalike" not in packages.package_flags(package)
        reading.on("process.spawn" if ordinary else "package.install", site, package, _RUN | parsed.flags)
    if operand and known:
        words = [program, *call.words[operand.at + 1 :]]
        return call.with_words(words, [None, *call.nodes[operand.at + 1 :]]).tail(0, wrapper, call.stdin)
    if operand and not personal_sends.SENDING.isdisjoint(call.words[operand.at + 1 : operand.at + 4]):
        personal_sends.report_personal_sends(call, call.words[operand.at + 1 :], program)
    return UNKNOWN


#: Program → the one whose options it takes where it runs a package, unless these are those of `npx`.
_DESCRIBED = {"bun": "bunx", "bunx": "bunx", "pnpm": "pnpx", "pnpx": "pnpx", "uv": "uvx", "uvx": "uvx"}


def _npx(call: ShellCall) -> Flow:
    name = call.program
    if len(call.words) == 2 and call.words[1] in ("--help", "--version", "-v", "-h"):
        return read(call, PROGRAMS[name])
    return run_package(call, 1, name)


_RUNNING = {
    "npm": frozenset({"exec", "x"}),
    "pnpm": frozenset({"dlx", "exec"}),
    "yarn": frozenset({"dlx", "exec"}),
    "bun": frozenset({"x"}),
    "pipx": frozenset({"run"}),
}


def manager(call: ShellCall) -> Flow:
    """A package manager: registry settings, subcommands that run a package like `npx`, scripts of `package.json`."""
    name = call.program
    parsed = parse(call.words, PROGRAMS[name])
    rest = call.words[parsed.rest :]
    asked = parsed.operands[0].text if parsed.operands else ""
    if (asked in ("config", "c") and "set" in rest) or asked == "set":
        from interlock.analyse.shell.readers.package_managers import registry_setting

        if registry_setting(call, rest):
            return UNKNOWN
    if parsed.operands and parsed.operands[0].text in _RUNNING[name]:
        return run_package(call, parsed.rest, f"{name} {parsed.operands[0].text}")
    if call.scope.reading.files:
        run_scripts(call, asked, [word for word in rest if not word.startswith("-")])
    return read(call, PROGRAMS[name])


#: Subcommand → the lifecycle scripts of `package.json` that it runs.
_LIFE = {
    **dict.fromkeys(("install", "i", "ci", ""), ("preinstall", "install", "postinstall", "prepare")),
    "publish": ("prepublishOnly", "prepack", "postpack", "publish", "postpublish"),
    "pack": ("prepack", "postpack"),
    **dict.fromkeys(("t", "tst"), ("pretest", "test", "posttest")),
    "version": ("preversion", "version", "postversion"),
}


def run_scripts(call: ShellCall, asked: str, rest: list[str]) -> None:
    """Analyse the scripts that a package manager runs, if this run wrote the `package.json`."""
    reading = call.scope.reading
    known = reading.files.get(reading.places.resolve("package.json", call.scope.cwd) or "package.json")
    if known is None or known.text is None:
        return
    import json

    try:
        scripts = json.loads(known.text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return  # the package manager rejects the file too
    name = rest[0] if asked in ("run", "run-script", "rum", "urn") and rest else asked
    for script in _LIFE.get(name, (f"pre{name}", name, f"post{name}")):
        text = scripts.get(script) if isinstance(scripts, dict) else None
        if isinstance(text, str):
            reading.nest("shell", text, call.site.behind(f"{call.program} {script}"))


def _uv(call: ShellCall) -> Flow:
    """`uv tool run` is `uvx`."""
    if call.words[1:3] == ["tool", "run"]:
        return run_package(call, 3, "uv tool run")
    if call.words[1:2] == ["run"] and call.stdin is not NOTHING:
        parsed = parse(call.words, PROGRAMS["uv"].subcommands["run"], 2)
        if parsed.operands and parsed.operands[0].text == "-":  # a script on standard input
            return run_flow(call, call.stdin, "python", "uv run")
    return read(call, PROGRAMS["uv"])


_GO_TRUST = frozenset("GOPROXY GONOSUMDB GONOSUMCHECK GONOPROXY GOINSECURE GOSUMDB GOFLAGS GOPRIVATE".split())


_UNCHECKED = frozenset({"off", "-insecure", "-mod=mod -insecure"})


def is_known_module(module: str) -> bool:
    """Whether a Go module belongs to a well-known project.

    >>> is_known_module("golang.org/x/tools/gopls@latest"), is_known_module("github.com/some-one/x@latest")
    (True, False)
    """
    return module.startswith(_known_modules())


@cache
def _known_modules() -> tuple[str, ...]:
    return read_table("packages", Packages).modules


def _go(call: ShellCall) -> Flow:
    """`go run` of a remote module fetches it; `go env -w` changes where modules come from and how they are checked."""
    parsed = parse(call.words, PROGRAMS["go"])
    if call.words[1:3] == ["env", "-w"]:
        for word in call.words[3:]:
            name, _, value = word.partition("=")
            if name in ("GOSUMDB", "GOFLAGS") and value in _UNCHECKED:
                call.scope.reading.emit("defence.disable", call.site, word, frozenset({"certificates"}))
                return UNKNOWN
            if name in ("GOPRIVATE", "GONOPROXY") and "*" not in value.split(",")[0].partition("/")[0]:
                continue
            if name == "GOFLAGS" and "insecure" not in value:
                from interlock.analyse.variables import read_variable

                read_variable(call.scope.reading, name, value, call.site)
                continue
            if name in _GO_TRUST and not value.startswith(("direct", "off", "https://proxy.golang.org")):
                call.scope.reading.emit("system.change", call.site, word, frozenset({"package_source"}))
                return UNKNOWN
    if parsed.operands and parsed.operands[0].text == "run":
        rest = [word for word in call.words[parsed.rest :] if not word.startswith("-")]
        if rest and "@" in rest[0] and _REMOTE_MODULE.match(rest[0]):
            known = is_known_module(rest[0])
            call.scope.reading.emit("package.install" if known else "code.remote", call.site, rest[0], _RUN)
            return UNKNOWN
    if parsed.operands and parsed.operands[0].text in ("install", "get"):
        from interlock.analyse.shell.build_settings import is_usual_place

        for word in call.words[parsed.rest :]:
            if _REMOTE_MODULE.match(word) and not is_known_module(word) and not is_usual_place(f"https://{word}"):
                call.scope.reading.emit("package.install", call.site, word, frozenset({"url"}))
    from interlock.analyse.shell.readers.toolchains import run_toolchain  # loaded only where Go is used

    return run_toolchain(call)


PACKAGE_RUNNERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("npx bunx pnpx uvx".split(), _npx),
    **dict.fromkeys("npm pnpm yarn pipx".split(), manager),
    "uv": _uv,
    "go": _go,
}
