"""What runs by itself later."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "persistence",
    Rule(
        name="startup_write",
        level=Level.HIGH,
        when=effect("fs.write fs.move fs.mode", "startup"),
        reason="What is written here runs by itself later",
        match=[
            "$ echo 'x' >> ~/.bashrc",
            "$ echo key >> ~/.ssh/authorized_keys",
            "$ cp hook .git/hooks/pre-commit",
            "$ cp x.service /etc/systemd/system/x.service",
        ],
        no_match=["$ cat ~/.bashrc", "$ ls .git/hooks"],
    ),
    Rule(
        name="schedule_change",
        level=Level.HIGH,
        when=effect("schedule.change"),
        reason="A scheduled command runs later, without anyone watching",
        instead="crontab -l",
        match=["$ crontab -r", "$ echo 'ls' | crontab -", "$ at now < job"],
        no_match=["$ crontab -l"],
    ),
)
