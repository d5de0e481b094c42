"""The state that analysers share: effects found so far, code that could not be read, and the step budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from interlock.analyse.addresses.destinations import attack_flags, destination_flags, share_address, source_flags
from interlock.analyse.files.created_files import (
    backup_name,
    is_rewritten,
)
from interlock.analyse.files.links import LINKING, Links
from interlock.analyse.files.paths import HOLE, Places, format_holes, hole, holes, variable
from interlock.analyse.files.run_files import (
    NO_SEEDS,
    NOTHING_WRITTEN,
    find_content_marks,
    keep_lasting_files,
    make_seeds,
)
from interlock.analyse.flow import NONE, NOTHING, REPLACED, UNKNOWN, Flow
from interlock.analyse.record import FrozenRecord
from interlock.analyse.secrets.keys import is_secret_name, shows_secret
from interlock.analyse.shadowing import replaces_tool, shadows
from interlock.analyse.whole_action import needs_review, review_effects
from interlock.effects import KINDS
from interlock.knowledge.extension import NO_EXTENSION
from interlock.lazy import LazyModule
from interlock.model import Analysis, Coverage, Effect, Place, ProgramCall, Resource, Span
from interlock.patterns import late

if TYPE_CHECKING:  # most actions are no calls of services
    from interlock.analyse import packages
    from interlock.analyse.script_start import ScriptStart
    from interlock.analyse.tools.organisation import Organisation
    from interlock.memory.state import RunState
    from interlock.model import ShellState
else:
    packages = LazyModule("interlock.analyse.packages")

_DISK = late(r"^/dev/(sd[a-zA-Z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper/|disk/)")
# Files that are certainly a disk image and not a disk; a name with a hole may be either.
_IMAGE = late(
    r"(?!/dev/|\\|[A-Za-z]:)[^\0\s]*(/[^\0\s]*|\.(img|iso|raw|bin|qcow2?|vmdk|vdi|vhdx?|dmg|luks|swap|ext[234]|fs))$"
)
UNCALLED_POINTS = -15
OWN_POINTS = -15
#: Flags of a change to more than one file.
_OPENING = frozenset({"recursive", "top"})
_OWN = (Place.HOME, Place.UNKNOWN)
#: Points of something that is made for a trial, as of a temporary file.
SCRATCH_POINTS = -10
#: Languages whose parsers would reject holes.
_PARSED_LANGUAGES = frozenset({"shell", "python", "sql"})
_INSTALLED = ("/usr/", "/etc/", "/bin/", "/sbin/", "/lib", "/opt/", "/System/", "/Library/", "/Applications/")
#: Effects that bring code or packages from a place that their resource names.
_FROM_SOURCES = frozenset({"code.remote", "package.install", "vcs.change", "container.change", "cluster.change"})
#: Flags of a file that is edited, or made by the program whose folder it is.
_REMADE = frozenset({"in_place", "append", "executable", "uncalled"})
_SHADOWING = frozenset({"shadows"})
_CHANGING = frozenset({"fs.write", "fs.delete", "fs.move"})
_SWEEP = frozenset({"sweep"})
_DEEP = frozenset({"recursive", "delete"})
_ADJUSTED = frozenset({"fs.mode", "code.run"})
_marks_of = attrgetter("marks")
_DOWNLOADED = frozenset({"download"})
_COPIED = frozenset({"copy", "carried"})
_FULL = Coverage()


def _marks_of_name(name: str) -> frozenset[str]:
    return frozenset({"secret"}) if is_secret_name(name) else NONE


def _adjust_points(kind: str, resource: Resource, flags: frozenset[str]) -> Resource:
    """Return a file with fewer points if its place matters less for this kind of effect."""
    if kind == "fs.mode":  # one's own file, which is not opened to others
        eased = resource.place in _OWN and "owner_only" in flags and _OPENING.isdisjoint(flags)
        return Resource("file", resource.name, resource.place, OWN_POINTS) if eased else resource
    installed = resource.name.startswith(_INSTALLED)  # only root can write there
    return Resource("file", resource.name, resource.place, 0) if installed else resource


class TooMuch(Exception):  # noqa: N818 - a signal between two functions, never shown
    """The step budget or the nesting limit is exceeded."""


class Site(FrozenRecord, frozen=True, gc=False):
    """A location: the span in the action's text, the wrappers around it, and the working folder."""

    span: Span
    via: tuple[str, ...] = ()
    cwd: str | None = None
    base: int = -1  # the offset of a nested text, if the action contains it literally

    def behind(self, *wrappers: str) -> Site:
        """Return this location inside more wrappers."""
        return Site(self.span, self.via + wrappers, self.cwd, self.base)


