"""System files that many programs depend on."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

RULES = family(
    "system",
    Rule(
        name="package_records",
        level=Level.CRITICAL,
        when=effect(
            "fs.delete fs.move fs.write",
            place="system",
            named=path_like(
                "/var/lib/dpkg*", "/var/lib/rpm*", "/var/lib/pacman*", "/lib/apk/*", "/var/db/pkg*", "/var/db/receipts*"
            ),
        ),
        reason="Without the package database, nothing can be installed, updated or removed",
        reversible=False,
        match=["$ rm /var/lib/dpkg/status", "$ rm -rf /var/lib/rpm"],
        no_match=["$ ls /var/lib/dpkg", "$ rm -rf lib/rpm"],
    ),
    Rule(
        name="shared_library",
        level=Level.CRITICAL,
        when=effect(
            "fs.delete fs.move fs.write",
            place="system",
            named=path_like("/lib*/*.so*", "/usr/lib*/*.so*", "/bin/*sh", "/usr/bin/*sh", "/sbin/init"),
        ),
        reason="Nearly every program needs this file, including the tools to repair it",
        reversible=False,
        match=["$ rm /lib/x86_64-linux-gnu/libc.so.6", "$ cp x /bin/bash", "$ mv /usr/lib/libcrypto.so.3 /tmp/"],
        no_match=["$ ldd /bin/bash", "$ rm build/libx.so"],
    ),
    Rule(
        name="name_resolution",
        level=Level.HIGH,
        when=effect(
            "fs.write fs.delete fs.move",
            place="system",
            named=path_like("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/private/etc/hosts"),
        ),
        reason="Host names would resolve to other machines",
        match=["$ echo '10.0.0.1 github.com' >> /etc/hosts", "$ tee /etc/resolv.conf < x"],
        no_match=["$ cat /etc/hosts", "$ echo x > hosts"],
    ),
    Rule(
        name="mount_table",
        level=Level.HIGH,
        when=effect(
            "fs.write fs.delete fs.move",
            place="system",
            named=path_like("/etc/fstab", "/etc/crypttab", "/etc/exports", "/etc/mdadm*"),
        ),
        reason="A mistake in the mount table can keep the machine from starting",
        instead="findmnt --verify",
        match=["$ echo '/dev/sdb1 /data ext4' >> /etc/fstab", "$ rm /etc/crypttab"],
        no_match=["$ cat /etc/fstab", "$ echo x > fstab"],
    ),
    Rule(
        name="trust_store",
        level=Level.HIGH,
        when=effect(
            "fs.write fs.delete fs.move",
            place="system",
            named=path_like(
                "/etc/ssl/*",
                "/etc/pki/*",
                "/usr/local/share/ca-certificates*",
                "/usr/share/ca-certificates*",
                "/etc/ca-certificates*",
            ),
        ),
        reason="A trusted certificate authority can impersonate any website",
        match=["$ cp evil.crt /usr/local/share/ca-certificates/evil.crt", "$ rm -rf /etc/ssl/certs"],
        no_match=["$ ls /etc/ssl/certs", "$ cp a.crt certs/a.crt"],
    ),
    Rule(
        name="link_system",
        level=Level.HIGH,
        when=effect("fs.write", "link", place="system root"),
        reason="A link in a system folder makes other programs use what it points to",
        match=["$ ln -sf /tmp/x /usr/bin/python3", "$ ln -s ~/app /etc/app"],
        no_match=["$ ln -s ../a b", "$ ls -l /usr/bin/python3"],
    ),
    Rule(
        name="registry_change",
        level=Level.HIGH,
        when=effect("system.change", "registry"),
        reason="The registry controls how the machine starts and how it is protected",
        match=[
            "$ reg delete 'HKLM\\SOFTWARE\\App' /f",
            "$ reg add 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run' /v x /d x.exe",
            "$ powershell -Command \"Remove-Item -Path 'HKLM:\\SOFTWARE\\App' -Recurse\"",
        ],
        no_match=[
            "$ reg query 'HKLM\\SOFTWARE\\App'",
            "$ powershell -Command \"Get-ItemProperty 'HKLM:\\SOFTWARE\\App'\"",
        ],
    ),
    Rule(
        name="system_setting",
        level=Level.HIGH,
        when=effect("system.change", without="backup dry_run"),
        reason="A setting of the whole machine would change",
        match=[
            "$ date -s '2020-01-01'",
            "$ iptables -A INPUT -j DROP",
            "$ timedatectl set-time 10:00",
            "$ systemctl suspend",
        ],
        no_match=["$ timedatectl status", "$ date", "$ timedatectl set-timezone UTC"],
    ),
    Rule(
        name="small_setting",
        level=Level.MEDIUM,
        when=effect("system.tune"),
        reason="A machine setting would change, which is easy to reverse",
        match=[
            "$ timedatectl set-timezone UTC",
            "$ hostname web1",
            "$ update-alternatives --config editor",
        ],
        no_match=["$ timedatectl", "$ hostname", "$ update-alternatives --list editor"],
    ),
)
