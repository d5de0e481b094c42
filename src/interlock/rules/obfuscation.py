"""Code that is hidden until it runs, and doors that let anything through unseen."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "obfuscation",
    Rule(
        name="input_run",
        level=Level.HIGH,
        when=effect("code.opaque", "input"),
        reason="Whatever the input says would be run as a command",
        reversible=False,
        match=[
            "$ awk '{ system($0) }' list.txt",
            "$ perl -ne 'system($_)' list.txt",
            "$ ruby -e 'eval gets'",
            "$ sed 's/.*/&/e' list.txt",
        ],
        no_match=[
            "$ awk '{ system(\"echo \" $1) }' list.txt",
            "$ awk '{ print $0 }' list.txt",
            "$ perl -ne 'print' list.txt",
        ],
    ),
    Rule(
        name="shell_escape",
        level=Level.HIGH,
        when=effect("process.run", "shell_escape"),
        reason="A shell that is opened from inside another program takes commands that nobody sees",
        match=[
            "$ awk 'BEGIN { system(\"/bin/sh\") }'",
            "$ vim -c ':!/bin/sh'",
            "$ perl -e 'exec \"/bin/sh\"'",
            "$ gdb -nx -ex '!sh' -ex quit",
        ],
        no_match=[
            "$ awk 'BEGIN { system(\"date\") }'",
            "$ vim notes.txt",
            "$ perl -e 'exec \"/bin/ls\"'",
            "$ sh build.sh",
        ],
    ),
)
