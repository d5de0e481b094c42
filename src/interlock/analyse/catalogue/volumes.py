"""Programs that put disks together: volume groups, arrays, pools, encryption."""

from interlock.analyse.catalogue.spec import Spec

_LVM = {
    "pvs vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan lvmdiskscan pvck vgck lvmconfig lvmdump "
    "vgcfgbackup": "system.read",
    "lvcreate vgcreate lvextend vgextend lvchange vgchange pvchange lvrename vgrename vgimport vgexport vgmknodes lvmdevices "
    "vgimportclone vgimportdevices pvresize vgmerge vgsplit lvconvert": "disk.tune",
    "pvcreate lvreduce vgreduce lvresize pvmove vgcfgrestore": "disk.change",
    "pvremove vgremove lvremove": "disk.wipe",
}

SPECS = (
    *(Spec(names, does=kind, operands="-*", options={"--test -t": "!system.read"}) for names, kind in _LVM.items()),
    Spec(
        "lvm",
        sub={**_LVM, "help version dumpconfig config formats": "system.read", "": "system.read", "*": "disk.change"},
    ),
    Spec(
        "dmsetup",
        sub={
            "ls info table status deps targets version splitname udevcookies": "system.read",
            "": "system.read",
            "remove remove_all wipe_table clear": "disk.change",
            "*": "disk.tune",
        },
    ),
    Spec("dmstats", does="system.read", operands="-*"),
    Spec(
        "mdadm",
        does="disk.change",
        operands="-*",
        options={
            "-D --detail -E --examine -Q --query -X --examine-bitmap --monitor -F --detail-platform --scan": "!system.read",
            "--zero-superblock": "!disk.wipe",
            "-C --create": "=- !disk.wipe",
            "-A --assemble": "!disk.tune",
            "-l --level -n --raid-devices -x --spare-devices -c --chunk -e --metadata -b --bitmap -N --name -z": "=-",
        },
    ),
    Spec(
        "zpool",
        sub={
            "list status get history iostat events version wait upgrade": "system.read",
            "destroy labelclear": "disk.wipe",
            "create": "disk.wipe",
            "scrub trim resilver clear online import set sync reguid": "disk.tune",
            "": "system.read",
            "*": "disk.change",
        },
    ),
    Spec(
        "zfs",
        sub={
            "list get diff holds version userspace groupspace projectspace send": "system.read",
            "create snapshot snap set mount bookmark hold inherit clone share allow load-key program": "disk.tune",
            "destroy rollback": "disk.wipe",
            "": "system.read",
            "*": "disk.change",
        },
    ),
    Spec(
        "btrfs",
        sub={
            "subvolume subvol sub su": Spec(
                "btrfs subvolume",
                sub={
                    "delete del d": Spec("btrfs subvolume delete", operands="fs.delete*", flags="recursive subvolume"),
                    "list l show sh get-default find-new sync": "system.read",
                    "*": "disk.tune",
                },
            ),
            "filesystem fi f": Spec(
                "btrfs filesystem",
                sub={"df du show usage sync label": "system.read", "resize": "disk.change", "*": "disk.tune"},
            ),
            "device dev": Spec("btrfs device", sub={"stats usage scan ready": "system.read", "*": "disk.change"}),
            "check": Spec(
                "btrfs check",
                does="system.read",
                operands="-*",
                options={"--repair --init-csum-tree --init-extent-tree": "!disk.change"},
            ),
            "rescue": "disk.change",
            "restore send inspect-internal in": "system.read",
            "*": "disk.tune",
        },
    ),
    Spec(
        "cryptsetup",
        options={
            "-q --batch-mode -v --verbose": "",
            "--type --key-file -d --cipher -c -s --key-size --label -h -i": "=-",
        },
        sub={
            "luksFormat erase luksErase reencrypt": Spec(
                "cryptsetup luksFormat",
                operands="disk.wipe -*",
                options={"--type --key-file -d --cipher -c -s --key-size --label -h -i": "=-"},
            ),
            "luksKillSlot luksRemoveKey luksChangeKey luksAddKey luksHeaderRestore luksConvertKey convert": "disk.change",
            "open luksOpen close luksClose create remove resize luksSuspend luksResume plainOpen loopaesOpen tcryptOpen": "fs.attach",
            "luksHeaderBackup": "system.tune",
            "*": "system.read",
        },
    ),
    Spec("systemd-cryptenroll", does="disk.tune", operands="-*", options={"--wipe-slot": "=- !disk.change"}),
    Spec("systemd-cryptsetup tomb", does="fs.attach", operands="-*"),
    Spec(
        "multipath iscsiadm targetcli",
        does="disk.tune",
        operands="-*",
        bare="system.read",
        options={"-l -ll --list": "!system.read"},
    ),
    # snapshots and backups
    Spec(
        "snapper timeshift rusnapshot",
        does="disk.tune",
        operands="-*",
        options={
            "-l --list --check -c --config": "",
            "--restore --rollback": "!disk.change",
            "--delete --delete-all": "!disk.change +backup",
        },
    ),
    Spec(
        "vssadmin wbadmin",
        sub={
            "delete Delete resize Resize": Spec("vssadmin delete", does="disk.change", operands="-*", flags="backup"),
            "*": "system.read",
        },
    ),
    Spec(
        "tmutil",
        sub={
            "delete deletelocalsnapshots deleteinprogress": Spec(
                "tmutil delete", does="disk.change", operands="-*", flags="backup"
            ),
            "disable disablelocal removedestination stopbackup": Spec(
                "tmutil disable", does="system.change", operands="-*", flags="backup"
            ),
            "enable startbackup snapshot localsnapshot setdestination addexclusion removeexclusion setquota restore associatedisk inheritbackup": "system.tune",
            "*": "system.read",
        },
    ),
    Spec(
        "diskutil",
        sub={
            "list info information activity listFilesystems": "system.read",
            "eraseDisk eraseVolume secureErase partitionDisk zeroDisk randomDisk reformat eraseOptical mergePartitions": "disk.wipe",
            "apfs ap": Spec(
                "diskutil apfs",
                sub={
                    "list listUsers listCryptoUsers listSnapshots listVolumeGroups": "system.read",
                    "deleteContainer deleteVolume eraseVolume deleteVolumeGroup deleteSnapshot": "disk.wipe",
                    "unlockVolume lockVolume": "fs.attach",
                    "": "system.read",
                    "*": "disk.change",
                },
            ),
            "appleRAID ar coreStorage cs image": Spec(
                "diskutil raid",
                sub={"list info listLV attach": "system.read", "delete": "disk.wipe", "*": "disk.change"},
            ),
            "mount mountDisk unmount umount unmountDisk eject enableOwnership disableOwnership": "fs.attach",
            "verifyVolume verifyDisk repairVolume repairDisk rename renameVolume repairPermissions": "disk.tune",
            "": "system.read",
            "*": "disk.change",
        },
    ),
    Spec(
        "hdiutil",
        sub={
            "info imageinfo verify checksum hfsanalyze pmap isencrypted fsid udifderez": "system.read",
            "attach mount detach eject unmount": "fs.attach",
            "*": "system.tune",
        },
    ),
)
