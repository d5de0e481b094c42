"""Administration: ordinary work on a machine runs, and what breaks, locks out, hides or destroys is asked about."""

from __future__ import annotations

import pytest

from interlock import Action, Level, Verdict
from tests.reading import ENGINE, WHERE

ORDINARY = [
    "systemctl start nginx",
    "systemctl start redis",
    "systemctl",
    "service nginx status",
    "service --status-all",
    "rc-update",
    "launchctl print system/com.example.web",
    "kill -0 4711",
    "kill -CONT 4711",
    "kill -n 9 4711",
    "kill 4711 -9",
    "kill %2",
    "make serve & kill $!",
    "make serve & P=$!; sleep 2; kill $P",
    "pkill -USR2 puma",
    "renice 5 -p 4711",
    "timedatectl set-timezone Europe/Berlin",
    "hostname",
    "uname -srm",
    "passwd -S sam",
    "dscl . -read /Users/sam",
    "sysctl -w vm.max_map_count=262144",
    "ufw allow 8443/tcp",
    "wipefs /dev/sdb",
    "parted /dev/sdb print",
    "cryptsetup status data",
    "mkfs.ext4 ./root.img",
    "mkswap ~/swap.img",
    "dd if=/dev/sdb of=./card.img",
    "mount",
    "swapon",
    "umount /mnt/usb",
    "btrfs subvolume list /mnt",
    "journalctl -u web -n 20",
    "setfacl -m u:www:rx /var/www/html",
    "setcap -r /usr/local/bin/web",
    "7z x a.7z -oout",
    "tar -cPf x.tar notes",
    "stress-ng --vm 1 --timeout 20s",
    "chown --reference a b",
]


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_work_runs(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).verdict is Verdict.ALLOW


ASKED = [
    "systemctl stop web",
    "systemctl disable web",
    "service web stop",
    "update-rc.d web remove",
    "kill -TERM -1",
    "kill -- -1",
    "kill -STOP 1",
    "pkill -STOP -u sam",
    "useradd -m -s /bin/bash sam",
    "usermod -aG video,sudo sam",
    "useradd --uid 0 --non-unique sam",
    "dscl . create /Users/sam UniqueID 0",
    "net localgroup Administrators sam /add",
    "sysctl kernel.core_pattern=x vm.swappiness=1",
    "sysctl vm.swappiness=1 kernel.core_pattern=x",
    "ufw default allow incoming",
    "ufw allow ssh",
    "nft flush ruleset",
    "iptables -t nat --flush",
    "wipefs -af /dev/sdb",
    "parted -s /dev/sdb rm 2",
    "mkfs.ext4 $TARGET",
    "mkfs.ext4 /tmp/../dev/sdb",
    "mkfs.ext4 image",
    "zfs destroy tank/home",
    "lvremove vg0/home",
    "umount -a",
    "chattr -i /etc/group",
    "setcap cap_setuid=ep ./web",
    "setfacl -m other::rw notes",
    "chmod a=rwx notes",
    "chmod =rw notes",
    "chmod u=rw,o=w notes",
    "chmod 2755 web",
    "tar --extract -P -f x.tar",
    "stress-ng --vm 4 --vm-keep",
    "cat /proc/4711/environ",
    "ln -sf /dev/null ~/.zsh_history",
]


@pytest.mark.parametrize("command", ASKED)
def test_what_cannot_be_taken_back_easily_is_asked_about(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).verdict >= Verdict.REQUIRE_APPROVAL


EVERYONE = ["kill -9 -1", "kill -s KILL -1", "kill --signal=KILL -- -1", "kill -TERM 1", "sudo kill -9 -1"]


@pytest.mark.parametrize("command", EVERYONE)
def test_a_signal_to_everyone_is_critical(command: str) -> None:
    assert ENGINE.decide(Action.shell(command, **WHERE)).assessment.level is Level.CRITICAL
