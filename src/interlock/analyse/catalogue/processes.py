"""Programs that look at processes, signal them, or watch the machine at work."""

from interlock.analyse.catalogue.spec import Spec

_SIGNAL = {
    "-s --signal -t --terminal -g --pgroup -G -P --parent -y --older-than -Z --ns --nslist": "=-",
    "-u --user --euid -U --uid": "=- +of_user",
    "-l -L --list": "!system.read",
    "-f --full -x --exact -i -e -q -v -w -I -r -n": "",
}

SPECS = (
    Spec(
        "ps top htop btop bpytop pgrep pidof pstree jobs atop glances nvtop iotop iftop nethogs bmon nload procs pwdx pmap "
        "smem systat vmstat mpstat pidstat iostat sar dstat nmon powertop tload slabtop intel_gpu_top radeontop nvidia-smi "
        "rocm-smi fatrace forkstat execsnoop opensnoop biosnoop latencytop ioping runlim lsfd lsns lsipc ipcs lslocks "
        "vm_stat nettop fs_usage sc_usage powermetrics zprint lsmp leaks heap vmmap stackshot s-tui bottom btm gtop "
        "i7z turbostat lvmsadc sa lastcomm ac aureport ausearch ausyscall auvirt",
        does="system.read",
        operands="-*",
    ),
    Spec("kill", operands="process.signal*", options={**_SIGNAL, "-n": "=-"}),
    Spec("pkill killall skill", operands="process.signal*", does="process.signal", options=_SIGNAL),
    Spec("killall5", does="process.signal", operands="-*", flags="everything"),
    Spec("xkill", does="process.signal", operands="-*", options={"-id -display -button": "=-"}),
    Spec(
        "fuser",
        does="fs.read",
        operands="fs.read*",
        flags="names",
        options={"-k --kill": "!process.signal", "-n --namespace": "=-", "-l --list": "!system.read"},
    ),
    Spec("renice choom uclampset", does="process.adjust", operands="-*"),
    Spec(
        "gdb lldb cgdb gdbserver rr",
        operands="command",
        options={
            "-p --pid --attach-pid -n --attach-name": "=process.attach",
            "-e -f -c -x --core --command -ex --eval-command -iex -cd -d -s --source -o --one-line -a --arch": "=-",
            "-q -batch -nx -args --args -w --wait-for --batch": "",
        },
    ),
    Spec("gcore reptyr frida frida-trace pyrasite jmap", operands="process.attach*", options={"-o -n -f -l": "=-"}),
    Spec("jstack jcmd jinfo jstat pstack gstack py-spy rbspy eu-stack", does="process.adjust", operands="-*"),
    Spec("dtruss dtrace spindump sample filtercalltree", does="process.adjust", operands="-*"),
    Spec(
        "perf",
        options={"-h --help -v --version": "!system.read"},
        sub={"record stat trace": Spec("perf record", does="process.spawn", operands="-*"), "*": "system.read"},
    ),
    Spec(
        "criu",
        sub={"check": "system.read", "*": "process.adjust"},
    ),
    Spec(
        "bpftrace trace-bpfcc stap funccount funclatency argdist",
        does="kernel.change",
        operands="-*",
        flags="probe",
        options={"-l --info --version -V --help -h": "!system.read", "-o -e -p -c": "=-"},
    ),
    Spec(
        "trace-cmd",
        sub={
            "list report show stat hist check-events": "system.read",
            "*": Spec("trace-cmd", does="kernel.change", operands="-*", flags="probe"),
        },
    ),
    Spec(
        "bpftool",
        options={"-j -p --json --pretty -f -m -n -d": "", "--version -V": "!system.read"},
        sub={
            "prog map link cgroup net perf btf struct_ops iter feature gen": Spec(
                "bpftool prog",
                sub={
                    "load loadall attach detach pin update delete register unregister run": Spec(
                        "bpftool load", does="kernel.change", operands="-*", flags="probe"
                    ),
                    "*": "system.read",
                },
            ),
            "*": "system.read",
        },
    ),
    Spec(
        "stress stress-ng stressapptest memtester cpuburn mprime",
        does="machine.load",
        operands="-*",
        options={
            "--version --help -h --stressors": "!system.read",
            "-m --vm --bigheap --brk": "=- +memory",
            "-t --timeout -s --seconds": "=- +bounded",
            "-c --cpu -i --io -d --hdd --vm-bytes -a --all": "=-",
        },
    ),
)
