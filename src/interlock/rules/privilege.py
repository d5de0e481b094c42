"""Privilege escalation."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

RULES = family(
    "privilege",
    Rule(
        name="sudoers_write",
        level=Level.CRITICAL,
        when=effect("fs.write fs.move fs.delete fs.mode fs.attribute", "privileges"),
        reason="Who may become root would change",
        reversible=False,
        match=["$ echo 'u ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers", "$ tee /etc/sudoers.d/u < x", "$ visudo"],
        no_match=["$ cat /etc/sudoers", "$ visudo --check"],
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
        name="sign_in_files",
        level=Level.CRITICAL,
        when=effect(
            "fs.write fs.delete fs.move",
            place="system",
            named=path_like(
                "/etc/pam.d/*",
                "/etc/security/*",
                "/etc/ssh/*",
                "/etc/group",
                "/etc/login.defs",
                "/etc/polkit-1/*",
                "/etc/doas.conf",
            ),
        ),
        reason="These files control who may sign in, and how",
        instead="cat {}",
        match=[
            "$ echo 'PermitRootLogin yes' >> /etc/ssh/sshd_config",
            "$ rm /etc/pam.d/su",
            "$ tee -a /etc/doas.conf < x",
        ],
        no_match=["$ cat /etc/ssh/sshd_config", "$ sshd -t", "$ echo x > sshd_config"],
    ),
    Rule(
        name="sudo_command",
        level=Level.HIGH,
        when=effect("privilege.raise"),
        reason="Elevated privileges can affect system stability",
        eased={"reads": Level.MEDIUM, "understood": Level.MEDIUM},
        match=[
            "$ sudo make install",
            "$ doas reboot",
            "$ su -c 'make install'",
            "$ env X=1 sudo -u root tee x",
        ],
        no_match=["$ echo sudo", "$ man sudo"],
    ),
    Rule(
        name="shell_escape",
        level=Level.HIGH,
        when=effect("process.run", "shell_escape"),
        reason="A shell opened from another program takes commands that nobody checks",
        match=[
            "$ awk 'BEGIN { system(\"/bin/sh\") }'",
            "$ vim -c ':!/bin/sh'",
            "$ perl -e 'exec \"/bin/sh\"'",
            "$ gdb -nx -ex '!sh' -ex quit",
        ],
        no_match=[
            "$ awk 'BEGIN { system(\"date\") }'",
            "$ vim notes.txt",
            "$ perl -e 'exec \"/bin/ls\"'",
            "$ sh build.sh",
        ],
    ),
)
