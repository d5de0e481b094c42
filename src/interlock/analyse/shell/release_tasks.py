"""Release tasks: tasks of a project that publish or deploy it, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.shell.call import Call
from interlock.analyse.shell.production_tasks import read_production_task
from interlock.patterns import late

_PROGRAMS = frozenset(
    (
        "make gmake just task invoke inv nox tox rake gradle gradlew mvn mvnw sbt lein ant npm pnpm yarn bun npx "
        "nx turbo lerna rush fastlane fab gulp grunt poe mage doit mask moon bazel bazelisk buck2 composer mix "
        "cargo-make earthly cap mina sls ng docusaurus hexo mkdocs"
    ).split()
)
#: Words of a package manager before the name of a script.
_RUN = frozenset("run run-script exec x build test".split())
_DEPLOYS = late(r"(?i)(?:^|[:/._-])(?:deploy|rollout|promote|ship(?:it)?)(?=$|[:/._A-Z-]|to|prod)")
_RELEASES = late(r"(?:^|[:/._-])(?:publish|release|semantic-release|upload)(?=$|[:/._A-Z-])")
_CERTAIN = late(r"(?i)release(?:sonatype|\w*repositor)|^publish\w*(?:central|sonatype|npm|pypi)")
_HARMLESS = late(
    r"(?i)local|dry|check|test|lint|valid|preview|staging|\bdev\b|[:/._-]dev$|debug|note|build|clean|list|status|plan|diff|doc|"
    r"snapshot|sandbox|undo|help|version"
)
#: Programs whose task `release` publishes; elsewhere it mostly builds.
_PUBLISHING = frozenset("rake fastlane gradle gradlew npm pnpm yarn bun lerna lein sbt nx".split())


def read_release_task(call: Call, program: str) -> None:
    """Report a task that publishes or deploys the project, by its name."""
    if program not in _PROGRAMS:
        return
    if len(call.words) > 1 and ("--" in call.words or "run" in call.words[:3]):
        read_production_task(call, call.words[1])
    for task in _tasks(call.words):
        if _CERTAIN.search(task):
            call.scope.reading.emit("package.publish", call.site, task)
            continue
        if _HARMLESS.search(task):
            continue
        if _DEPLOYS.search(task):
            call.scope.reading.emit("deploy.release", call.site, task, _TASK)
        elif program in _PUBLISHING and _RELEASES.search(task):
            call.scope.reading.emit("package.publish", call.site, task)


_TASK = frozenset({"release_task"})


def _tasks(words: list[str]) -> Iterator[str]:
    """Yield the names of tasks among the arguments: neither options, nor settings, nor files."""
    if {"-n", "--dry-run", "--dryrun", "-m", "--list", "-l", "-T"} & set(words):
        return
    for at, word in enumerate(words[1:], 1):
        before = words[at - 1]
        if (
            word[:1] == "-"
            or "=" in word
            or "." in word.rpartition(":")[2][1:]
            or before in ("-C", "-f", "-p", "-x", "-D", "-P")
        ):
            continue
        if word not in _RUN:
            yield word
