"""Programs that start and stop services, and schedule work."""

from interlock.analyse.catalogue.spec import Spec

_STARTS = "service.start*"
_STOPS = "service.change*"

SPECS = (
    Spec(
        "systemctl",
        options={
            "-q --quiet --no-pager --system -a --all -l --full --no-legend --no-block --failed --global --plain": "",
            "--user": "+user",
            "--now": "+now",
            "-t --type --state -n --lines -o --output -H --host -M --machine -s --signal -p --property --root -P": "=-",
            "-h --help --version": "!system.read",
        },
        sub={
            "status list-units list-unit-files list-timers list-sockets list-paths list-automounts list-jobs list-machines "
            "list-dependencies show cat is-active is-enabled is-failed is-system-running get-default help show-environment "
            "whoami": "service.read",
            "poweroff reboot halt kexec soft-reboot switch-root": "machine.halt",
            "rescue emergency": "machine.halt",
            "suspend hibernate hybrid-sleep suspend-then-hibernate sleep": "system.change",
            "start enable reenable reload unmask daemon-reload daemon-reexec reload-or-restart try-reload-or-restart "
            "add-wants add-requires preset preset-all reset-failed set-property revert edit bind mount-image "
            "thaw cancel default log-level log-target service-log-level service-log-target service-watchdogs "
            "set-environment unset-environment import-environment exit condreload": Spec(
                "systemctl start", operands=_STARTS
            ),
            "kill": Spec("systemctl kill", operands=_STOPS, options={"-s --signal --kill-whom --kill-value": "=-"}),
            "link": Spec("systemctl link", operands=_STOPS, flags="linked"),
            "disable": Spec("systemctl disable", operands=_STOPS, flags="disabled"),
            "mask": Spec("systemctl mask", operands=_STOPS, flags="disabled"),
            "isolate set-default": Spec("systemctl isolate", operands=_STOPS, flags="isolate"),
            "stop restart try-restart condstop condrestart freeze clean": _STOPS,
            "": "service.read",
            "*": _STOPS,
        },
    ),
    Spec(
        "service invoke-rc.d rc-service",
        verb=1,
        options={"--status-all -l --list -r --resolve -e --exists": "!service.read", "--skip-redirect --quiet": ""},
        sub={
            "status describe help": "service.read",
            "start reload force-reload zap": Spec("service start", operands=_STARTS),
            "": "service.read",
            "*": Spec("service stop", operands="- service.change*"),
        },
    ),
    Spec(
        "update-rc.d chkconfig",
        verb=1,
        options={
            "--list": "!service.read",
            "--add": "!service.start",
            "--del": "!service.change +disabled",
            "--level": "=-",
        },
        sub={
            "defaults defaults-disabled enable on": Spec("update-rc.d enable", operands=_STARTS),
            "": "service.read",
            "*": Spec("update-rc.d disable", operands="- service.change*", flags="disabled"),
        },
    ),
    Spec(
        "rc-update",
        options={"-v --verbose -s --stack -a --all": "", "-u --update": "!service.start"},
        sub={
            "show": "service.read",
            "add": _STARTS,
            "": "service.read",
            "*": Spec("rc-update del", operands="- service.change*", flags="disabled"),
        },
    ),
    Spec("rc-status runlevel sysv-rc-conf", does="service.read", operands="-*"),
    Spec("openrc", does="service.change", operands="-*", bare="service.read"),
    Spec(
        "supervisorctl pm2 s6-svc",
        options={"-c -s -u -p": "=-"},
        sub={
            "status avail tail pid maintail version list ls logs show describe info prettylist jlist id env": "service.read",
            "start reread update add reload startOrReload save resurrect startup monitor flush": _STARTS,
            "shutdown": Spec("supervisorctl shutdown", operands=_STOPS, flags="all"),
            "": "service.read",
            "*": _STOPS,
        },
    ),
    Spec(
        "sv initctl",
        options={"-v": "", "-w": "=-"},
        sub={
            "status list check show-config version": "service.read",
            "start up cont once reload-configuration hup 1 2 alarm": _STARTS,
            "": "service.read",
            "*": _STOPS,
        },
    ),
    Spec(
        "launchctl",
        sub={
            "list print print-cache print-disabled blame plist procinfo hostinfo resolveport dumpstate dumpjpcategory "
            "managerpid manageruid managername error variant version help getenv limit examine": "service.read",
            "load bootstrap enable start kickstart submit setenv unsetenv config attach": _STARTS,
            "reboot": "machine.halt",
            "disable": Spec("launchctl disable", operands=_STOPS, flags="disabled"),
            "": "service.read",
            "*": _STOPS,
        },
    ),
    Spec(
        "apachectl apache2ctl httpd nginx postfix lighttpd varnishd named unbound dovecot caddy",
        options={
            "-t -T -v -V -S -M -D --configtest": "!service.read",
            "-c -f -d -p -g -C": "=-",
            "-s": "=- !service.start",
        },
        sub={
            "status fullstatus configtest check version help validate adapt fmt list-modules environ": "service.read",
            "stop graceful-stop abort restart": _STOPS,
            "": "service.start",
            "*": _STARTS,
        },
    ),
    Spec(
        "a2enmod a2ensite a2enconf phpenmod phpdismod a2dismod a2dissite a2disconf", does="system.tune", operands="-*"
    ),
    Spec(
        "loginctl",
        sub={
            "list-sessions session-status show-session list-users user-status show-user list-seats seat-status show-seat": "system.read",
            "terminate-session terminate-user terminate-seat kill-session kill-user": "process.signal*",
            "poweroff reboot halt": "machine.halt",
            "": "system.read",
            "*": "system.tune",
        },
    ),
    Spec(
        "busctl gdbus dbus-send qdbus machinectl portablectl systemd-analyze systemd-cgls systemd-cgtop systemd-detect-virt "
        "systemd-path systemd-delta systemd-id128 systemd-escape systemd-notify systemd-ac-power oomctl",
        does="system.read",
        operands="-*",
    ),
    Spec(
        "resolvectl systemd-resolve",
        sub={
            "dns domain default-route llmnr mdns dnssec dnsovertls nta revert flush-caches reset-statistics log-level": "system.tune",
            "*": "system.read",
        },
    ),
    Spec(
        "crontab scrontab",
        does="schedule.change",
        operands="-*",
        options={"-l": "!system.read", "-u": "=-", "-r": "+remove", "-e -i": "", "-V --help": "!system.read"},
    ),
    Spec(
        "at batch",
        does="schedule.change",
        operands="-*",
        options={"-l -c -V": "!system.read", "-f": "=fs.read", "-q -t": "=-", "-d -r": "+remove"},
    ),
    Spec("atq", does="system.read", operands="-*"),
    Spec("atrm", does="schedule.change", operands="-*", flags="remove"),
)
