"""The kernel, the boot loader and the firmware."""

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import MachineNames
from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

_WORDS = read_table("machine-names", MachineNames)

# Settings that keep programs apart, and those that say what the kernel itself may run.
_GUARDS = path_like(*_WORDS.kernel_guards)
_ORDINARY = path_like(*_WORDS.ordinary_kernel_settings)
_ROUTES = path_like(*_WORDS.routes)


def _weakens(name: str) -> bool:
    return _GUARDS(name) and not _ORDINARY(name)


RULES = family(
    "kernel",
    Rule(
        name="kernel_guard",
        level=Level.HIGH,
        when=effect("kernel.tune", named=_weakens),
        reason="This kernel setting isolates programs, or decides what runs when one crashes",
        match=[
            "$ sysctl -qw kernel.randomize_va_space=1",
            "$ sysctl kernel.yama.ptrace_scope=0",
            "$ sysctl -w kernel.core_pattern='|/tmp/x'",
            "$ sysctl --write fs.suid_dumpable=2",
        ],
        no_match=[
            "$ sysctl -n kernel.kptr_restrict",
            "$ sysctl -w vm.swappiness=10",
            "$ sysctl -w kernel.pid_max=65536",
        ],
    ),
    Rule(
        name="kernel_routing",
        level=Level.HIGH,
        when=effect("kernel.tune", named=_ROUTES),
        reason="The machine would forward or accept packets that it should not",
        match=["$ sysctl -w net.ipv4.ip_forward=1", "$ sysctl net.ipv4.conf.all.accept_redirects=1"],
        no_match=["$ sysctl net.ipv4.ip_forward", "$ sysctl -w net.core.somaxconn=1024"],
    ),
    Rule(
        name="kernel_settings_file",
        level=Level.HIGH,
        when=effect("kernel.change", "file", named=path_like("*.conf", "/*", "./*", "*/*")),
        reason="Loading kernel settings or code from a file affects the whole machine at once",
        match=["$ sysctl -p /tmp/x.conf", "$ sysctl --load=./x.conf", "$ insmod ./rootkit.ko"],
        no_match=["$ sysctl --system", "$ lsmod"],
    ),
    Rule(
        name="kernel_module",
        level=Level.HIGH,
        when=effect("kernel.change", without="file probe boot"),
        reason="Kernel modules affect the whole machine",
        match=["$ modprobe x", "$ rmmod x", "$ modprobe -r x"],
        no_match=["$ lsmod", "$ modinfo x", "$ modprobe --show-depends x"],
    ),
    Rule(
        name="kernel_change",
        level=Level.HIGH,
        when=effect("kernel.change"),
        reason="Code in the kernel bypasses every other protection",
        match=["$ modprobe x", "$ insmod x.ko", "$ kexec -l /boot/vmlinuz"],
        no_match=["$ lsmod", "$ sysctl -a"],
    ),
    Rule(
        name="kernel_probe",
        level=Level.HIGH,
        when=effect("kernel.change", "probe"),
        reason="A kernel probe sees what every program does, including passwords",
        match=[
            "$ bpftrace -e 'kprobe:do_sys_open {}'",
            "$ bpftool prog load x.o /sys/fs/bpf/x",
            "$ trace-cmd record -e all",
        ],
        no_match=["$ bpftool prog list", "$ bpftrace -l", "$ trace-cmd list -e"],
    ),
    Rule(
        name="kernel_replaced",
        level=Level.CRITICAL,
        when=effect("kernel.change", "boot"),
        reason="Another kernel would replace the running one",
        match=["$ kexec -e", "$ kexec -l /boot/vmlinuz --reuse-cmdline"],
        no_match=["$ uname -r"],
    ),
    Rule(
        name="sysrq",
        level=Level.CRITICAL,
        when=effect("fs.write", place="system", named=path_like("/proc/sysrq-trigger")),
        reason="A single character here reboots, crashes or freezes the machine",
        reversible=False,
        match=["$ echo b > /proc/sysrq-trigger", "$ echo c | tee /proc/sysrq-trigger"],
        no_match=["$ cat /proc/sys/kernel/sysrq"],
    ),
    Rule(
        name="kernel_files",
        level=Level.HIGH,
        when=effect(
            "fs.write fs.mode fs.owner",
            place="system",
            named=path_like("/proc/*", "/sys/*", "/dev/mem", "/dev/kmem", "/dev/port"),
        ),
        reason="Writing to these files changes the running kernel",
        match=[
            "$ echo 1 > /proc/sys/kernel/kptr_restrict",
            "$ tee /sys/kernel/debug/x < y",
            "$ dd if=x of=/dev/mem",
        ],
        no_match=["$ cat /proc/cpuinfo", "$ echo x > proc/sys"],
    ),
    Rule(
        name="core_pattern",
        level=Level.CRITICAL,
        when=effect(
            "fs.write",
            named=path_like(
                "/proc/sys/kernel/core_pattern",
                "/proc/sys/kernel/modprobe",
                "/sys/kernel/uevent_helper",
                "*/release_agent",
            ),
        ),
        reason="The kernel runs this program as root, outside any container",
        match=["$ echo '|/tmp/x' > /proc/sys/kernel/core_pattern", "$ echo /x > /tmp/cg/release_agent"],
        no_match=["$ cat /proc/sys/kernel/core_pattern"],
    ),
    Rule(
        name="boot_change",
        level=Level.HIGH,
        when=effect("boot.change", without="firmware"),
        reason="A mistake in the boot configuration can keep the machine from starting",
        instead="efibootmgr -v",
        match=[
            "$ grub-install /dev/sda",
            "$ efibootmgr -b 0001 -B",
            "$ bcdedit /set safeboot minimal",
            "$ mokutil --import key.der --disable-validation",
        ],
        no_match=["$ efibootmgr", "$ bootctl status", "$ mokutil --sb-state"],
    ),
    Rule(
        name="boot_files",
        level=Level.CRITICAL,
        when=effect(
            "fs.delete fs.move",
            place="system",
            named=path_like("/boot/*", "/boot", "/efi/*", "/lib/modules/*", "/usr/lib/modules/*"),
        ),
        reason="Without these files, the machine will not start again",
        reversible=False,
        match=["$ rm /boot/vmlinuz-6.1", "$ mv /boot/grub/grub.cfg /tmp/", "$ rm -rf /lib/modules/6.1"],
        no_match=["$ ls /boot", "$ rm boot/x"],
    ),
    Rule(
        name="firmware_change",
        level=Level.HIGH,
        when=effect("boot.change", "firmware"),
        reason="Bad firmware can permanently break a device",
        reversible=False,
        match=["$ flashrom -p internal -w bios.bin", "$ fwupdmgr update", "$ nvme fw-download /dev/nvme0 -f x.bin"],
        no_match=["$ fwupdmgr get-devices", "$ flashrom -p internal"],
    ),
    Rule(
        name="kernel_tuning",
        level=Level.MEDIUM,
        when=effect("kernel.tune"),
        reason="A kernel setting would change until the next restart",
        match=["$ sysctl -w vm.swappiness=10", "$ sysctl fs.inotify.max_user_watches=524288", "$ sysctl --system"],
        no_match=["$ sysctl -a", "$ sysctl vm.swappiness"],
    ),
)
