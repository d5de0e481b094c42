"""Repeated commands: what the text of a loop or of a function that calls itself says about an end."""

from __future__ import annotations

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
