"""Modes and owners of files."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "permissions",
    Rule(
        name="permissions_system_wide",
        level=Level.CRITICAL,
        when=(
            effect("fs.mode fs.owner", "recursive", place="root"),
            effect("fs.mode fs.owner", "recursive", "top", place="system"),
        ),
        reason="Changing permissions of the whole system makes it unusable or open to everyone",
        reversible=False,
        match=["$ chmod -R 777 /", "$ sudo chown -R u /usr", "$ chmod --recursive 755 /*"],
        no_match=["$ chmod -R 755 dist", "$ chmod 644 x", "$ ls -l /"],
    ),
    Rule(
        name="world_writable",
        level=Level.HIGH,
        when=effect("fs.mode", "world_writable"),
        reason="Files that everyone may write can be changed by everyone",
        instead="chmod u+rwX {}",
        eased={"scratch": Level.MEDIUM},
        match=["$ chmod 777 app", "$ chmod -R 777 .", "$ chmod o+w /srv/x", "$ chmod a+rwx x"],
        no_match=["$ chmod 755 x", "$ chmod +x build.sh", "$ chmod u+w x", "$ chmod 640 x"],
    ),
    Rule(
        name="set_id",
        level=Level.HIGH,
        when=effect("fs.mode", "set_id"),
        reason="A set-id program runs with its owner's rights, whoever starts it",
        match=["$ chmod u+s /usr/bin/x", "$ chmod 4755 tool"],
        no_match=["$ chmod 0755 tool", "$ chmod +x tool"],
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
        name="owner_change",
        level=Level.MEDIUM,
        when=effect("fs.owner"),
        reason="A new owner may lock others out",
        match=["$ chown -R u:u ~/app", "$ chgrp staff x"],
        no_match=["$ chmod 644 x", "$ ls -l"],
    ),
)
