"""Programs that work on the machine: disks, services, processes, people, the kernel, its defences."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    # disks
    Spec(
        "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mke2fs mkswap newfs",
        operands="disk.wipe*",
        options={"-t --type -L -b -U -N -m": "=-", "-F -f": "", "-n": ""},
    ),
    Spec(
        "fdisk sfdisk cfdisk gdisk sgdisk parted",
        operands="disk.wipe -*",
        options={"-l --list -p --print": "!system.read", "-s": "", "-o -n -d -t": "=-"},
    ),
    Spec(
        "wipefs blkdiscard hdparm",
        operands="disk.wipe*",
        options={"-o -s": "=-", "-t -T -i -I -n --no-act": "!system.read"},
    ),
    Spec(
        "diskutil",
        sub={
            "list info apfs": "system.read",
            "eraseDisk eraseVolume secureErase partitionDisk zeroDisk reformat": "disk.wipe",
            "*": "fs.mount",
        },
    ),
    Spec("format", operands="disk.wipe*"),
    Spec("mount", operands="fs.mount*", options={"-t -o --options --types": "=-", "-l": "!system.read"}),
    Spec("umount swapon swapoff losetup cryptsetup", operands="fs.mount*", options={"-t -o": "=-"}),
    Spec(
        "zfs zpool lvm pvcreate vgcreate lvcreate mdadm",
        sub={
            "list get status history iostat": "system.read",
            "destroy labelclear": "disk.wipe",
            "*": "fs.mount",
        },
    ),
    Spec("lvremove vgremove pvremove", operands="disk.wipe*"),
    Spec(
        "lsblk blkid findmnt lscpu lspci lsusb lsmod lsns dmidecode free vmstat iostat sensors inxi neofetch fastfetch hwinfo lshw",
        does="system.read",
        operands="-*",
    ),
    # the machine as a whole
    Spec(
        "shutdown reboot halt poweroff telinit",
        does="machine.halt",
        operands="-*",
        options={"-c": "!system.read"},
    ),
    Spec("init", operands="-*", does="machine.halt"),
    # processes
    Spec("ps top htop btop pgrep pidof pstree jobs atop glances", does="system.read", operands="-*"),
    Spec(
        "kill pkill killall xkill skill",
        operands="process.signal*",
        does="process.signal",
        options={
            "-s --signal -n -u -U -t -g -P": "=-",
            "-l -L --list": "!system.read",
            "-0": "!system.read",
            "-f -x -i -9 -KILL -TERM -15 -1": "",
        },
    ),
    Spec("renice", does="process.signal", operands="-*"),
    Spec("perf", operands="command", options={"-p -e -o -f -c -x": "=-"}),
    # services and schedules
    Spec(
        "systemctl",
        options={"--user --system --now -q --quiet --no-pager": "", "-t --type -n -o -H": "=-"},
        sub={
            "status list-units list-unit-files list-timers list-sockets show cat is-active is-enabled is-failed list-dependencies help": "service.read",
            "poweroff reboot halt rescue emergency kexec suspend hibernate": "machine.halt",
            "start stop restart reload enable disable mask unmask kill daemon-reload edit set-default isolate try-restart reload-or-restart reset-failed link preset": "service.change*",
            "": "service.read",
            "*": "service.change*",
        },
    ),
    Spec("service", operands="service.change -"),
    Spec(
        "launchctl rc-service rc-update chkconfig update-rc.d",
        sub={"list print status show": "service.read", "*": "service.change*"},
    ),
    Spec(
        "journalctl dmesg last lastlog w who",
        does="system.read",
        operands="-*",
        options={
            "-u -n --since --until -p -f": "=-?",
            "--vacuum-size --vacuum-time --rotate -C --clear": "!fs.delete",
        },
    ),
    Spec(
        "crontab",
        does="schedule.change",
        operands="-*",
        options={"-l": "!system.read", "-u": "=-", "-r": "+remove", "-e": ""},
    ),
    Spec("at batch", does="schedule.change", operands="-*", options={"-l": "!system.read", "-f": "=fs.read"}),
    # people
    Spec(
        "useradd adduser userdel deluser usermod groupadd groupdel groupmod passwd chpasswd gpasswd visudo chsh vipw dseditgroup dscl",
        does="user.change",
        operands="-*",
    ),
    # the kernel
    Spec("modprobe insmod rmmod depmod kexec", does="kernel.change", operands="-*"),
    Spec(
        "sysctl",
        does="system.read",
        operands="-*",
        options={"-w --write -p --load": "!kernel.change", "-a -n": ""},
    ),
    # defences
    Spec("setenforce", does="defence.disable", operands="-*"),
    Spec("getenforce sestatus aa-status", does="system.read"),
    Spec(
        "ufw",
        sub={"status version show": "system.read", "disable reset": "defence.disable", "*": "system.change"},
    ),
    Spec(
        "iptables ip6tables nft firewall-cmd pfctl",
        does="system.change",
        operands="-*",
        options={
            "-L --list -S --list-rules --list-all --state": "!system.read",
            "-F --flush -X --delete-chain": "!defence.disable",
            "-A -D -I -P -p -s -d -j -t --dport --sport -i -o -m": "=-",
        },
    ),
    Spec("aa-disable aa-teardown apparmor_parser", does="defence.disable", operands="-*"),
    Spec(
        "auditctl",
        does="system.change",
        operands="-*",
        options={"-D": "!defence.disable", "-e": "=- !defence.disable", "-l -s": "!system.read"},
    ),
    Spec(
        "spctl csrutil",
        does="system.change",
        operands="-*",
        options={"--master-disable --global-disable": "!defence.disable", "--status": "!system.read"},
    ),
    Spec("history fc", does="system.read", operands="-*", options={"-c": "!defence.disable", "-w": ""}),
    # settings
    Spec(
        "hostnamectl timedatectl localectl",
        sub={"status list-timezones show": "system.read", "": "system.read", "*": "system.change"},
    ),
    Spec("defaults", sub={"read find domains": "system.read", "*": "system.change"}),
    Spec(
        "update-alternatives ldconfig update-grub grub-install update-initramfs efibootmgr",
        does="system.change",
        operands="-*",
    ),
    Spec(
        "gpg gpg2",
        does="system.read",
        operands="fs.read*",
        options={
            "--delete-secret-keys --delete-keys": "!fs.delete",
            "-o --output": "=fs.write",
            "-r -u": "=-",
        },
    ),
    Spec("printenv", does="env.read", operands="-*"),
    Spec(
        "security",
        sub={
            "find-generic-password find-internet-password dump-keychain export": "secret.read",
            "*": "system.read",
        },
    ),
)
