"""Makefiles: what their recipes and functions run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.languages import script_language
from interlock.analyse.loading import is_foreign_code, report_loading
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.make_functions import FUNCTIONS
from interlock.analyse.scripts.makefile import Makefile
from interlock.analyse.scripts.values import shell_text
from interlock.patterns import late

MAX_CHARS = 64_000
MAX_RECIPES = 2_000
_CAP = frozenset({"cap"})
_FOREIGN = frozenset({"foreign"})
_NONE: Mapping[str, str] = {}
#: The grammar takes quadratic time on thousands of these.
_MOST = dict.fromkeys("$(){}:=|;\t", 6_000)
#: Shells that a recipe may be given to.
SHELLS = frozenset("sh bash zsh dash ksh ash".split())


#: Options of a shell that only say how it runs what follows.
_PLAIN_FLAGS = late(r"(?:(?:[-+][a-zA-Z]+|pipefail|errexit|nounset|xtrace|inherit_errexit|--no\w+)\s+)*-[a-zA-Z]*c")


def read_make(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Read a makefile: every recipe counts, whichever target is made."""
    run_make(reading, [text], site)
    return UNKNOWN


def run_make(
    reading: Reading,
    texts: Iterable[str],
    site: Site,
    goals: list[str] | None = None,
    given: Mapping[str, str] = _NONE,
) -> None:
    """Read what `make` runs for its goals (None for any), with variables that its command line gives."""
    site = site.replace(base=-1).behind("make")
    makefile = Makefile(
        lambda text: _run(reading, text, site),
        lambda name: _included_text(reading, name, site),
        reading.spend,
        FUNCTIONS,
    )
    if reading.shell is not None:  # what earlier calls exported: `?=` leaves it as it is
        for name, value in reading.shell.variables.items():
            makefile.set(name, value)
    for name, value in given.items():
        makefile.set(name, value)
        makefile.fixed.add(name)
    for text in texts:
        _take(reading, makefile, text, site)
    for name in makefile.loaded:
        report_loading(reading, site, name.partition("(")[0])
        reading.file("code.run", site, name.partition("(")[0])
        reading.opaque.append(f"a library that make loads: `{name[:60]}`")
    if makefile.broken:
        reading.unread("make text that does not parse", site)
    wanted = (
        makefile.needed_rules(goals) if goals is not None else ((rule, _first(rule.targets)) for rule in makefile.rules)
    )
    for count, (rule, goal) in enumerate(wanted):
        if count > MAX_RECIPES:
            reading.unread(f"a makefile with more than {MAX_RECIPES} recipes", site, flags=_CAP)
            break
        for line in makefile.lines(rule, goal):
            if line.strip():
                _recipe(reading, makefile, line, site)


def _first(targets: tuple[str, ...]) -> str:
    return targets[0] if len(targets) == 1 and "%" not in targets[0] else "${target}"


def _take(reading: Reading, makefile: Makefile, text: str, site: Site) -> None:
    text = reading.substitute_holes(text, "shell")  # a hole is a variable that make does not set
    reading.spend(len(text) // 32)
    why = f"longer than {MAX_CHARS} characters" if len(text) > MAX_CHARS else ""
    for sign, most in _MOST.items():
        why = why or (f"with more than {most} `{sign}`" if text.count(sign) > most else "")
    if why:
        reading.unread(f"make text {why}", site, flags=_CAP)
        text = text[: MAX_CHARS // 16]
    makefile.read(text)


def _run(reading: Reading, text: str, site: Site) -> str:
    """Run what `$(shell …)` holds; return what it prints, in one line."""
    if not text.strip():
        return ""
    flow = reading.nest("shell", text, site)
    if flow.text is not None:
        return " ".join(flow.text.split())
    name = f"output_of_{len(reading.taints)}"
    reading.taints[name] = flow.marks
    return "${" + name + "}"


def _included_text(reading: Reading, name: str, site: Site) -> str | None:
    full = reading.places.resolve(name, site.cwd) or name
    if reading.files and "*" in name:
        texts = [flow.text for path, flow in reading.files.items() if flow.text is not None and fnmatchcase(path, full)]
        return "\n".join(texts) if texts else None
    known = reading.files.get(full) if reading.files else None
    if known is not None and known.text is None and "download" in known.marks:
        reading.emit("code.remote", site, known.url or name)
    if known is None and HOLE not in name and is_foreign_code(reading, name, site.cwd):
        reading.file("code.run", site, name, _FOREIGN)
    return known.text if known is not None else None


def _with_environment(makefile: Makefile, line: str) -> str:
    """Return a recipe behind the variables that the makefile exports to it."""
    settings = ""
    for name in makefile.exported:
        value = makefile.expand(f"$({name})").replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
        settings += f'export {name}="{value}"; ' if "\n" not in value else ""
    return settings + line


def _recipe(reading: Reading, makefile: Makefile, line: str, site: Site) -> None:
    """Read one recipe: by a shell, or by the program that `SHELL` names."""
    shell = makefile.expand("$(SHELL)") if "SHELL" in makefile.variables else "sh"
    base = shell.split()[0].rpartition("/")[2] if shell.split() else "sh"
    language = script_language(f"#!{shell}\n", "shell")
    flags = makefile.expand("$(.SHELLFLAGS)") if ".SHELLFLAGS" in makefile.variables else "-c"
    line = _with_environment(makefile, line) if makefile.exported and language == "shell" else line
    if base in SHELLS or base.startswith("$"):
        reading.nest("shell", line, site)
        if len(shell.split()) > 1 or not _PLAIN_FLAGS.fullmatch(flags.strip()):
            reading.nest("shell", f"{shell} {flags} {shell_text([line])}", site)
    elif language != "shell":
        reading.nest(language, line, site.behind(base))
    else:
        reading.nest("shell", f"{shell} {flags} {shell_text([line])}", site)
