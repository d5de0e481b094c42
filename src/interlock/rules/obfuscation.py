"""Code that is hidden until it runs, and doors that let anything through unseen."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "obfuscation",
    Rule(
        name="decoded_code",
        level=Level.HIGH,
        when=effect("code.opaque", "decoded"),
        reason="Code that is encoded until it runs cannot be judged before",
        reversible=False,
        instead="base64 -d payload.b64",
        match=[
            "$ base64 -d payload.b64 | sh",
            '$ eval "$(echo $X | base64 -d)"',
            "$ xxd -r -p payload.hex | bash",
            "$ openssl enc -d -aes-256-cbc -in x.enc | sh",
            "$ node -e 'eval(Buffer.from(process.env.P, \"base64\").toString())'",
        ],
        no_match=[
            "$ base64 -d payload.b64",
            "$ base64 -d image.b64 > image.png",
            "$ gunzip -c dump.sql.gz | psql app",
            "$ echo bHM= | base64 -d | sh",
        ],
    ),
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
    Rule(
        name="process_attach",
        level=Level.HIGH,
        when=effect("process.signal", "attach"),
        reason="A debugger reads and changes everything in the process that it attaches to",
        match=["$ gdb -p 1234", "$ gdb --pid=1234 -batch -ex bt", "$ lldb -p 99"],
        no_match=["$ gdb ./app", "$ gdb --args ./app x"],
    ),
)
