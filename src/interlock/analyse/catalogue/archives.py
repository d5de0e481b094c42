"""Programs that pack and unpack."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "tar gtar bsdtar",
        operands="fs.read*",
        options={
            "-f --file": "=fs.read",
            "-C --directory": "=fs.write",
            "-x --extract --get": "",
            "-c --create": "",
            "-t --list": "",
            "-P --absolute-names": "+absolute",
            "--remove-files": "+removes",
            "--overwrite --overwrite-dir --unlink-first --recursive-unlink": "+overwrites",
            "--exclude -T --files-from -X --exclude-from --transform --strip-components --owner --group --mode -b -N -L": "=-",
            "--to-command --checkpoint-action -I --use-compress-program --rsh-command -F --info-script": "=code:shell",
        },
    ),
    Spec(
        "zip",
        operands="fs.write fs.read*",
        options={
            "-r --recurse-paths": "",
            "-m --move": "+removes",
            "-x -i -P -b -n -t -tt": "=-",
            "-TT --unzip-command": "=code:shell",
            "-O --out": "=fs.write",
        },
    ),
    Spec(
        "unzip",
        operands="fs.read -*",
        options={"-d": "=fs.write", "-x -P -O -I": "=-", "-l -t -v -Z -p": "", "-o": "+overwrites", ":": "+absolute"},
    ),
    Spec("zipinfo zipcloak zipnote funzip zipdetails lsar", operands="fs.read*"),
    Spec("zipsplit", operands="fs.read*", options={"-b": "=fs.write", "-n -r": "=-"}),
    Spec(
        "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 unlz4 compress uncompress lzip lzma unlzma lzop brotli pigz pbzip2 "
        "gzexe lrzip zopfli compression_tool",
        operands="fs.write*",
        options={
            "-c --stdout --to-stdout -l --list -t --test": "!fs.read",
            "-o --output": "=fs.write",
            "-S --suffix -D -T --threads -Q -q --quality -p --processes": "=-?",
            "-d -k -f -r -v": "",
        },
        filters=True,
    ),
    Spec(
        "zcat bzcat xzcat zless bzless xzless zmore zstdcat lz4cat lzcat gzcat zdiff zcmp bzdiff xzdiff xzcmp zstdless",
        operands="fs.read*",
        filters=True,
    ),
    Spec(
        "7z 7za 7zr 7zz p7zip",
        sub={
            "a u rn": Spec("7z a", operands="fs.write fs.read*", options={"-sdel": "+removes"}),
            "d": Spec("7z d", operands="fs.write -*", flags="drops"),
            "x e": Spec("7z x", operands="fs.read -*", options={"-o": "=fs.write", "-aoa -y": "+overwrites"}),
            "l t i b h": "fs.read*",
            "": "system.read",
            "*": "fs.write fs.read*",
        },
    ),
    Spec(
        "rar",
        sub={
            "a u m mf f": Spec("rar a", operands="fs.write fs.read*", options={"-df": "+removes"}),
            "x e": Spec("rar x", operands="fs.read -* fs.write"),
            "l lt lb v vt t p": "fs.read*",
            "*": "fs.write fs.read*",
        },
    ),
    Spec(
        "unrar",
        sub={"x e": Spec("unrar x", operands="fs.read -*"), "*": "fs.read*"},
    ),
    Spec(
        "cpio",
        does="fs.read",
        operands="-*",
        default=".",
        options={
            "-i --extract -p --pass-through": "!fs.write",
            "-o --create -t --list": "",
            "-D --directory": "=fs.write",
            "-F --file -I -O -E -H --format -C -M": "=-",
        },
    ),
    Spec(
        "unar unp dtrx atool aunpack patool ouch extract",
        operands="fs.read*",
        options={"-o --output-directory -X -d": "=fs.write"},
    ),
    Spec(
        "mksquashfs mkisofs genisoimage xorrisofs shar",
        operands="fs.read* fs.write",
        options={"-o -output": "=fs.write", "-V -comp -b -e": "=-"},
    ),
    Spec(
        "unsquashfs sqfscat rdsquashfs", operands="fs.read -*", options={"-d -dest": "=fs.write", "-l -ll -s -stat": ""}
    ),
)
