"""Version control."""

from interlock.analyse.catalogue.spec import Spec

_GIT: dict[str, Spec | str] = {
    "status log diff show blame grep ls-files ls-tree ls-remote describe rev-parse rev-list shortlog reflog cat-file name-rev whatchanged "
    "show-ref for-each-ref merge-base var help version count-objects fsck verify-commit verify-tag range-diff cherry check-ignore difftool": "vcs.read",
    "add init apply am bisect worktree submodule notes lfs sparse-checkout maintenance gc pack-refs read-tree update-index write-tree": "vcs.change",
    "fetch pull clone": Spec(
        "fetch", does="vcs.change", options={"-f --force": "+force", "-b --branch --depth -o -j": "=-"}
    ),
    "merge revert cherry-pick": Spec("merge", does="vcs.change", options={"-m -X -s": "=-"}),
    "commit": Spec(
        "commit",
        does="vcs.commit",
        options={
            "-m --message --author --date -C -c --fixup --squash": "=-",
            "-F --file": "=fs.read",
            "--amend": "+amend",
            "-n --no-verify": "+no_verify",
        },
    ),
    "push": Spec(
        "push",
        does="vcs.push",
        options={
            "-f --force": "+force",
            "--force-with-lease --force-if-includes": "+lease",
            "--mirror": "+force +mirror",
            "-d --delete": "+delete",
            "--all --tags -u --set-upstream -q": "",
            "--prune": "+delete",
            "-o --push-option --repo": "=-",
            "--no-verify": "+no_verify",
            "-n --dry-run": "!vcs.read +dry_run",
        },
    ),
    "reset": Spec(
        "reset",
        does="vcs.change",
        options={"--hard": "!vcs.discard +hard", "--merge": "!vcs.discard", "--soft --mixed -q": ""},
    ),
    "clean": Spec(
        "clean",
        does="vcs.discard",
        flags="untracked",
        options={"-f --force": "+force", "-d -x -X": "", "-n --dry-run": "!vcs.read", "-e --exclude": "=-"},
    ),
    "checkout": Spec(
        "checkout",
        does="vcs.change",
        options={"-f --force": "!vcs.discard +force", "-b -B --orphan": "=-", "-q": ""},
    ),
    "switch": Spec(
        "switch",
        does="vcs.change",
        options={"-f --force --discard-changes": "!vcs.discard +force", "-c -C --create": "=-"},
    ),
    "restore": Spec(
        "restore",
        does="vcs.discard",
        flags="files",
        options={"--staged -S": "+staged", "-W --worktree": "+worktree", "-s --source": "=-"},
    ),
    "stash": Spec(
        "stash",
        sub={
            "drop clear": Spec("drop", does="vcs.discard", flags="stash"),
            "list show": "vcs.read",
            "": "vcs.change",
            "*": "vcs.change",
        },
    ),
    "branch": Spec(
        "branch",
        does="vcs.change",
        options={
            "-D": "!vcs.rewrite +force +branch",
            "-d --delete": "",
            "-f --force": "+force",
            "-m -M -u": "",
            "-a -r -l --list -v -vv --show-current --contains --merged": "!vcs.read",
        },
    ),
    "tag": Spec("tag", does="vcs.change", options={"-d --delete": "", "-l --list -n": "!vcs.read", "-m -F": "=-"}),
    "rebase": Spec("rebase", does="vcs.change", options={"--exec -x": "=code:shell", "--onto -s -X": "=-"}),
    "filter-branch filter-repo": Spec(
        "filter-branch",
        does="vcs.rewrite",
        flags="history",
        options={"--tree-filter --index-filter --msg-filter --env-filter --commit-filter": "=code:shell"},
    ),
    "update-ref": Spec("update-ref", does="vcs.change", options={"-d": "!vcs.rewrite"}),
    "mv": Spec("mv", operands="fs.move* fs.write"),
    "prune": "vcs.discard",
    "rm": Spec(
        "rm",
        operands="fs.delete*",
        options={
            "-r": "+recursive",
            "-f --force": "+force",
            "--cached": "!fs.read",
            "-n --dry-run": "!fs.read",
        },
    ),
    "config": Spec(
        "config",
        does="vcs.change",
        flags="config",
        options={
            "--global --system": "+global",
            "--get --get-all -l --list --get-regexp": "!vcs.read",
            "--unset": "",
        },
    ),
    "remote": Spec("remote", sub={"-v show get-url": "vcs.read", "": "vcs.read", "*": "vcs.change"}),
    "archive bundle format-patch": "vcs.read",
    "*": "vcs.change",
    "": "vcs.read",
}

SPECS = (
    Spec(
        "git",
        sub=_GIT,
        does="vcs.read",
        options={
            "-C": "=chdir",
            "-c --git-dir --work-tree --namespace --exec-path --config-env": "=-",
            "-p --no-pager --paginate --bare": "",
        },
    ),
    Spec(
        "hg svn fossil jj",
        sub={
            "status log diff cat annotate info list id heads summary": "vcs.read",
            "commit ci": "vcs.commit",
            "push": "vcs.push",
            "strip revert purge": "vcs.discard",
            "*": "vcs.change",
        },
    ),
    Spec("pre-commit lefthook husky", does="process.spawn", operands="-*"),
)
