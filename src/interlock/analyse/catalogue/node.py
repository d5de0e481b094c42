"""Package managers of JavaScript."""

from interlock.analyse.catalogue.spec import Spec

_INSTALL = Spec(
    "install",
    operands="package.install*",
    does="package.install",
    options={
        "--registry --scope-registry": "=- +index",
        "--prefix -w --workspace -F --filter --omit --include --tag --before --loglevel": "=-",
        "-g --global": "+global",
        "--ignore-scripts": "",
        "--dry-run": "!package.read",
        "-D -S -E -P -O --save --save-dev --save-exact --legacy-peer-deps --force -f --frozen-lockfile --no-save --silent -s --exact": "",
    },
)
_PUBLISH = Spec(
    "publish",
    operands="-*",
    does="package.publish",
    options={"--dry-run": "!package.read", "--registry --tag --access --otp -w --workspace --filter": "=-"},
)
_WITHDRAW = Spec(
    "unpublish",
    operands="-*",
    does="package.publish",
    flags="withdraw",
    options={"--dry-run": "!package.read", "-f --force": "", "--timeout --otp": "=-"},
)
_OWNERS = Spec(
    "owner",
    sub={
        "ls list": "package.read",
        "": "package.read",
        "*": Spec("add", does="package.publish", flags="owners", operands="-*"),
    },
)

_NODE: dict[str, Spec | str] = {
    "install i in isntall add ci clean-install install-clean install-test it update up upgrade upgrade-interactive link ln rebuild rb dedupe ddp import set-script": _INSTALL,
    "global": Spec(
        "global",
        sub={
            "add upgrade": Spec("add", operands="package.install*", does="package.install", flags="global"),
            "remove": "package.remove*",
            "*": "package.read",
        },
    ),
    "uninstall remove rm un r prune unlink": Spec(
        "uninstall",
        operands="package.remove*",
        does="package.remove",
        options={"--dry-run": "!package.read", "-g --global": "+global", "--prefix -w --workspace": "=-"},
    ),
    "publish": _PUBLISH,
    "npm": Spec(
        "npm",
        sub={
            "publish": _PUBLISH,
            "login logout": Spec("login", does="process.run", flags="login"),
            "tag": Spec("tag", sub={"list": "package.read", "*": _PUBLISH}),
            "*": "package.read",
        },
    ),
    "unpublish deprecate undeprecate": _WITHDRAW,
    "owner author": _OWNERS,
    "access": Spec(
        "access",
        sub={
            "list ls get ls-packages ls-collaborators public-status": "package.read",
            "": "package.read",
            "*": Spec("set", does="package.publish", flags="owners", operands="-*"),
        },
    ),
    "dist-tag dist-tags tag": Spec(
        "dist-tag",
        sub={"ls list": "package.read", "": "package.read", "*": Spec("add", does="package.publish", operands="-*")},
    ),
    "team org": Spec(
        "team",
        sub={
            "ls list": "package.read",
            "": "package.read",
            "*": Spec("add", does="package.publish", flags="owners", operands="-*"),
        },
    ),
    "token": Spec(
        "token",
        sub={
            "list ls": "package.read",
            "": "package.read",
            "*": Spec("create", does="process.run", flags="token", operands="-*"),
        },
    ),
    "hook trust": Spec(
        "hook", sub={"ls list": "package.read", "*": Spec("add", does="package.publish", flags="owners", operands="-*")}
    ),
    "login logout adduser add-user": Spec("login", does="process.run", flags="login", operands="-*"),
    "ls list la ll view info show v outdated search s find why explain doctor help help-search config c get whoami root bin prefix ping docs home bugs repo diff fund pkg query sbom stars profile "
    "licenses store completion edit workspaces workspace-list -v --version": "package.read",
    "audit": Spec("audit", sub={"fix": "package.install", "*": "package.read", "": "package.read"}),
    "version": Spec("version", sub={"": "package.read", "*": "process.spawn"}),
    "set": "process.run",
    "pack": "process.spawn",
    "run run-script rum urn test t tst start stop restart build dev lint create init innit exec x dlx workspace workspaces foreach": "process.spawn",
    "cache": Spec("cache", sub={"ls list verify dir path": "package.read", "*": "process.run"}),
    "patch patch-commit plugin policies self-update": "package.install",
    "": "package.install",
    "*": "process.spawn",
}

SPECS = (
    Spec(
        "npm pnpm yarn bun cnpm",
        sub=_NODE,
        options={
            "--prefix -C --cwd --dir": "=chdir",
            "--registry": "=- +index",
            "-w --workspace -F --filter --loglevel": "=-",
            "-s --silent -g --global -r --recursive --verbose": "",
        },
    ),
    Spec("npm-check-updates ncu npm-check depcheck knip", does="process.spawn", operands="-*"),
    Spec("lerna nx turbo rush", sub={"publish": _PUBLISH, "*": "process.spawn", "": "process.spawn"}),
    Spec(
        "rimraf del-cli premove",
        operands="fs.delete*",
        flags="recursive force",
        options={"-i --interactive -g --glob -v": "", "--impl -m --max-retries -d": "=-"},
    ),
    Spec("shx", operands="command", options={"-v -h": "!system.read"}),
    Spec(
        "concurrently",
        operands="code:shell*",
        options={
            "-n --names -c --prefix-colors -p --prefix -m --max-processes -s --success": "=-",
            "-k -r --kill-others --raw": "",
        },
    ),
    Spec("cross-env cross-env-shell", operands="-*"),
    Spec("npm-run-all npm-run-all2 run-s run-p wait-on start-server-and-test", does="process.spawn", operands="-*"),
    Spec(
        "jsr",
        sub={
            "publish": _PUBLISH,
            "add install i": "package.install*",
            "remove": "package.remove*",
            "*": "package.read",
        },
    ),
)
