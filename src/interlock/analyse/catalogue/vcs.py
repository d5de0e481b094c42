"""Version control."""

from interlock.analyse.catalogue.spec import Spec

_GIT: dict[str, Spec | str] = {
    "status show blame ls-files ls-tree describe rev-parse rev-list shortlog cat-file name-rev whatchanged "
    "show-ref for-each-ref merge-base var help version count-objects fsck verify-commit verify-tag range-diff cherry check-ignore "
    "annotate bugreport check-attr check-mailmap check-ref-format column diff-files diff-index diff-tree get-tar-commit-id "
    "ls-remote merge-tree patch-id rerere show-branch show-index stripspace survey unpack-file verify-pack diagnose": "vcs.read",
    "log": Spec(
        "log",
        does="vcs.read",
        options={"-S -G": "=history", "-L -n --format --pretty --author --since --until --grep": "=-"},
    ),
    "diff": Spec("diff", does="vcs.read", options={"-S -G -U -O": "=-", "--output": "=fs.write"}),
    "grep": Spec(
        "grep", does="vcs.read", options={"-e -f -A -B -C -m": "=-", "-O --open-files-in-pager": "=code:shell?"}
    ),
    "difftool mergetool": Spec("difftool", does="vcs.read", options={"-x --extcmd": "=code:shell", "-t --tool": "=-"}),
    "add init apply am notes sparse-checkout pack-refs read-tree update-index write-tree commit-tree mktree mktag hash-object stage "
    "fast-import replay citool gui": "vcs.change",
    "bisect": Spec(
        "bisect", sub={"run": Spec("run", operands="command"), "log view visualize": "vcs.read", "*": "vcs.change"}
    ),
    "submodule": Spec(
        "submodule",
        sub={
            "foreach": Spec("foreach", operands="command", options={"--recursive -q": ""}),
            "status summary": "vcs.read",
            "deinit": Spec(
                "deinit",
                does="vcs.change",
                flags="submodule",
                options={"-f --force": "!vcs.discard +force", "--all": ""},
            ),
            "": "vcs.read",
            "*": "vcs.change",
        },
    ),
    "worktree": Spec(
        "worktree",
        sub={
            "list": "vcs.read",
            "remove": Spec("remove", does="vcs.change", options={"-f --force": "!vcs.discard +worktree"}),
            "*": "vcs.change",
        },
    ),
    "reflog": Spec(
        "reflog",
        sub={
            "expire delete drop": Spec(
                "expire", does="vcs.rewrite", flags="reflog", options={"-n --dry-run": "!vcs.read"}
            ),
            "": "vcs.read",
            "*": "vcs.read",
        },
    ),
    "gc maintenance": Spec("gc", does="vcs.change", options={"--prune": "=-?", "--aggressive --auto": ""}),
    "lfs": Spec(
        "lfs",
        sub={"ls-files status env logs": "vcs.read", "prune": Spec("prune", does="vcs.change"), "*": "vcs.change"},
    ),
    "credential": Spec(
        "credential", sub={"fill": Spec("fill", does="secret.read", flags="secret forge_key"), "*": "vcs.change"}
    ),
    "credential-store credential-cache": Spec("credential-store", does="vcs.change", operands="-*"),
    "send-email imap-send": "message.send",
    "daemon instaweb http-backend": "net.listen",
    "svn p4": Spec("svn", sub={"dcommit": "vcs.push", "log info": "vcs.read", "*": "vcs.change"}),
    "fetch pull": Spec(
        "fetch",
        does="vcs.change",
        options={"-f --force": "+force", "--depth -o -j": "=-", "--upload-pack": "=code:shell"},
    ),
    "clone": Spec(
        "clone",
        does="vcs.change",
        operands="repository -*",
        options={
            "-u --upload-pack": "=code:shell",
            "-c --config": "=-",
            "-b --branch --depth -o --origin -j --jobs --reference --filter --template": "=-",
        },
    ),
    "merge": Spec("merge", does="vcs.change", options={"-m -X -s -F": "=-", "--abort --quit": "+abort"}),
    "revert cherry-pick": Spec("revert", does="vcs.change", options={"-m -X -s": "=-", "--abort --quit": "+abort"}),
    "commit": Spec(
        "commit",
        does="vcs.commit",
        options={
            "-m --message --author --date -C -c --fixup --squash": "=-",
            "-F --file": "=fs.read",
            "--amend": "",
            "-n --no-verify": "+no_verify",
        },
    ),
    "push": Spec(
        "push",
        does="vcs.push",
        options={
            "-f --force": "+force",
            "--force-with-lease --force-if-includes": "",
            "--mirror": "+force +mirror",
            "-d --delete": "+delete",
            "--all --tags -u --set-upstream -q": "",
            "--prune": "+delete",
            "-o --push-option --repo": "=-",
            "--no-verify": "+no_verify",
            "--receive-pack --exec": "=code:shell",
            "-n --dry-run": "!vcs.read +dry_run",
        },
    ),
    "reset": Spec(
        "reset",
        does="vcs.change",
        options={"--hard": "!vcs.discard +hard", "--merge --keep": "!vcs.discard +hard", "--soft --mixed -q -p": ""},
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
        options={
            "-f --force": "!vcs.discard +force",
            "-b -B --orphan --conflict -U --unified --inter-hunk-context --pathspec-from-file": "=-",
            "-q --quiet --guess --progress --no-guess --detach -d": "",
            "-t --track --recurse-submodules": "=-?",
        },
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
        options={
            "--staged -S": "+staged",
            "-W --worktree": "+worktree",
            "-s --source --conflict -U --unified --inter-hunk-context --pathspec-from-file": "=-",
            "-p --patch": "+patch",
        },
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
        flags="branch",
        options={
            "-D": "!vcs.rewrite +delete +force",
            "-d --delete": "+delete",
            "-f --force": "+force",
            "-M -C": "+force +renamed",
            "-m -c -u --set-upstream-to --unset-upstream --edit-description": "",
            "-l --list --show-current --contains --no-contains --merged --no-merged --points-at": "!vcs.read",
            "-a -r -v -vv": "",
        },
    ),
    "tag": Spec(
        "tag",
        does="vcs.change",
        flags="tag",
        options={"-d --delete": "+delete", "-l --list -n": "!vcs.read", "-m -F -u": "=-", "-f --force": "+force"},
    ),
    "rebase": Spec(
        "rebase",
        does="vcs.change",
        options={
            "--exec -x": "=code:shell",
            "--onto -s -X": "=-",
            "--abort --quit": "+abort",
            "--edit-todo --show-current-patch": "",
        },
    ),
    "filter-branch filter-repo": Spec(
        "filter-branch",
        does="vcs.rewrite",
        flags="history",
        options={"--tree-filter --index-filter --msg-filter --env-filter --commit-filter": "=code:shell"},
    ),
    "update-ref symbolic-ref": Spec(
        "update-ref", does="vcs.change", options={"-d --delete": "!vcs.rewrite +reference"}
    ),
    "mv": Spec("mv", operands="fs.move* fs.write"),
    "repack": "vcs.change",
    "prune prune-packed": Spec("prune", does="vcs.discard", flags="objects", options={"-n --dry-run": "!vcs.read"}),
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
            "--get --get-all -l --list --get-regexp --get-urlmatch --get-color --get-colorbool": "!vcs.read",
            "--unset --unset-all --remove-section": "",
            "-f --file --blob --type --default": "=-",
        },
    ),
    "remote": Spec(
        "remote",
        sub={
            "show get-url": "vcs.read",
            "remove rm": "vcs.change",
            "": "vcs.read",
            "*": "vcs.change",
        },
    ),
    "archive": Spec(
        "archive",
        does="vcs.read",
        options={"--exec": "=code:shell", "--remote --format --prefix": "=-", "-o --output": "=fs.write"},
    ),
    "bundle format-patch request-pull": "vcs.read",
    "*": "vcs.change",
    "": "vcs.read",
}

