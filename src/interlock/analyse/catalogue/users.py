"""Programs that make, change and remove people's accounts."""

from interlock.analyse.catalogue.spec import Spec

_ACCOUNT = {
    "-G --groups --group -g --gid --ingroup --primary-group": "=user.grant",
    "-u --uid": "=user.grant",
    "-o --non-unique": "+not_unique",
    "-d --home --home-dir --home-path -s --shell -c --comment --gecos -k --skel -b --base-dir -e --expiredate --conf "
    "-f --inactive -K --key -R --root -P --prefix --firstuid --lastuid -Z --selinux-user": "=-",
    "-p --password": "=- +password",
    "-m --create-home -M --no-create-home -r --system -N -U -l --disabled-password --disabled-login --no-create-home "
    "--quiet --force-badname -a --append --move-home": "",
    "-D --defaults -h --help": "!system.read",
}

SPECS = (
    Spec("useradd", does="user.add", operands="-*", options=_ACCOUNT),
    Spec(
        "adduser addgroup",
        does="user.add",
        operands="- user.grant",
        options={**_ACCOUNT, "-G": "=user.grant", "-D": ""},
    ),
    Spec("groupadd newusers groupmod groupmems", does="user.add", operands="-*", options={"-g --gid": "=-", "-o": ""}),
    Spec(
        "usermod",
        does="user.add",
        operands="-*",
        options={
            **_ACCOUNT,
            "-l --login": "=-",
            "-L --lock": "!user.change +lock",
            "-U --unlock": "+unlock",
            "-p --password": "=- !user.change +password",
        },
    ),
    Spec(
        "gpasswd",
        does="user.add",
        operands="user.grant",
        options={"-a --add -d --delete -A --administrators -M --members": "=-", "-r -R": "+lock"},
    ),
    Spec("newgrp", does="process.spawn", operands="-*"),
    Spec(
        "userdel deluser",
        does="user.change",
        operands="-*",
        flags="remove",
        options={"-r --remove --remove-home --remove-all-files": "+home", "-f --force": ""},
    ),
    Spec("groupdel delgroup", does="user.change", operands="-*", flags="remove"),
    Spec(
        "passwd",
        does="user.change",
        operands="-*",
        flags="password",
        options={
            "-S --status -a --all": "!system.read",
            "-l --lock": "+lock",
            "-d --delete": "+empty",
            "-u --unlock": "+unlock",
            "-n -x -w -i -r -q -R --root": "=-",
        },
    ),
    Spec("chpasswd chgpasswd", does="user.change", operands="-*", flags="password", options={"-c -s -R": "=-"}),
    Spec(
        "chage", does="user.change", operands="-*", options={"-l --list": "!system.read", "-d -E -I -m -M -W -R": "=-"}
    ),
    Spec("chsh", does="system.tune", operands="-*", options={"-s --shell": "=-", "-l --list-shells": "!system.read"}),
    Spec("chfn ypchsh edquota setquota quotaon quotaoff quotacheck", does="system.tune", operands="-*"),
    Spec(
        "visudo",
        does="fs.write",
        operands="-*",
        flags="privileges",
        options={"-c --check -q --quiet": "!system.read", "-f --file": "=-"},
        default="",
    ),
    Spec("vipw vigr", does="user.change", operands="-*"),
    Spec(
        "faillock pam_tally2",
        does="system.read",
        operands="-*",
        options={"--user --dir": "=-", "--reset -r": "!system.tune"},
    ),
    Spec("pwck grpck", does="system.read", operands="-*"),
    Spec("pwconv pwunconv grpconv grpunconv", does="user.change", operands="-*"),
    Spec(
        "authconfig authselect pam-auth-update",
        does="user.change",
        operands="-*",
        flags="signin",
        options={"--test --help --probe": "!system.read"},
    ),
    Spec("realm", sub={"list discover": "system.read", "": "system.read", "*": "user.change"}),
    Spec(
        "homectl",
        sub={
            "list inspect": "system.read",
            "create update resize lock unlock activate deactivate authenticate": "user.add",
            "with": Spec("homectl with", operands="- command"),
            "": "system.read",
            "*": "user.change",
        },
    ),
    Spec(
        "getent whoami id groups users w who last lastb lastlog lslogins finger pinky logname members quota repquota faillog utmpdump",
        does="system.read",
        operands="-*",
        options={"-f --file -n -s -t": "=-", "-C --clear": "!trace.erase", "-r": "!system.read"},
    ),
    # macOS
    Spec(
        "dscl",
        options={"-u -P -f": "=-", "-p -q -raw -plist -url": ""},
        sub={
            ". localhost /Local/Default /Search /LDAPv3/127.0.0.1": Spec(
                "dscl",
                options={
                    "-read -readall -readpl -readpli -list -search -diff -cd": "!system.read",
                    "-create -append -merge -change -changei -createpl -createpli": "!user.change",
                    "-passwd": "!user.change +password",
                    "-delete -deletepl": "!user.change +remove",
                },
                sub={
                    "read readall list search diff": "system.read",
                    "passwd": Spec("dscl passwd", does="user.change", operands="-*", flags="password"),
                    "delete": Spec("dscl delete", does="user.change", operands="-*", flags="remove"),
                    "*": "user.change",
                },
            ),
            "*": "user.change",
        },
    ),
    Spec(
        "sysadminctl",
        does="user.change",
        operands="-*",
        options={
            "-adminUser -adminPassword -fullName -UID -GID -shell -password -hint -home -picture": "=-",
            "-addUser": "=- !user.add",
            "-admin": "!user.change +admin",
            "-deleteUser": "=- +remove",
            "-resetPasswordFor -newPassword": "=- +password",
            "-secureTokenStatus -screenLock": "=- !system.read",
            "-guestAccount": "=-",
        },
    ),
    Spec(
        "dseditgroup",
        does="user.change",
        operands="user.grant",
        options={"-o": "=-", "-a -d -t -u -P -n -i": "=-", "-p -q": ""},
    ),
    Spec("dsenableroot", does="user.change", operands="-*", flags="root"),
    Spec(
        "fdesetup",
        sub={
            "status list isactive haspersonalrecoverykey usingrecoverykey supportsauthrestart": "system.read",
            "disable": "defence.disable",
            "remove changerecovery removerecovery": "system.change",
            "*": "system.tune",
        },
    ),
    Spec("odutil dsmemberutil dscacheutil", does="system.read", operands="-*"),
)
