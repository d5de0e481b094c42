"""Settings: values of options and variables that carry a command, or name code that is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import report_loading
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.table_types.files import Loading
from interlock.knowledge.table_types.options import CommandWords
from interlock.patterns import late

_WORDS = read_table("command-words", CommandWords)

_TABLE = read_table("loading", Loading)
_TELLING = late("|".join(word.replace(".", r"\.") for word in _TABLE.option_words))
_OTHER = late("|".join(_TABLE.other_words))
#: Programs that make a value a command if they are its first word.
_CARRIERS = programs_in("commands-in-settings")
_RUNS_SHELL = late(
    r"""(?:^|[\s"'=;&|(/])(?:ba|z|da|k)?sh["']?[\s,]+["']?-\w*c\b|"""
    r"""\|\s*(?:sudo\s+)?(?:/\S*/)?(?:ba|z|da|k)?sh\b|>&?\s*/dev/tcp/"""
)
_ITEM = late(r"\"([^\"]*)\"|'([^']*)'")
_LISTED = late(r"^[\w./-]+,-\w*c,(.+)$")
_CODE = late(r"^-\w*c\s+(.+)$")


def is_telling(name: str) -> bool:
    """Whether the value of an option or a setting is code that is loaded or run, by its name.

    >>> is_telling("-fplugin"), is_telling("CMAKE_C_COMPILER_LAUNCHER"), is_telling("--download-dir")
    (True, True, False)
    """
    name = name.lower()
    return _TELLING.search(name) is not None and _OTHER.search(name) is None


def read_setting(reading: Reading, site: Site, name: str, value: str) -> None:
    """Read the value of an option or a setting: the command that it carries, or code that its name says is loaded."""
    value = value.strip().strip("\"'") if value[:1] in "\"' " and value.count(value[:1]) % 2 == 0 else value
    if not value or value[:1] == HOLE:
        return
    if value[:1] == "[" and (is_telling(name) or _RUNS_SHELL.search(value)):  # `runner=["sh", "-c", "…"]`
        import shlex

        value = shlex.join(one or two for one, two in _ITEM.findall(value))
    inner = _PAIR.match(value)
    if inner and not is_telling(name):
        read_setting(reading, site, inner[1], inner[2])
        return
    if any(char in value for char in " \t|,"):
        command = find_command(value.removeprefix("!"), is_telling(name))
        if command:
            reading.nest("shell", command, site.behind(name.lstrip("-/") or "option"))
            return
    if is_telling(name):
        for part in value.split(","):
            path = part.rpartition("=")[2].strip("\"' ")
            if is_url(path) or path[:1] in ("/", "~", "\\"):
                report_loading(reading, site, path)


def find_command(value: str, telling: bool) -> str:
    """Return the command that a value carries, or an empty string."""
    listed = _LISTED.match(value)
    if listed:
        return listed[1]
    words = value.split(None, 1)
    first = words[0].strip("\"'").rpartition("/")[2] if words else ""
    if len(words) > 1 and (first in _CARRIERS or (telling and first in PROGRAMS)):
        return value
    if not _RUNS_SHELL.search(value):
        return ""
    code = _CODE.match(value)
    return code[1].strip("\"'") if code else value


#: Options whose values are texts to look for, or to show: names of tests, patterns, titles, messages.
TEXTS = _WORDS.text_options
_PASSED_ON = ("-Wl,", "-Wa,", "-Wp,", "-Xlinker,")
_PAIR = late(r"^((?:target\.(?:\"[^\"]*\"|'[^']*')\.|[-/]{0,2}[A-Za-z_])[\w.:+-]*?)[=:](?!//|\\)(.+)$")


#: A property that a build is given: `-p:PreBuildEvent=…`.
_PROPERTY = late(r"^[-/]{1,2}(?:p|property):\w+=")


def read_options(reading: Reading, site: Site, words: Sequence[str], described: frozenset[str] = frozenset()) -> None:
    """Read options and settings among the arguments of a program by their names, unless they are described."""
    for at, word in enumerate(words):
        if len(word) < 4 and (word[:1] != "-" or at + 1 == len(words) or word == "--"):
            continue
        if word.startswith(_PASSED_ON):  # `-Wl,-plugin,x.so`
            read_options(reading, site, word.split(",")[1:])
            continue
        pair = _PAIR.match(word)
        if pair:
            if (pair[1] not in described and pair[1] not in TEXTS) or _PROPERTY.match(word):
                read_setting(reading, site, pair[1], pair[2])
        elif word in described or word in TEXTS:
            continue
        elif word[:1] == "-" and at + 1 < len(words) and words[at + 1][:1] != "-":
            read_setting(reading, site, word, words[at + 1])
