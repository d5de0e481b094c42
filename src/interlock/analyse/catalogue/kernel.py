"""Programs that change the kernel, what the machine boots, or whether it runs at all."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    # whether it runs
    Spec(
        "shutdown reboot halt poweroff",
        does="machine.halt",
        operands="-*",
        options={"-c --show -w --wtmp-only": "!system.read"},
    ),
    Spec(
        "init telinit",
        options={"-t -e": "=-"},
        sub={
            "0 6 1 s S single emergency": "machine.halt",
            "q Q u U": "system.tune",
            "": "machine.halt",
            "*": Spec("init", operands="service.change*", flags="isolate"),
        },
    ),
    Spec("switch_root pivot_root", does="machine.halt", operands="-*", options={"-h --help -V": "!system.read"}),
    Spec(
        "pmset",
        sub={
            "sleepnow displaysleepnow": "system.tune",
            "*": Spec("pmset", does="system.tune", operands="-*", options={"-g": "=-? !system.read"}),
        },
    ),
    Spec("rtcwake", does="system.tune", operands="-*"),
    # modules and settings
    Spec("lsmod modinfo kmod systool", does="system.read", operands="-*"),
    Spec(
        "modprobe",
        does="kernel.change",
        operands="-*",
        options={
            "-n --dry-run --show --show-depends -c --showconfig -D -R --resolve-alias": "!system.read",
            "-r --remove": "+remove",
            "-C -d -S --config --dirname --set-version": "=-",
        },
    ),
    Spec("insmod", does="kernel.change", operands="-*", flags="file"),
    Spec("rmmod", does="kernel.change", operands="-*", flags="remove"),
    Spec(
        "depmod dkms akmods mkinitcpio dracut mkinitramfs update-initramfs mkinitrd mkinitfs",
        does="system.tune",
        operands="-*",
    ),
    Spec("kexec", does="kernel.change", operands="-*", flags="boot"),
    Spec("sysctl", does="system.read", operands="-*", options={"-a -n -e -d -N -A -b -r --values": ""}),
    Spec(
        "dmesg",
        does="system.read",
        operands="-*",
        options={"-C --clear -c --read-clear": "!trace.erase", "-n -l -f": "=-"},
    ),
    Spec("uname arch lscpu nproc lsb_release", does="system.read", operands="-*"),
    # what it boots
    Spec(
        "grub-install grub2-install grub-bios-setup lilo extlinux syslinux bootsect limine limine-install",
        does="boot.change",
        operands="-*",
        options={"-V --version --help -h": "!system.read"},
    ),
    Spec(
        "update-grub update-grub2 grub-mkconfig grub2-mkconfig grub-set-default grub-reboot",
        does="system.tune",
        operands="-*",
    ),
    Spec("grub-editenv", operands="-*", does="system.tune"),
    Spec(
        "grub-script-check grub-file grub-mkrescue grub-probe os-prober linux-boot-prober",
        does="system.read",
        operands="-*",
    ),
    Spec(
        "grubby",
        does="boot.change",
        operands="-*",
        options={
            "--info --default-kernel --default-index --default-title": "=-? !system.read",
            "--args --update-kernel": "=-",
        },
    ),
    Spec(
        "efibootmgr",
        does="system.read",
        operands="-*",
        options={
            "-c --create -B --delete-bootnum -o --bootorder -O --delete-bootorder -n --bootnext -N -a -A -t -T": "!boot.change",
            "-b --bootnum -d --disk -p --part -L --label -l --loader": "=-",
        },
    ),
    Spec("bootctl", sub={"status list is-installed": "system.read", "": "system.read", "*": "boot.change"}),
    Spec("installkernel mhwd-kernel kernelstub", does="boot.change", operands="-*", bare="system.read"),
    Spec(
        "mokutil",
        does="boot.change",
        operands="-*",
        options={
            "--set-verbosity --enable-validation --timeout": "=-? !system.tune",
            "-N -X -D -l --list-enrolled --list-new --list-delete --sb-state -x --db --kek -t --test-key": "!system.read",
        },
    ),
    Spec(
        "sbctl",
        sub={
            "status verify list-files list-bundles list-enrolled-keys": "system.read",
            "create-keys sign sign-all setup": "system.tune",
            "": "system.read",
            "*": "boot.change",
        },
    ),
    Spec("bcdedit", does="boot.change", operands="-*", bare="system.read"),
    Spec("nvram", does="system.read", operands="-*", options={"-c -d": "!boot.change"}),
    Spec("bless", does="boot.change", operands="-*", options={"--info --getBoot": "!system.read"}),
    Spec("kernel-install", sub={"inspect list": "system.read", "": "system.read", "*": "boot.change"}),
    Spec("bootc", sub={"status": "system.read", "": "system.read", "*": "boot.change"}),
    # firmware
    Spec(
        "flashrom",
        does="system.read",
        operands="-*",
        options={
            "-w --write -E --erase": "!boot.change +firmware",
            "-r --read": "=fs.write",
            "-p --programmer -c -l -i": "=-",
        },
    ),
    Spec(
        "fwupdmgr fwupdtool",
        sub={
            "get-devices get-updates get-upgrades get-history get-remotes get-topology get-results security refresh verify "
            "get-releases get-plugins get-bios-setting device-test": "system.read",
            "": "system.read",
            "*": Spec("fwupdmgr update", does="boot.change", operands="-*", flags="firmware"),
        },
    ),
    Spec(
        "afulnx mstflint nvflash amdvbflash rkdeveloptool dfu-util",
        does="boot.change",
        operands="-*",
        flags="firmware",
        options={"-l --list -V": "!system.read"},
    ),
)
