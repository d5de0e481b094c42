"""Loops that flood a service, try one port after another, fill the memory or the disk, or rewrite a person's files.

A loop is judged by its text, which is written much alike in all languages, and by the effects of its body.
"""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.model import Effect
from interlock.patterns import late

_ENDLESS = late(
    r"^\s*(?:while\s*\(?\s*(?:true|TRUE|True|1|!0|!false|1\s*==\s*1)\b\s*\)?|until\s+(?:false|nil)\b|for\s*\(\s*;\s*;"
    r"|for\s*\(\s*[^;()]*;\s*(?:true|1)?\s*;|(?:Kernel\.)?loop\s*(?:\{|do\b)|repeat\s*(?:\{|\n|do\b|\w+[.(=])(?![\s\S]*\buntil\s+(?!false)))"
    r"|\bwhile\s*\(?\s*(?:true|1)\s*\)?\s*;?\s*$|\buntil\s+(?:false|0)\s*;?\s*$"
)
_LEAVES = late(
    r"\b(?:break|return|last|exit|die|throw|raise|quit|stop|sleep|usleep|nanosleep|Sys\.sleep|delay|setTimeout|wait|recv|recvfrom"
    r"|accept|gets|readline|readLine|read_line|poll|select|prompt|question|pause|STDIN|stdin|yield|shift|pop|dequeue|receive)\b|<>"
)
_GROWS = late(
    r"\.(?:push|append|add|concat|unshift|addAll)\b|push!|append!|\bpush\b|table\.insert|\[\]\s*=|<<|\+=|\.=|\.\.=|alloc\w*\("
    r"|new\s+(?:Array|Uint8Array|ArrayBuffer|byte|Worker|Thread)|fork\b|<-\s*c\(|\bprint\s+\{?\$\w+\}?\s|fwrite|fputs|str_repeat|string\.rep|\[#\w+\s*\+\s*1\]\s*=|Thread\.new|\*\s*2\b|##"
)
_NEAR = frozenset({"local", "private", "trusted", "uncalled"})
_NUMBER = late(r"(?<!\w)(?<!\d\.)(\d{2,9})(?!\w|\.\d)")
_BODY = late(r"[{]|=>|\bdo\b|\n")
MIN_PORTS = 20
MAX_TEXT = 20_000
_CONSUMING = frozenset({"fs.write", "process.spawn", "container.run", "process.run"})
_REWRITTEN = frozenset({"overwrites", "handmade", "many"})


def report_loop(reading: Reading, text: str, first: int, site: Site) -> None:
    """Report what a loop does to others or to the machine because it is repeated."""
    text = text[:MAX_TEXT]
    effects = reading.effects[first:]
    if _ENDLESS.search(text):
        _report_endless(reading, text, effects, site)
    elif _count_rounds(text) >= MIN_PORTS and any(_is_attempt(effect) for effect in effects):
        reading.emit("net.connect", site, "many ports", frozenset({"scan"}))


def _report_endless(reading: Reading, text: str, effects: list[Effect], site: Site) -> None:
    if _LEAVES.search(text):
        return
    if any(effect.kind.startswith(("net.", "message.")) and _NEAR.isdisjoint(effect.flags) for effect in effects):
        reading.emit("process.spawn", site, "endless loop", frozenset({"endless"}))
    elif _GROWS.search(text) or any(effect.kind in _CONSUMING for effect in effects):
        reading.emit("machine.exhaust", site, "endless loop that fills the memory or the disk")


def _is_attempt(effect: Effect) -> bool:
    return effect.kind == "net.connect" and "local" not in effect.flags and "scan" not in effect.flags


def _count_rounds(text: str) -> int:
    """Return how many rounds a loop has, as far as its head tells.

    >>> _count_rounds("for (let h = 1; h < 255; h++) connect(h, 80)"), _count_rounds("for my $h (1..254) { 1 }")
    (255, 254)
    """
    head = text[: _head_end(text)]
    return max((int(found) for found in _NUMBER.findall(head)), default=0)


def _head_end(text: str) -> int:
    found = _BODY.search(text)
    close = text.find("++")
    ends = [at for at in (found.start() if found else -1, close) if at > 0]
    return min(ends, default=min(len(text), 200))
