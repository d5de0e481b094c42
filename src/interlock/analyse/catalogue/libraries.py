"""Package managers of languages: libraries and tools from their indexes."""

from interlock.analyse.catalogue.spec import Spec

_INDEX = "-i --index-url --index --default-index --extra-index-url -f --find-links"
_PIP_INSTALL = Spec(
    "install",
    operands="package.install*",
    does="package.install",
    options={
        "-r --requirement -c --constraint --requirements --overrides": "=fs.read",
        _INDEX: "=- +index",
        "-e --editable": "=package.install",
        "-t --target --prefix --root --src -d --dest -w --wheel-dir --report --log": "=fs.write",
        "--trusted-host": "=- +untrusted",
        "--dry-run": "!package.read",
        "--break-system-packages": "+breaks_system",
        "--python --python-version --platform --implementation --abi --progress-bar --no-binary --only-binary --proxy --timeout --retries --cert -C --config-settings --extra --group": "=-",
        "-U --upgrade -q --quiet --user --pre --no-deps --force-reinstall -I --ignore-installed --no-cache-dir --system -v": "",
    },
)
_PIP: dict[str, Spec | str] = {
    "install": _PIP_INSTALL,
    "uninstall": Spec(
        "uninstall",
        operands="package.remove*",
        does="package.remove",
        options={"-r --requirement": "=fs.read", "-y --yes": "", "--dry-run": "!package.read"},
    ),
    "download wheel": Spec(
        "download", operands="package.install*", does="package.install", options=_PIP_INSTALL.options
    ),
    "list show freeze check search index config cache debug help inspect hash tree compile completion": "package.read",
    "*": "package.read",
    "": "package.read",
}
_PUBLISH = Spec(
    "publish",
    operands="-*",
    does="package.publish",
    options={
        "-n --dry-run --check --package-only --no-upload": "!package.read",
        "-r --repository --registry --tag --access --otp --token -u --username -p --password --api-key -k --source -s --publish-url --index -F -p --package": "=-",
    },
)
_WITHDRAW = Spec(
    "unpublish",
    operands="-*",
    does="package.publish",
    flags="withdraw",
    options={
        "--dry-run -n": "!package.read",
        "--vers --registry --index --token": "=-",
        "-f --force": "",
        "--undo": "!package.read",
    },
)
_OWNERS = Spec(
    "owner",
    does="package.publish",
    flags="owners",
    operands="-*",
    options={"-l --list": "!package.read", "-a --add -r --remove --registry --token -q": "=-"},
)
_LOGIN = Spec("login", does="process.run", operands="-*", flags="login")

