"""Keys, tokens, passwords."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "secrets",
    Rule(
        name="secret_read",
        level=Level.HIGH,
        when=effect("secret.read"),
        reason="Reading a file that holds keys or passwords",
        match=[
            "$ cat ~/.ssh/id_rsa",
            "$ cat .env",
            "$ head ~/.aws/credentials",
            ">>> open('/home/u/.netrc')",
            'tool Read {"file_path": ".env.production"}',
        ],
        no_match=["$ cat .env.example", "$ cat ~/.ssh/id_rsa.pub", "$ ls", "$ cat src/environment.py"],
    ),
    Rule(
        name="secret_write",
        level=Level.MEDIUM,
        when=effect("fs.write fs.move fs.delete", "secret"),
        reason="Changing a file that holds keys or passwords",
        match=["$ echo A=1 >> .env", "$ rm ~/.ssh/id_rsa"],
        no_match=["$ echo A=1 >> .env.example"],
    ),
    Rule(
        name="environment_read",
        level=Level.LOW,
        when=effect("env.read"),
        reason="The environment often holds keys",
        match=["$ env", "$ printenv", ">>> import os; os.environ['X']"],
        no_match=["$ env X=1 ls", "$ echo env"],
    ),
)
