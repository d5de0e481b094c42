"""Package managers, by what their subcommands do."""

from interlock.analyse.catalogue.spec import Spec

_PIP_INSTALL = Spec(
    "install",
    operands="package.install*",
    does="package.install",
    options={
        "-r --requirement -c --constraint": "=fs.read",
        "-i --index-url --extra-index-url": "=- +index",
        "-f --find-links": "=- +index",
        "-e --editable": "=package.install",
        "-t --target --prefix --root": "=fs.write",
        "-U --upgrade -q --user --pre --no-deps --force-reinstall": "",
        "--trusted-host": "=- +untrusted",
        "--dry-run": "!package.read",
        "--break-system-packages": "+system",
    },
)
_PIP: dict[str, Spec | str] = {
    "install": _PIP_INSTALL,
    "uninstall": "package.remove*",
    "download wheel": "package.install",
    "list show freeze check search index config cache debug help inspect hash": "package.read",
    "*": "package.read",
}
_NODE: dict[str, Spec | str] = {
    "install i add ci update up upgrade link rebuild dedupe": Spec(
        "install",
        operands="package.install*",
        does="package.install",
        options={"--registry": "=- +index", "--prefix": "=-", "-g --global": "+global"},
    ),
    "uninstall remove rm un prune unlink": "package.remove*",
    "publish": "package.publish",
    "unpublish deprecate": Spec("unpublish", does="package.publish", flags="destructive"),
    "ls list view info outdated audit search why explain doctor help config whoami root bin prefix ping docs version fund pkg query get": "package.read",
    "run run-script test t start stop restart build dev lint exec x dlx create init": "process.spawn",
    "login logout adduser token owner access dist-tag": "package.publish",
    "cache": "fs.delete",
    "": "package.install",
    "*": "process.spawn",
}
_SYSTEM: dict[str, Spec | str] = {
    "install reinstall upgrade full-upgrade dist-upgrade update-manager add groupinstall localinstall": Spec(
        "install", operands="package.install*", does="package.install", flags="system"
    ),
    "update": "package.read",
    "remove purge autoremove erase del uninstall": Spec(
        "remove", operands="package.remove*", does="package.remove", flags="system"
    ),
    "list search show info policy depends rdepends provides repolist history check deplist download cache showpkg": "package.read",
    "clean autoclean": "package.read",
    "*": "package.read",
}

SPECS = (
    Spec(
        "pip pip3 pipx",
        sub={**_PIP, "run ensurepath inject": "package.install"},
        options={"--python --proxy": "=-", "-q -v": ""},
    ),
    Spec(
        "uv",
        sub={
            "pip": Spec("pip", sub={**_PIP, "compile sync tree": "package.install"}),
            "add sync lock tool python venv": "package.install",
            "remove": "package.remove*",
            "run": Spec("run", operands="command", options={"--with --python -p": "=-"}),
            "publish": "package.publish",
            "build": "process.spawn",
            "tree version help self cache": "package.read",
        },
    ),
    Spec(
        "poetry pdm hatch pipenv rye",
        sub={
            "install add update sync lock": "package.install*",
            "remove uninstall": "package.remove*",
            "publish": "package.publish",
            "run": Spec("run", operands="command"),
            "show list env check config search version info help graph": "package.read",
            "build shell new init": "process.spawn",
            "*": "process.spawn",
        },
    ),
    Spec(
        "npm pnpm yarn bun",
        sub=_NODE,
        options={"--prefix -C --cwd": "=chdir", "-s --silent -w --workspace": ""},
    ),
    Spec("npx bunx pnpx", operands="process.spawn -*", options={"-p --package -c --call": "=-", "-y --yes": ""}),
    Spec("uvx", operands="package.install -*", options={"--from --with -p --python": "=-"}),
    Spec(
        "conda mamba micromamba",
        sub={
            "install create update": "package.install*",
            "remove uninstall": "package.remove*",
            "env": "package.install",
            "list info search config activate deactivate": "package.read",
            "run": Spec("run", operands="command", options={"-n -p": "=-"}),
            "*": "package.read",
        },
    ),
    Spec(
        "apt apt-get aptitude yum dnf microdnf zypper apk",
        sub=_SYSTEM,
        options={"-y --yes -q -qq --assume-yes --no-cache": "", "-o -t -c": "=-"},
    ),
    Spec(
        "dpkg rpm",
        does="package.read",
        operands="-*",
        options={
            "-i --install -U -F --upgrade": "!package.install",
            "-r --remove -P --purge -e --erase": "!package.remove",
        },
    ),
    Spec(
        "pacman yay paru",
        does="package.read",
        operands="-*",
        options={
            "-S -U --sync --upgrade": "!package.install",
            "-R --remove": "!package.remove",
            "-Q --query": "!package.read",
        },
    ),
    Spec(
        "brew port",
        sub={
            "install reinstall upgrade cask tap link": "package.install*",
            "uninstall remove rm untap autoremove": "package.remove*",
            "services": "service.change",
            "list info search doctor outdated deps home config leaves uses cat log help update commands desc": "package.read",
            "*": "package.read",
        },
    ),
    Spec(
        "snap flatpak nix-env",
        sub={
            "install": "package.install*",
            "remove uninstall": "package.remove*",
            "list info find search": "package.read",
            "*": "package.install",
        },
    ),
    Spec(
        "gem",
        sub={
            "install update": "package.install*",
            "uninstall": "package.remove*",
            "push yank": "package.publish",
            "*": "package.read",
        },
    ),
    Spec(
        "bundle bundler",
        sub={
            "install update add": "package.install*",
            "exec": Spec("exec", operands="command"),
            "remove": "package.remove*",
            "list show check info outdated": "package.read",
            "": "package.install",
            "*": "package.read",
        },
    ),
    Spec(
        "cargo",
        options={"-C": "=chdir", "-q -v": ""},
        sub={
            "install add update fetch": "package.install*",
            "uninstall remove rm": "package.remove*",
            "publish yank owner login": "package.publish",
            "build b test t run r check c clippy fmt doc bench nextest rustc fix": "process.spawn",
            "clean": "process.spawn",
            "search tree metadata version help verify-project locate-project audit": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "go",
        sub={
            "get install mod work": "package.install",
            "build test run vet fmt generate tool clean": "process.spawn",
            "list version env doc help": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "composer",
        sub={
            "install require update global": "package.install",
            "remove": "package.remove*",
            "show info list outdated validate": "package.read",
            "*": "process.spawn",
        },
    ),
    Spec("mvn mvnw gradle gradlew sbt ant bazel buck ninja scons", does="process.spawn", operands="-*"),
    Spec(
        "twine",
        sub={"upload": Spec("upload", does="package.publish", operands="fs.read*"), "*": "package.read"},
    ),
    Spec(
        "corepack nvm fnm volta asdf mise rustup pyenv rbenv sdk",
        sub={
            "list ls current which version versions show help local": "package.read",
            "install use update default toolchain component target": "package.install",
            "*": "package.install",
        },
    ),
)
