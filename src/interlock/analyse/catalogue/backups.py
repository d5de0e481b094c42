"""Backups: making one loses nothing, forgetting one does."""

from interlock.analyse.catalogue.spec import Spec

_GONE = Spec("forget", does="disk.change", operands="-*", flags="backup", options={"-n --dry-run": "!system.read"})

SPECS = (
    Spec(
        "restic rustic",
        options={"-r --repo -p --password-file": "=-"},
        sub={
            "forget prune": _GONE,
            "snapshots ls find stats check diff cat list version": "system.read",
            "restore": Spec(
                "restore",
                operands="-*",
                options={"-t --target": "=fs.write +overwrites", "-i --include -H --host --path": "=-"},
            ),
            "key": Spec("key", sub={"remove passwd": _GONE, "list": "system.read", "*": "process.run"}),
            "*": "fs.write",
        },
    ),
    Spec(
        "borg borgmatic",
        sub={"delete prune recreate": _GONE, "list info check diff": "system.read", "*": "fs.write"},
    ),
    Spec(
        "kopia",
        sub={
            "snapshot": Spec("snapshot", sub={"delete expire": _GONE, "list ls": "system.read", "*": "fs.write"}),
            "*": "system.read",
        },
    ),
    Spec(
        "tarsnap",
        does="fs.write",
        operands="-*",
        options={"-d --nuke": "!disk.change +backup", "--list-archives -t": "!system.read"},
    ),
)
