"""Programs of macOS that tell about files, programs and the machine."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "pkgutil",
        does="system.read",
        operands="-*",
        options={
            "--forget --learn": "=- !system.tune",
            "--expand --expand-full --flatten": "",
            "--file-info --file-info-plist --files --pkg-info": "=-",
        },
    ),
    Spec(
        "symbols atos otool dwarfdump vtool dyld_info lsbom assetutil",
        operands="fs.read*",
        options={"-arch -lookup -o -l": "=-"},
    ),
    Spec(
        "codesign",
        operands="fs.write*",
        options={
            "-d --display -v --verify -h": "!fs.read",
            "-s --sign --entitlements -i --identifier -o --options -r --requirements": "=-",
            "--remove-signature": "",
        },
    ),
    Spec(
        "lipo",
        operands="fs.read*",
        options={
            "-output -o": "=fs.write",
            "-info -archs -detailed_info": "",
            "-thin -extract -remove -verify_arch": "=-",
        },
    ),
    Spec(
        "plutil",
        operands="fs.read*",
        options={
            "-lint -p -type": "!fs.read",
            "-convert -insert -replace": "=- !fs.write",
            "-remove": "=- !fs.write",
            "-o": "=fs.write",
            "-extract": "=-",
        },
    ),
    Spec("PlistBuddy", operands="fs.write*", options={"-c": "=-", "-x -h": ""}),
    Spec(
        "sips",
        operands="fs.read*",
        options={
            "-g --getProperty": "=-",
            "-o --out": "=fs.write",
            "-s --setProperty -z --resampleHeightWidth -Z -r --rotate -c": "=- !fs.write",
        },
    ),
    Spec(
        "textutil",
        operands="fs.read*",
        options={"-convert -format -encoding -inputencoding -font -fontsize": "=-", "-output -outputdir": "=fs.write"},
    ),
    Spec(
        "xattr",
        operands="fs.read*",
        options={"-w": "=- !fs.attribute", "-d": "=- !fs.attribute", "-c": "!fs.attribute", "-r -l -p -s -v -x": ""},
    ),
    Spec("SetFile setfile GetFileInfo tag qlmanage mdimport", does="system.read", operands="-*"),
    Spec(
        "say afplay afinfo afconvert audacious",
        does="system.read",
        operands="-*",
        options={"-o": "=fs.write", "-f": "=fs.read", "-v -r": "=-"},
    ),
    Spec("ditto", operands="fs.read* fs.write", options={"-c -x -k -V -v --rsrc": "", "--arch": "=-"}),
    Spec("sysdiagnose airport", does="system.read", operands="-*"),
    Spec(
        "profiles",
        sub={
            "list show status help validate version": "system.read",
            "": "system.read",
            "install": "system.change",
            "remove": "defence.disable",
            "*": "system.read",
        },
    ),
    Spec(
        "log",
        does="system.read",
        operands="-*",
        options={"--predicate --last --style --start --end": "=-"},
        sub={"erase": "trace.erase", "*": "system.read"},
    ),
    Spec("mdutil", does="system.tune", operands="-*", options={"-s -a": "!system.read"}),
    Spec(
        "kextload kextunload kmutil",
        does="kernel.change",
        operands="-*",
        flags="file",
        options={"--help": "!system.read"},
    ),
    Spec("softwareupdate", does="system.change", operands="-*", options={"-l --list --history -h": "!system.read"}),
    Spec(
        "xcode-select SafeEjectGPU shortcuts dark-mode",
        does="system.tune",
        operands="-*",
        options={"-p --print-path -v": "!system.read"},
    ),
    Spec("osacompile", does="fs.write", operands="fs.read*", options={"-o": "=fs.write", "-e": "=-"}),
    Spec(
        "security",
        sub={
            # Without `-w` or `-g` only the attributes are shown.
            "find-generic-password find-internet-password": Spec(
                "find",
                does="system.read",
                operands="-*",
                options={"-w -g": "!secret.read", "-a -s -l -D -C -c -G -j -d -p -P -r -t": "=-"},
            ),
            "dump-keychain export": "secret.read",
            "delete-generic-password delete-internet-password delete-keychain delete-certificate delete-identity": "system.change",
            "add-trusted-cert": "system.change",
            "authorizationdb": "system.change",
            "*": "system.read",
        },
    ),
)
