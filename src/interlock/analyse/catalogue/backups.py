"""Backups: making one loses nothing, forgetting one does."""

from interlock.analyse.catalogue.spec import Spec

_GONE = Spec("forget", does="disk.change", operands="-*", flags="backup", options={"-n --dry-run": "!system.read"})
_REPLACED = Spec("restore", does="db.drop", operands="-*", flags="replaced")

SPECS = (
    Spec(
        "restic rustic",
        options={"-r --repo -p --password-file": "=-"},
        sub={
            "forget prune": _GONE,
            "snapshots ls find stats check diff cat list version": "system.read",
            "key": Spec("key", sub={"list": "system.read", "remove": _GONE, "*": "fs.write"}),
            "restore": Spec(
                "restore", does="fs.write", options={"-t --target": "=fs.write", "--dry-run": "!system.read"}
            ),
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
        "pgbackrest",
        options={"--stanza --config --repo --type --set": "=-"},
        sub={
            "expire stanza-delete": _GONE,
            "restore": _REPLACED,
            "info check version help verify repo-ls repo-get": "system.read",
            "*": "fs.write",
        },
    ),
    Spec(
        "barman wal-g wal-e",
        options={"-c --config": "=-"},
        sub={
            "delete": _GONE,
            "backup-fetch": _REPLACED,
            "recover": Spec("recover", does="fs.write", operands="- - fs.write"),
            "list-backup list-backups list-server list-servers show-backup show-server check status diagnose "
            "backup-list backup-show wal-show wal-verify": "system.read",
            "*": "fs.write",
        },
    ),
    Spec(
        "xtrabackup mariabackup mariadb-backup innobackupex",
        does="db.read",
        flags="dump",
        operands="-*",
        options={"--copy-back --move-back": "!db.drop +replaced", "--target-dir --datadir --user --password": "=-?"},
    ),
    Spec(
        "duplicity",
        operands="-*",
        does="fs.write",
        options={"--no-encryption --force": "", "--encrypt-key --sign-key --time -t --file-to-restore": "=-"},
        sub={
            "remove-older-than remove-all-but-n-full remove-all-inc-of-but-n-full cleanup": _GONE,
            "restore": Spec(
                "restore", operands="- fs.write", options={"--time -t --file-to-restore": "=-", "--force": ""}
            ),
            "collection-status list-current-files verify": "system.read",
            "*": "fs.write",
        },
    ),
    Spec(
        "tarsnap",
        does="fs.write",
        operands="-*",
        options={"-d --nuke": "!disk.change +backup", "--list-archives -t": "!system.read"},
    ),
)
