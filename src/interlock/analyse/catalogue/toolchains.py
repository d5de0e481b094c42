"""Tools that release software, and tools that keep several versions of a language."""

from interlock.analyse.catalogue.publishing import PUBLISH, WITHDRAW
from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec("vsce ovsx web-ext", sub={"publish sign": PUBLISH, "unpublish": WITHDRAW, "*": "process.spawn"}),
    Spec(
        "goreleaser release-it semantic-release np changeset standard-version",
        sub={
            "release publish": PUBLISH,
            "check build version init status add": "process.spawn",
            "*": Spec(
                "release", operands="-*", does="process.spawn", options={"--dry-run -d --snapshot": "!package.read"}
            ),
            "": "process.spawn",
        },
    ),
    Spec("snapcraft charmcraft", sub={"upload push release": PUBLISH, "*": "process.spawn"}),
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
