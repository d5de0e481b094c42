"""Scripts that a tool runs in a page: what they press, and what they send of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.analyse.payloads.files import whole_span
from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.orders_in_words import order_meanings
from interlock.analyse.tools.reported_effects import report_meanings
from interlock.knowledge.tool_names import split_words
from interlock.model import Action
from interlock.patterns import late

#: An element that is found and then pressed, submitted or removed.
_PRESSED = late(
    r"""(?:querySelector(?:All)?|getElementById|getElementsBy\w+|\$\$?|locator|getBy\w+|closest)\(\s*(['"`])(.{1,200}?)\1[^)]*\)(?=.{0,120}?\.(?:click|submit|requestSubmit|dispatchEvent)\()""",
    re.DOTALL,
)
#: Elements that a program which drives a browser presses: `page.click('text=Delete')`, `By.xpath("…")).click()`.
_DRIVEN = late(
    r"""(?:\.(?:click|dblclick|tap|check|press|submit)\(\s*(['"`])(.{1,200}?)\1"""
    r"""|(?:name|hasText)\s*[:=]\s*(['"`])([^'"`]{1,200})\3[^;]{0,60}\.(?:click|tap|check|press|dblclick)\("""
    r"""|(?:By\.\w+|contains)\(\s*(['"`])(.{1,200}?)\5\s*\)+[^;]{0,60}\.(?:click|tap|submit)\()""",
    re.DOTALL,
)
#: Storage and cookies of a page, read as a whole.
_TAKEN = late(
    r"""document\.cookie(?!\s*=[^=]|\.(?:includes|indexOf|match|length|split\([^)]*\)\.(?:some|find|length)))"""
    r"""|cookieStore\.get|(?:stringify|entries|values|assign|keys)\([^)]{0,12}\b(?:local|session)Storage\b(?!\.)"""
    r"""|\.cookies\(|getCookies|getAllCookies|storageState\(|indexedDB\.databases\("""
    r"""|(?:local|session)Storage(?:\.getItem\(|\[)\s*['"`][^'"`]{0,60}(?i:token|jwt|auth|session|secret|passw|credential)"""
    r"""|type=['"\\]{0,2}password['"\\]{0,2}\][^;]{0,12}\.value\b(?!\s*=[^=])"""
    r"""|(?:local|session)Storage\.\w{0,30}(?i:token|jwt|secret|password|credential)\w{0,30}\b(?!\s*(?:=[^=]|\())"""
)
_SECRET = frozenset({"secret"})
_SENDING = late(
    r"(?i)\bfetch\(|XMLHttpRequest|sendBeacon\(|new Image\b|\.src\s*=|axios\b|\$\.(?:post|ajax|get)\(|WebSocket\("
)
_KEPT = late(r"(?i)document\.cookie|localStorage|sessionStorage|indexedDB|password|csrf|token|credentials|\.value\b")
_CHANGING = late(
    r"""(?i)method['"]?\s*:\s*['"](POST|PUT|PATCH|DELETE)|(sendBeacon|\$\.post)\(|axios\.(?:post|put|patch|delete)\("""
)
_EACH = late(r"querySelectorAll|getElementsBy\w+|\$\$\(|forEach|\bfor\s*\(|\.map\(")
_ADDRESS = late(r"https?://[^\s'\"`)<>]{3,300}")
_GRAVE = frozenset({"remove", "pay", "trade", "publish", "sign", "grant"})
MAX_SCRIPT = 20_000


def report_script(reading: Reading, action: Action, script: str, arguments: list[Argument]) -> None:
    """Report the effects of a script in a page."""
    script = script[:MAX_SCRIPT]
    report_meanings(reading, action, script_button_meanings(script), arguments, many=_EACH.search(script) is not None)
    if _TAKEN.search(script):
        reading.emit("secret.read", Site((0, 0)), "cookies or storage of a page", _SECRET)
    if _SENDING.search(script) and (_KEPT.search(script) or _CHANGING.search(script)):
        found = _ADDRESS.search(script)
        address = found[0] if found else "the address of the page"
        reading.url("net.send", Site(whole_span(address)), address)


def script_button_meanings(script: str) -> Iterator[Meaning]:
    """Yield the meanings of the elements that a script clicks."""
    for found in _PRESSED.finditer(script):
        words = split_words(found[2])
        meaning = operation_meaning("_".join(words))
        if meaning.verb in _GRAVE:
            yield meaning
        else:
            yield from order_meanings(" ".join(words), pressed=True)
    for found in _DRIVEN.finditer(script):
        yield from order_meanings(found[2] or found[4] or found[6], pressed=True)
