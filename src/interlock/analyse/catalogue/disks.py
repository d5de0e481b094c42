"""Programs that work on whole disks: partitions, file systems, mounts."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    # making a file system loses the one that was there
    Spec(
        "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.exfat mkfs.ntfs mkfs.f2fs "
        "mkfs.minix mkfs.cramfs mkfs.bfs mkfs.erofs mkfs.jfs mkfs.reiserfs mkfs.ubifs mke2fs mkdosfs mkexfatfs mkntfs mkreiserfs "
        "mkfs.zfs newfs newfs_msdos newfs_apfs newfs_hfs newfs_exfat",
        operands="disk.wipe -*",
        options={
            "-t --type -L --label -l -b -U --uuid -N -m --metadata -i -I -G -g -O -E -o -J -T -n --name -s -S -R -c -C "
            "-d --data -r": "=-",
            "-V --version --help": "!system.read",
            "-F -f --force -q -Q --quick -K -v": "",
        },
    ),
    Spec(
        "mkswap",
        operands="disk.wipe -*",
        options={
            "-L --label -U --uuid -p --pagesize -s --size -e --endianness -o --offset": "=-",
            "-F --file -c -f -q": "",
        },
    ),
    # partitions
    Spec(
        "fdisk sfdisk cfdisk gdisk sgdisk cgdisk",
        operands="disk.wipe -*",
        bare="system.read",
        options={
            "-l --list -p --print -x --list-details -d --dump -J --json -s --show-size -F --list-free -T --list-types -V "
            "--verify -v --version -i --info -g --geometry": "!system.read",
            "-b --backup -O --backup-file": "=fs.write",
            "-o --output -n --new -t --typecode -c -u -a -N -N1 -L --label -X -Y --change-name -w -W": "=-",
        },
    ),
    Spec(
        "parted",
        verb=1,
        options={
            "-s --script -f --fix -m --machine": "",
            "-a --align": "=-",
            "-l --list -h --help -v --version": "!system.read",
        },
        sub={
            "print unit p u align-check help version select": "system.read",
            "name set toggle disk_set disk_toggle type": "disk.change",
            "": "system.read",
            "*": "disk.wipe",
        },
    ),
    Spec(
        "partprobe partx blockdev kpartx addpart",
        does="disk.tune",
        operands="-*",
        options={
            "-s --show -l --list -d -n --dry-run --getro --getsz --getsize64 --getbsz --report": "!system.read",
            "--setrw --setro": "",
        },
    ),
    Spec("delpart resizepart", does="disk.change", operands="-*"),
    Spec(
        "wipefs",
        does="system.read",
        operands="-*",
        options={
            "-a --all": "!disk.wipe",
            "-o --offset": "=- !disk.wipe",
            "-t --types -O --output": "=-",
            "-n --no-act": "!system.read",
        },
    ),
    Spec("blkdiscard", operands="disk.wipe -*", options={"-o --offset -l --length -p --step": "=-"}),
    Spec(
        "hdparm",
        does="system.read",
        operands="-*",
        options={
            "--security-erase --security-erase-enhanced --security-set-pass --security-disable --trim-sector-ranges "
            "--make-bad-sector --write-sector --repair-sector": "=- !disk.wipe",
            "--fwdownload": "=- !boot.change +firmware",
            "-S -B -M -W -A -a -d -X -y -Y -Z -r -m -u": "!disk.tune",
        },
    ),
    Spec(
        "nvme",
        sub={
            "format sanitize write-zeroes write-uncor dsm delete-ns security-send": "disk.wipe",
            "fw-download fw-commit fw-activate": Spec("nvme fw", does="boot.change", operands="-*", flags="firmware"),
            "set-feature create-ns attach-ns detach-ns reset subsystem-reset ns-rescan connect disconnect write": "disk.change",
            "*": "system.read",
        },
    ),
    Spec(
        "badblocks",
        does="system.read",
        operands="-*",
        options={
            "-w": "!disk.wipe",
            "-n": "!disk.tune",
            "-o": "=fs.write",
            "-b -c -d -e -i -p -t": "=-",
            "-s -v -f": "",
        },
    ),
    Spec("nwipe dban", does="disk.wipe", operands="-*", options={"-V --version -h --help": "!system.read"}),
    Spec("f3probe", does="system.read", operands="-*", options={"-n --destructive": "!disk.wipe"}),
    Spec("f3write", does="system.tune", operands="-*"),
    Spec(
        "f3read smartctl sg_inq sg_scan lsscsi hddtemp e2freefrag filefrag e2image dumpe2fs xfs_info xfs_db ntfsinfo isosize",
        does="system.read",
        operands="-*",
    ),
    Spec("sg_raw sg_format sg_sanitize sdparm", does="disk.change", operands="-*"),
    Spec(
        "ddrescue gddrescue safecopy",
        operands="fs.read fs.write fs.write",
        options={"-b -c -d -r -s -i -o -m": "=-", "-f -n -R": ""},
    ),
    Spec(
        "partclone.ext4 partclone.ext3 partclone.xfs partclone.btrfs partclone.ntfs partclone.fat partclone.dd partimage fsarchiver",
        operands="-*",
        options={"-s --source": "=fs.read", "-o --output -O --overwrite": "=fs.write"},
    ),
    Spec("ventoy Ventoy2Disk.sh woeusb etcher-cli", does="disk.wipe", operands="-*", options={"-l": "!system.read"}),
    Spec("format", operands="disk.wipe*"),
    Spec("diskpart Clear-Disk Format-Volume Initialize-Disk Remove-Partition", does="disk.wipe", operands="-*"),
    # checking and adjusting
    Spec(
        "fsck fsck.ext4 fsck.ext3 fsck.ext2 fsck.xfs fsck.vfat fsck.fat fsck.btrfs fsck.exfat fsck.ntfs e2fsck dosfsck ntfsfix xfs_repair cvfsck "
        "fsck_hfs fsck_apfs fstrim tune2fs e2label swaplabel tune.exfat exfatlabel fatlabel ntfslabel xfs_admin xfs_growfs "
        "resize2fs e4defrag xfs_fsr fscrypt findfs btrfstune chmem zramctl",
        does="disk.tune",
        operands="-*",
        options={"-N -n": "", "-l --list": "!system.read"},
    ),
    Spec("debugfs", does="system.read", operands="-*", options={"-w": "!disk.change", "-R -f -s -b": "=-"}),
    Spec(
        "swapon",
        operands="fs.attach*",
        bare="system.read",
        options={
            "-s --summary --show": "!system.read",
            "-a --all": "!fs.attach",
            "-L -U -p -o --priority --options": "=-",
        },
    ),
    Spec("swapoff", operands="fs.attach*", options={"-a --all": "!fs.attach", "-L -U": "=-"}),
    Spec(
        "mount",
        operands="fs.mount*",
        bare="system.read",
        options={
            "-t --types -L --label -U --uuid -O --test-opts -T --fstab --target-prefix": "=-",
            "-o --options": "=fs.option",
            "-l --show-labels -h --help -V --version": "!system.read",
            "--bind -B --rbind -R": "+bind",
        },
    ),
    Spec(
        "umount", does="fs.attach", operands="-*", options={"-t --types -O": "=-", "-a --all": "!fs.mount +everything"}
    ),
    Spec("fusermount fusermount3 eject automount", does="fs.attach", operands="-*", options={"-t -c -x": "=-?"}),
    Spec(
        "systemd-mount bindfs mount.steamos sshfs gocryptfs encfs simple-mtpfs smbnetfs s3fs fuseiso squashfuse xmount",
        does="fs.attach",
        operands="-*",
    ),
    Spec(
        "losetup",
        does="fs.attach",
        operands="-*",
        bare="system.read",
        options={"-a --all -l --list -j --associated": "!system.read", "-o -s": "=-"},
    ),
    Spec("lsblk blkid findmnt mountpoint raw genfstab", does="system.read", operands="-*"),
    Spec("systemd-repart growpart", does="disk.change", operands="-*", options={"--dry-run": "=- !system.read"}),
)
