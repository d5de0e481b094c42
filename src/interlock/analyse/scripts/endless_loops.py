"""Endless loops in script languages that take memory, files or processes and never wait, by the words in them."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

# A loop without a condition, in the notation of Perl, Ruby, JavaScript, PHP, Lua, awk and others.
_LOOP = late(
    r"(?i)\bwhile\s*\(?\s*(?:true|1|!0|!false|1\s*==\s*1)\s*(?:\)|\{|;|:|do\b|$)|\bfor\s*\(\s*;\s*;\s*\)|\bloop\s*(?:\{|do\b)"
    r"|\buntil\s*\(?\s*(?:false|0)\s*[){;]|\bwhile\s+(?:1|true)\s*(?:;|'|\"|$|\})|\bfor\s*\{\s*\}|\bsetInterval\([^;]*,\s*0?\s*\)"
)
# What each round takes.
_TAKING = late(
    r"(?i)\bfork\b|\bspawn\w*\b|\.push\(|\bpush\b|\bconcat\b|\.rep\(|\brepeat\(|\bsystem\s*\(|\bexec\w*\(|\bThread\b|\bmkdir\w*\b"
    r"|writeFile|appendFile|\balloc\w*\(|\w+\[#\w+\s*\+\s*1\]|\bfile_put_contents\b|\bfputs\b|\b(\w+)\s*=\s*\1\s*[.+]?\s*\1\b"
    r"|\b(\w+)\s*(?:\+|\.|\.\.)=\s*\2\b|<<\s*[\"']?\w|\bnew\s+(?:Array|Buffer|Worker)"
)
# How a loop ends or pauses.
_LEAVING = late(
    r"(?i)\b(?:sleep|usleep|nanosleep|break|return|exit|last|die|wait|waitpid|gets|readline|getline|accept|recv|await|yield|read"
    r"|setTimeout|raise|throw|shift|pop|next|select|poll|fgets|STDIN)\b"
)


def exhausts(text: str) -> bool:
    """Whether a script is a loop without an end that only takes more and more.

    >>> exhausts("while(true)a.push(new Array(1e6))"), exhausts("while(true){ await next(); a.push(1) }")
    (True, False)
    """
    return _LOOP.search(text) is not None and _TAKING.search(text) is not None and _LEAVING.search(text) is None


def report_exhaustion(reading: Reading, text: str, site: Site) -> None:
    """Report a script that takes memory or processes without an end."""
    if exhausts(text):
        reading.emit("machine.exhaust", site, "endless loop")
