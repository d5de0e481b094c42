"""Programs that protect the machine, and what turns them off: firewalls, mandatory access control, audit, logs."""

from interlock.analyse.catalogue.spec import Spec

_TABLES = {
    "-L --list -S --list-rules -C --check -h --help -V --version": "!system.read",
    "-F --flush -X --delete-chain": "!defence.disable +flush",
    "-D --delete": "=- !defence.disable",
    "-P --policy": "=- !defence.disable +policy",
    "-A --append -I --insert -R --replace -N --new-chain -Z --zero -E": "=- !system.change",
    "-p -s -d -j -t -i -o -m --protocol --source --destination --jump --table --dport --sport --to-port": "=-",
    "-n -v -x --line-numbers -w": "",
}

SPECS = (
    # mandatory access control
    Spec(
        "setenforce",
        sub={"1 Enforcing enforcing": "defence.change", "": "system.read", "*": "defence.disable"},
    ),
    Spec(
        "getenforce sestatus seinfo sesearch matchpathcon audit2why audit2allow getsebool aa-status "
        "apparmor_status aa-enabled aa-unconfined aa-notify aa-decode aa-features-abi",
        does="system.read",
        operands="-*",
    ),
    Spec("setsebool restorecon restorecond chcon", does="defence.change", operands="-*", options={"-P -N -V": ""}),
    Spec(
        "semanage semodule",
        does="defence.change",
        operands="-*",
        options={
            "-l --list --list-modules -E --extract": "!system.read",
            "-t --type -p --proto -s -r": "=-",
            "-d --delete --disable -R --deleteall": "!defence.disable",
        },
    ),
    Spec(
        "aa-enforce aa-audit aa-genprof aa-logprof aa-mergeprof aa-cleanprof aa-autodep aa-easyprof",
        does="defence.change",
        operands="-*",
    ),
    Spec("aa-complain aa-disable aa-teardown aa-remove-unknown", does="defence.disable", operands="-*"),
    Spec(
        "apparmor_parser",
        does="defence.change",
        operands="-*",
        options={
            "-R --remove": "!defence.disable",
            "-C --Complain": "!defence.disable",
            "-N --names -p -S -V": "!system.read",
        },
    ),
    # firewalls
    Spec(
        "ufw",
        options={"--dry-run": "!system.read", "--force": "", "--version": "!system.read"},
        sub={
            "status version show app help": "system.read",
            "disable reset": "defence.disable",
            "delete": "defence.disable",
            "allow limit": Spec("ufw allow", does="defence.change", operands="-*", flags="opens"),
            "default": Spec("ufw default", sub={"allow": "defence.disable", "*": "defence.change"}),
            "": "system.read",
            "*": "defence.change",
        },
    ),
    Spec(
        "iptables ip6tables ebtables arptables iptables-nft iptables-legacy",
        does="system.change",
        operands="-*",
        options=_TABLES,
    ),
    Spec(
        "iptables-save ip6tables-save conntrack",
        does="system.read",
        operands="-*",
        options={"-f --file": "=fs.write", "-t -M": "=-", "-D --delete -F --flush": "!system.change"},
    ),
    Spec(
        "iptables-restore ip6tables-restore iptables-apply",
        does="defence.disable",
        operands="-*",
        flags="replaced",
        options={"-t --test": "!system.read", "-T -M -w": "=-"},
    ),
    Spec(
        "nft",
        does="system.change",
        options={"-f --file": "=- !system.change", "-c --check": "!system.read", "-a -n -j -s -y": ""},
        sub={
            "list monitor describe export": "system.read",
            "flush delete destroy reset": "defence.disable",
            "*": "system.change",
        },
    ),
    Spec(
        "ipset",
        sub={"list test save version": "system.read", "flush destroy del": "defence.disable", "*": "defence.change"},
    ),
    Spec(
        "firewall-cmd firewall-offline-cmd",
        does="system.read",
        operands="-*",
        options={
            "--add-port --add-service --add-rich-rule --add-source --add-interface --add-masquerade --add-forward-port --new-zone "
            "--change-interface": "=-? !defence.change",
            "--reload --complete-reload --runtime-to-permanent": "!defence.change",
            "--remove-port --remove-service --remove-rich-rule --remove-source --remove-interface --delete-zone --direct "
            "--set-default-zone --panic-on --panic-off --set-target --reset-to-defaults": "=-? !defence.disable",
            "--zone --policy --timeout": "=-",
            "--permanent --list-all --state --get-active-zones": "",
        },
    ),
    Spec(
        "pfctl",
        does="system.read",
        operands="-*",
        options={
            "-d -F": "=-? !defence.disable",
            "-e -E": "!defence.change",
            "-f": "=- !system.change",
            "-s -t -a -T -k -i": "=-",
            "-n -v -q": "",
        },
    ),
    Spec(
        "csf fail2ban-client crowdsec cscli",
        sub={
            "status ping get version -v --version list metrics decisions alerts hub banned -l -t -g": "system.read",
            "stop unban unload flushlogs delete remove -x -f --disable --stop": "defence.disable",
            "": "system.read",
            "*": "defence.change",
        },
    ),
    # audit, logs and traces
    Spec(
        "auditctl",
        does="defence.change",
        operands="-*",
        options={
            "-D": "!defence.disable",
            "-d -W": "=- !defence.disable",
            "-e": "=- !defence.disable",
            "-l -s -h -v -i -c": "!system.read",
            "-a -A -w -p -k -F -S -b -f -r": "=-",
        },
    ),
    Spec("augenrules auditd", does="defence.change", operands="-*", options={"--check": "!system.read"}),
    Spec(
        "journalctl",
        does="system.read",
        operands="-*",
        options={
            "-u --unit -n --lines --since -S --until -U -p --priority -t --identifier -g --grep -o --output -D --directory -M -b --boot -k "
            "--user-unit --file": "=-?",
            "--vacuum-size --vacuum-time --vacuum-files": "=-? !trace.erase",
            "--rotate --flush --relinquish-var --sync --update-catalog --setup-keys": "!system.tune",
            "-f --follow -x -e -r --no-pager": "",
        },
    ),
    Spec(
        "logrotate",
        does="system.tune",
        operands="-*",
        options={"-d --debug": "!system.read", "-f --force": "+force", "-s -l": "=-"},
    ),
    Spec("wevtutil", sub={"cl clear-log": "trace.erase", "*": "system.read"}),
    Spec("Clear-EventLog Remove-EventLog Limit-EventLog", does="trace.erase", operands="-*"),
    Spec("history", does="system.read", operands="-*", options={"-c -d": "=-? !trace.erase", "-w -a -r -n -p -s": ""}),
    Spec("fc", does="system.read", operands="-*", options={"-p -P": "!trace.erase"}),
    Spec("logger", does="out.print", operands="-*", options={"-f --file": "=fs.read", "-t -p -n -P -i": "=-"}),
    # scanners: they look, and may remove what they find
    Spec(
        "clamscan clamdscan",
        operands="fs.read*",
        flags="names",
        default=".",
        options={
            "--remove": "=-? !fs.delete +recursive",
            "--move --copy": "=fs.write",
            "-r -i -v": "",
            "-l --log": "=fs.write",
        },
    ),
    Spec(
        "freshclam chkrootkit rkhunter lynis unhide debsums aide tripwire ossec-control maldet checksec needrestart logwatch debsecan",
        does="system.read",
        operands="-*",
    ),
    Spec(
        "nordvpn protonvpn mullvad piactl mozillavpn expressvpn warp-cli",
        sub={
            "status account countries cities servers settings version help relay info get": "system.read",
            "disconnect d": "defence.change",
            "*": "system.tune",
        },
    ),
    # the agents of security products
    Spec(
        "falconctl falcon-ctl mdatp sentinelctl sentinelone cbagentd cbctl elastic-agent wazuh-control ossec-agent qualys-cloud-agent osqueryctl santactl esets sophos savdctl jamf kesl-control",
        sub={
            "health status version stats info list get -g definitions fileinfo": "system.read",
            "": "system.read",
            "*": "defence.disable",
        },
    ),
    # macOS
    Spec(
        "spctl",
        does="system.read",
        operands="-*",
        options={
            "--master-disable --global-disable --disable": "!defence.disable",
            "--add --enable --remove --master-enable --global-enable --reset-default": "!defence.change",
            "--status --disable-status --assess -a": "!system.read",
            "-t --type --label --requirement": "=-",
        },
    ),
    Spec(
        "csrutil",
        sub={"status report": "system.read", "enable": "defence.change", "": "system.read", "*": "defence.disable"},
    ),
    Spec("tccutil", does="defence.disable", operands="-*"),
    Spec(
        "socketfilterfw",
        does="system.read",
        operands="-*",
        options={
            "--setglobalstate --setblockall --remove --unblockapp --setallowsigned": "=- !defence.disable",
            "--add --blockapp": "=- !defence.change",
        },
    ),
    # other guards
    Spec(
        "vectimus agentshield nah cc-safety-net dippy dcg",
        sub={
            "rule rules pack packs policy": Spec(
                "rule",
                sub={
                    "disable remove delete off": "defence.disable",
                    "list show": "system.read",
                    "": "system.read",
                    "*": "defence.change",
                },
            ),
            "disable uninstall off pause remove": "defence.disable",
            "status list test check version help": "system.read",
            "init install enable setup": "defence.change",
            "*": "process.run",
        },
    ),
)
