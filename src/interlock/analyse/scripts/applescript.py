"""AppleScript: lines that go on, raw events, and classes of Cocoa, before its tokens are read."""

from __future__ import annotations

import re

from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.applications import report_requests
from interlock.analyse.scripts.syntaxes.others import APPLESCRIPT
from interlock.analyse.scripts.tokens.expressions import read_tokens
from interlock.analyse.scripts.values import shell_text
from interlock.patterns import late

_CONTINUED = late(r"¬[ \t]*\r?\n")
_EVENT = late(r"«event\s+([^»]{1,20})»")
#: Raw events that stand for a command, by their codes.
_EVENTS = {"sysoexec": "do shell script", "coredosc": "do script", "sysodsct": "run script"}
_STRING = late(r"\"((?:[^\"\\]|\\.)*)\"")
_CLASS = late(r"current application'?s?\s+(?:'s\s+)?([A-Z]\w+)")
_TASK = late(
    r"(?i)(?:launchPath|executableURL|launchedTaskWith\w+|fileURLWithPath)\w*(?:\s*:\s*|\s+to\s+)\(?\s*\"([^\"]+)\""
)
_ARGUMENTS = late(r"(?i)arguments(?:\s*:\s*|\s+to\s+)\(?\s*\{([^}]*)\}")
#: Classes of Cocoa that only hold values.
_VALUES = late(
    r"NS(?:Mutable)?(?:String|Array|Dictionary|Set|Data|Date\w*|Number\w*|Locale|Calendar|CharacterSet|URL\w*|Null"
    r"|RegularExpression|JSONSerialization|Attributed\w*|IndexSet|Predicate|SortDescriptor|TimeZone|UUID|Value|Color|Font"
    r"|Image|Screen|Process\w*|NotFound|UTF8\w*|Ordered\w*)|NS\w*(?:Options?|Encoding|Search|Style|Mask)"
)


def read_applescript(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read AppleScript."""
    plain = _CONTINUED.sub(lambda found: " " * len(found[0]), text)
    if "«" in plain:
        plain = _EVENT.sub(lambda found: _name_event(reading, found, site), plain)
        site = site.replace(base=-1)
    report_requests(reading, plain, site)
    if "current application" in plain:
        _read_cocoa(reading, plain, site.replace(base=-1))
    return read_tokens(reading, plain, site, stdin, APPLESCRIPT)


def _name_event(reading: Reading, found: re.Match[str], site: Site) -> str:
    """Return the command that a raw event stands for; any other is said to be unread."""
    named = _EVENTS.get(found[1].strip().lower())
    if named is None:
        reading.unread(f"a raw event: `{found[1].strip()}`", site)
    return named or "event"


def _read_cocoa(reading: Reading, text: str, site: Site) -> None:
    """Read the task that a script starts through Cocoa; other classes that do something are said to be unread."""
    names = {name for name in _CLASS.findall(text) if not _VALUES.fullmatch(name)}
    path, given = _TASK.search(text), _ARGUMENTS.search(text)
    if "NSTask" in names and path is not None:
        words = [path[1], *(_STRING.findall(given[1]) if given is not None else ())]
        reading.nest("shell", shell_text(words), site.behind("NSTask"))
        names.discard("NSTask")
    if names:
        reading.unread(f"classes of Cocoa: {', '.join(sorted(names))[:60]}", site)
