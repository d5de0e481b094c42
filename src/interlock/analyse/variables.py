"""Environment variables with effects: they load code, run commands, redirect traffic or turn checks off."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import lru_cache

from interlock.analyse.addresses.hosts import MODEL_HOSTS, host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import is_foreign_code, report_loading, report_service
from interlock.analyse.reading import Reading, Site
from interlock.analyse.settings import is_telling, read_options, read_setting
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Variable, Variables
from interlock.model import Place
from interlock.patterns import late

_TABLE = read_table("variables", Variables).variables
_NAMED = {name: entry for entry in _TABLE for name in entry.names if "*" not in name}
_SHAPES = [(name, entry) for entry in _TABLE for name in entry.names if "*" in name]
_LOADED = late(
    r"(?:--require|--import|--loader|--experimental-loader|-r|-javaagent:|-agentpath:|-Mlib|-M|-I)[= ]?"
    r"(data:\S+|\S*[/.]\S+)"
)
_URLS = late(r"https?://[^\s\"']{4,300}")
MAX_URLS = 50
_PRELOAD = frozenset({"preload"})
_GUARD = frozenset({"guard_config"})
_UNLISTED = Variable((), "unlisted")
MAX_NAME = 128


@lru_cache(maxsize=1024)
def find_variable(name: str) -> Variable | None:
    """Return the meaning of a variable that has an effect, or None if it only holds a value.

    >>> find_variable("PYTHONPATH").means, find_variable("CARGO_TARGET_X86_64_LINKER").means, find_variable("PORT")
    ('folders', 'program', None)
    """
    known = _NAMED.get(name)
    if known is not None or len(name) > MAX_NAME:
        return known
    for shape, entry in _SHAPES:
        if fnmatchcase(name, shape):
            return entry
    return _UNLISTED if name.isupper() and is_telling(name) else None


def read_variable(reading: Reading, name: str, text: str, site: Site) -> None:
    """Emit the effect of setting a variable to a text."""
    known = find_variable(name)
    if known is None:
        return
    reader = _READERS.get(known.means)
    if reader is not None:
        reader(reading, name, text, site, known)


# Runtimes of sanitizers and allocators, from a folder of the system or where the compiler says that they are.
_RUNTIMES = late(
    "^(?:\0\\((?:gcc|g\\+\\+|cc|clang|clang\\+\\+)(?:-\\d+)? -print-file-name=|/(?:usr/)?lib\\S*/)"
    r"lib(?:(?:clang_rt\.)?[alt]san|clang_rt\.[alt]san\S*|ubsan|jemalloc|tcmalloc\w*|mimalloc|faketime\w*|eatmydata|stdc\+\+|SegFault)\b"
)


def _read_library(reading: Reading, _name: str, text: str, site: Site, _known: Variable) -> None:
    if text and not _RUNTIMES.match(text):
        reading.file("code.run", site, text.partition(":")[0].partition(" ")[0], _PRELOAD)


def _read_folders(reading: Reading, _name: str, text: str, site: Site, _known: Variable) -> None:
    for folder in text.replace(";", ":").split(":"):
        if folder and HOLE not in folder:
            report_loading(reading, site, folder.partition("?")[0])


def _read_settings(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    """Analyse a file of settings for a program: one that this run wrote may name a foreign server."""
    from interlock.analyse.addresses.package_sources import is_usual_source

    _read_folders(reading, name, text, site, known)
    held = reading.files.get(reading.places.resolve(text, site.cwd) or text) if reading.files else None
    for url in _URLS.findall(held.text)[:MAX_URLS] if held is not None and held.text else ():
        if _leads_away(url) and not is_usual_source(url):
            reading.emit("system.change", site, f"{name} {url}", frozenset({"rerouted"}))
            return


def _read_program(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    """Analyse a program that others run: the command that it carries, or where it is."""
    if not text or text[:1] == HOLE:
        return
    first, _, rest = text.strip().partition(" ")
    read_setting(reading, site, f"{name}_command", text)
    if rest and first[:1] in ("/", "~"):
        report_loading(reading, site, first)


def _read_command(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    """Analyse the command that a variable holds, unless it is only the name of a program."""
    text = text.removeprefix("|").lstrip()  # `LESSOPEN="| lesspipe %s"`
    if text and HOLE not in text and any(char in text for char in " /|;&$`"):
        reading.nest("shell", text, site.behind(name))


def _read_code(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    if not text or text[:1] == HOLE:
        return
    if known.language == "lua" and text[0] == "@":
        report_loading(reading, site, text[1:])
    elif known.language == "function":  # `BASH_FUNC_ls%%=() { …; }`
        reading.nest("shell", text.partition("{")[2].rpartition("}")[0], site.behind(name))
    elif known.language != "shell":
        reading.nest(known.language, text, site.behind(name))
    elif "$(" in text or "`" in text:  # a prompt is expanded each time it is shown
        reading.nest("shell", f'printf %s "{text}"' if '"' not in text else text, site.behind(name))


def _read_options(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    if name in ("MAKEFLAGS", "GNUMAKEFLAGS") and "--eval" in text:
        reading.nest("make", text.partition("--eval")[2].lstrip("= ").replace("${IFS}", " "), site.behind(name))
    if name == "PERL5OPT" and ";" in text:  # `-Mstrict;system(…)`
        reading.nest("perl", text.partition(";")[2], site.behind(name))
    for found in _LOADED.finditer(text):
        report_loading(reading, site, found[1].strip("\"'"))
    import shlex

    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for at, word in enumerate(words[:-1]):
        if word in ("-eval", "--eval") and name.startswith(("ERL_", "ELIXIR_")):
            reading.nest("erlang", words[at + 1], site.behind(name))
    read_options(reading, site.behind(name), words)


def _read_check(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    if text.lower() in known.values:
        reading.emit("defence.disable", site, name, frozenset({"certificates"}))


def _read_authority(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    if text and HOLE not in text and is_foreign_code(reading, text, site.cwd):
        reading.emit("defence.disable", site, name, frozenset({"certificates"}))


def _read_history(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    if text in ("", *known.values):
        reading.emit("trace.erase", site, name, frozenset({"history"}))


def _read_guard(reading: Reading, name: str, _text: str, site: Site, _known: Variable) -> None:
    reading.emit("defence.disable", site, name, _GUARD)


def _read_agent_settings(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    if not known.values or text.lower() in known.values or HOLE in text:
        reading.emit("process.run", site, name, frozenset({"unguarded"}))


def _read_source(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    from interlock.analyse.addresses.package_sources import is_usual_source

    urls = [url for url in text.replace("|", ",").replace(" ", ",").split(",") if url]
    if any(_leads_away(url) and not is_usual_source(url) for url in urls):
        reading.emit("system.change", site, f"{name} {text}", frozenset({"package_source"}))


def _read_remote(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    report_service(reading, site, name, text)


def _read_model(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    if _leads_away(text):
        reading.emit("system.change", site, f"{name} {text}", frozenset({"rerouted"}))


def _read_proxy(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    if _leads_away(text) and host_of(text) not in reading.trusted:
        reading.emit("system.change", site, f"{name} {text}", frozenset({"rerouted"}))


def _read_path(reading: Reading, _name: str, text: str, site: Site, _known: Variable) -> None:
    first = text.partition(":")[0]
    if first[:1] in ("/", "~") and is_foreign_code(reading, first, site.cwd):
        reading.file("code.run", site, first, frozenset({"search_path"}))


def _read_agent(reading: Reading, _name: str, text: str, site: Site, _known: Variable) -> None:
    found = HOLE in text and ("/ssh-" in text or "/agent." in text)  # what a search gives: `$(ls /tmp/ssh-*/agent.*)`
    if found or reading.places.locate(text, site.cwd)[0] is Place.SCRATCH:
        reading.emit("secret.read", site, text, frozenset({"secret", "agent_socket"}))


def _read_redaction(reading: Reading, name: str, text: str, site: Site, known: Variable) -> None:
    if text.lower() in known.values:
        reading.emit("secret.read", site, name, frozenset({"printed", "secret"}))


def _read_unlisted(reading: Reading, name: str, text: str, site: Site, _known: Variable) -> None:
    read_setting(reading, site, name, text)


_READERS: dict[str, Callable[[Reading, str, str, Site, Variable], None]] = {
    "library": _read_library,
    "folders": _read_folders,
    "settings": _read_settings,
    "program": _read_program,
    "command": _read_command,
    "code": _read_code,
    "options": _read_options,
    "check": _read_check,
    "authority": _read_authority,
    "history": _read_history,
    "guard": _read_guard,
    "agent_settings": _read_agent_settings,
    "source": _read_source,
    "remote": _read_remote,
    "model": _read_model,
    "proxy": _read_proxy,
    "path": _read_path,
    "agent": _read_agent,
    "redaction": _read_redaction,
    "unlisted": _read_unlisted,
}


def _leads_away(url: str) -> bool:
    """Whether a URL is at a public host other than a usual model provider."""
    if "://" not in url or HOLE in url:
        return False
    return not host_of(url).endswith(MODEL_HOSTS) and not {"local", "private"} & host_flags(url)
