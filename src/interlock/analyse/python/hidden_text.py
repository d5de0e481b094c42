"""Text that Python code makes invisible: letters as Unicode tags, or with characters of no width between them."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

_HIDING = late(
    r"chr\(\s*0x[eE]00[0-7][0-9a-fA-F]\s*[+|]|chr\([^()]*\([^()]*\)\s*[+|]\s*0x[eE]00[0-7][0-9a-fA-F]"
    r"|(?i:\\U000e00[0-7][0-9a-f])|[\"'](?:\\u200[b-d]|\\u2060|\\ufeff)+[\"']\.join"
)
_INVISIBLE = frozenset({"invisible"})


def report_hidden_text(reading: Reading, text: str, site: Site) -> None:
    """Report code that makes text which nobody sees, and an agent reads."""
    if _HIDING.search(text):
        reading.emit("code.opaque", site, "invisible text", _INVISIBLE)
