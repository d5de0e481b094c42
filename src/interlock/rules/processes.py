"""Processes, services, the machine itself."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

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
        name="machine_halt",
        level=Level.CRITICAL,
        when=effect("machine.halt"),
        reason="Halting the machine stops everything that runs on it",
        match=["$ shutdown -h now", "$ sudo reboot", "$ systemctl poweroff"],
        no_match=["$ uptime", "$ echo asphalt", "$ systemctl status nginx"],
    ),
    Rule(
        name="process_kill",
        level=Level.HIGH,
        when=effect("process.signal"),
        reason="Killing a process may lose its work",
        reversible=False,
        match=["$ kill -9 1234", "$ pkill -f server", ">>> import os; os.kill(1, 9)"],
        no_match=["$ kill -l", "$ ps aux"],
    ),
    Rule(
        name="service_change",
        level=Level.HIGH,
        when=effect("service.change"),
        reason="Services that start or stop change what the machine offers",
        match=["$ systemctl stop nginx", "$ service postgresql restart"],
        no_match=["$ systemctl status nginx", "$ journalctl -u nginx"],
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