SPECS = (
    Spec(
        "pip pip3",
        sub=_PIP,
        options={
            "--python --proxy --log --cache-dir --cert": "=-",
            "--trusted-host": "=- +untrusted",
            "-q -v --isolated --require-virtualenv --disable-pip-version-check": "",
        },
    ),
    Spec(
        "pipx",
        sub={
            "install inject upgrade upgrade-all reinstall reinstall-all install-all": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={
                    _INDEX: "=- +index",
                    "--pip-args --python --suffix --preinstall --spec": "=-",
                    "-f --force --include-deps": "",
                },
            ),
            "uninstall uninstall-all uninject": "package.remove*",
            "list environment interpreter help": "package.read",
            "ensurepath": "process.run",
            "*": "package.read",
        },
    ),
    Spec(
        "uv",
        options={
            "--directory --project": "=chdir",
            "--python -p --config-file --cache-dir --color": "=-",
            "-q -v --offline --no-cache": "",
        },
        sub={
            "pip": Spec(
                "pip",
                sub={
                    **_PIP,
                    "sync": Spec(
                        "sync",
                        operands="fs.read*",
                        does="package.install",
                        options={_INDEX: "=- +index", "--dry-run": "!package.read"},
                    ),
                },
            ),
            "add": _PIP_INSTALL,
            "sync": Spec(
                "sync",
                does="package.install",
                operands="-*",
                options={
                    "--dry-run --check --locked-check": "!package.read",
                    _INDEX: "=- +index",
                    "--extra --group --python -p --package": "=-",
                },
            ),
            "lock": Spec("lock", does="package.install", operands="-*", options={"--check --dry-run": "!package.read"}),
            "tool": Spec(
                "tool", sub={"install upgrade": _PIP_INSTALL, "uninstall": "package.remove*", "*": "package.read"}
            ),
            "python": Spec(
                "python",
                sub={"install upgrade pin": "package.install", "uninstall": "package.remove", "*": "package.read"},
            ),
            "venv init": "process.spawn",
            "remove": "package.remove*",
            "run": Spec(
                "run",
                operands="command",
                options={
                    "--with --with-editable --with-requirements": "=package.install",
                    "--python -p --extra --group --env-file --package --index --directory --project --only-group --no-group --script": "=-",
                    "-m --module": "=- +module",
                    "-q -v -s --no-sync --frozen --locked --isolated --no-project --all-extras --dev --no-dev": "",
                },
            ),
            "publish": _PUBLISH,
            "build format": "process.spawn",
            "cache": Spec("cache", sub={"clean prune": "process.run", "*": "package.read"}),
            "self": Spec("self", sub={"update": "package.install", "uninstall": "package.remove", "*": "package.read"}),
            "auth": _LOGIN,
            "tree version help export": "package.read",
            "": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "poetry pdm hatch pipenv rye flit",
        options={"-C --directory -P --project": "=chdir", "-e --env": "=-", "-q -v -n --no-interaction --no-ansi": ""},
        sub={
            "install add update sync lock require upgrade": Spec(
                "add",
                operands="package.install*",
                does="package.install",
                options={
                    "-i --index --pypi-mirror --source": "=- +index",
                    "-G --group --extras -E --python -e -r": "=-?",
                    "--dry-run --check": "!package.read",
                    "-D --dev -d": "",
                },
            ),
            "remove uninstall": "package.remove*",
            "publish": _PUBLISH,
            "run": Spec("run", operands="command"),
            "source": Spec(
                "source",
                sub={
                    "show": "package.read",
                    "add": Spec("add", does="package.install", flags="index", operands="-*"),
                    "*": "process.run",
                },
            ),
            "config": Spec("config", does="process.run", operands="-*", options={"--list": "!package.read"}),
            "cache": Spec("cache", sub={"list": "package.read", "*": "process.run"}),
            "show list env check search version info help graph about --version --venv --where export": "package.read",
            "build shell new init test fmt": "process.spawn",
            "self plugin python": "package.install",
            "*": "process.spawn",
        },
    ),
    Spec(
        "conda mamba micromamba pixi",
        sub={
            "install create update upgrade add": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={
                    "-c --channel": "=- +channel",
                    "-n --name -p --prefix --clone --python": "=-",
                    "-f --file": "=fs.read",
                    "-d --dry-run": "!package.read",
                    "-y": "",
                },
            ),
            "remove uninstall": Spec(
                "remove",
                operands="package.remove*",
                does="package.remove",
                options={"-n --name -p --prefix": "=-", "--all -y": "", "-d --dry-run": "!package.read"},
            ),
            "env": Spec(
                "env",
                sub={
                    "list export config": "package.read",
                    "remove": Spec("remove", does="package.remove", operands="-*"),
                    "*": Spec(
                        "create", does="package.install", operands="-*", options={"-f --file": "=fs.read", "-n": "=-"}
                    ),
                },
            ),
            "config": Spec(
                "config",
                does="package.read",
                operands="-*",
                options={"--add --prepend --append --set": "!process.run", "--remove --remove-key": "!process.run"},
            ),
            "clean": Spec("clean", does="process.run", operands="-*"),
            "run exec": Spec(
                "run",
                operands="command",
                options={"-n --name -p --prefix --cwd -e": "=-", "--no-capture-output --live-stream -v": ""},
            ),
            "publish upload": _PUBLISH,
            "init": "process.run",
            "*": "package.read",
        },
    ),
    Spec(
        "twine",
        sub={
            "upload": Spec(
                "upload",
                does="package.publish",
                operands="fs.read*",
                options={"-r --repository --repository-url -u -p -c": "=-"},
            ),
            "register": "package.publish",
            "*": "package.read",
        },
    ),
    Spec(
        "easy_install",
        operands="package.install*",
        does="package.install",
        options={"-i --index-url -f --find-links": "=- +index"},
    ),
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
            "push": _PUBLISH,
            "yank": _WITHDRAW,
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
            "signin": _LOGIN,
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
            "publish": _PUBLISH,
            "yank": _WITHDRAW,
            "owner": _OWNERS,
            "login logout": _LOGIN,
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
            "env": Spec("env", does="package.read", operands="-*", options={"-w -u": "!process.run +toolchain"}),
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
                options={"--dry-run": "!package.read", "--no-scripts --no-plugins": "+no_scripts"},
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
            "upload": _PUBLISH,
            "*": "package.read",
        },
    ),
    Spec(
        "opam",
        sub={
            "install upgrade update switch init": "package.install*",
            "remove uninstall": "package.remove*",
            "publish": _PUBLISH,
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
            "upload": _PUBLISH,
            "exec": Spec("exec", operands="command"),
            "list info path query ls check": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "rebar3 hex",
        sub={
            "deps.get deps.update local.hex local.rebar archive.install escript.install get-deps": "package.install*",
            "hex.publish": _PUBLISH,
            "hex.retire": _WITHDRAW,
            "hex.owner": Spec("owner", sub={"list": "package.read", "*": _OWNERS}),
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
                    "publish": _PUBLISH,
                    "deps outdated": "package.read",
                    "run": "process.spawn",
                    "*": "package.read",
                },
            ),
            "get add upgrade": "package.install*",
            "publish": _PUBLISH,
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
            "push": _PUBLISH,
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
                    "push": _PUBLISH,
                    "delete deprecate": _WITHDRAW,
                    "add-owner remove-owner": _OWNERS,
                    "*": "package.read",
                },
            ),
            "repo": Spec("repo", sub={"push": _PUBLISH, "list": "package.read", "*": "package.install"}),
            "*": "package.read",
        },
    ),
    Spec("carthage", sub={"update bootstrap checkout": "package.install", "*": "process.spawn"}),
    Spec(
        "vcpkg conan",
        sub={
            "install create": "package.install*",
            "remove": "package.remove*",
            "upload": _PUBLISH,
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
    Spec("vsce ovsx web-ext", sub={"publish sign": _PUBLISH, "unpublish": _WITHDRAW, "*": "process.spawn"}),
    Spec(
        "goreleaser release-it semantic-release np changeset standard-version",
        sub={
            "release publish": _PUBLISH,
            "check build version init status add": "process.spawn",
            "*": Spec(
                "release", operands="-*", does="process.spawn", options={"--dry-run -d --snapshot": "!package.read"}
            ),
            "": "process.spawn",
        },
    ),
    Spec("snapcraft charmcraft", sub={"upload push release": _PUBLISH, "*": "process.spawn"}),
    Spec(
        "corepack nvm fnm volta asdf rustup pyenv rbenv sdk nodenv goenv jenv tfenv n proto",
        sub={
            "list ls list-all ls-remote current which where version versions show help local doctor info latest alias root whence hooks rehash init reshim": "package.read",
            "exec run": Spec("exec", operands="command", options={"--using": "=-"}),
            "install use update default toolchain component target upgrade enable prepare": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={"-s --skip-existing -f --force -l --list": ""},
            ),
            "uninstall remove": "package.remove*",
            "self": "package.install",
            "": "package.read",
            "*": "package.install",
        },
    ),
    Spec(
        "mise rtx",
        sub={
            "exec x": Spec("exec", operands="command", options={"-c --command": "=code:shell", "-C --cd": "=chdir"}),
            "run r tasks": "process.spawn",
            "use install i upgrade up": "package.install*",
            "uninstall remove rm prune": "package.remove*",
            "trust": Spec("trust", does="code.run", operands="-*"),
            "*": "package.read",
        },
    ),
)