class Reading:
    """The analysis of one action in progress. Analysers add effects; `close` returns the result."""

    __slots__ = (
        "_kept",
        "_links",
        "_nested",
        "_queries",
        "attached",
        "backups",
        "call",
        "commands",
        "depth",
        "downloaded",
        "effects",
        "files",
        "importing",
        "inserted",
        "knowledge",
        "made",
        "memory",
        "mounts",
        "opaque",
        "organisation",
        "places",
        "remotes",
        "script",
        "seeds",
        "shell",
        "shell_after",
        "sinks",
        "steps_left",
        "taints",
        "trusted",
        "unparsed",
        "written",
    )

    MAX_DEPTH = 12
    MAX_STEPS = 20_000

    def __init__(
        self,
        places: Places,
        nested: Mapping[str, Callable[[Reading, str, Site, Flow], Flow]],
        memory: RunState | None = None,
    ) -> None:
        self.places = places
        self.memory = memory  # what earlier actions of the run did
        self.shell: ShellState | None = None
        self.shell_after: ShellState | None = None  # what the shell of this action is left with, if that has changed
        self.effects: list[Effect] = []
        self.written: list[Effect] = []  # effects of code that is written to files, not run
        self.commands: list[ProgramCall] = []  # the programs that the action runs
        self.script: ScriptStart | None = None  # how the Python file begins that is analysed next
        self.importing: set[str] = set()  # modules and routines of this run that are being read
        self.sinks: dict[str, Callable[[Flow], None]] = {}  # files of `>(…)`: commands that read them
        self.opaque: list[str] = []
        self.unparsed: list[str] = []  # the languages of texts that do not parse
        self.call = 0  # number of the current command; effects of one command are scored together
        self.depth = 0
        self.knowledge = NO_EXTENSION  # descriptions that users added
        self.attached: frozenset[str] = NONE  # marks of what a message takes with it that is sent later
        self.mounts: dict[
            str, str
        ] = {}  # folders of this action's own making that lie on another machine → its address
        self.remotes: dict[str, str] = {}  # remotes of a repository that this run adds or changes → their address
        self.trusted: frozenset[str] = NONE  # hosts that the configuration trusts
        self.organisation: Organisation | None = None  # the people and accounts that the configuration names
        self.downloaded: frozenset[str] = NONE
        self.inserted: dict[str, str] = {}  # variable of Python text → name of the hole that it stands for
        self.taints: dict[str, frozenset[str]] = {}  # name of a hole → its provenance marks: `secret`, `download`, …
        self._nested = nested
        self._queries: dict[tuple[str, Site], tuple[list[Effect], int, int, Flow]] = {}
        self.steps_left = self.MAX_STEPS
        self.backups: dict[str, str] = {}  # copies of databases that this action makes → what they are copies of
        seeds = NO_SEEDS
        if memory is not None:
            self.shell, self.downloaded = memory.shell, memory.downloaded
            if self.shell is not None and self.shell.remotes:
                self.remotes.update(self.shell.remotes)
            if memory.written:
                seeds = make_seeds(memory.written)
        self.seeds, self._kept = seeds.files, seeds.kept
        self.made = seeds.made  # what earlier actions of this run built or copied outside the project
        self.files: dict[str, Flow] = seeds.files.copy()  # contents of files that this run wrote
        self._links = Links(seeds.links) if seeds.links else None  # else set by the first command that moves a file

    def spend(self, steps: int = 1) -> None:
        """Take steps from the budget of the action; raise `TooMuch` if none are left."""
        self.steps_left -= steps
        if self.steps_left < 0:
            raise TooMuch

    def emit(
        self, kind: str, site: Site, name: str | None = None, flags: frozenset[str] = NONE, summary: str = ""
    ) -> None:
        """Add an effect on something that is not a file; `summary` is a sentence about it for people."""
        resource = None
        if name:
            resource = Resource(KINDS[kind].resource, format_holes(name))
            if kind in _FROM_SOURCES and ("." in name or "://" in name):
                flags = flags | source_flags(name)
        self._add(kind, site, resource, flags, summary)

    def emit_scratch(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on scratch data: a temporary table, a repository below `/tmp`."""
        self._add(kind, site, Resource(KINDS[kind].resource, format_holes(name), Place.SCRATCH, SCRATCH_POINTS), flags)

    def _add(self, kind: str, site: Site, resource: Resource | None, flags: frozenset[str], summary: str = "") -> None:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooMuch
        self.effects.append(Effect(kind, resource, flags, site.span, site.via, self.call, summary))

    def file(self, kind: str, site: Site, path: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on a file, and on the file that it leads to if this action has moved or linked it."""
        name = self._add_file(kind, site, path, flags)
        if self._links is not None:
            inside = path.endswith("/") or "delete" in flags  # what is in the folder, not the link to it
            target = self._links.follow(name, "fs.write" if inside else kind, self.effects)
            if target is not None:
                self._add_file(kind, site, target, flags)
            if kind == "fs.delete" and ("*" in name or not _DEEP.isdisjoint(flags)):
                for held in self._links.below(name, self.effects):
                    self._add_file(kind, site, held, flags)
        elif kind == "fs.move" or not LINKING.isdisjoint(flags):
            self._links = Links()
        if kind == "fs.write" and (self.mounts or path[:1] == "\\" or path[:2] == "//"):
            self._send_to_share(site, path, name)

    def _add_file(self, kind: str, site: Site, path: str, flags: frozenset[str]) -> str:
        """Add an effect on a file, with the traits of its path as flags; return its name."""
        resource, traits = self.places.resource(path, site.cwd)
        if flags and "uncalled" in flags:  # the function is defined here, but not called
            resource = Resource("file", resource.name, resource.place, UNCALLED_POINTS)
        if kind == "fs.read":
            if "names" not in flags and ("secret" in traits or (self._kept and self._holds_secret(resource.name))):
                kind = "secret.read"
            elif resource.name[:5] == "/dev/" and _DISK.match(resource.name):
                kind, resource = "disk.read", Resource("device", resource.name)
        elif kind in _ADJUSTED:
            resource = _adjust_points(kind, resource, flags | traits)
        elif kind in _CHANGING:
            flags = self._change_file(kind, path, resource.name, flags)
            if resource.name[:5] == "/dev/" and _DISK.match(resource.name):
                kind, resource = "disk.wipe", Resource("device", resource.name, resource.place, resource.modifier)
        self._add(kind, site, resource, flags | traits if traits else flags)
        return resource.name

    def _holds_secret(self, name: str) -> bool:
        """Whether an earlier action of this run put a secret into a file."""
        return "secret" in self.content_marks(name, below=False)

    def _change_file(self, kind: str, path: str, name: str, flags: frozenset[str]) -> frozenset[str]:
        """Forget the content of a file that changes; return the flags of the change."""
        if name in self.files and "in_place" not in flags:
            del self.files[name]
            if kind == "fs.write":
                self.files[name] = REPLACED  # a caller that knows the new content sets it afterwards
        if kind == "fs.delete":
            return flags
        if HOLE in path:
            flags |= self.marks(path) & _SWEEP
        if kind == "fs.write" and "bin/" in name and flags.isdisjoint(_REMADE) and replaces_tool(name):
            return flags | _SHADOWING
        return flags | _SHADOWING if shadows(name) else flags

    def _send_to_share(self, site: Site, path: str, name: str) -> None:
        """Report that a file is sent if it is written to a folder of another machine: a share or a mount."""
        share = share_address(path)
        if share:
            self.url("net.send", site, path, _COPIED, share)
        for folder, address in self.mounts.items():
            if name == folder or name.startswith(folder + "/"):
                self.url("net.send", site, address, _COPIED)

    def mount(self, folder: str, address: str) -> None:
        """Record that a folder of another machine is mounted here: files written to it are sent there."""
        self.mounts[folder] = address
        if self._links is None:
            self._links = Links()
        self._links.add_mount(folder, f"/mnt/{address}")

    def kinds_since(self, first: int) -> set[str]:
        """Return the kinds of the effects from `first` on."""
        effects = self.effects
        if len(effects) == first + 1:
            return {effects[first].kind}
        return {effect.kind for effect in effects[first:]}

    def has_kind_since(self, first: int, kind: str) -> bool:
        """Whether one of the effects from `first` on is of a kind."""
        effects = self.effects
        return any(effects[at].kind == kind for at in range(first, len(effects)))

    def mark_effects(self, first: int, kind: str, flags: frozenset[str]) -> None:
        """Put flags on the effects of a kind from `first` on."""
        for at in range(first, len(self.effects)):
            one = self.effects[at]
            if one.kind == kind:
                self.effects[at] = Effect(one.kind, one.resource, one.flags | flags, one.span, one.via, one.call)

    def url(self, kind: str, site: Site, url: str, flags: frozenset[str] = NONE, address: str = "") -> None:
        """Add an effect on the network, with the flags of its destination.

        `address` is the destination as a URL, where `url` is written in another way. Fetching a `file:` address reads a
        file.
        """
        if kind == "net.fetch" and (url[:1] <= " " or url[:1] in "fFjJvV"):
            from interlock.analyse.addresses.file_urls import is_file_url, path_of_file_url  # few begin like that

            if is_file_url(url):
                self.file("fs.read", site, path_of_file_url(url), flags)
                return
        resource, target = Resource(KINDS[kind].resource, format_holes(url)), address or url
        flags = flags | attack_flags(target) | destination_flags(kind, target, flags, self.trusted)
        self._add(kind, site, resource, flags)

    def on(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on the resource that its kind implies: a file, a destination or a name."""
        if KINDS[kind].resource == "file":
            self.file(kind, site, name, flags)
        elif kind[:4] == "net.":
            self.url(kind, site, name, flags)
        elif kind == "disk.wipe" and _IMAGE.match(name):
            self.file("fs.write", site, name, flags | {"image"})
        else:
            if kind == "env.read" and shows_secret(name):
                flags = flags | {"secret"}
            elif kind.startswith("package."):
                flags = flags | packages.package_flags(name)
                known = self.files.get(self.places.resolve(name, site.cwd) or name) if self.files else None
                if known is not None and "download" in known.marks:
                    flags = flags | _DOWNLOADED
            self.emit(kind, site, name, flags)

    def unread(self, why: str, site: Site, name: str | None = None, flags: frozenset[str] = NONE) -> None:
        """Report code that could not be analysed: coverage becomes partial, and policies see an effect."""
        self.opaque.append(why)
        resource = Resource("code", format_holes(name or why))  # added even if no steps are left
        self.effects.append(Effect("code.opaque", resource, flags, site.span, site.via, self.call))

    def reject(self, language: str, site: Site) -> None:
        """Report a text that does not parse in its language."""
        self.unparsed.append(language)
        self.unread(f"{language} text that does not parse", site)

    def content_marks(self, name: str, *, below: bool = True) -> frozenset[str]:
        """Return the marks of what a file or folder holds, by what this run has put there; see `find_content_marks`."""
        if not self.files:
            return NONE
        kept = self._kept if self.files == self.seeds else keep_lasting_files(self.files)
        return find_content_marks(name, self.files, kept, below=below)

    def recall_forgotten(self, name: str) -> Flow | None:
        """Return the unknown content of a file that this run wrote and whose entry was dropped, or None."""
        if self.memory is None or not self.memory.forgotten or not self.memory.has_forgotten(name):
            return None
        return REPLACED

    def marks(self, text: str) -> frozenset[str]:
        """Return the provenance marks of the holes in a text."""
        found = NONE
        for name in holes(text):
            found |= self.taints.get(name, _marks_of_name(name))
        return found

    def nest(self, language: str, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
        """Analyse embedded code in another language; return what it prints."""
        if self.depth >= self.MAX_DEPTH:
            self.unread(f"code nested more than {self.MAX_DEPTH} deep", site, flags=frozenset({"cap"}))
            return UNKNOWN
        reader = self._nested.get(language)
        if reader is None:
            self.unread(f"{language} code", site)
            return UNKNOWN
        if language in _PARSED_LANGUAGES:
            text = self.substitute_holes(text, language)
        if language == "sql" and (text, site) in self._queries:
            return self._read_again(text, site)
        self.depth += 1
        self.spend(len(text) // 16 + 1)
        first, call = len(self.effects), self.call
        try:
            flow = reader(self, text, site, stdin)
        finally:
            self.depth -= 1
        if language == "sql":
            self._queries[text, site] = (self.effects[first:], call, self.call, flow)
        return flow

    def _read_again(self, text: str, site: Site) -> Flow:
        """Add the effects of a query that was analysed before: the same text at the same location."""
        effects, before, after, flow = self._queries[text, site]
        later = self.call - before
        for one in effects:
            self.spend()
            self.effects.append(Effect(one.kind, one.resource, one.flags, one.span, one.via, one.call + later))
        self.call = after + later
        return flow

    def substitute_holes(self, text: str, language: str) -> str:
        """Return a text with its holes replaced by variables of the language, so that it can be parsed."""
        if HOLE not in text:
            return text
        for name in dict.fromkeys(holes(text)):
            known = variable(name)
            if name in self.taints:
                self.taints[known] = self.taints[name]
            if language == "python":
                self.inserted[known] = name
            text = text.replace(hole(name), f"${{{known}}}" if language == "shell" else known)
        return text.replace(HOLE, "")

    def add_command(self, words: Iterable[str], cwd: str | None) -> None:
        """Record a program that the action runs. What is unknown in a word stands as `$name`."""
        self.commands.append(ProgramCall(tuple(map(format_holes, words)), format_holes(cwd or ""), self.call))

    def export(self, name: str, value: str, site: Site) -> None:
        """Record a variable that later programs get."""
        self.add_command(("export", f"{name}={value}"), site.cwd)

    def keep_written(self, first: int, commands: int, site: Site) -> None:
        """Move the effects from `first` on to `written`: they belong to code that is written, not run.

        Its programs, from `commands` on, are dropped.
        """
        del self.commands[commands:]
        for effect in self.effects[first:]:
            self.written.append(
                Effect(effect.kind, effect.resource, effect.flags, site.span, site.via + effect.via, effect.call)
            )
        del self.effects[first:]

    @property
    def has_changed_files(self) -> bool:
        """Whether the recorded content of a file has changed."""
        return self.files != self.seeds

    @property
    def has_downloads(self) -> bool:
        """Whether this run downloaded files that are known."""
        return bool(self.downloaded) or "download" in chain.from_iterable(map(_marks_of, self.files.values()))

    def find_moved_files(self, folder: str) -> list[str]:
        """Return the files that were moved into a folder, by their earlier names."""
        return self._links.below(folder, self.effects) if self._links is not None else []

    @property
    def has_links(self) -> bool:
        """Whether files were moved, linked or mounted."""
        return self._links is not None

    def is_backup(self, copy: str, source: str) -> bool:
        """Whether this run made a file as a copy of another one, and has not changed it since."""
        if copy in self.backups:
            return self.backups[copy] == source and not is_rewritten(copy, self.effects, 1)
        return backup_name(copy, source) in self.made and not is_rewritten(copy, self.effects, 0)

    def close(self, text: str, languages: tuple[str, ...]) -> Analysis:
        """Return the analysis."""
        files = NOTHING_WRITTEN
        changed = self.made or self.backups or self._links is not None or self.files != self.seeds
        if changed or needs_review(self.effects, text):
            from interlock.analyse.files.lasting_files import find_lasting_files  # most actions change no files

            review_effects(self, text, languages)
            files = find_lasting_files(self, self._links)
        coverage = Coverage(tuple(dict.fromkeys(self.opaque))) if self.opaque else _FULL
        effects, written, commands = tuple(self.effects), tuple(self.written), tuple(self.commands)
        return Analysis(effects, coverage, languages, text, written, files, self.shell_after, commands)
