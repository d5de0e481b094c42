"""Disks and file systems."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "disks",
    Rule(
        name="format_disk",
        level=Level.CRITICAL,
        floor=True,
        when=effect("disk.wipe"),
        reason="Disk formatting destroys all data",
        reversible=False,
        instead="lsblk",
        match=[
            "$ mkfs.ext4 /dev/sda1",
            "$ dd if=/dev/zero of=/dev/sda",
            "$ fdisk /dev/sda",
            "$ wipefs -a /dev/nvme0n1",
            "$ cat x > /dev/sda",
        ],
        no_match=[
            "$ fdisk -l",
            "$ dd if=/dev/zero of=disk.img",
            ">>> '{}'.format(x)",
            "$ echo information",
            "$ git format-patch -1",
            "$ lsblk",
        ],
    ),
    Rule(
        name="mount_change",
        level=Level.MEDIUM,
        when=effect("fs.mount"),
        reason="Mounting changes what the machine sees at a path",
        match=["$ mount /dev/sdb1 /mnt", "$ umount /mnt"],
        no_match=["$ mount -l", "$ df -h"],
    ),
)
