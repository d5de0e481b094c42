"""Prompts that an action passes to another agent, which are judged like actions."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE
from interlock.analyse.other_agents.instructions import is_poisoned
from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

MAX_PROMPT = 4_000
_FLAGS = frozenset({"instructions"})
_PATH = late(r"(?:~|\$HOME|\.{0,2})?/[\w./@+-]+|(?<![\w/])\.[a-z][\w.-]*|\bid_(?:rsa|ed25519|ecdsa)\b")
#: Words by which somebody asks to see or to pass on what a file holds.
_SHOWING = (
    "cat|print|dump|show(?: me)?|reveal|display|output|echo|paste|post|send|upload|e?mail|forward|share|exfiltrate"
    "|copy|tell me|give me|include|embed|base64|encode|summari[sz]e"
)
_ASKS = late(rf"(?i)\b(?:{_SHOWING}|read|open|explain|list|extract|collect|find|get|use)\b")
_GIVES = late(
    rf"(?i)\b(?:{_SHOWING})\b[^.;]{{0,30}}(?:\.env\b|\bsecrets?\b|\bapi[ -]?keys?\b|\bpasswords?\b|\bcredentials\b"
    r"|\benvironment variables\b)(?!\.\w|[^.;]{0,20}\b(?:missing|error|form|field|page|screen|button|handling"
    r"|support|is not set)\b)"
)
_DOUBTS = late(
    r"(?i)\b(?:if|when|unless|without|never|don't|do not|avoid|instead of|missing|how|why|where|whether|docs?)\b"
)
_RUINS = late(
    r"(?i)\b(?:delete|erase|wipe|remove|destroy|rm -rf|shred|format)\b[^.;]{0,20}\b(?:all|every\w*|whole|entire|my)\b"
    r"[^.;]{0,30}"
    r"\b(?:home|disk|drive|backups?|documents|photos|computer|machine|databases?|git history|repositor(?:y|ies))\b"
    r"|\b(?:drop|delete|wipe|truncate|reset)\b[^.;]{0,20}\bprod(?:uction)?\b|\brm -rf (?:~|/|\$HOME)(?:\s|$|\*|`)"
    r"|\bforce[- ]push\b[^.;]{0,30}\b(?:main|master)\b|\b(?:disable|uninstall|turn off|stop|kill)\b[^.;]{0,20}"
    r"\b(?:guard|firewall|antivirus|interlock|hooks?|audit(?:ing)?)\b"
    r"|\b(?:curl|wget)\b[^;]{0,120}\| ?(?:sudo )?(?:ba|z|da)?sh\b"
)


def report_prompt(reading: Reading, site: Site, program: str, text: str) -> None:
    """Report a prompt that asks another agent for something that would need approval here."""
    text = text[:MAX_PROMPT]
    if is_grave_prompt(reading, site, text) or is_fetched(reading, text):
        reading.emit("process.run", site, program, _FLAGS)


def is_grave_prompt(reading: Reading, site: Site, text: str) -> bool:
    """Whether a prompt asks to show secrets, to destroy things, or to drop checks."""
    if is_poisoned(text) or _RUINS.search(text):
        return True
    if _DOUBTS.search(text):
        return False
    if _GIVES.search(text):
        return True
    return _ASKS.search(text) is not None and any(
        _is_private(reading, site, found.rstrip(".,;:")) for found in _PATH.findall(text)
    )


def _is_private(reading: Reading, site: Site, path: str) -> bool:
    """Whether a path in a prompt is that of a secret outside the project."""
    if path.startswith("id_"):
        return True
    if "/" not in path:
        return False
    resource, flags = reading.places.resource(path.replace("$HOME", "~", 1), site.cwd)
    return "secret" in flags and (resource.place is None or resource.place.value != "workspace")


def is_fetched(reading: Reading, text: str) -> bool:
    """Whether a prompt as a whole comes from the network: `claude -p "$(curl …)"`."""
    return text.lstrip()[:1] == HOLE and "download" in reading.marks(text)