#: Settings that make git run a program (`command`), take its hooks from a folder (`path`), or go somewhere else.
SETTINGS = {
    "alias.*": "command",
    "core.pager": "command",
    "core.editor": "command",
    "core.sshcommand": "command",
    "core.fsmonitor": "command",
    "core.askpass": "command",
    "core.gitproxy": "command",
    "core.alternaterefscommand": "command",
    "sequence.editor": "command",
    "diff.external": "command",
    "diff.*.command": "command",
    "diff.*.textconv": "command",
    "merge.*.driver": "command",
    "filter.*.clean": "command",
    "filter.*.smudge": "command",
    "filter.*.process": "command",
    "credential.helper": "helper",
    "credential.*.helper": "helper",
    "gpg.program": "command",
    "gpg.*.program": "command",
    "pager.*": "command",
    "interactive.difffilter": "command",
    "uploadpack.packobjectshook": "command",
    "remote.*.uploadpack": "command",
    "remote.*.receivepack": "command",
    "browser.*.cmd": "command",
    "man.*.cmd": "command",
    "difftool.*.cmd": "command",
    "mergetool.*.cmd": "command",
    "core.hookspath": "path",
    "init.templatedir": "path",
    "include.path": "path",
    "includeif.*.path": "path",
    "core.worktree": "redirected",
    "http.proxy": "redirected",
    "https.proxy": "redirected",
    "http.*.proxy": "redirected",
    "url.*.insteadof": "redirected",
    "url.*.pushinsteadof": "redirected",
    "protocol.ext.allow": "unverified",
    "protocol.allow": "unverified",
    "safe.directory": "ownership",
    "http.sslverify": "off",
    "http.*.sslverify": "off",
    "transfer.fsckobjects": "off",
    "receive.denynonfastforwards": "off",
}

SPECS = (
    Spec(
        "git",
        sub=_GIT,
        does="vcs.read",
        options={
            "-C": "=chdir",
            "-c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source": "=-",
            "--exec-path": "=script?",
            "-p -P --no-pager --paginate --bare --no-replace-objects --literal-pathspecs --no-optional-locks": "",
        },
    ),
    Spec(
        "hg svn fossil",
        sub={
            "status log diff cat annotate info list id heads summary": "vcs.read",
            "commit ci": "vcs.commit",
            "push": "vcs.push",
            "strip revert purge": Spec("revert", does="vcs.discard", flags="files"),
            "*": "vcs.change",
        },
    ),
    Spec(
        "jj",
        sub={
            "status st log diff show files file evolog op operation root help version": "vcs.read",
            "commit ci describe desc": "vcs.commit",
            "git": Spec("git", sub={"push": "vcs.push", "*": "vcs.change"}),
            "*": "vcs.change",
        },
    ),
    Spec("pre-commit lefthook husky", does="process.spawn", operands="-*"),
)
