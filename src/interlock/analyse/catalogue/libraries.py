"""Package managers of the other languages."""

from interlock.analyse.catalogue.publishing import LOGIN, OWNERS, PUBLISH, WITHDRAW
from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "gem",
        sub={
            "install update": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={
                    "-s --source --clear-sources": "=- +index",
                    "-v --version -i --install-dir -n": "=-",
                    "--user-install -N --no-document": "",
                    "-P --trust-policy": "=-",
                    "-f --force": "",
                },
            ),
            "uninstall cleanup": Spec(
                "uninstall",
                operands="package.remove*",
                does="package.remove",
                options={"-v --version": "=-", "-d --dryrun": "!package.read", "-a -x -I": ""},
            ),
            "push": PUBLISH,
            "yank": WITHDRAW,
            "owner": Spec(
                "owner",
                does="package.read",
                operands="-*",
                options={
                    "-a --add -r --remove": "=- !package.publish +owners",
                    "-l --list -q": "",
                    "--registry --token": "=-",
                },
            ),
            "sources": Spec(
                "sources",
                does="package.read",
                operands="-*",
                options={"-a --add": "=- !package.install +index", "-r --remove": "=-"},
            ),
            "signin": LOGIN,
            "exec": Spec("exec", operands="command"),
            "build": "process.spawn",
            "*": "package.read",
        },
    ),
    Spec(
        "bundle bundler",
        sub={
            "install update add": Spec(
                "install",
                operands="-*",
                does="package.install",
                options={
                    "--source -s": "=- +index",
                    "--git --github": "=- +url",
                    "--path --jobs -j --without --with -v --version": "=-",
                },
            ),
            "exec": Spec("exec", operands="command", options={"--keep-file-descriptors --gemfile": ""}),
            "remove clean": "package.remove*",
            "config": "process.run",
            "list show check info outdated platform doctor licenses env version help --version": "package.read",
            "": "package.install",
            "*": "process.spawn",
        },
    ),
    Spec(
        "cargo",
        options={"-C": "=chdir", "--config --color -Z": "=-", "-q -v --locked --offline --frozen": ""},
        sub={
            "install binstall add": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={
                    "--git": "=package.install +url",
                    "--path": "=-",
                    "--registry --index": "=- +index",
                    "--version --branch --tag --rev --root -F --features --bin --target -j -p --package": "=-",
                    "-f --force --locked": "",
                    "-n --dry-run --list": "!package.read",
                },
            ),
            "update fetch vendor": Spec(
                "update",
                does="package.install",
                operands="-*",
                options={"--dry-run": "!package.read", "-p --package --precise": "=-"},
            ),
            "uninstall remove rm": "package.remove*",
            "publish": PUBLISH,
            "yank": WITHDRAW,
            "owner": OWNERS,
            "login logout": LOGIN,
            "release": Spec(
                "release", does="package.read", operands="-*", options={"-x --execute": "!package.publish"}
            ),
            "run r": Spec("run", does="process.spawn", operands="-*"),
            "build b test t check c clippy fmt doc bench nextest rustc fix clean watch xtask llvm-cov expand miri": "process.spawn",
            "search tree metadata version help verify-project locate-project audit info outdated deny package read-manifest pkgid --version --list report config": "package.read",
            "": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "go",
        options={"-C": "=chdir"},
        sub={
            "get install": Spec(
                "get",
                operands="package.install*",
                does="package.install",
                options={"-insecure": "+untrusted", "-u -t -v -x -d": "", "-n": "!package.read"},
            ),
            "mod work": Spec("mod", sub={"graph why verify": "package.read", "*": "package.install"}),
            "test build run": Spec(
                "run",
                does="process.spawn",
                operands="-*",
                options={
                    "-exec -toolexec": "=code:shell",
                    "-o": "=fs.write",
                    "-run -tags -ldflags -count -timeout -coverprofile -bench -p -C -mod": "=-",
                },
            ),
            "vet": Spec("vet", does="process.spawn", operands="-*", options={"-vettool": "=script"}),
            "env": Spec("env", does="package.read", operands="-*", options={"-w -u": "!process.run"}),
            "generate fmt tool clean fix": "process.spawn",
            "list version doc help bug telemetry": "package.read",
            "": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "composer",
        sub={
            "install update upgrade": Spec(
                "install",
                does="package.install",
                operands="-*",
                options={"--dry-run": "!package.read", "--no-scripts --no-plugins": ""},
            ),
            "require create-project": Spec(
                "require",
                operands="package.install*",
                does="package.install",
                options={"--repository --repository-url": "=- +index", "--dry-run": "!package.read"},
            ),
            "global": Spec(
                "global",
                sub={
                    "show info list outdated": "package.read",
                    "remove": "package.remove*",
                    "*": Spec("require", operands="package.install*", does="package.install", flags="global"),
                },
            ),
            "remove": "package.remove*",
            "config": "process.run",
            "exec run-script run": "process.spawn",
            "show info list outdated validate search why depends licenses audit diagnose about check-platform-reqs": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "cpan cpanm cpanp",
        operands="package.install*",
        does="package.install",
        options={
            "-M --mirror --from": "=- +index",
            "-l --local-lib": "=-",
            "-L": "=-",
            "--installdeps -n --notest -f --force": "",
            "-l-list -D -O": "!package.read",
        },
    ),
    Spec(
        "luarocks",
        sub={
            "install build make": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={"--server --only-server": "=- +index", "--local --tree": "=-?"},
            ),
            "remove purge": "package.remove*",
            "upload": PUBLISH,
            "*": "package.read",
        },
    ),
    Spec(
        "opam",
        sub={
            "install upgrade update switch init": "package.install*",
            "remove uninstall": "package.remove*",
            "publish": PUBLISH,
            "exec": Spec("exec", operands="command"),
            "repository repo": Spec(
                "repo",
                sub={"list": "package.read", "*": Spec("add", does="package.install", flags="index", operands="-*")},
            ),
            "*": "package.read",
        },
    ),
    Spec(
        "stack cabal ghcup",
        sub={
            "install update setup upgrade get fetch": "package.install",
            "upload": PUBLISH,
            "exec": Spec("exec", operands="command"),
            "list info path query ls check": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "rebar3 hex",
        sub={
            "deps.get deps.update local.hex local.rebar archive.install escript.install get-deps": "package.install*",
            "hex.publish": PUBLISH,
            "hex.retire": WITHDRAW,
            "hex.owner": Spec("owner", sub={"list": "package.read", "*": OWNERS}),
            "deps deps.tree hex.info hex.search hex.outdated help": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "dart flutter pub",
        sub={
            "pub": Spec(
                "pub",
                sub={
                    "get add upgrade global downgrade cache": "package.install*",
                    "remove": "package.remove*",
                    "publish": PUBLISH,
                    "deps outdated": "package.read",
                    "run": "process.spawn",
                    "*": "package.read",
                },
            ),
            "get add upgrade": "package.install*",
            "publish": PUBLISH,
            "--version doctor devices help": "package.read",
            "*": "process.spawn",
            "": "package.read",
        },
    ),
    Spec(
        "nuget",
        sub={
            "install restore update": Spec(
                "install", operands="package.install*", does="package.install", options={"-Source": "=- +index"}
            ),
            "push": PUBLISH,
            "delete": Spec(
                "delete",
                does="package.publish",
                operands="-*",
                flags="withdraw",
                options={"-NonInteractive -Source -ApiKey": ""},
            ),
            "sources": "process.run",
            "*": "package.read",
        },
    ),
    Spec(
        "pod",
        sub={
            "install update": "package.install",
            "trunk": Spec(
                "trunk",
                sub={
                    "push": PUBLISH,
                    "delete deprecate": WITHDRAW,
                    "add-owner remove-owner": OWNERS,
                    "*": "package.read",
                },
            ),
            "repo": Spec("repo", sub={"push": PUBLISH, "list": "package.read", "*": "package.install"}),
            "*": "package.read",
        },
    ),
    Spec("carthage", sub={"update bootstrap checkout": "package.install", "*": "process.spawn"}),
    Spec(
        "vcpkg conan",
        sub={
            "install create": "package.install*",
            "remove": "package.remove*",
            "upload": PUBLISH,
            "list search info show inspect": "package.read",
            "remote": Spec(
                "remote",
                sub={"list": "package.read", "*": Spec("add", does="package.install", flags="index", operands="-*")},
            ),
            "*": "process.spawn",
        },
    ),
    Spec(
        "tlmgr",
        sub={
            "install update": "package.install*",
            "remove": "package.remove*",
            "*": "system.tune",
            "info list search show": "package.read",
        },
    ),
)
