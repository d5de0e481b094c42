"""Package managers of the system: what they read, install and remove, and what weakens their checks."""

from interlock.analyse.catalogue.spec import Spec

_CHECKS_OFF = (
    "--allow-unauthenticated --force-yes --nogpgcheck --no-gpg-check --no-gpg-checks --allow-untrusted --nosignature --nodigest "
    "--allow-unsigned-rpm --no-verify --no-gpg-verify --allow-insecure-repositories --allow-downgrade-to-insecure-repositories --dangerous"
)
_INSTALL = Spec(
    "install",
    operands="package.install*",
    does="package.install",
    flags="system",
    options={
        _CHECKS_OFF: "+unsigned",
        "-s --simulate --dry-run --just-print --no-act --recon --download-only -d --downloadonly --print-uris": "!package.read",
        "-t --target-release -o --option -c --config-file --repo --repofrompath --enablerepo --disablerepo --from --releasever --installroot --setopt -X --repository -x --exclude": "=-",
        "-y --yes --assume-yes -q --quiet -f --fix-broken -m --no-install-recommends --no-recommends -V --reinstall --only-upgrade --classic --channel": "",
        "--purge --allow-change-held-packages": "+purge",
        "--allow-remove-essential --force-remove-essential": "+forced",
    },
)
_REMOVE = Spec(
    "remove",
    operands="package.remove*",
    does="package.remove",
    flags="system",
    options={
        "-s --simulate --dry-run --just-print --no-act --recon": "!package.read",
        "--purge --autoremove --auto-remove": "+purge",
        "--allow-remove-essential --force-remove-essential --nodeps --force": "+forced",
        "-o --option -c --config-file --setopt --installroot": "=-",
        "-y --yes --assume-yes -q --quiet": "",
    },
)
_REPOSITORY = Spec(
    "repository",
    does="system.change",
    flags="package_source",
    operands="-*",
    options={"--dump -l --list": "!package.read"},
)
_SYSTEM: dict[str, Spec | str] = {
    "install in reinstall upgrade up full-upgrade dist-upgrade dup distro-sync dsync safe-upgrade patch add groupinstall group localinstall build-dep source fix swap downgrade module offline-upgrade system-upgrade si inr ve": _INSTALL,
    "update refresh ref makecache check-update": "package.read",
    "remove rm autoremove erase del uninstall": _REMOVE,
    "purge autopurge": Spec(
        "purge", operands="package.remove*", does="package.remove", flags="system purge", options=_REMOVE.options
    ),
    "list search show info policy depends rdepends provides repolist repoinfo history check deplist download cache showpkg changelog showsrc pkgnames leaves repoquery "
    "updateinfo lr repos se if wp what-provides packages patches lu list-updates dot madison stats fetch version verify query audit": "package.read",
    "clean autoclean clean-all cc": "package.read",
    "addrepo ar removerepo rr modifyrepo mr config-manager edit-sources add-key copr": _REPOSITORY,
    "mark hold unhold pin addlock al removelock rl versionlock": "process.run",
    "*": "package.read",
}

