"""Settings that refer outside the project: they take effect when the next program reads them.

A build that is pointed at a folder of pictures empties it. An endpoint that a web page named gets
everything that the next job reports.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from posixpath import normpath

from interlock.memory.calls.command_lines import find_exports
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.words import file_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.model import Concern, ConcernKind
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.sanitise import quotable

_SETTINGS = late(
    r"(?i)\.(?:ya?ml|toml|jsonc?|ini|cfg|conf|env|properties|hcl|args|list|lst|rc)$|(?:^|/)\.env[^/]*$|\.config\.[cm]?[jt]s$"
    r"|(?:^|/)\.?[a-z]+rc$|(?:^|/)(?:Justfile|Procfile|(?:GNU)?[Mm]akefile)$|\.mk$"
)
#: A folder below home that does not belong to a program.
_PERSONAL = r"(?P<path>(?:~|\$HOME|\$[{(]HOME[})]|/home/[\w.-]+|/Users/[\w.-]+)/(?!\.)[^\s\"',:;{}]{2,120})"
#: The home folder itself, or a path that leads out of the folder that a variable names.
_WHOLE = (
    r"(?:~|\$HOME|\$[{(]HOME[})]|/home/[\w.-]+|/Users/[\w.-]+)/?(?=[\"'\s]|$)"
    r"|\$[{(]\w{1,40}[})](?:/[\w.-]+)?/\.\.(?=[/\"'\s]|$)"
)
#: Settings for where something is written, kept or mounted; and lines that consist of a path.
_WRITTEN_TO = late(
    r"(?im)^[ \t]*(?:export[ \t]+)?[-\"'\w. ]{0,60}?"
    r"(?:out|output|dest|destination|target|site|build|dist|publish|public|cache|clean|scratch|tmp|temp|remote|purge|sync)"
    rf"[-_]?(?:dir|directory|folder|path|root|to)?[\"']?[ \t]*[:?+]?[:=][ \t]*[\"']?(?:{_PERSONAL}|(?P<whole>{_WHOLE}))"
    rf"|^[ \t]*-?[ \t]*[\"']?{_PERSONAL.replace('path', 'mount')}:/"
    rf"|^{_PERSONAL.replace('path', 'line')}(?:[ \t][^\n]{{0,400}})?$"
)
_HOST = r"(?P<host>(?!localhost|127\.|0\.0\.0\.0|10\.|192\.168\.)[\w-]+(?:\.[\w-]+){1,5})"
#: Settings for the machine to connect to.
_ENDPOINT = late(
    r"(?im)(?:url|uri|endpoint|host|hostname|broker|proxy|proxyjump|server|addr|address|sink|webhook|collector|gateway|dsn)"
    rf"[\"']?[ \t]{{0,8}}(?:[:=]|[ \t])[ \t]{{0,8}}[\"']?(?:[a-z]{{2,10}}://)?(?:[\w.-]{{1,60}}@)?{_HOST}"
)
#: Settings that refer to a folder next to the project.
_BESIDE = late(
    r"(?i)[\"']?\b(?:out|output|dest|destination|build|dist|site|publish|clean|target|public)"
    r"[-_]?(?:dir|directory|folder|path|root)?[\"']?[ \t]*[:=][ \t]*[\"']"
    r"(?P<path>(?:\.\./){1,4}[\w.-]{2,60})"
)
_SEPARATORS = late(r"[{},\[\]]")
_ADDRESS = late(r"(?i)\b[\w.+-]{1,64}@(?P<domain>[\w-]+(?:\.[\w-]+){1,4})\b")
_DETAILS = late(
    r"(?P<phone>\+\d{1,3}[\d ()/-]{6,18}\d)|\b(?P<iban>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b"
)
_PUBLIC_HOST = late(r"https?://(?P<host>[\w-]+(?:\.[\w-]+){1,5})")
MIN_LABEL = 5


def find_settings(action: Action, analysis: Analysis, edits: Collection[Edit]) -> Iterator[Concern]:
    """Yield a concern about each kind of settings that refer outside the project and that an action writes."""
    return (Concern(kind, subject) for kind, subject in _settings_of(action, analysis, edits) if subject)


def _settings_of(action: Action, analysis: Analysis, edits: Collection[Edit]) -> Iterator[tuple[ConcernKind, str]]:
    """Yield each kind of such settings with the setting that an action writes, or an empty text."""
    yield ConcernKind.RECIPIENT, _find_new_recipient(edits)
    yield ConcernKind.SIMILAR_HOST, _find_similar_host(edits)
    yield ConcernKind.DETAILS, _find_details_change(edits)
    yield ConcernKind.FOLDER, _find_outside_folder(action, analysis, edits)
    yield ConcernKind.HOST, _find_new_host(analysis, edits)


def _find_outside_folder(action: Action, analysis: Analysis, edits: Iterable[Edit]) -> str:
    """Return a setting that an action points at a folder of the user outside the project, or an empty text."""
    project = (action.workspace or action.cwd or "").rstrip("/")
    for edit in _settings_in(analysis, edits):
        folder = edit.path.rpartition("/")[0] if edit.path.startswith("/") else project
        text = _SEPARATORS.sub("\n", edit.new) if edit.path.endswith((".json", ".jsonc")) else edit.new
        for found in _BESIDE.finditer(text[:MAX_TEXT]):
            full = normpath(f"{folder}/{found['path']}")
            if project and not f"{full}/".startswith(f"{project}/"):
                return quotable(found[0])
        for found in _WRITTEN_TO.finditer(text[:MAX_TEXT]):
            path = next((value for value in found.groupdict().values() if value), "")
            full = path.replace("~", action.home or "~", 1).rstrip("/*")
            if not (project and (f"{full}/".startswith(f"{project}/") or f"{project}/".startswith(f"{full}/"))):
                return quotable(" ".join(found[0].split())[:80])
    return ""


def _find_new_recipient(edits: Iterable[Edit]) -> str:
    """Return an address that an edit adds to addresses of another domain, so that it gets the next mail."""
    for edit in edits:
        before = {found["domain"].lower() for found in _ADDRESS.finditer(edit.old)}
        added = (found for found in _ADDRESS.finditer(edit.new) if found[0] not in edit.old)
        other = next((found[0] for found in added if before and found["domain"].lower() not in before), "")
        if other:
            return quotable(other)
    return ""


def _find_details_change(edits: Iterable[Edit]) -> str:
    """Return a phone number or an account with which an edit replaces another one, or an empty text."""
    for edit in edits:
        before, after = _DETAILS.search(edit.old), _DETAILS.search(edit.new)
        if after is None or after[0] in edit.old:
            continue
        if (edit.loose and edit.old) or (before and before.lastgroup == after.lastgroup):
            return quotable(after[0])
    return ""


def _find_similar_host(edits: Iterable[Edit]) -> str:
    """Return an address with which an edit replaces a similar one of another domain, or an empty text."""
    for edit in edits:
        before, after = _PUBLIC_HOST.search(edit.old), _PUBLIC_HOST.search(edit.new)
        if not before or not after:
            continue
        label, domain = before["host"].split(".")[-2], ".".join(before["host"].split(".")[-2:])
        other = ".".join(after["host"].split(".")[-2:])
        if len(label) >= MIN_LABEL and domain != other and label in after["host"]:
            return quotable(after[0])
    return ""


def _find_new_host(analysis: Analysis, edits: Iterable[Edit]) -> str:
    """Return a setting that names another machine on the network to connect to, or an empty text."""
    known = file_words()
    for edit in _settings_in(analysis, edits):
        for found in _ENDPOINT.finditer(edit.new[:MAX_TEXT]):
            host = found["host"].lower()
            is_public = host.rpartition(".")[2] in known.domains
            is_usual = ".".join(host.split(".")[-2:]) in known.usual_hosts
            if is_public and not is_usual and host not in edit.old.lower():
                return quotable(" ".join(found[0].split())[:80])
    return ""


def _settings_in(analysis: Analysis, edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield what an action writes into files of settings, or else into the variables of the shell."""
    found = [edit for edit in edits if _SETTINGS.search(edit.path)]
    yield from found
    exported = "\n".join(f"{name}={value}" for name, value in find_exports(analysis))
    if exported and not found:
        yield Edit("", "", exported)
