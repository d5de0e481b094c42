"""Storage and machines behind a controller: arrays, clusters, virtual machines, telephones, boards."""

from interlock.analyse.catalogue.spec import Spec

_GONE = Spec("delete", does="infra.destroy", operands="-*")
_MACHINE = Spec("destroy", does="container.delete", operands="-*", flags="machine volumes")
_HDFS = {
    "-rm -rmr -rmdir": "!infra.destroy",
    "-expunge -truncate": "!infra.destroy",
    "-r -R -f -skipTrash": "",
    "-ls -cat -du -df -count -tail -stat -text -test -checksum -get -copyToLocal": "!infra.read",
    "-put -copyFromLocal -mkdir -touchz -mv -cp -chmod -chown -setrep": "!infra.change",
}
_FLASH = Spec("flash", does="boot.change", operands="-*", flags="firmware")

SPECS = (
    Spec(
        "storcli storcli64 perccli perccli64 ssacli hpssacli hpacucli arcconf",
        does="disk.tune",
        operands="-*",
        options={"-h --help": "!system.read"},
    ),
    Spec(
        "MegaCli MegaCli64 megacli megacli64",
        does="system.read",
        operands="-*",
        options={
            "-CfgClr -CfgLdDel -CfgForeign -CfgLdAdd -CfgEachDskRaid0 -PDOffline -PDMarkMissing -LDInit": "!disk.change",
            "-PDMakeGood -AdpSetProp -LDSetProp": "!disk.tune",
        },
    ),
    Spec(
        "rbd rados",
        options={"-p --pool -c --conf --id -n": "=-"},
        sub={
            "rm remove purge rmpool cleanup": _GONE,
            "snap": Spec("snap", sub={"rm remove purge rollback revert": _GONE, "*": "infra.read"}),
            "trash": Spec("trash", sub={"rm remove purge": _GONE, "*": "infra.read"}),
            "pool": Spec("pool", sub={"rm delete": _GONE, "*": "infra.read"}),
            "ls list info status du df lspools stat showmapped diff watch": "infra.read",
            "map unmap device": "fs.attach",
            "*": "infra.change",
        },
    ),
    Spec(
        "gluster",
        options={"--mode": "=-"},
        sub={
            "volume snapshot peer": Spec(
                "volume",
                sub={
                    "delete stop reset detach remove-brick restore": _GONE,
                    "info status list get": "infra.read",
                    "*": "infra.change",
                },
            ),
            "*": "infra.read",
        },
    ),
    Spec(
        "drbdadm",
        sub={
            "status cstate dstate role dump sh-dev show-gi": "system.read",
            "invalidate invalidate-remote wipe-md create-md detach disconnect down": "disk.change",
            "*": "disk.tune",
        },
    ),
    Spec(
        "hdfs hadoop",
        sub={
            "dfs fs": Spec("dfs", does="infra.read", operands="-*", options=_HDFS),
            "namenode": Spec("namenode", does="service.start", operands="-*", options={"-format": "!infra.destroy"}),
            "dfsadmin fsck version classpath": "infra.read",
            "*": "process.spawn",
        },
    ),
    Spec(
        "qm pct",
        sub={
            "destroy": _MACHINE,
            "list status config pending listsnapshot showcmd": "container.read",
            "rollback delsnapshot unlink": Spec("rollback", does="container.delete", operands="-*", flags="machine"),
            "*": "container.change",
        },
    ),
    Spec(
        "VBoxManage vboxmanage prlctl vmrun tart utmctl",
        options={"-T": "=-", "-q --nologo": "", "-v --version": "!container.read"},
        sub={
            "list showvminfo guestproperty metrics showmediuminfo snapshots": "container.read",
            "unregistervm": Spec(
                "unregistervm",
                does="container.change",
                operands="-*",
                options={"--delete": "!container.delete +machine"},
            ),
            "delete deleteVM deleteSnapshot": _MACHINE,
            "closemedium": Spec(
                "closemedium",
                does="container.change",
                operands="-*",
                options={"--delete": "!container.delete +volumes"},
            ),
            "*": "container.change",
        },
    ),
    Spec("unison", does="fs.write", operands="-*", options={"-version -help": "!system.read"}),
    Spec(
        "duply",
        does="process.run",
        operands="-*",
        options={"--version --help": "!system.read"},
    ),
    Spec(
        "chrome google-chrome chromium chromium-browser msedge brave",
        does="process.run",
        operands="-*",
        options={
            "--version --help": "!system.read",
            "--load-extension --user-data-dir --screenshot --print-to-pdf": "=-?",
        },
    ),
    Spec(
        "qemu-nbd nbd-client",
        does="fs.attach",
        operands="-*",
        options={"-l -L --list --help --version": "!system.read"},
    ),
    Spec(
        "fastboot",
        options={"-s": "=-", "-w": "!boot.change +firmware"},
        sub={
            "devices getvar help": "system.read",
            "reboot continue reboot-bootloader": "process.run",
            "*": _FLASH,
        },
    ),
    Spec(
        "esptool esptool.py st-flash avrdude openocd-flash picotool bossac",
        does="process.run",
        operands="-*",
        options={
            "--port -p --baud -b --chip -c --before --after -P -U": "=-",
            "erase_flash erase-flash erase_region erase": "",
            "--list -l --version": "!system.read",
        },
    ),
    Spec(
        "adb",
        options={"-s -t -H -P": "=-", "-d -e -a": ""},
        sub={
            "devices version get-state get-serialno logcat bugreport help": "system.read",
            "shell": Spec("shell", operands="command", options={"-n -t -T -x": ""}),
            "exec-out": Spec("exec-out", operands="command"),
            "install install-multiple": "package.install*",
            "uninstall": "package.remove*",
            "backup": Spec("backup", does="secret.read", operands="-*", flags="secret"),
            "root remount disable-verity unroot": "defence.disable",
            "restore": "system.change",
            "sideload": _FLASH,
            "*": "process.run",
        },
    ),
)
