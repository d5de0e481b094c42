"""Publishing packages and releases that others will install."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "publishing",
    Rule(
        name="package_publish",
        level=Level.HIGH,
        when=effect("package.publish", without="withdraw owners"),
        reason="A published version is public and stays public",
        reversible=False,
        instead="npm publish --dry-run",
        match=[
            "$ npm publish",
            "$ twine upload dist/x.whl",
            "$ cargo publish",
            "$ mvn deploy",
            "$ gradle publish",
            "$ npm dist-tag add x@1.0 latest",
        ],
        no_match=[
            "$ npm ls",
            "$ cargo build",
            "$ cargo publish --dry-run",
            "$ gradle publishToMavenLocal",
            "$ npm dist-tag ls",
        ],
    ),
    Rule(
        name="release_task",
        level=Level.HIGH,
        when=effect("deploy.release", "release_task"),
        reason="By its name, the task releases a version to its users",
        match=[
            "$ make deploy",
            "$ npm run deploy:prod",
            "$ ./gradlew deployProduction",
            "$ bazel run //deploy:prod",
            "$ ./scripts/deploy.sh production",
        ],
        no_match=[
            "$ make deploy -n",
            "$ npm run deploy:staging",
            "$ make build",
            "$ npm run predeploy-check",
            "$ ./scripts/deploy.sh staging",
        ],
    ),
    Rule(
        name="package_withdrawn",
        level=Level.HIGH,
        when=effect("package.publish", "withdraw"),
        reason="Everyone who depends on a withdrawn version can no longer build",
        reversible=False,
        match=["$ npm unpublish x@1.0", "$ cargo yank --vers 1.0 x", "$ gem yank x -v 1.0"],
        no_match=["$ npm view x", "$ npm unpublish x --dry-run"],
    ),
    Rule(
        name="package_owners_changed",
        level=Level.HIGH,
        when=effect("package.publish", "owners"),
        reason="An owner can publish anything under the package's name",
        reversible=False,
        match=["$ npm owner add eve x", "$ cargo owner --add eve", "$ npm access set mfa=none x"],
        no_match=["$ npm owner ls x", "$ cargo owner --list", "$ npm access list packages"],
    ),
    Rule(
        name="registry_token",
        level=Level.HIGH,
        when=effect("process.run", "token"),
        reason="The holder of the token can publish",
        match=["$ npm token create", "$ npm token revoke abc", "$ cargo login abc"],
        no_match=["$ npm token list", "$ cargo login"],
    ),
    Rule(
        name="registry_login",
        level=Level.MEDIUM,
        when=effect("process.run", "login"),
        reason="After signing in, programs on this machine can publish",
        match=["$ npm login", "$ cargo login"],
        no_match=["$ npm whoami"],
    ),
)
