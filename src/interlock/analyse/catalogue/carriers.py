"""Programs that carry another command."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "sudo",
        operands="command",
        options={
            "-u --user -g --group -h -p -C -T -r -t -U -R": "=-",
            "-D --chdir": "=chdir",
            "-E -H -n -S -b -i -s -k -K -l -v -e --edit -A": "",
        },
    ),
    Spec("doas pkexec", operands="command", options={"-u --user -C": "=-", "-n -s": ""}),
    Spec(
        "su runuser",
        operands="-*",
        options={"-c --command": "=code:shell", "-s --shell -g -G -u": "=-", "-l -m -p": ""},
    ),
    Spec(
        "env",
        operands="command",
        options={
            "-u --unset": "=-",
            "-C --chdir": "=chdir",
            "-S --split-string": "=code:shell",
            "-i -0 --ignore-environment": "",
        },
    ),
    Spec(
        "command builtin exec coproc nohup time stdbuf unbuffer chronic ts systemd-inhibit caffeinate catchsegv fakeroot proot gtime",
        operands="command",
        options={"-o -e -i -a --output --format -I": "=-", "-v -V": "!system.read", "-p -c -l -L -f": ""},
    ),
    Spec("setsid", operands="command", options={"-f -c -w --fork --ctty --wait": ""}),
    Spec("ionice chrt", operands="command", options={"-c --class -n --classdata -p": "=-", "-t": ""}),
    Spec("taskset", operands="- command", options={"-p -c --cpu-list": ""}),
    Spec("strace ltrace", operands="command", options={"-p -e -o -s -u -E -P": "=-", "-f -c -q -v -t -T": ""}),
    Spec("nice", operands="command", options={"-n --adjustment": "=-"}),
    Spec(
        "timeout gtimeout",
        operands="- command",
        options={"-s --signal -k --kill-after": "=-", "--foreground --preserve-status -v": ""},
    ),
    Spec("watch", operands="command", options={"-n --interval": "=-", "-d -t -c -b -e -g -x": ""}),
    Spec(
        "xargs",
        operands="command",
        options={
            "-I -n --max-args -P --max-procs -L -d --delimiter -s -E -a --arg-file": "=-",
            "--replace": "=-?",
            "-0 -r -t -p -i": "",
        },
    ),
    Spec("parallel", operands="command", options={"-j --jobs --colsep -a --arg-file": "=-", "-k -0 --bar": ""}),
    Spec("script", operands="-*", options={"-c --command": "=code:shell", "-q -f -a": ""}, does="process.spawn"),
    Spec("chroot", operands="- command", options={"--userspec --groups": "=-"}),
    Spec("unshare nsenter setpriv firejail bwrap", operands="command", options={"-t --target -S -G -r": "=-"}),
    Spec(
        "systemd-run",
        operands="command",
        options={"-p --property -u --unit -E --setenv --on-calendar --on-active": "=-"},
    ),
    Spec("flock", operands="- command", options={"-w -E": "=-", "-c": "=code:shell"}),
    Spec("busybox toybox", operands="command"),
    Spec(
        "entr reflex nodemon watchexec hyperfine",
        operands="command",
        options={"-w --watch -e --exts -r -s": "=-?"},
    ),
    Spec("tmux screen", operands="-*", does="process.spawn"),
    Spec("dotenv direnv aws-vault chamber doppler", operands="-*", does="process.spawn"),
)
