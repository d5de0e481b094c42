"""Programs that work on files and folders."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "ls dir vdir exa eza tree lsd",
        operands="fs.read*",
        default=".",
        flags="names",
        options={"-I --ignore -L --level -w --sort --color": "=-?"},
    ),
    Spec(
        "rm",
        operands="fs.delete*",
        options={
            "-r -R --recursive": "+recursive",
            "-f --force": "+force",
            "--no-preserve-root": "",
            "-i -I -v -d --verbose --dir --interactive --one-file-system --preserve-root": "",
        },
    ),
    Spec("rmdir", operands="fs.delete*", flags="empty", options={"-p --parents": ""}),
    Spec("unlink", operands="fs.delete*"),
    Spec(
        "trash trash-put gio-trash gomi rip", operands="fs.move*", options={"-V --version -l --list -h": "!system.read"}
    ),
    Spec("trash-list trash-restore", does="system.read", operands="-*"),
    Spec(
        "trash-empty",
        does="fs.delete",
        operands="-*",
        flags="trash",
        options={"--dry-run --print-time": "!system.read"},
    ),
    Spec("trash-rm", does="fs.delete", operands="-*", flags="trash"),
    Spec(
        "shred wipe srm scrub bcwipe sfill sdmem sswap secure-delete wipeclean",
        operands="fs.delete*",
        flags="shred",
        bare="system.read",
        options={
            "-n --iterations -s --size -p --pattern --random-source": "=-",
            "-r -R": "+recursive",
            "-u --remove": "",
        },
    ),
    Spec(
        "truncate",
        operands="fs.write*",
        flags="truncate",
        options={"-s --size": "=-", "-r --reference": "=fs.read", "-c -o": ""},
    ),
    Spec(
        "fallocate",
        operands="fs.write*",
        flags="new",
        options={"-l --length -o --offset": "=-", "-p --punch-hole -z --zero-range -c --collapse-range": "+truncate"},
    ),
    Spec("mkfile", operands="- fs.write*", flags="new", options={"-n -v": ""}),
    Spec("sponge", operands="fs.write*", options={"-a": "+append"}),
    Spec(
        "rmlint fdupes jdupes fclones rdfind czkawka_cli hardlink findimagedupes",
        operands="fs.read*",
        flags="names",
        options={
            "-d --delete -deleteduplicates": "!fs.delete +recursive",
            "-o --output -O": "=-",
            "-r -R --recurse -s -S -m": "",
        },
    ),
    Spec(
        "bleachbit",
        does="system.read",
        operands="-*",
        options={
            "-c --clean -s --shred -o --overwrite": "!fs.delete +recursive",
            "-p --preview -l --list": "!system.read",
        },
    ),
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
    Spec("touch", operands="fs.write*", flags="new", options={"-d --date -t -r --reference": "=- +stamped"}),
    Spec("mktemp", does="out.print", options={"-p --tmpdir": "=-"}),
    Spec("mkfifo mkfifoat", operands="fs.write*", flags="new pipe", options={"-m --mode": "=-"}),
    Spec("mknod", operands="fs.write -*", flags="new node", options={"-m --mode": "=-", "-Z --context": "=-?"}),
    Spec("chmod", operands="- fs.mode*", options={"-R --recursive": "+recursive", "--reference": "=- ^"}),
    Spec(
        "chown chgrp",
        operands="- fs.owner*",
        options={"-R --recursive": "+recursive", "--from": "=-", "--reference": "=- ^"},
    ),
    Spec(
        "setfacl nfs4_setfacl",
        operands="fs.attribute*",
        options={
            "-m --modify -s --set -a": "=fs.grant",
            "-x --remove -M -X --restore": "=-",
            "-b --remove-all -k": "",
            "-R --recursive": "+recursive",
            "-d --default -n -t --test": "",
        },
    ),
    Spec(
        "chattr",
        operands="- fs.attribute*",
        flags="attribute",
        options={"-R": "+recursive", "-i -a -u -s -e -d -A -c -j -S -t": "^", "-V -f": ""},
    ),
    Spec(
        "chflags", operands="- fs.attribute*", flags="attribute", options={"-R": "+recursive", "-H -L -P -f -h -v": ""}
    ),
    Spec(
        "setfattr",
        operands="fs.attribute*",
        options={"-n --name -v --value -x --remove": "=-", "--restore": "=fs.read"},
    ),
    Spec("getfattr lsattr getfacl namei", operands="fs.read*", flags="names", options={"-n -m -e": "=-"}),
    Spec(
        "setcap",
        operands="fs.grant fs.mode*",
        flags="capability",
        options={"-r": "^ !system.tune", "-v": "!fs.read", "-n": "=-", "-q": ""},
    ),
    Spec("umask", does="out.print", operands="-*"),
    Spec("du", operands="fs.read*", default=".", flags="names", options={"-d --max-depth": "=-"}),
    Spec(
        "stat df realpath readlink lsof",
        operands="fs.read*",
        flags="names",
        options={"-c --format --printf -d --max-depth -t --type -p -i -u": "=-"},
    ),
    Spec(
        "file wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum md5 xxhsum rhash hashdeep "
        "md5deep sha256 cfv exif exiftool identify mediainfo ffprobe pdfinfo readelf size lddtree "
        "pathchk fincore isutf8 hexyl pngcheck jhead jxlinfo exiv2 rabin2 diskonaut dust dua duc tre broot",
        operands="fs.read*",
        options={"-a --algorithm -m --mime -F -f -D -t": "=-?", "-c --check": ""},
    ),
    Spec("dd", options={}, operands="-*"),
    Spec("tee", operands="fs.write*", options={"-a --append": "+append"}, filters=True),
    Spec(
        "rsync",
        operands="fs.read* fs.write",
        options={
            "--delete --delete-after --delete-before --delete-excluded": "+delete",
            "-e --rsh": "=code:shell",
            "--exclude --include --exclude-from --include-from --filter -f --bwlimit --chmod --chown --port --password-file "
            "-B --block-size --max-size --min-size --timeout -T --temp-dir --compare-dest --link-dest --info --out-format": "=-",
            "--files-from": "=fs.read",
            "--rsync-path": "=code:shell",
            "--log-file": "=fs.write",
            "-n --dry-run": "+dry_run",
            "--remove-source-files": "+removes",
            "--delete-during --delete-delay --del --ignore-errors --force": "+delete",
        },
    ),
    Spec("split csplit", operands="fs.read -*", options={"-b -l -n -a": "=-", "--filter": "=code:shell"}),
    Spec("open xdg-open start", operands="fs.read*"),
    Spec(
        "patch",
        does="fs.write",
        operands="fs.write fs.read",
        options={"-p": "=-", "-i --input": "=fs.read", "--dry-run": "!fs.read"},
    ),
    Spec("dos2unix unix2dos", operands="fs.write*"),
    Spec(
        "rename mmv qmv vidir zmv",
        operands="- fs.move*",
        options={"-n --no-act --nono --dry-run": "!fs.read", "-v -f": ""},
    ),
    Spec(
        "stow",
        does="fs.write",
        operands="-*",
        default=".",
        options={"-d --dir": "=fs.read", "-t --target": "=fs.write", "-n --simulate": "!fs.read"},
    ),
    Spec("exch", operands="fs.move*"),
    Spec("fd fdfind", operands="- fs.read*", options={"-x --exec -X --exec-batch": "=-", "-e -t -E -d": "=-"}),
    Spec("ncdu", operands="fs.read*", default=".", flags="names"),
    Spec("inotifywait watchman", operands="fs.read*"),
)
