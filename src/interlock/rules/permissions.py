"""Modes, owners, attributes and capabilities of files."""

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import MachineNames
from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

_WORDS = read_table("machine-names", MachineNames)

_KEYS = path_like(*_WORDS.keys)

_SYSTEM = path_like(*_WORDS.system_folders)
_CAPABILITIES = _WORDS.root_capabilities


def _as_root(entry: str) -> bool:
    """Whether a capability lets a program become root in one step."""
    return any(f"cap_{name}" in entry.lower() for name in _CAPABILITIES) or entry.startswith(("=", "all"))


def _opens_to_all(entry: str) -> bool:
    """Whether an access-control entry lets everyone write: `o::rw`, `other::rwx`."""
    return any(
        part.startswith(("o:", "other:", "d:o:", "default:other:")) and "w" in part.rpartition(":")[2]
        for part in entry.split(",")
    )


RULES = family(
    "permissions",
    Rule(
        name="permissions_system_wide",
        level=Level.CRITICAL,
        when=(
            effect("fs.mode fs.owner fs.attribute", "recursive", place="root"),
            effect("fs.mode fs.owner fs.attribute", "recursive", "top", place="system"),
        ),
        reason="Changing permissions of the whole system makes it unusable or open to everyone",
        reversible=False,
        match=[
            "$ chmod -R 777 /",
            "$ sudo chown -R u /usr",
            "$ chmod --recursive 755 /*",
            "$ setfacl -R -m u:eve:rwx /",
        ],
        no_match=["$ chmod -R 755 dist", "$ chmod 644 x", "$ ls -l /"],
    ),
    Rule(
        name="permissions_home_wide",
        level=Level.HIGH,
        when=effect("fs.mode fs.owner fs.attribute", "recursive", "top", place="home"),
        reason="Changing the mode of a whole home folder exposes its keys or locks its owner out",
        reversible=False,
        match=["$ chmod -R 755 ~", "$ chown -R nobody /home/u"],
        no_match=["$ chmod 755 ~/bin/x", "$ chown -R u ~/app"],
    ),
    Rule(
        name="world_writable",
        level=Level.HIGH,
        when=(effect("fs.mode", "world_writable"), effect("fs.grant", named=_opens_to_all)),
        reason="World-writable files can be changed by anyone",
        instead="chmod u+rwX {}",
        eased={"scratch": Level.MEDIUM},
        match=[
            "$ chmod 777 app",
            "$ chmod -R 777 .",
            "$ chmod o+w /srv/x",
            "$ chmod a+rwx x",
            "$ chmod a=rwx x",
            "$ chmod ugo+w x",
            "$ chmod 1777 x",
            "$ setfacl -m o::rwx x",
        ],
        no_match=[
            "$ chmod 755 x",
            "$ chmod +x build.sh",
            "$ chmod u+w x",
            "$ chmod 640 x",
            "$ chmod o-w x",
            "$ chmod u=rwx,go=rx x",
        ],
    ),
    Rule(
        name="set_id",
        level=Level.HIGH,
        when=effect("fs.mode", "set_id"),
        reason="A set-user-ID program runs with its owner's privileges, no matter who starts it",
        match=["$ chmod u+s /usr/bin/x", "$ chmod 4755 tool", "$ chmod +s tool", "$ chmod g+s,o-w tool"],
        no_match=["$ chmod 0755 tool", "$ chmod +x tool", "$ chmod u-s tool"],
    ),
    Rule(
        name="capability_grant",
        level=Level.HIGH,
        when=effect("fs.grant", "capability", named=_as_root),
        reason="This capability is as good as root for anyone who starts the program",
        instead="getcap {}",
        match=["$ setcap cap_setuid+ep ./tool", "$ setcap cap_net_raw,cap_dac_override=eip /usr/local/bin/x"],
        no_match=["$ getcap ./tool", "$ setcap -r ./tool", "$ setcap cap_net_bind_service=+ep ./tool"],
    ),
    Rule(
        name="access_system",
        level=Level.HIGH,
        when=effect("fs.attribute", without="attribute", named=_SYSTEM),
        reason="An access list grants access to system files beyond their modes",
        instead="getfacl {}",
        match=["$ setfacl -m u:eve:rw /etc/hosts", "$ setfacl -R -m g::rwx /root"],
        no_match=["$ getfacl /etc/hosts", "$ setfacl -m u:www:rx /var/www", "$ setfacl -m u:eve:rw notes.txt"],
    ),
    Rule(
        name="locked_out",
        level=Level.HIGH,
        when=effect("fs.mode", "closed", "recursive"),
        reason="Removing all permissions locks everyone out",
        match=["$ chmod -R 000 src", "$ chmod -R a-rwx ~/data"],
        no_match=["$ chmod 600 key", "$ chmod -R go-w src"],
    ),
    Rule(
        name="key_opened",
        level=Level.HIGH,
        when=(
            effect("fs.mode fs.owner", "secret", place="system"),
            effect("fs.grant fs.attribute", named=_KEYS),
            effect("fs.mode", "secret", "world_readable"),
        ),
        reason="Permissions of a file with keys or passwords keep others from reading it",
        match=[
            "$ chmod 644 /etc/shadow",
            "$ chown u /etc/shadow",
            "$ setfacl -m u:eve:r /etc/shadow",
            "$ chmod o+r .env",
        ],
        no_match=["$ chmod 600 ~/.ssh/id_rsa", "$ stat /etc/shadow"],
    ),
    Rule(
        name="system_permissions",
        level=Level.HIGH,
        when=effect("fs.mode fs.owner", place="system root"),
        reason="Permissions of system files keep the machine safe",
        match=["$ chmod 644 /etc/shadow", "$ chown u /etc/hosts"],
        no_match=["$ chmod 644 x", "$ stat /etc/hosts"],
    ),
    Rule(
        name="immutable_changed",
        level=Level.HIGH,
        when=effect("fs.attribute", "attribute", place="system root"),
        reason="Attributes protect system files from changes, or lock their owner out",
        match=["$ chattr -i /etc/passwd", "$ chattr +i /etc/resolv.conf", "$ sudo chflags noschg /etc/hosts"],
        no_match=["$ lsattr /etc/passwd", "$ chattr +i notes.txt"],
    ),
    Rule(
        name="attribute_change",
        level=Level.MEDIUM,
        when=effect("fs.attribute", without="attribute"),
        reason="File attributes and access lists control who may use a file and record its origin",
        eased={"scratch": Level.LOW, "workspace": Level.LOW},
        match=["$ xattr -w user.note x ~/Downloads/app.zip", "$ setfacl -m u:www:rx /srv/www"],
        no_match=["$ xattr -l app.zip", "$ getfacl /srv/www"],
    ),
    Rule(
        name="owner_change",
        level=Level.MEDIUM,
        when=effect("fs.owner"),
        reason="A new owner may lock others out",
        match=["$ chown -R u:u ~/app", "$ chgrp staff x"],
        no_match=["$ chmod 644 x", "$ ls -l"],
    ),
)
