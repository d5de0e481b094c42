"""Protection and logs of the machine: firewalls, access control, audit trails, histories."""

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import MachineNames
from interlock.levels import Level
from interlock.rules.privacy import is_hidden
from interlock.rules.rule import Rule, any_of, effect, family, path_like

_WORDS = read_table("machine-names", MachineNames)

# Services and processes that watch over the machine: audit, firewalls, access control, malware, endpoint agents.
_WATCHERS = path_like(*_WORDS.watchers)
_LOGS = path_like(*_WORDS.logs)
_HISTORY = path_like(*_WORDS.histories)
_MAC_GUARDS = path_like(*_WORDS.mac_guards)
# Ports for signing in to a machine or controlling it, and those of databases and brokers.
_REMOTE_PORTS = any_of(
    " ".join((*_WORDS.remote_ports, *(f"{port}/tcp" for port in _WORDS.remote_ports), *_WORDS.remote_services))
)

RULES = family(
    "defence",
    Rule(
        name="watcher_stopped",
        level=Level.CRITICAL,
        when=(
            effect("service.change", named=_WATCHERS),
            effect("local.change", "user", named=_WATCHERS),
            effect("process.signal", named=_WATCHERS),
        ),
        reason="Monitoring of the machine would stop",
        match=[
            "$ systemctl stop auditd",
            "$ systemctl disable --now firewalld",
            "$ service rsyslog stop",
            "$ pkill -9 falcon-sensor",
            "$ launchctl unload /Library/LaunchDaemons/com.crowdstrike.falcond.plist",
            "$ sc stop WinDefend",
        ],
        no_match=[
            "$ systemctl status auditd",
            "$ systemctl start auditd",
            "$ systemctl stop nginx",
            "$ pgrep falcon-sensor",
        ],
    ),
    Rule(
        name="firewall_opened",
        level=Level.HIGH,
        when=effect("defence.disable", "flush"),
        reason="Without rules, the firewall lets everything in or locks everyone out",
        instead="iptables -L -n",
        match=["$ iptables -F", "$ ip6tables --flush INPUT", "$ sudo iptables -X"],
        no_match=["$ iptables -L", "$ iptables-save"],
    ),
    Rule(
        name="firewall_policy",
        level=Level.HIGH,
        when=(effect("defence.disable", "policy"), effect("defence.disable", "replaced")),
        reason="The default rule decides what can reach the machine",
        match=["$ iptables -P INPUT ACCEPT", "$ iptables --policy FORWARD DROP", "$ iptables-restore rules.v4"],
        no_match=["$ iptables -S", "$ iptables-restore --test rules.v4"],
    ),
    Rule(
        name="remote_login_opened",
        level=Level.HIGH,
        when=effect("defence.change", "opens", named=_REMOTE_PORTS),
        reason="Sign-in, remote control or databases would be open to everyone",
        match=["$ ufw allow 22", "$ ufw allow OpenSSH", "$ ufw allow 3389/tcp", "$ ufw allow 6379"],
        no_match=["$ ufw allow 443", "$ ufw allow from 10.0.0.4 to any port 22", "$ ufw status"],
    ),
    Rule(
        name="defence_disabled",
        level=Level.HIGH,
        when=(effect("defence.disable"), effect("system.tune", named=_MAC_GUARDS)),
        reason="A protection of the machine would be turned off",
        match=[
            "$ setenforce 0",
            "$ /usr/sbin/setenforce Permissive",
            "$ ufw disable",
            "$ iptables -F",
            "$ aa-complain /etc/apparmor.d/usr.bin.x",
            "$ auditctl -e 0",
            "$ sudo spctl --master-disable",
            "$ csrutil disable",
            "$ defaults write /Library/Preferences/com.apple.alf globalstate -int 0",
            "$ tccutil reset All",
            "$ fail2ban-client unban --all",
            "$ Set-MpPreference -DisableRealtimeMonitoring $true",
        ],
        no_match=[
            "$ ufw status",
            "$ iptables -L",
            "$ getenforce",
            "$ setenforce 1",
            "$ aa-status",
            "$ auditctl -l",
            "$ csrutil status",
        ],
    ),
    Rule(
        name="log_erased",
        level=Level.CRITICAL,
        when=(
            effect("fs.delete fs.move", place="system", named=_LOGS),
            effect("fs.delete fs.write", "truncate", place="system", named=_LOGS),
            effect("fs.delete fs.write", "shred", place="system", named=_LOGS),
        ),
        reason="Logs show what happened",
        reversible=False,
        instead="journalctl -n 50",
        match=[
            "$ rm -rf /var/log/nginx",
            "$ truncate -s 0 /var/log/auth.log",
            "$ shred -u /var/log/wtmp",
            "$ mv /var/log/syslog /tmp/x",
        ],
        no_match=["$ tail /var/log/syslog", "$ rm app.log", "$ cat /var/log/auth.log"],
    ),
    Rule(
        name="log_overwritten",
        level=Level.HIGH,
        when=effect("fs.write", without="append", place="system", named=_LOGS),
        reason="A log edited by hand no longer shows what happened",
        reversible=False,
        match=["$ echo > /var/log/auth.log", "$ cp /dev/null /var/log/wtmp", "$ sed -i /eve/d /var/log/auth.log"],
        no_match=["$ cat /var/log/auth.log", "$ echo x > app.log"],
    ),
    Rule(
        name="trace_erased",
        level=Level.HIGH,
        when=effect("trace.erase"),
        reason="The machine's records of what happened would be deleted",
        reversible=False,
        instead="journalctl --disk-usage",
        match=["$ history -c", "$ dmesg -C", "$ journalctl --vacuum-time=1s", "$ wevtutil cl Security"],
        no_match=["$ history", "$ dmesg", "$ journalctl -u nginx", "$ wevtutil qe System"],
    ),
    Rule(
        name="history_erased",
        level=Level.HIGH,
        when=effect("fs.write fs.delete fs.move fs.attribute", named=_HISTORY),
        reason="The command history shows what was done, and by whom",
        reversible=False,
        match=[
            "$ rm ~/.bash_history",
            "$ cat /dev/null > ~/.zsh_history",
            "$ ln -sf /dev/null ~/.bash_history",
            "$ shred ~/.bash_history",
        ],
        no_match=["$ tail ~/.bash_history", "$ history | tail"],
    ),
    Rule(
        name="audit_files",
        level=Level.CRITICAL,
        when=effect("fs.write fs.delete fs.move", "defence_config", place="system"),
        reason="These files control monitoring, logging and access",
        match=[
            "$ rm /etc/audit/rules.d/audit.rules",
            "$ sed -i s/enforcing/disabled/ /etc/selinux/config",
            "$ cp x /etc/fail2ban/jail.local",
        ],
        no_match=["$ cat /etc/selinux/config", "$ ls /etc/apparmor.d"],
    ),
    Rule(
        name="time_stamp_forged",
        level=Level.HIGH,
        when=(
            effect("fs.write", "stamped", place="system root"),
            effect("fs.write", "stamped", place="scratch home outside", named=is_hidden),
        ),
        reason="A copied timestamp makes a changed system file look untouched",
        match=[
            "$ touch -r /bin/ls /usr/bin/x",
            "$ touch -d '2020-01-01' /etc/hosts",
            "$ touch -r /bin/ls /tmp/.x/job",
            ">>> import os; os.utime('/etc/cron.d/x', (1, 1))",
        ],
        no_match=["$ touch -d '2020-01-01' notes.txt", "$ stat /etc/hosts", "$ touch -r a.txt /tmp/b.txt"],
    ),
    Rule(
        name="defence_change",
        level=Level.MEDIUM,
        when=effect("defence.change"),
        reason="A rule of the firewall or of access control would change",
        match=[
            "$ ufw allow 443",
            "$ aa-enforce /etc/apparmor.d/x",
            "$ firewall-cmd --add-port=443/tcp",
            "$ setsebool x on",
        ],
        no_match=["$ ufw status", "$ aa-status", "$ firewall-cmd --list-all"],
    ),
    Rule(
        name="shell_history_off",
        level=Level.HIGH,
        when=effect("trace.erase", "history"),
        reason="Commands would leave no trace",
        match=["$ unset HISTFILE", "$ export HISTFILE=/dev/null", "$ export HISTSIZE=0", "$ set +o history"],
        no_match=["$ history", "$ export HISTSIZE=10000", "$ set -o history"],
    ),
)
