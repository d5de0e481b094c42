"""`find` and `fd`: the folders they search, the files they delete, the commands they run on matches."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from interlock.analyse.argv import parse
from interlock.analyse.files.handmade_files import is_only_copy
from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NONE, NOTHING, Flow
from interlock.analyse.reading import Reading
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.model import Place
from interlock.patterns import late

_NAMES = frozenset({"names"})
_COMMANDS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_NARROWING = frozenset("-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -newer -size -empty".split())
_VALUED = (
    frozenset(
        (
            "-type -user -group -perm -maxdepth -mindepth -atime -ctime -amin -cmin -inum -links -samefile -lname "
            "-ilname -fstype -gid -uid -printf -newermt -newerct -newerat -anewer -cnewer -regextype -used -xtype "
            "-context -files0-from -D"
        ).split()
    )
    | (_NARROWING - {"-empty"})
    | _WRITES
)
SWEEP = frozenset({"sweep"})
_WHOLE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})
_EVERYTHING = frozenset({"*", "**", "*.*", ".*", "?*"})
_OTHER_OUTPUT = frozenset("-printf -fprintf -ls -fls -o -or ! -not -path -regex -quit -prune".split())


class _Search:
    """The parsed arguments of `find`."""

    __slots__ = ("commands", "deletes", "roots", "tests", "writes")

    def __init__(self, words: list[str]) -> None:
        self.roots: list[str] = []
        self.tests: list[tuple[str, str]] = []
        self.commands: list[tuple[int, int, bool]] = []  # start, end, whether a test filters matches
        self.writes: list[str] = []
        self.deletes: bool | None = None  # whether a test filters what is deleted; None without `-delete`
        index = 1
        while index < len(words) and (words[index] in ("-H", "-L", "-P") or words[index].startswith("-O")):
            index += 1
        while index < len(words) and words[index][:1] not in ("-", "(", "!"):
            self.roots.append(words[index])
            index += 1
        self.roots = self.roots or ["."]
        while index < len(words):
            index = self._primary(words, index)

    def _primary(self, words: list[str], index: int) -> int:
        """Parse one primary of the expression; return the index after it."""
        word = words[index]
        if word in _COMMANDS:
            end = index + 1
            while end < len(words) and words[end] != ";" and (words[end] != "+" or words[end - 1] != "{}"):
                end += 1
            self.commands.append((index + 1, end, self.is_narrowed))
            return end + 1
        value = words[index + 1] if word in _VALUED and index + 1 < len(words) else ""
        if word == "-delete":
            self.deletes = self.is_narrowed
        elif word in _WRITES:
            self.writes.append(value)
        self.tests.append((word, value))
        return index + (2 if word in _VALUED else 1)

    @property
    def is_narrowed(self) -> bool:
        """Whether the tests so far filter matches: every alternative of `-o` has a test that is not negated."""
        ways, turned = [False], False
        for test, value in self.tests:
            if test in ("-o", "-or"):
                ways.append(False)
            elif test in _NARROWING and value not in _EVERYTHING and not turned:
                ways[-1] = True
            turned = test in ("!", "-not")
        return all(ways)

    @property
    def names(self) -> list[str]:
        """The names that are searched for, as far as they are plain."""
        if any(test in ("!", "-not") for test, _ in self.tests):
            return []
        values = [value.removeprefix("./").removeprefix("*/") for test, value in self.tests if test in _NAMING]
        return [value for value in values if value and _GLOB.isdisjoint(value)]


def _find(call: ShellCall) -> Flow:
    """`find`: report searches, deletions and writes, and run the commands of `-exec`."""
    reading, site = call.scope.reading, call.site
    search = _Search(call.words)
    flags = _delete_flags(bool(search.deletes))
    if any(test in ("-name", "-iname", "-path") and is_only_copy(f"/{value}") for test, value in search.tests):
        flags |= {"only_copy"}
    for root in search.roots:
        deletes = search.deletes is not None
        reading.file("fs.delete" if deletes else "fs.read", site, root, flags if deletes else _NAMES)
        for path in _paths_below(root, search.names) if deletes and search.names else ():
            reading.file("fs.delete", site, path, flags)
        if any(test in ("-name", "-iname") and "secret" in traits(value) for test, value in search.tests):
            _secret_search(call, root)
    for path in search.writes:
        reading.file("fs.write", site, path)
    for path in (value for test, value in search.tests if test == "-files0-from" and value != "-"):
        reading.file("fs.read", site, path)  # names that do not exist are printed
    shown = NONE
    for start, end, narrowed in search.commands:
        flags = _delete_flags(narrowed)
        inner = call.with_words(call.words[start:end], call.nodes[start:end])
        shown |= _run_on_found(inner, {root: _paths_below(root, search.names) for root in search.roots}, flags)
    if search.commands:
        return Flow(None, shown)
    swept = any(is_sweep(call, root) for root in search.roots)
    return Flow(_matched_paths(search), SWEEP if swept else NONE)


def _secret_search(call: ShellCall, root: str) -> None:
    """Report a search for secrets outside the workspace."""
    place, _, _ = call.scope.reading.places.locate(root, call.scope.cwd)
    if place not in (Place.WORKSPACE, Place.SCRATCH, Place.UNKNOWN):
        call.scope.reading.file("fs.read", call.site, root, frozenset({"names", "secret_search"}))


def _delete_flags(narrowed: bool) -> frozenset[str]:
    return frozenset({"recursive", "filtered"}) if narrowed else frozenset({"recursive"})


def mark_sweep(reading: Reading, first: int) -> None:
    """Mark files that are written or moved, from the effect at `first` on, as found by a search everywhere."""
    reading.mark_effects(first, "fs.write", SWEEP)
    reading.mark_effects(first, "fs.move", SWEEP)


def is_sweep(call: ShellCall, root: str) -> bool:
    """Whether a search from `root` goes through a whole home folder or system."""
    places = call.scope.reading.places
    place, _, full = places.locate(root, call.scope.cwd)
    return full is not None and place in _WHOLE and places.is_top(full, place)


def _matched_paths(search: _Search) -> str:
    """Return the output: one path below each root, with the name that was searched for."""
    names = [value for test, value in search.tests if test in ("-name", "-iname") and HOLE not in value]
    if any(test in _OTHER_OUTPUT for test, _ in search.tests):
        names = []
    last = names[0] if len(names) == 1 and names[0] not in _EVERYTHING else hole("found")
    return "".join(f"{root.rstrip('/')}/{last}\n" for root in search.roots)


_GLOB = frozenset("*?[" + HOLE)


_NAMING = frozenset("-name -iname -path -ipath -wholename -iwholename".split())


def _paths_below(root: str, names: list[str]) -> list[str]:
    """Return what a search finds below a root: names, or else everything."""
    return [f"{root.rstrip('/')}/{name}" for name in names or ["*"]] if root != "/" else ["/"]


def _run_on_found(call: ShellCall, found: dict[str, list[str]], flags: frozenset[str]) -> frozenset[str]:
    """Analyse the command of `-exec` on what was found below each root; return what it shows."""
    command, shown = call.words, NONE
    narrowed = frozenset({"top"}) if "filtered" in flags else NONE
    reading = call.scope.reading
    for root, path in ((root, path) for root, paths in found.items() for path in paths):
        reading.spend(len(command))
        below = reading.places.resolve(root, call.scope.cwd) or root
        inner = call.with_words([word.replace("{}", path) for word in command], call.nodes)
        first = len(reading.effects)
        shown |= inner.tail(0, "find -exec", NOTHING).marks & VALUE
        effects = reading.effects
        for at in range(first, len(effects)):
            resource = effects[at].resource
            if resource and effects[at].kind.startswith("fs.") and resource.name.startswith(below):
                kept = effects[at].flags | flags
                effects[at] = msgspec.structs.replace(effects[at], flags=kept - narrowed)
        if is_sweep(call, root):
            mark_sweep(reading, first)
    return shown


_ATTACHED = late(r"(?:--exec(?:-batch)?=|-[xX])(.+)")


def _detach_command(call: ShellCall) -> ShellCall:
    """Return the call with a command that is attached to its option, `--exec=rm`, at the end."""
    words = call.words
    at = next((at for at, word in enumerate(words) if word in ("-x", "--exec", "-X", "--exec-batch")), len(words))
    found = next((found for word in words[1:at] if (found := _ATTACHED.fullmatch(word))), None)
    if found is None:
        return call
    kept = [*(word for word in words if word != found[0]), "--exec", found[1]]
    return call.with_words(kept, [None] * len(kept))


def _fd(call: ShellCall) -> Flow:
    """`fd`: `-x` and `-X` run the rest of the arguments on the matches."""
    spec = PROGRAMS["fd"]
    call = _detach_command(call)
    end = next((at for at, word in enumerate(call.words) if word in ("-x", "--exec", "-X", "--exec-batch")), 0)
    if not end:
        return read(call, spec)
    parsed = parse(call.words[:end], spec)
    roots = [value.text for value in parsed.operands[1:]] or ["."]
    command = [word for word in call.words[end + 1 :] if word != ";"]
    if not any("{" in word for word in command):
        command.append("{}")
    for root in roots:
        call.scope.reading.file("fs.read", call.site, root, _NAMES)
    narrowed = bool(parsed.operands and parsed.operands[0].text not in (".", "", "*"))
    narrowed = narrowed or bool({"-e", "--extension", "-g", "--glob"} & parsed.options.keys())
    inner = call.with_words(command, [None] * len(command))
    pattern = parsed.operands[0].text.strip("^$").replace("\\", "") if parsed.operands else ""
    names = [pattern] if pattern and _GLOB.isdisjoint(pattern) and "/" not in pattern else []
    found = {root: _paths_below(root, names) for root in roots}
    return Flow(None, _run_on_found(inner, found, _delete_flags(narrowed)))


FINDERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("find", "gfind"), _find),
    **dict.fromkeys(("fd", "fdfind"), _fd),
}
