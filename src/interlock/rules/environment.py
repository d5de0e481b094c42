"""What a command runs in: its variables, and a text that is not what it seems."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "environment",
    Rule(
        name="library_preload",
        level=Level.HIGH,
        when=effect("code.run", "preload"),
        reason="A preloaded library runs inside every program that starts",
        eased={"system": Level.MEDIUM},
        match=[
            ">>> import os; os.environ['LD_PRELOAD'] = '/tmp/x.so'",
            "$ LD_PRELOAD=/tmp/x.so ssh host",
            "$ export DYLD_INSERT_LIBRARIES=./x.dylib",
            "$ env LD_AUDIT=./x.so ls",
        ],
        no_match=["$ LD_LIBRARY_PATH=./lib ./app", "$ echo LD_PRELOAD=x"],
    ),
    Rule(
        name="search_path_open",
        level=Level.HIGH,
        when=effect("code.run", "search_path"),
        reason="Programs would be looked for first where anyone can put one",
        match=["$ PATH=/tmp:$PATH make", "$ export PATH=/dev/shm/bin:$PATH"],
        no_match=["$ PATH=./node_modules/.bin:$PATH tsc", "$ echo $PATH"],
    ),
    Rule(
        name="shell_history_off",
        level=Level.HIGH,
        when=effect("trace.erase", "history"),
        reason="What was typed would leave no trace",
        match=["$ unset HISTFILE", "$ export HISTFILE=/dev/null", "$ export HISTSIZE=0", "$ set +o history"],
        no_match=["$ history", "$ export HISTSIZE=10000", "$ set -o history"],
    ),
    Rule(
        name="agent_socket",
        level=Level.HIGH,
        when=effect("secret.read", "agent_socket"),
        reason="Whoever uses another's key agent signs in as that person",
        match=["$ SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.123 ssh-add -l"],
        no_match=["$ ssh-add -l", "$ eval $(ssh-agent)"],
    ),
    Rule(
        name="disguised_text",
        level=Level.HIGH,
        when=effect("code.opaque", "disguised"),
        reason="The text is written so that it does not look like what it does",
        match=["$ /???/b?sh -c ls", "$ /bin/c?t notes"],
        no_match=["$ ls *.txt", "$ [ -f x ]"],
    ),
    Rule(
        name="invisible_characters",
        level=Level.HIGH,
        when=effect("code.opaque", "invisible"),
        reason="Characters in the text make it look different from what it is",
        match=["$ echo '\u202els'", ">>> x = 'a\u2066b'"],
        no_match=["$ echo 'שלום'", "$ echo '👩\u200d💻'"],
    ),
)
