"""Environment variables with effects: they load code, run commands, redirect traffic or turn checks off."""

from __future__ import annotations

from interlock.analyse.hosts import MODEL_HOSTS, host_flags, host_of
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import Variables
from interlock.model import Place
from interlock.patterns import late

#: Variable → the effect of setting it.
VARIABLES = {name: entry for entry in read_table("variables", Variables).variables for name in entry.names}
_LOADED = late(r"(?:--require|--import|--loader|-r|-javaagent:|-M)[= ]?(\S*[/.]\S+)")
# Effects of other sources of packages, other model providers, and proxies, which many networks need.
_REROUTING = {"source": "system.change package_source", "model": "system.change rerouted", "proxy": "system.tune"}
# Effects of other settings for Interlock, and for a coding agent.
_SETTINGS = {"guard": "defence.disable guard_config", "settings": "process.run unguarded"}


def read_variable(reading: Reading, name: str, text: str, site: Site) -> None:
    """Emit the effect of setting a variable to a text."""
    known = VARIABLES.get(name)
    if known is None:
        return
    meaning, values = known.means, known.values
    if meaning in _SETTINGS:
        kind, flag = _SETTINGS[meaning].split()
        reading.emit(kind, site, name, frozenset({flag}))
    elif meaning == "library" and text:
        reading.file("code.run", site, text.partition(":")[0], frozenset({"preload"}))
    elif meaning == "command":
        _run_command(reading, name, text, site)
    elif meaning == "check" and text.lower() in values:
        reading.emit("defence.disable", site, name, frozenset({"certificates"}))
    elif meaning == "history" and text in ("", *values):
        reading.emit("trace.erase", site, name, frozenset({"history"}))
    elif meaning == "options":
        for found in _LOADED.finditer(text):
            reading.file("code.run", site, found[1], frozenset({"preload"}))
    elif meaning in _REROUTING and _leads_away(text):
        kind, *flags = _REROUTING[meaning].split()
        reading.emit(kind, site, f"{name} {text}", frozenset(flags))
    elif meaning == "path" and _reaches_scratch(reading, text, site):
        reading.file("code.run", site, text.partition(":")[0], frozenset({"search_path"}))
    elif meaning == "agent" and reading.places.locate(text, site.cwd)[0] is Place.SCRATCH:
        reading.emit("secret.read", site, text, frozenset({"secret", "agent_socket"}))


def _leads_away(url: str) -> bool:
    """Whether a URL leads to a public host that is not a usual model provider."""
    if "://" not in url or HOLE in url:
        return False
    return not host_of(url).endswith(MODEL_HOSTS) and not {"local", "private"} & host_flags(url)


def _run_command(reading: Reading, name: str, text: str, site: Site) -> None:
    """Analyse the command that a variable holds, unless it is only the name of a program."""
    if text and HOLE not in text and any(char in text for char in " /|;&$`"):
        reading.nest("shell", text, site.behind(name))


def _reaches_scratch(reading: Reading, text: str, site: Site) -> bool:
    """Whether the first folder of a search path is a scratch folder, in which anyone can put programs."""
    first = text.partition(":")[0]
    return first[:1] == "/" and reading.places.locate(first, site.cwd)[0] is Place.SCRATCH
