"""Package managers of Python."""

from interlock.analyse.catalogue.publishing import LOGIN, PUBLISH
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
            "publish": PUBLISH,
            "build format": "process.spawn",
            "cache": Spec("cache", sub={"clean prune": "process.run", "*": "package.read"}),
            "self": Spec("self", sub={"update": "package.install", "uninstall": "package.remove", "*": "package.read"}),
            "auth": LOGIN,
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
            "publish": PUBLISH,
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
            "publish upload": PUBLISH,
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
)
