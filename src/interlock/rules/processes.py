"""Processes, and the machine itself."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family, path_like

RULES = family(
    "processes",
    Rule(
        name="fork_bomb",
        level=Level.CRITICAL,
        floor=True,
        when=effect("machine.exhaust"),
        reason="A program that only starts itself again brings the machine down",
        reversible=False,
        match=["$ :(){ :|:& };:", "$ bomb() { bomb | bomb & }; bomb"],
        no_match=["$ f() { ls; }; f"],
    ),
    Rule(
        name="endless_loop",
        level=Level.HIGH,
        when=effect("process.spawn", "endless"),
        reason="A loop without an end or a pause keeps a service or a program busy for good",
        match=["$ while true; do curl https://example.com; done", "$ until false; do ./job; done"],
        no_match=["$ while true; do date; sleep 5; done", "$ while read x; do echo $x; done"],
    ),
    Rule(
        name="program_destroys_unasked",
        level=Level.HIGH,
        when=effect("process.run", "destroys", "unattended"),
        reason="By its words the program would destroy something, and it is told not to ask",
        reversible=False,
        match=["$ frobctl volume delete data --yes", "$ frobctl purge -f everything"],
        no_match=["$ frobctl volume list --all", "$ frobctl volume delete data"],
    ),
    Rule(
        name="program_destroys",
        level=Level.MEDIUM,
        when=effect("process.run", "destroys"),
        reason="By its words the program would destroy something",
        reversible=False,
        match=["$ frobctl volume delete data", "$ frobctl cache:purge"],
        no_match=["$ frobctl volume list"],
    ),
    Rule(
        name="machine_halt",
        level=Level.CRITICAL,
        when=effect("machine.halt"),
        reason="Halting the machine stops everything that runs on it",
        match=[
            "$ shutdown -h now",
            "$ sudo reboot",
            "$ systemctl poweroff",
            "$ init 0",
            "$ telinit 6",
            "$ systemctl rescue",
        ],
        no_match=["$ uptime", "$ echo asphalt", "$ systemctl status nginx", "$ shutdown -c", "$ init q"],
    ),
    Rule(
        name="kill_everything",
        level=Level.CRITICAL,
        when=(effect("process.signal", "everything"), effect("process.signal", "init")),
        reason="Every process that may be reached would end, the first one or all of them",
        reversible=False,
        match=["$ kill -9 -1", "$ kill -- -1", "$ kill -s KILL 1", "$ killall5 -9"],
        no_match=["$ kill -1 4321", "$ kill -0 1234", "$ kill -l"],
    ),
    Rule(
        name="kill_of_user",
        level=Level.HIGH,
        when=effect("process.signal", "of_user"),
        reason="Everything that this person runs would end",
        reversible=False,
        instead="pgrep -u eve",
        match=["$ pkill -u eve", "$ killall -u eve", "$ pkill -9 -U 1000"],
        no_match=["$ pgrep -u eve", "$ pkill server"],
    ),
    Rule(
        name="kill_any",
        level=Level.HIGH,
        when=effect(
            "process.signal",
            named=path_like(
                ".", ".*", "*.[*]", "[*]", "-", "", "bash", "sh", "zsh", "python", "python3", "node", "java"
            ),
        ),
        reason="So wide a name ends programs that have nothing to do with this",
        reversible=False,
        instead="pgrep -a node",
        match=["$ pkill -f .", "$ pkill -9 python", "$ killall node"],
        no_match=["$ pkill -f 'node server.js'", "$ pgrep -a python"],
    ),
    Rule(
        name="kill_system",
        level=Level.HIGH,
        when=effect(
            "process.signal",
            named=path_like(
                *"""init systemd* launchd sshd dbus* Xorg Xwayland gnome-shell gnome-session* kwin* plasmashell WindowServer loginwindow
                dockerd containerd* kubelet NetworkManager wpa_supplicant auditd rsyslogd cron* polkitd sddm gdm* lightdm login agetty
                postgres mysqld mariadbd mongod explorer.exe lsass* svchost* winlogon* csrss*""".split()
            ),
        ),
        reason="The machine or its sessions depend on this process",
        reversible=False,
        match=["$ pkill sshd", "$ killall -9 dockerd", "$ pkill -x systemd-logind"],
        no_match=["$ pkill -f vite", "$ pgrep sshd"],
    ),
    Rule(
        name="process_kill",
        level=Level.MEDIUM,
        when=effect("process.signal"),
        reason="Killing a process may lose its work",
        reversible=False,
        match=["$ kill -9 1234", "$ pkill -f server", ">>> import os; os.kill(1, 9)", "$ fuser -k 8080/tcp"],
        no_match=["$ kill -l", "$ ps aux", "$ kill -0 1234", "$ kill -CONT 1234", "$ sleep 9 & kill $!", "$ kill %1"],
    ),
    Rule(
        name="process_attach",
        level=Level.HIGH,
        when=effect("process.attach"),
        reason="A debugger sees and changes everything in a running program, its keys too",
        match=["$ gdb -p 1234", "$ strace -p 1234", "$ gcore 1234", "$ ltrace -f -p 1234", "$ reptyr 1234"],
        no_match=["$ gdb ./app", "$ strace ls", "$ pgrep app"],
    ),
    Rule(
        name="load_unbounded",
        level=Level.HIGH,
        when=effect("machine.load", "memory", without="bounded"),
        reason="Memory that is taken without an end takes the machine down",
        instead="stress-ng --cpu 2 --timeout 30s",
        match=["$ stress -m 4 --vm-bytes 8G", "$ stress-ng --vm 8 --vm-keep"],
        no_match=["$ stress-ng --vm 2 --timeout 30s", "$ stress --cpu 2"],
    ),
    Rule(
        name="load_test",
        level=Level.MEDIUM,
        when=effect("machine.load"),
        reason="A load test slows down everything else on the machine",
        match=["$ stress --cpu 3", "$ stress-ng --cpu 2 --timeout 30s"],
        no_match=["$ stress-ng --version", "$ uptime"],
    ),
    Rule(
        name="process_adjust",
        level=Level.MEDIUM,
        when=effect("process.adjust"),
        reason="A process would run with another priority, wait, or go on",
        match=["$ renice -n 5 -p 1234", "$ kill -STOP 1234", "$ kill %1", "$ pkill -USR1 server"],
        no_match=["$ ps", "$ kill -0 1234"],
    ),
    Rule(
        name="subprocess_exec",
        level=Level.MEDIUM,
        when=effect("process.spawn"),
        reason="Executing system commands",
        match=[
            ">>> import subprocess; subprocess.run(['make', 'clean'])",
            ">>> import os; os.system('ls')",
            ">>> import subprocess; subprocess.check_output(['ls'])",
            "$ npm run build",
        ],
        no_match=["$ npm ls", ">>> import subprocess"],
    ),
)
