"""Programs that work on files and folders."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "ls dir vdir exa eza tree lsd",
        operands="fs.read*",
        options={"-I --ignore -L --level -w --sort --color": "=-?"},
    ),
    Spec(
        "rm",
        operands="fs.delete*",
        options={
            "-r -R --recursive": "+recursive",
            "-f --force": "+force",
            "--no-preserve-root": "+no_preserve_root",
            "-i -I -v -d --verbose --dir --interactive --one-file-system --preserve-root": "",
        },
    ),
    Spec("rmdir", operands="fs.delete*", flags="empty", options={"-p --parents": ""}),
    Spec("unlink", operands="fs.delete*"),
    Spec("trash trash-put gio-trash", operands="fs.move*"),
    Spec(
        "shred wipe srm",
        operands="fs.delete*",
        flags="shred",
        options={"-n --iterations -s --size": "=-", "-u --remove": ""},
    ),
    Spec("truncate", operands="fs.write*", flags="truncate", options={"-s --size -r --reference": "=-"}),
    Spec(
        "cp gcp",
        operands="fs.read* fs.write",
        options={
            "-t --target-directory": "=fs.write !fs.read",
            "-r -R -a --recursive --archive": "+recursive",
            "-S --suffix": "=-",
        },
    ),
    Spec(
        "install",
        operands="fs.read* fs.write",
        options={"-m --mode -o --owner -g --group": "=-", "-d --directory": "!fs.write", "-t": "=fs.write !fs.read"},
    ),
    Spec(
        "mv gmv",
        operands="fs.move* fs.write",
        options={"-t --target-directory": "=fs.write !fs.move", "-S --suffix": "=-", "-f --force": "+force"},
    ),
    Spec(
        "ln",
        operands="fs.read* fs.write",
        options={"-s --symbolic": "+link", "-f --force": "+force", "-t": "=fs.write !fs.read"},
    ),
    Spec("mkdir", operands="fs.write*", flags="new", options={"-m --mode": "=-", "-p --parents": ""}),
    Spec("touch", operands="fs.write*", flags="new", options={"-d --date -t -r --reference": "=-"}),
    Spec("mktemp", does="out.print", options={"-p --tmpdir": "=-"}),
    Spec("mkfifo mknod", operands="fs.write -*", flags="new"),
    Spec("chmod", operands="- fs.mode*", options={"-R --recursive": "+recursive", "--reference": "=-"}),
    Spec(
        "chown chgrp",
        operands="- fs.owner*",
        options={"-R --recursive": "+recursive", "--from --reference": "=-"},
    ),
    Spec("setfacl", operands="fs.mode*", options={"-m -x -M -X": "=-", "-R": "+recursive"}),
    Spec("chattr chflags", operands="- fs.mode*", options={"-R": "+recursive"}),
    Spec(
        "stat file du df wc md5sum sha1sum sha256sum sha512sum cksum realpath readlink basename dirname lsof fuser getfacl lsattr namei",
        operands="fs.read*",
        options={"-c --format --printf -d --max-depth": "=-"},
    ),
    Spec("dd", options={}, operands="-*"),
    Spec("tee", operands="fs.write*", options={"-a --append": "+append"}, filters=True),
    Spec(
        "rsync",
        operands="fs.read* fs.write",
        options={
            "--delete --delete-after --delete-before --delete-excluded": "+delete",
            "-e --rsh --exclude --include --files-from": "=-",
            "-n --dry-run": "+dry_run",
            "--remove-source-files": "+delete",
        },
    ),
    Spec(
        "tar gtar bsdtar",
        operands="fs.read*",
        options={
            "-f --file": "=fs.read",
            "-C --directory": "=fs.write",
            "-x --extract": "",
            "-c --create": "",
            "-t --list": "",
            "--exclude -T -X": "=-",
            "--to-command --checkpoint-action -I --use-compress-program": "=code:shell",
        },
    ),
    Spec(
        "zip",
        operands="fs.write fs.read*",
        options={"-r --recurse-paths": "", "-x -i -P": "=-", "-TT": "=code:shell"},
    ),
    Spec("unzip", operands="fs.read -*", options={"-d": "=fs.write", "-x -P": "=-", "-l -t": ""}),
    Spec(
        "gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 compress",
        operands="fs.write*",
        options={"-c --stdout --to-stdout -l -t": "!fs.read", "-d": ""},
        filters=True,
    ),
    Spec("zcat bzcat xzcat zless", operands="fs.read*", filters=True),
    Spec("7z 7za 7zr", operands="- fs.write fs.read*"),
    Spec("split csplit", operands="fs.read -*", options={"-b -l -n -a": "=-", "--filter": "=code:shell"}),
    Spec("open xdg-open start", operands="fs.read*"),
    Spec(
        "patch",
        does="fs.write",
        operands="fs.write fs.read",
        options={"-p": "=-", "-i --input": "=fs.read", "--dry-run": "!fs.read"},
    ),
    Spec("dos2unix unix2dos", operands="fs.write*"),
    Spec("rename", operands="- fs.move*"),
    Spec("fd fdfind", operands="- fs.read*", options={"-x --exec -X --exec-batch": "=-", "-e -t -E -d": "=-"}),
    Spec("ncdu", operands="fs.read*"),
    Spec("inotifywait watchman", operands="fs.read*"),
)
