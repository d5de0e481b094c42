"""Release tasks: tasks of a project that publish or deploy it, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.shell.call import Call
from interlock.patterns import late

_PROGRAMS = frozenset(
    (
        "make gmake just task go-task invoke inv nox tox rake gradle gradlew mvn mvnw sbt lein ant npm pnpm yarn bun "
        "npx nx turbo lerna rush fastlane fab gulp grunt poe mage doit mask moon bazel bazelisk buck2 composer mix "
        "cargo-make earthly cap mina sls ng docusaurus hexo mkdocs deno pants please plz mill dagger xmake hatch pdm "
        "poetry rye wireit nx-cloud clojure clj bb jake"
    ).split()
)
#: Words of a package manager before the name of a script.
_RUN = frozenset("run run-script exec x build test run-many affected".split())
_DEPLOYS = late(r"(?i)(?:^|[:/._-])(?:re)?(?:deploy|rollout|promote|ship(?:it)?)(?=$|[:/._A-Z-]|to|prod)")
_RELEASES = late(r"(?:^|[:/._-])(?:release|semantic-release|upload)(?=$|[:/._A-Z-])")
_PUBLISHES = late(
    r"(?:^|[:/._-])(?:publish|gh-pages)(?=$|[:/._A-Z-])"
    r"|(?i:(?:^|[:/._-])(?:push[-_]?(?:image|docker|container|prod\w*|live|all)|(?:image|docker|container|oci)[-_.]?push)(?=$|[:/._-]))"
    r"|[a-z](?:Publish|Push)$|Upload(?:Release|Prod)|uploadCrashlytics|(?:^|:)jib$|^docker:push|wagon:upload"
    r"|^(?:cargo|tomcat\d?|wildfly|liberty|weblogic|heroku|azure-\w+|appengine|appassembler):(?:re)?deploy"
)
#: Tasks that change something which is in use, if a word beside them says that it is production.
_CHANGES = late(
    r"(?i)(?:^|[:/._-])(?:migrat\w*|reset|drop|destroy|delete|wipe|seed|apply|rollback|restore|restart|scale|push|sync|"
    r"truncate|clean|import|load|purge|publish|update|upgrade|exec|run|terraform|tf)(?=$|[:/._-]|prod)"
)
_REAL = late(r"(?i)(?:^|[:/._=-])(?:prod|production|prd|live)(?=$|[:/._-])")
_CERTAIN = late(
    r"(?i)^(?:[\w.-]+:)*jib(?:-maven-plugin)?(?::[\d.]+)?:build$|release(?:sonatype|\w*repositor)|^publish\w*(?:central|sonatype|npm|pypi)"
)
_HARMLESS = late(
    r"(?i)local|dry|check|test|lint|valid|preview|staging|\bdev\b|[:/._-]dev$|debug|note|build(?!/)|clean|list|status|plan|diff|doc(?!ker)|"
    r"snapshot|sandbox|undo|help|version"
)
#: Programs whose task `release` publishes; elsewhere it mostly builds.
_PUBLISHING = frozenset("rake fastlane gradle gradlew npm pnpm yarn bun lerna lein sbt nx".split())
#: Programs whose targets are rules of the build: `push` sends an image, and `.apply` changes a cluster.
_RULES = frozenset("bazel bazelisk buck2 pants please plz".split())
_RULE = late(r"[:._](?:push|apply|replace|delete|create|publish|upload|deploy)$|[:_](?:image_)?push(?:_\w+)?$")
_NAMED = late(r"^--?(?:targets?|task|tasks|t|script)=(.+)$")


def read_release_task(call: Call, program: str) -> None:
    """Report a task that publishes or deploys the project, or changes what is in use, by its name."""
    if program not in _PROGRAMS:
        return
    reading = call.scope.reading
    real = any(_REAL.search(word) for word in call.words[1:])
    for task in _tasks(call.words):
        if _CERTAIN.search(task):
            reading.emit("package.publish", call.site, task)
        elif program in _RULES and "run" in call.words and _RULE.search(task):
            reading.emit("deploy.release", call.site, task, _TASK)
        elif _HARMLESS.search(task) and not (real and _CHANGES.search(task)):
            continue
        elif _DEPLOYS.search(task) or (real and _CHANGES.search(task) and task not in _RUN):
            reading.emit("deploy.release", call.site, task, _TASK)
        elif _PUBLISHES.search(task) or (program in _PUBLISHING and _RELEASES.search(task)):
            reading.emit("package.publish", call.site, task)


_TASK = frozenset({"release_task"})
#: Options whose value is no task.
_VALUED = frozenset(
    "-C -f -p -x -D -P --configuration --tests --dependency --group --project --file --filter -F".split()
)


def _tasks(words: list[str]) -> Iterator[str]:
    """Yield the names of tasks among the arguments: neither options, nor settings, nor files."""
    if {"-n", "--dry-run", "--dryrun", "-m", "--list", "-l", "-T"} & set(words):
        return
    for at, word in enumerate(words[1:], 1):
        named = _NAMED.match(word)
        if named:
            yield named[1]
        elif word in ("--publishImage", "--push"):
            yield "image-push"
        if word[:1] == "-" or "=" in word or words[at - 1] in _VALUED:
            continue
        if "." in word.rpartition(":")[2][1:] and not word.startswith(("//", "@")):
            continue
        if word not in _RUN:
            yield word
