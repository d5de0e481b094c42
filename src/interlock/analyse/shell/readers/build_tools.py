"""Build and test tools: `make`, `cmake`, `pytest`, `mvn`, `gradle`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import STANDARD_INPUT
from interlock.knowledge.arguments import ParsedArguments, find_values
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_FILES = ("GNUmakefile", "makefile", "Makefile")


def _makefile_texts(call: ShellCall, parsed: ParsedArguments) -> Iterator[str]:
    """Yield the makefiles that this action wrote or passes; report one that is remote or unknown."""
    reading, site = call.scope.reading, call.site.behind("make")
    folder = _folder(call, parsed)
    for value in parsed.values:
        if value.role == "code:make":
            yield value.text.replace("\\n", "\n").replace("\\t", "\t")
    files = [parsed.options[option] for option in ("-f", "--file", "--makefile") if option in parsed.options]
    named = files[0] if files else None
    if named == "" and call.stdin is NOTHING:  # `--file=<(…)`
        named = next((word for word in call.words if word.startswith("/dev/fd/")), named)
    if named in STANDARD_INPUT:
        if call.stdin.text is not None:
            yield call.stdin.text
        elif "download" in call.stdin.marks:
            reading.emit("code.remote", site, call.stdin.url or None)
        else:
            reading.unread("a makefile that is not in the text", site)
        return
    for name in (named,) if named else _FILES:
        known = reading.files.get(reading.places.resolve(name, folder) or name)
        if known is None:
            continue
        if known.text is not None:
            yield known.text
        elif "download" in known.marks:
            reading.emit("code.remote", site, known.url or name)
        else:
            reading.unread(f"the makefile `{name}`, which was changed", site, flags=known.marks & _HIDDEN)
        return


_HIDDEN = frozenset({"changed", "decoded"})


def _folder(call: ShellCall, parsed: ParsedArguments) -> str | None:
    """Return the folder that `-C` names, or the working folder."""
    named = parsed.options.get("-C") or parsed.options.get("--directory")
    return call.scope.reading.places.resolve(named, call.scope.cwd) if named else call.scope.cwd


def _make(call: ShellCall) -> Flow:
    """`make`: analyse the recipes of its goals and its `$(shell …)` functions, if the makefile is known."""
    reading = call.scope.reading
    call = _with_flags(call)
    parsed = parse(call.words, PROGRAMS["make"])
    texts = list(_makefile_texts(call, parsed))
    operands = [value.text for value in parsed.operands]
    given = {name: value for name, equals, value in (word.partition("=") for word in call.words[1:]) if equals}
    given = {name.rstrip(":+?!"): value for name, value in given.items() if _NAME.fullmatch(name)}
    if texts or any("$" in value for value in given.values()):
        site = call.site.replace(cwd=_folder(call, parsed))
        from interlock.analyse.scripts.make import run_make

        run_make(reading, texts, site, [text for text in operands if "=" not in text], given)
    if any(_BOMB.search(text) for text in texts):
        reading.emit("machine.exhaust", call.site, "make")
    for value in given.values():
        if _DISK.match(value):  # `make flash DEVICE=/dev/sda`
            reading.file("fs.write", call.site, value)
    if ".SHELLFLAGS" in given and not texts:
        reading.nest("shell", f"sh {given['.SHELLFLAGS']} :", call.site.behind("make"))
    shell = given.get("SHELL", "")
    if shell:
        from interlock.analyse.scripts.make import SHELLS

        if shell.rpartition("/")[2] not in SHELLS:
            reading.nest("shell", shell, call.site.behind("make"))
    return read(call, PROGRAMS["make"])


def _with_flags(call: ShellCall) -> ShellCall:
    """Return the call with the options of `MAKEFLAGS` in it; the first word may lack its dash."""
    given = call.scope.variables.get("MAKEFLAGS")
    words = given.split() if isinstance(given, str) and HOLE not in given else []
    if not words:
        return call
    first = words[0] if words[0][:1] == "-" or "=" in words[0] else f"-{words[0]}"
    words = [call.words[0], first, *words[1:], *call.words[1:]]
    return call.with_words(words, [None] * len(words))


_NAME = late(r"[\w.]+[:+?!]*")
#: A target whose recipe makes the same target twice at once, so that its processes double without an end.
_BOMB = late(
    r"(?m)^([\w.-]+):[^\n]*\n(?:\t[^\n]*\n)*?\t[^\n]*\$[({]MAKE[)}][^&\n]*\b\1\b[^\n]*&[^&\n]*\$[({]MAKE[)}][^&\n]*\b\1\b"
)
_DISK = late(r"^/dev/(?:sd[a-z]+|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d+n\d+|mmcblk\d+|r?disk\d+)\d*(?:p\d+)?$")


def _just(call: ShellCall) -> Flow:
    """`just`: a justfile on standard input is not read."""
    for _, file in find_values(call.words, ("-f", "--justfile")):
        if file in STANDARD_INPUT:
            call.scope.reading.unread("a justfile that is not in the project", call.site.behind("just"))
    return read(call, PROGRAMS["just"])


def _cmake(call: ShellCall) -> Flow:
    """`cmake`, and `cmake -E` with its portable file commands."""
    if call.words[1:3] == ["-E", "env"]:
        return call.tail(2, "cmake -E", call.stdin)
    if len(call.words) > 2 and call.words[1] == "-E":
        return read(call, PROGRAMS["cmake-E"], 2)
    return read(call, PROGRAMS["cmake"])


def _pytest(call: ShellCall) -> Flow:
    """`pytest`: analyse the tests that this run wrote, the named ones or all."""
    reading = call.scope.reading
    if reading.files:
        named = [word.partition("::")[0] for word in call.words[1:] if word.partition("::")[0].endswith(".py")]
        wanted = {reading.places.resolve(name, call.scope.cwd) or name for name in named}
        for path, held in list(reading.files.items()):
            if held.text is not None and (path in wanted if wanted else _TEST.search(path)):
                reading.nest("python", held.text, call.site.behind(path.rpartition("/")[2]))
    return read(call, PROGRAMS["pytest"])


_TEST = late(r"/(?:test_[^/]*|[^/]*_test|conftest)\.py$")

_PUBLISHES = late(
    r"^(?:deploy|site-deploy|release:perform|release:prepare|nexus-staging:\w+|jreleaser:\S+|central-publishing:\S+|deploy:deploy(?:-file)?"
    r"|:?(?:[\w-]+:)*publish(?!ToMavenLocal|Local\b|M2\b)\w*|:?uploadArchives|bintrayUpload|artifactoryPublish|helmPush\w*|publishSigned|sonatype\w*Release\w*|\+?publish"
    r"|:?(?:[\w-]+:)*(?:jib|docker(?:BuildAnd)?Push\w*|push(?:Docker)?Images?|appDistributionUpload\w*|promoteArtifact)"
    r"|docker:publish|Docker/publish)$"
)


def publishing_task(words: list[str]) -> str:
    """Return the task among a build tool's arguments that publishes an artefact, or an empty string.

    >>> publishing_task(["clean", "deploy"]), publishing_task(["publishToMavenLocal"])
    ('deploy', '')
    """
    return next((word for word in words if _PUBLISHES.match(word)), "")


# Goals that empty a database: `flyway:clean`, `flywayClean`, `org.liquibase:liquibase-maven-plugin:4.0:dropAll`.
_EMPTIES = late(
    r"(?:^|:)(?:flyway[-\w]*(?::[\d.]+)?:clean|flywayClean|liquibase[-\w]*(?::[\d.]+)?:dropAll|dropAll|liquibaseDropAll)$"
)


def _property(call: ShellCall, name: str) -> str:
    """Return the value of a property that is set by `-Dname=value`, or an empty string."""
    start = f"-D{name}="
    return next((word[len(start) :] for word in call.words if word.startswith(start)), "")


def _jvm_build(call: ShellCall) -> Flow:
    """`mvn`, `gradle`, `sbt`: tasks that publish an artefact or empty a database."""
    spec = PROGRAMS[call.program]
    task = publishing_task(call.words[1:])
    if task and not {"--dry-run", "-m", "-DdryRun=true"} & set(call.words):
        call.scope.reading.emit("package.publish", call.site, task)
    executable = _property(call, "exec.executable")
    if executable:
        arguments = _property(call, "exec.args") or _property(call, "exec.commandlineArgs")
        call.scope.reading.nest("shell", f"{executable} {arguments}", call.site.behind("exec:exec"))
    statement = _property(call, "sqlCommand")
    if statement:
        call.scope.reading.nest("sql", statement, call.site.behind("sql:execute"))
    for word in call.words[1:]:
        if _EMPTIES.search(word[:200]):
            from interlock.analyse.shell.services.connections import mark_test_run

            first = len(call.scope.reading.effects)
            call.scope.reading.emit("db.drop", call.site, word, frozenset({"task", "reset"}))
            mark_test_run(call, first)
    return read(call, spec)


BUILD_TOOLS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(PROGRAMS["make"].names, _make),
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    "cmake": _cmake,
    "just": _just,
    **dict.fromkeys("mvn mvnw gradle gradlew sbt".split(), _jvm_build),
}
