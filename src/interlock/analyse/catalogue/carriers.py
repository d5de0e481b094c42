"""Programs that carry another command: with other rights, in another place, at another pace."""

from interlock.analyse.catalogue.spec import Spec

_SHELL_TEXT = "=code:shell"

SPECS = (
    # other rights
    Spec(
        "sudo",
        operands="command",
        options={
            "-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -r --role -t --type": "=-",
            "-U --other-user -R --chroot -a --auth-type -c --login-class": "=-",
            "-D --chdir": "=chdir",
            "-l --list -v --validate -k --reset-timestamp -K --remove-timestamp -V --version --help": "+asks",
            "-E --preserve-env -H -n --non-interactive -S --stdin -b --background -i --login -s --shell -e --edit -A -B -N -P": "",
        },
    ),
    Spec("doas", operands="command", options={"-u -C": "=-", "-a": "=-", "-n -s -L": ""}),
    Spec(
        "pkexec please dzdo", operands="command", options={"--user -u": "=-", "--disable-internal-agent --keep-cwd": ""}
    ),
    Spec(
        "su runuser",
        operands="-*",
        options={
            "-c --command --session-command": _SHELL_TEXT,
            "-s --shell -g --group -G --supp-group -u --user -w --whitelist-environment -T": "=-",
            "-h --help -V --version": "+asks",
            "-l --login -m -p --preserve-environment -f --fast -P --pty": "",
        },
    ),
    Spec(
        "run0",
        operands="command",
        options={
            "-u --user -g --group -D --chdir --unit --property --slice --setenv --nice --background --machine": "=-"
        },
    ),
    Spec("sg", operands="- command", options={"-c": _SHELL_TEXT}),
    Spec("gosu su-exec setuidgid s6-setuidgid", operands="- command"),
    Spec(
        "chpst", operands="command", options={"-u -U -e -/ -n -l -L -m -d -o -p -f -c -t -a -b": "=-", "-P -v -V": ""}
    ),
    Spec(
        "setpriv",
        operands="command",
        options={
            "--reuid --euid --ruid --regid --egid --rgid --groups --inh-caps --ambient-caps --bounding-set --securebits": "=-",
            "--pdeathsig --selinux-label --apparmor-profile --reset-env --landlock-access --landlock-rule": "=-?",
            "-d --dump --list-caps": "!system.read",
        },
    ),
    # another environment
    Spec(
        "env genv",
        operands="command",
        options={
            "-u --unset -P -U -L -a --argv0": "=-",
            "-C --chdir": "=chdir",
            "-S --split-string": _SHELL_TEXT,
            "-i -0 -v --ignore-environment --null --debug": "",
        },
    ),
    Spec("envdir", operands="- command"),
    Spec(
        "prlimit",
        operands="command",
        options={"-p --pid": "=- !process.adjust", "-o --output": "=-", "--noheadings --raw -v": ""},
    ),
    Spec("coreutils", operands="-*", options={"--coreutils-prog": "=code:shell"}),
    Spec("faketime retry abduco dtach", operands="- command"),
    Spec(
        "pssh parallel-ssh pdsh clush dsh",
        operands="code:shell",
        options={"-h -H -l -w -g -p -t -o -e -x -n": "=-", "-i -v -A": ""},
    ),
    Spec(
        "distrobox toolbox",
        sub={
            "enter run": Spec("enter", operands="- command", options={"-n -c": "=-"}),
            "rm": "container.delete",
            "*": "container.read",
        },
    ),
    Spec("flatpak-spawn wsl", operands="command", options={"--host -e --exec": "", "--directory -d -u": "=-"}),
    Spec(
        "dotenv dotenv-cli env-cmd",
        options={"-e -f --file -c -p -v -q --quote": "=-", "-o --override": ""},
        sub={
            "run": Spec("run", operands="command", options={"-f -e --env-file": "=-", "-o --override": ""}),
            "list get": "secret.read",
            "set unset": Spec("set", does="fs.write", operands="-*"),
            "*": "command",
            "": "system.read",
        },
    ),
    Spec(
        "direnv",
        sub={
            "exec": Spec("exec", operands="- command"),
            "allow permit grant": Spec("allow", does="code.run", operands="-*", default=".envrc"),
            "reload": "process.spawn",
            "*": "system.read",
        },
    ),
    Spec(
        "envchain envconsul teller infisical",
        sub={
            "exec run": Spec(
                "exec",
                operands="- command",
                options={"-d --duration -n -s --path --env --projectId -e": "=-", "--no-session -j": ""},
            ),
            "list ls history login init help": "system.read",
            "export env show sh get": Spec("export", does="secret.read", operands="-*", flags="secret store"),
            "*": "process.run",
        },
    ),
    # at another pace, or watched
    Spec(
        "command builtin exec",
        operands="command",
        options={"-a": "=-", "-v -V": "!system.read", "-p -c -l": ""},
    ),
    Spec(
        "nohup chronic ts ifne systemd-cat systemd-inhibit catchsegv eatmydata nocache run-one dbus-run-session dbus-launch rlwrap "
        "prime-run optirun primusrun nice-run linux32 linux64 i386 x86_64 unbuffer torsocks torify tsocks dumb-init setlock",
        operands="command",
        options={"-t --identifier -p --priority --what --who --why --mode --config-file -f": "=-"},
    ),
    Spec("proxychains proxychains4", operands="command", options={"-f": "=-", "-q": ""}),
    Spec("tini", operands="command", options={"-e -p -r": "=-", "-g -s -v -w": ""}),
    Spec("setarch", operands="- command", options={"-R -L -B -F -I -S -T -X -Z -v": ""}),
    Spec("caffeinate", operands="command", options={"-t -w": "=-", "-d -i -m -s -u": ""}),
    Spec(
        "time gtime",
        operands="command",
        options={"-f --format": "=-", "-o --output": "=fs.write", "-a -p -v -q -l -h": ""},
    ),
    Spec("stdbuf gstdbuf", operands="command", options={"-i --input -o --output -e --error": "=-"}),
    Spec("setsid", operands="command", options={"-f -c -w --fork --ctty --wait": ""}),
    Spec("nice gnice", operands="command", options={"-n --adjustment": "=-"}),
    Spec(
        "ionice",
        operands="command",
        options={"-c --class -n --classdata": "=-", "-p --pid -P --pgid -u --uid": "!system.change", "-t": ""},
    ),
    Spec(
        "chrt",
        operands="- command",
        options={"-T -P -D --sched-runtime --sched-period --sched-deadline": "=-", "-p --pid -m --max": "!system.read"},
    ),
    Spec("taskset", operands="- command", options={"-p --pid -c --cpu-list -a": ""}),
    Spec(
        "numactl",
        operands="command",
        options={"-N -m -C -i -p -P --cpunodebind --membind --physcpubind --interleave": "=-"},
    ),
    Spec(
        "cpulimit",
        operands="command",
        options={"-l --limit -c --cpu": "=-", "-p --pid -e --exe -P --path": "=-", "-b -f -i -z -m -v": ""},
    ),
    Spec("cgexec", operands="command", options={"-g": "=-", "--sticky": ""}),
    Spec("schedtool", operands="command", options={"-a -n -p -M": "=-", "-e": ""}),
    Spec("softlimit", operands="command", options={"-m -d -s -l -a -o -p -f -c -r -t": "=-"}),
    Spec(
        "ltrace",
        operands="command",
        options={
            "-p": "=process.attach",
            "-e -o -s -u -E -P -l -x -A -a -D -F -n": "=-",
            "-f -c -C -L -S -i -r -t -T": "",
        },
    ),
    Spec(
        "strace",
        operands="command",
        options={
            "-e --trace -s --string-limit -u --user -E --env -P --trace-path -a -b -I -O -S -X -U": "=-",
            "-p --attach": "=process.attach",
            "-o --output": "=fs.write",
            "-f -ff -c -C -d -D -i -k -n -q -qq -r -t -tt -ttt -T -v -w -x -xx -y -yy -z -Z --follow-forks": "",
        },
    ),
    Spec(
        "valgrind heaptrack",
        operands="command",
        options={"-h --help --version": "!system.read", "-q -v -d": "", "-p --pid": "=-"},
    ),
    Spec(
        "timeout gtimeout",
        operands="- command",
        options={"-s --signal -k --kill-after": "=-", "--foreground --preserve-status -v --verbose -f -p": ""},
    ),
    Spec(
        "watch viddy hwatch",
        operands="command",
        options={"-n --interval -q --equexit": "=-", "-d --differences": "=-?", "-t -c -b -e -g -x -p -w": ""},
    ),
    Spec(
        "xargs gxargs",
        operands="command",
        options={
            "-I -J -n --max-args -P --max-procs -L -d --delimiter -s --max-chars -E -R -S": "=-",
            "-a --arg-file": "=fs.read",
            "-i --replace -l --max-lines -e --eof --process-slot-var": "=-?",
            "-0 -r -t -p -x -o --null --no-run-if-empty --verbose --interactive --exit --open-tty": "",
        },
    ),
    Spec(
        "parallel",
        operands="command",
        options={
            "-j --jobs --colsep -C -I -U -N -n --max-args -L -l -s -d --delimiter -E --delay --timeout --retries --halt": "=-",
            "--tag --tagstring --joblog --results --tmpdir --workdir --wd --nice --load --memfree --env --block": "=-",
            "-a --arg-file": "=fs.read",
            "-S --sshlogin --slf": "=net.connect",
            "-k -0 -q -X -m -r -t -u -v --bar --eta --progress --keep-order --dry-run --pipe --will-cite --null --line-buffer --ungroup": "",
        },
    ),
    Spec(
        "flock lockf",
        operands="- command",
        options={
            "-w --timeout --wait -E --conflict-exit-code -t": "=-",
            "-c --command": _SHELL_TEXT,
            "-x -s -n -u -o -e -F -k": "",
        },
    ),
    # another place
    Spec("chroot", operands="- command", options={"--userspec --groups -u -g -G": "=-", "--skip-chdir -n": ""}),
    Spec("arch-chroot", operands="- command", options={"-u": "=-", "-N -r": ""}),
    Spec(
        "unshare",
        operands="command",
        options={
            "-m --mount -u --uts -i --ipc -n --net -p --pid -U --user -C --cgroup -T --time --mount-proc --kill-child": "=-?",
            "-S --setuid -G --setgid -R --root -w --wd --propagation --setgroups --map-user --map-group --map-users --map-groups": "=-",
            "--monotonic --boottime --map-subids --load-interp -l": "=-",
            "-r --map-root-user -c --map-current-user --map-auto -f --fork --keep-caps": "",
        },
    ),
    Spec(
        "nsenter",
        operands="command",
        options={
            "-t --target -S --setuid -G --setgid": "=-",
            "-m --mount -u --uts -i --ipc -n --net -p --pid -U --user -C --cgroup -T --time -r --root -w --wd": "=-?",
            "-a --all -F --no-fork -Z --follow-context --preserve-credentials": "",
        },
    ),
    Spec("bwrap", operands="command"),
    Spec("firejail sandbox-exec landrun nsjail", operands="command", options={"-p -f -n": "=-"}),
    Spec(
        "systemd-nspawn",
        operands="command",
        options={
            "-D --directory -i --image -u --user -M --machine -E --setenv --bind --bind-ro --tmpfs --capability --template": "=-",
            "-b --boot -x --ephemeral -q -a -P -n -U": "",
        },
    ),
    Spec(
        "proot",
        operands="command",
        options={"-r --rootfs -b --bind -m --mount -w --pwd --cwd -q --qemu -S -R -k": "=-", "-0 -v -p -l": ""},
    ),
    Spec("fakeroot fakechroot", operands="command", options={"-l --lib -s -i -b -e -c --faked": "=-", "-u -h -v": ""}),
    Spec("busybox toybox", operands="command", options={"--list --list-full --help --install": "!system.read"}),
    Spec(
        "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1",
        operands="command",
        options={
            "--library-path --preload --audit --argv0 --inhibit-rpath --glibc-hwcaps-prepend": "=-",
            "--list --verify": "!system.read",
        },
    ),
    Spec("aa-exec", operands="command", options={"-p --profile -n --namespace": "=-", "-d -i -v": ""}),
    Spec(
        "xvfb-run",
        operands="command",
        options={"-e -f -n -p -s -w --server-args --server-num --error-file --auth-file": "=-", "-a -l": ""},
    ),
    Spec("sshpass", operands="command", options={"-p -f -d -P": "=-", "-e -v": ""}),
    Spec("capsh start-stop-daemon", does="process.spawn", operands="-*"),
    Spec(
        "cmake",
        does="process.spawn",
        operands="-*",
        options={
            "-P": "=script",
            "-S -B -G -D -C -T -A -j --build --target --config --preset --install --prefix": "=-?",
            "-N -L --help --version": "!system.read",
        },
    ),
    Spec(
        "run-parts",
        operands="script",
        options={"--regex --arg -a": "=-", "--list --test": "!fs.read", "-v --report": ""},
    ),
    Spec("daemonize", operands="command", options={"-c -e -o -p -l -u -E": "=-", "-a -v": ""}),
    Spec(
        "systemd-run",
        operands="command",
        options={
            "-p --property -u --unit -E --setenv --on-calendar --on-active --on-boot --on-startup --slice --uid --gid --description": "=-",
            "--working-directory -H --host -M --machine --nice --service-type --timer-property --path-property --on-unit-active": "=-",
            "-t --pty -P --pipe -q --quiet --user --scope -G --collect --wait --no-block --remain-after-exit -d --same-dir -S --shell": "",
        },
    ),
    # on every change, or many times
    Spec("entr", operands="command", options={"-a -c -d -n -p -r -s -z -x": ""}),
    Spec(
        "reflex",
        operands="command",
        options={"-r --regex -R -g --glob -G --inverse-regex -S -t -d": "=-", "-s -e -v": ""},
    ),
    Spec(
        "watchexec",
        operands="command",
        options={
            "-w --watch -W -e --exts -i --ignore -f --filter -s --signal -d --debounce --shell -E --env --workdir --stop-signal": "=-",
            "-o --on-busy-update --delay-run --poll --emit-events-to": "=-",
            "-r -c -n -p -q -v --restart --clear --no-vcs-ignore --postpone": "",
        },
    ),
    Spec(
        "nodemon",
        operands="script",
        options={
            "-x --exec": _SHELL_TEXT,
            "-w --watch -e --ext -i --ignore -d --delay -s --signal --config -C --cwd": "=-",
            "-V -q -L -h --verbose --legacy-watch --quiet": "",
        },
    ),
    Spec(
        "hyperfine",
        operands="code:shell*",
        options={
            "-p --prepare -s --setup -c --cleanup -C --conclude": _SHELL_TEXT,
            "-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name -S --shell -P -L --style -u -u --input": "=-",
            "--export-json --export-markdown --export-csv --export-asciidoc --export-orgmode --output": "=fs.write",
            "-i -N --show-output --ignore-failure": "",
        },
    ),
    Spec("pee mispipe", operands="code:shell*"),
    # terminals
    Spec(
        "script",
        operands="fs.write command",
        options={"-c --command": _SHELL_TEXT, "-o -t -T -I -O -B -E -m": "=-?", "-q -f -a -e -d -p -r -k": ""},
    ),
    Spec("expect", operands="script", options={"-c": "=code:tcl", "-f": "=script", "-b -d -D -i -n -N -v": ""}),
    Spec(
        "xterm uxterm urxvt rxvt st alacritty kitty foot konsole terminator",
        operands="command",
        options={"-e -x --command": "=command", "-T -title -geometry -fn -fg -bg --hold --title": "=-"},
    ),
    Spec(
        "gnome-terminal xfce4-terminal mate-terminal tilix",
        operands="command",
        options={"-e --command": _SHELL_TEXT, "-x": "=command", "--title --geometry --working-directory": "=-"},
    ),
    Spec(
        "screen",
        operands="command",
        options={
            "-S -t -c -h -e -s -T -p -L -Logfile": "=-",
            "-ls -list -wipe -v": "!system.read",
            "-dmS": "=-",
            "-d -m -D -r -R -x -A -q -U -a -dm": "",
            "-X": "=-",
        },
    ),
)