SPECS = (
    Spec(
        "apt apt-get aptitude yum dnf dnf4 dnf5 microdnf tdnf zypper apk nala apt-fast eopkg swupd xbps-install tlmgr-system urpmi slackpkg",
        sub=_SYSTEM,
        options={
            _CHECKS_OFF: "+unsigned",
            "-y --yes -q -qq --quiet --assume-yes --no-cache -n --non-interactive -U --update-cache -v --verbose": "",
            "-o --option -t -c --config-file --setopt --repo --releasever --installroot -p --root -R --enablerepo --disablerepo": "=-",
        },
    ),
    Spec(
        "apt-cache apt-file apt-config apt-listchanges dpkg-query dpkg-deb dpkg-scanpackages pacman-conf pkgfile rpm2cpio apt-rdepends deborphan debtree apt-show-versions pactree paccheck expac pkg-config pkgconf",
        does="package.read",
        operands="-*",
    ),
    Spec(
        "apt-mark", sub={"showmanual showauto showhold showinstall minimize-manual": "package.read", "*": "process.run"}
    ),
    Spec(
        "apt-key",
        sub={
            "list finger export exportall": "package.read",
            "*": Spec("add", does="system.change", flags="package_source", operands="-*"),
        },
    ),
    Spec(
        "add-apt-repository apt-add-repository",
        does="system.change",
        flags="package_source",
        operands="-*",
        options={"-L --list": "!package.read", "-r --remove -y -n -S -P": ""},
    ),
    Spec(
        "do-release-upgrade",
        does="package.install",
        operands="-*",
        flags="system",
        options={"-c --check-dist-upgrade-only -V": "!package.read"},
    ),
    Spec(
        "unattended-upgrade unattended-upgrades needrestart-apt",
        does="package.install",
        operands="-*",
        flags="system",
        options={"--dry-run": "!package.read"},
    ),
    Spec(
        "dpkg",
        operands="package.read*",
        does="package.read",
        options={
            "-i --install --unpack": "!package.install",
            "-r --remove -P --purge": "!package.remove +system",
            "--configure --set-selections --add-architecture --clear-selections": "!process.run",
            "--force-all --force-remove-essential --force-depends --force-overwrite": "+forced",
            "--dry-run --no-act --simulate": "!package.read",
            "--root --admindir --instdir -D": "=-",
        },
    ),
    Spec(
        "rpm",
        operands="package.read*",
        does="package.read",
        options={
            "-i --install -U -F --upgrade --freshen --reinstall": "!package.install",
            "-e --erase": "!package.remove +system",
            "-q --query -V --verify -K --checksig -qa -qi -ql -qf -qpi -qpl -qip -qlp -qR -qd -qc -Va": "!package.read",
            "--import": "=- !system.change +package_source",
            "--nodeps --force --replacefiles --replacepkgs": "+forced",
            "--nosignature --nodigest --nofiledigest": "+unsigned",
            "--root -r --dbpath -E --eval": "=-",
            "--test": "!package.read",
        },
    ),
    Spec("pacman yay paru pikaur trizen pamac aura", does="package.read", operands="package.read*"),
    Spec(
        "pacman-key",
        does="system.change",
        flags="package_source",
        operands="-*",
        options={"-l --list-keys -f --finger -v --verify -h --help": "!package.read"},
    ),
    Spec(
        "makepkg debuild dpkg-buildpackage rpmbuild abuild fpm checkinstall nfpm",
        does="process.spawn",
        operands="-*",
        options={"-i --install": "!package.install"},
    ),
    Spec(
        "emerge",
        operands="package.install*",
        does="package.install",
        flags="system",
        options={
            "-s --search -S --searchdesc -p --pretend --info --list-sets --sync -h": "!package.read",
            "-C --unmerge -c --depclean --prune": "!package.remove",
            "-a -v -u -D -N -q -1": "",
        },
    ),
    Spec(
        "brew",
        options={"-v --verbose -q --quiet -d --debug": ""},
        sub={
            "install reinstall upgrade link ln switch": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={"-n --dry-run": "!package.read", "--appdir --cask --formula -f --force --HEAD": ""},
            ),
            "tap": Spec("tap", operands="package.install*", flags="tap", does="package.read"),
            "bundle": Spec(
                "bundle",
                sub={
                    "list check dump exec env sh": "package.read",
                    "cleanup": "package.remove",
                    "*": "package.install",
                    "": "package.install",
                },
            ),
            "uninstall remove rm untap autoremove unlink": Spec(
                "uninstall",
                operands="package.remove*",
                does="package.remove",
                options={"-n --dry-run": "!package.read"},
            ),
            "services": Spec(
                "services", sub={"list info ls": "service.read", "": "service.read", "*": "service.change*"}
            ),
            "*": "package.read",
        },
    ),
    Spec(
        "mas",
        sub={"install upgrade purchase lucky": "package.install*", "uninstall": "package.remove*", "*": "package.read"},
    ),
    Spec(
        "port",
        sub={
            "install upgrade activate": "package.install*",
            "uninstall deactivate": "package.remove*",
            "selfupdate sync": "package.install",
            "*": "package.read",
        },
    ),
    Spec(
        "snap",
        sub={
            "install refresh try": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                flags="system",
                options={"--dangerous --devmode": "+unsigned", "--channel --revision": "=-", "--list --classic": ""},
            ),
            "remove": Spec(
                "remove",
                operands="package.remove*",
                does="package.remove",
                options={"--purge": "+purge", "--revision": "=-"},
            ),
            "connect disconnect set unset alias enable disable revert": "process.run",
            "start stop restart": "service.change*",
            "run": Spec("run", operands="command", options={"--shell": ""}),
            "*": "package.read",
        },
    ),
    Spec(
        "flatpak",
        sub={
            "install update": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={"--from --bundle": "", "-y --user --system": ""},
            ),
            "uninstall remove": Spec(
                "uninstall",
                operands="package.remove*",
                does="package.remove",
                options={"--delete-data": "+purge", "-y --unused --all": ""},
            ),
            "remote-add remote-modify": Spec(
                "remote-add",
                does="package.install",
                operands="-*",
                options={"--no-gpg-verify": "+unsigned", "--if-not-exists --user": ""},
            ),
            "run": Spec(
                "run", operands="process.spawn", options={"--command --branch --arch --env --filesystem": "=-"}
            ),
            "override": Spec("override", does="process.run", operands="-*"),
            "*": "package.read",
        },
    ),
    Spec(
        "nix-env",
        does="package.read",
        operands="-*",
        options={
            "-i --install -iA -u --upgrade": "!package.install",
            "-e --uninstall": "!package.remove",
            "-q --query -qa": "!package.read",
            "-f -p": "=-",
        },
    ),
    Spec(
        "nix-shell",
        operands="-*",
        does="package.install",
        options={"--run --command": "=code:shell", "-p --packages": "", "-I -A -E --arg --argstr": "=-", "--pure": ""},
    ),
    Spec(
        "nix",
        sub={
            "run": Spec(
                "run", operands="package.install -*", flags="run", options={"-f --file -I --inputs-from": "=-"}
            ),
            "shell develop": Spec(
                "shell",
                operands="package.install*",
                does="package.install",
                options={"-c --command": "=command", "-I -f --file": "=-"},
            ),
            "profile": Spec(
                "profile",
                sub={"install add upgrade": "package.install*", "remove": "package.remove*", "*": "package.read"},
            ),
            "build flake": "process.spawn",
            "store": Spec("store", sub={"delete gc": "package.remove", "*": "package.read"}),
            "*": "package.read",
        },
    ),
    Spec(
        "nix-collect-garbage",
        does="package.remove",
        operands="-*",
        options={"--dry-run": "!package.read", "-d --delete-old --delete-older-than": ""},
    ),
    Spec(
        "nix-channel",
        does="package.read",
        operands="-*",
        options={"--add": "!package.install", "--remove": "!package.remove", "--update": "!package.install"},
    ),
    Spec(
        "guix",
        sub={
            "install upgrade pull": "package.install*",
            "remove": "package.remove*",
            "shell environment": Spec("shell", operands="-*", does="package.install"),
            "*": "package.read",
        },
    ),
    Spec(
        "choco winget scoop",
        sub={
            "install upgrade update import": Spec(
                "install",
                operands="package.install*",
                does="package.install",
                options={
                    "-s --source": "=- +index",
                    "--ignore-checksums --allow-empty-checksums --ignore-security-hash": "+unsigned",
                    "--id -e -v --version": "=-",
                    "-y": "",
                },
            ),
            "uninstall": "package.remove*",
            "source bucket": Spec(
                "source",
                sub={
                    "list export": "package.read",
                    "*": Spec("add", does="system.change", flags="package_source", operands="-*"),
                },
            ),
            "push": "package.publish",
            "*": "package.read",
        },
    ),
    Spec(
        "pkg pkg_add pkgin opkg",
        sub={
            "install add upgrade": Spec(
                "install", operands="package.install*", does="package.install", options=_INSTALL.options
            ),
            "delete remove autoremove": _REMOVE,
            "*": "package.read",
        },
    ),
    Spec(
        "installer",
        does="package.install",
        operands="-*",
        flags="system",
        options={"-pkg": "=package.install", "-target": "=-", "-pkginfo -dominfo -volinfo": "!package.read"},
    ),
    # smaller distributions and bundles
    Spec(
        "installpkg upgradepkg alien paclock emaint netselect-apt",
        does="package.install",
        operands="-*",
    ),
    Spec("reflector netselect", does="package.read", operands="-*", options={"--save": "=fs.write"}),
)
