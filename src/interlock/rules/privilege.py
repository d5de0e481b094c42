"""Rights, people, and what protects the machine."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "privilege",
    Rule(
        name="sudoers_write",
        level=Level.CRITICAL,
        when=effect("fs.write fs.move fs.delete fs.mode", "privileges"),
        reason="Who may become root would change",
        reversible=False,
        match=["$ echo 'u ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers", "$ tee /etc/sudoers.d/u < x"],
        no_match=["$ cat /etc/sudoers"],
    ),
    Rule(
        name="accounts_write",
        level=Level.CRITICAL,
        when=(
            effect("fs.write fs.delete fs.move", "accounts", place="system"),
            effect("fs.write fs.delete fs.move", "secret", place="system"),
        ),
        reason="The list of accounts decides who can sign in",
        reversible=False,
        match=["$ echo x >> /etc/passwd", "$ cp shadow /etc/shadow"],
        no_match=["$ cat /etc/passwd", "$ echo x > passwd"],
    ),
    Rule(
        name="sudo_command",
        level=Level.HIGH,
        when=effect("privilege.raise"),
        reason="Elevated privileges can affect system stability",
        eased={"reads": Level.MEDIUM, "unknown": Level.MEDIUM},
        match=[
            "$ sudo make install",
            "$ doas reboot",
            "$ su -c 'make install'",
            "$ env X=1 sudo -u root tee x",
        ],
        no_match=["$ echo sudo", "$ man sudo"],
    ),
    Rule(
        name="user_change",
        level=Level.HIGH,
        when=effect("user.change"),
        reason="Accounts and passwords decide who can sign in",
        match=["$ useradd eve", "$ passwd root", "$ usermod -aG sudo eve"],
        no_match=["$ whoami", "$ id"],
    ),
    Rule(
        name="kernel_change",
        level=Level.HIGH,
        when=effect("kernel.change"),
        reason="Kernel modules and settings act on the whole machine",
        match=["$ modprobe x", "$ sysctl -w net.ipv4.ip_forward=1"],
        no_match=["$ lsmod", "$ sysctl -a"],
    ),
    Rule(
        name="defence_disabled",
        level=Level.HIGH,
        when=effect("defence.disable"),
        reason="A protection of the machine would be turned off",
        match=["$ setenforce 0", "$ ufw disable", "$ iptables -F", "$ history -c"],
        no_match=["$ ufw status", "$ iptables -L", "$ getenforce"],
    ),
    Rule(
        name="system_setting",
        level=Level.MEDIUM,
        when=effect("system.change"),
        reason="A setting of the whole machine would change",
        match=["$ timedatectl set-timezone UTC", "$ ufw allow 22"],
        no_match=["$ timedatectl status", "$ date"],
    ),
)
