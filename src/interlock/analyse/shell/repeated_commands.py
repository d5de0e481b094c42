"""Repeated commands: what the text of a loop or of a function that calls itself says about an end."""

from __future__ import annotations

import re
from functools import lru_cache

from interlock.patterns import late

#: The head of a loop that never ends by itself.
ENDLESS_LOOP = late(
    r"(?:while\s+(?:true|:|1|\[+ (?:1|true) \]+|\(\(\s*1\s*\)\)|do\b)|until\s+false|for\s*\(\(\s*;\s*;)"
)
#: Words by which a loop pauses or ends.
PAUSE = late(r"\b(?:sleep|read|wait|break|exit|return|inotifywait|entr|timeout)\b")
WAITING = late(r"\b(?:wait|break|exit|return|inotifywait|entr|read)\b")
#: A command that goes on in the background: `a &`, but neither `a && b` nor `2>&1`.
BACKGROUND = late(r"(?<![&>|])&(?![&>\d])")
#: Commands that create a file in each round.
NEW_FILES = late(
    r"\bmktemp\b|\b(?:touch|mkdir|cp|tee|dd)\b[^\n;|&]*\$|>\s*[^\s;&|]*\$|\bmkdir\b[^\n]*\bcd\b|>>\s*[^\s;&|/]|>>\s*/(?!dev/)"
)
# Places of a password in a command, before the variable that holds it.
_GIVEN = (
    r"(?:\bsshpass\s+(?:-\w+\s+)*-p\s*|\bunzip\b[^;|&\n]*-P\s*|\b(?:7za?|7zr|unrar|rar)\b[^;|&\n]*\s-p"
    r"|--pass(?:word|phrase|wd)?[= ]|(?:-u|--user)[= ]?\s*['\"]?[\w.@-]+:|\bpass:|://[\w.-]+:"
    r"|\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)=|\bmysql\w*\b[^;|&\n]*\s-p"
    r"|\bqpdf\b[^;|&\n]*--password=|\bsmbclient\b[^;|&\n]*%)['\"]?"
)
_HANDED = (
    r"['\"}]*\s*\|\s*(?:sudo\s+(?:-\w+\s+)*-\w*S|su\b|(?:sudo\s+)?cryptsetup\b|gpg2?\b[^;|&\n]*-fd\b"
    r"|openssl\b[^;|&\n]*stdin|kinit\b|passwd\b|ssh-keygen\b|age\b)"
)
# What one of these places cannot do without: most loops have none of it, which is seen at once.
_CLUE = late(
    r"sshpass|unzip|7z|rar\b|--pass|-u|--user|pass:|://|PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|mysql|smbclient"
    r"|\|\s*(?:su|cryptsetup|gpg|openssl|kinit|passwd|ssh-keygen|age)"
)
_OFFLINE = late(r"\b(?:unzip|7za?|7zr|unrar|rar|gpg2?|openssl|cryptsetup|qpdf|ssh-keygen|age|sudo|su)\b")
_READ = late(r"\bread\s+(?:-\w+\s+)*([A-Za-z_]\w*)")
_HERE = late(r"\b(?:localhost|127\.0\.0\.1)\b")


@lru_cache(maxsize=64)  # a loop in a loop is asked about in each round of the outer one
def guess_flags(text: str, name: str) -> frozenset[str]:
    """Return the flags of a loop that tries its variable as a password, or none.

    >>> sorted(guess_flags('sshpass -p "$p" ssh root@192.0.2.1', "p")), sorted(guess_flags("ssh -p $p host", "p"))
    (['attack', 'brute_force'], [])
    """
    if not _CLUE.search(text):
        return frozenset()
    variable = r"\$\{?" + re.escape(name) + r"\b"
    if not re.search(f"{_GIVEN}{variable}|{variable}{_HANDED}", text) or _HERE.search(text):
        return frozenset()
    return _CRACK if _OFFLINE.search(text) else _GUESS


#: A loop over the lines of its input.
READING = late(r"^\s*while\s[^;\n]*\bread\b")


def read_names(text: str) -> list[str]:
    """Return the variables that a loop reads lines into: `while read -r word`."""
    return _READ.findall(text)


_GUESS = frozenset({"attack", "brute_force"})
_CRACK = frozenset({"crack"})
