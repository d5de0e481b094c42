"""The state that analysers share: effects found so far, code that could not be read, and the step budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from interlock.analyse.handmade import mark_handmade
from interlock.analyse.hosts import host_flags
from interlock.analyse.keys import is_secret_name
from interlock.analyse.packages import package_flags
from interlock.analyse.paths import HOLE, Places, format_holes, hole, holes, variable
from interlock.analyse.record import Record
from interlock.effects import KINDS
from interlock.knowledge.extension import NO_EXTENSION
from interlock.model import Analysis, Coverage, Effect, Place, Resource, Span, Written
from interlock.patterns import late

NONE: frozenset[str] = frozenset()

_DISK = late(r"^/dev/(sd[a-zA-Z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper/|disk/)")


# Files that are certainly a disk image and not a disk; a name with a hole may be either.
_IMAGE = late(
    r"(?!/dev/|\\|[A-Za-z]:)[^\0\s]*(/[^\0\s]*|\.(img|iso|raw|bin|qcow2?|vmdk|vdi|vhdx?|dmg|luks|swap|ext[234]|fs))$"
)


def _marks_of_name(name: str) -> frozenset[str]:
    return frozenset({"secret"}) if is_secret_name(name) else NONE


UNCALLED_POINTS = -15
#: Points of something that is made for a trial, as of a temporary file.
SCRATCH_POINTS = -10
#: Languages whose parsers would reject holes.
_PARSED_LANGUAGES = frozenset({"shell", "python", "sql"})
_INSTALLED = ("/usr/", "/etc/", "/bin/", "/sbin/", "/lib", "/opt/", "/System/", "/Library/", "/Applications/")
_CHANGING = frozenset({"fs.write", "fs.delete", "fs.move"})


def _kind(marks: frozenset[str]) -> Literal["whole", "part"]:
    return "part" if "part" in marks else "whole"


class TooMuch(Exception):  # noqa: N818 - a signal between two functions, never shown
    """The step budget or the nesting limit is exceeded."""


class Flow(Record, frozen=True, gc=False):
    """Data that passes between commands: its text if it is known, its provenance marks and its source URL."""

    text: str | None = None
    marks: frozenset[str] = NONE
    url: str = ""

    def then(self, second: Flow) -> Flow:
        """Return this data followed by `second`."""
        if self is NOTHING:
            return second
        text = None if self.text is None or second.text is None else self.text + second.text
        return Flow(text, self.marks | second.marks, self.url or second.url)


NOTHING = Flow("")
UNKNOWN = Flow()


_DOWNLOADED = frozenset({"download"})
#: The content of a known file after it was overwritten with unknown content.
REPLACED = Flow(None, frozenset({"changed"}))
_NOTHING_WRITTEN: Mapping[str, Written] = {}
_HIDING = ("decoded", "disguised")
_STATES = {"whole": NONE, "part": frozenset({"part"}), "changed": frozenset({"changed"}), "gone": NONE}


class Site(Record, frozen=True, gc=False):
    """A location: the span in the action's text, the wrappers around it, and the working folder."""

    span: Span
    via: tuple[str, ...] = ()
    cwd: str | None = None
    base: int = -1  # the offset of a nested text, if the action contains it literally

    def behind(self, *wrappers: str) -> Site:
        """Return this location inside more wrappers."""
        return self.replace(via=self.via + wrappers)


class Reading:
    """The analysis of one action in progress. Analysers add effects; `close` returns the result."""

    __slots__ = (
        "_left",
        "_nested",
        "_queries",
        "_seeds",
        "call",
        "depth",
        "downloaded",
        "effects",
        "files",
        "knowledge",
        "opaque",
        "places",
        "sinks",
        "taints",
        "unparsed",
        "written",
    )

    MAX_DEPTH = 12
    MAX_STEPS = 20_000

    def __init__(
        self,
        places: Places,
        nested: Mapping[str, Callable[[Reading, str, Site, Flow], Flow]],
        downloaded: frozenset[str] = NONE,
        written: Mapping[str, Written] = _NOTHING_WRITTEN,
    ) -> None:
        self.places = places
        self.effects: list[Effect] = []
        self.written: list[Effect] = []  # effects of code that is written to files, not run
        self.files: dict[str, Flow] = {}  # contents of files that this run wrote
        self._seeds: dict[str, Flow] = {}
        if written:
            self._seeds = {path: Flow(one.text, _STATES[one.state]) for path, one in written.items()}
            self.files.update(self._seeds)
        self.sinks: dict[str, Callable[[Flow], None]] = {}  # files of `>(…)`: commands that read them
        self.opaque: list[str] = []
        self.unparsed: list[str] = []  # the languages of texts that do not parse
        self.call = 0  # number of the current command; effects of one command are scored together
        self.depth = 0
        self.knowledge = NO_EXTENSION  # descriptions that users added
        self.downloaded = downloaded
        self.taints: dict[str, frozenset[str]] = {}  # name of a hole → its provenance marks: `secret`, `download`, …
        self._nested = nested
        self._queries: dict[tuple[str, Site], tuple[list[Effect], int, int, Flow]] = {}
        self._left = self.MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps from the budget of the action; raise `TooMuch` if none are left."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch

    def emit(self, kind: str, site: Site, name: str | None = None, flags: frozenset[str] = NONE) -> None:
        """Add an effect on something that is not a file."""
        resource = Resource(KINDS[kind].resource, format_holes(name)) if name else None
        self._add(kind, site, resource, flags)

    def emit_scratch(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on something that is made for a trial: a temporary table, a repository below `/tmp`."""
        self._add(kind, site, Resource(KINDS[kind].resource, format_holes(name), Place.SCRATCH, SCRATCH_POINTS), flags)

    def _add(self, kind: str, site: Site, resource: Resource | None, flags: frozenset[str]) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMuch
        self.effects.append(Effect(kind, resource, flags, site.span, site.via, self.call))

    def file(self, kind: str, site: Site, path: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on a file, with the traits of its path as flags."""
        resource, traits = self.places.resource(path, site.cwd)
        if "uncalled" in flags:  # the function is defined here, but not called
            resource = Resource("file", resource.name, resource.place, UNCALLED_POINTS)
        if kind == "fs.read":
            if "secret" in traits and "names" not in flags:
                kind = "secret.read"
            elif _DISK.match(resource.name):
                kind, resource = "disk.read", Resource("device", resource.name)
        elif kind == "code.run":
            if resource.name.startswith(_INSTALLED):  # only root can write there
                resource = Resource("file", resource.name, resource.place, 0)
        elif kind in _CHANGING:
            if resource.name in self.files and "in_place" not in flags:
                del self.files[resource.name]
                if kind == "fs.write":
                    self.files[resource.name] = REPLACED  # a caller that knows the new content sets it afterwards
            if _DISK.match(resource.name):
                kind, resource = "disk.wipe", Resource("device", resource.name, resource.place, resource.modifier)
        self._add(kind, site, resource, flags | traits if traits else flags)

    def url(self, kind: str, site: Site, url: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on the network, with the flags of its destination."""
        resource = Resource(KINDS[kind].resource, format_holes(url))
        self._add(kind, site, resource, flags | host_flags(url))

    def on(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on the resource that its kind implies: a file, a destination or a name."""
        if KINDS[kind].resource == "file":
            self.file(kind, site, name, flags)
        elif kind.startswith("net."):
            self.url(kind, site, name, flags)
        elif kind == "disk.wipe" and _IMAGE.match(name):
            self.file("fs.write", site, name, flags | {"image"})
        else:
            if kind == "env.read" and is_secret_name(name):
                flags = flags | {"secret"}
            elif kind.startswith("package."):
                flags = flags | package_flags(name)
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
            text = text.replace(hole(name), f"${{{known}}}" if language == "shell" else known)
        return text.replace(HOLE, "")

    def keep_written(self, first: int, site: Site) -> None:
        """Move the effects from `first` on to `written`: they belong to code that is written, not run."""
        for effect in self.effects[first:]:
            self.written.append(
                Effect(effect.kind, effect.resource, effect.flags, site.span, site.via + effect.via, effect.call)
            )
        del self.effects[first:]

    def close(self, text: str, languages: tuple[str, ...]) -> Analysis:
        """Return the analysis."""
        mark_handmade(self.effects, self.files, self.places.home)
        coverage = Coverage(tuple(dict.fromkeys(self.opaque))) if self.opaque else Coverage()
        files = self._changed_files() if self.files or self._seeds else _NOTHING_WRITTEN
        return Analysis(tuple(self.effects), coverage, languages, text, tuple(self.written), files)

    def _changed_files(self) -> dict[str, Written]:
        """Return the files whose recorded content has changed during this action."""
        found = {}
        for path, flow in self.files.items():
            if flow is self._seeds.get(path) or not path.startswith("/") or path.startswith("/dev/"):
                continue
            if flow.text is not None and HOLE not in flow.text:
                found[path] = Written(flow.text, "changed" if "changed" in flow.marks else _kind(flow.marks))
            elif path in self._seeds:  # downloads are recorded elsewhere
                found[path] = Written(state="gone" if "download" in flow.marks else "changed")
            elif not flow.marks.isdisjoint(_HIDING):  # its content was hidden on purpose
                found[path] = Written(state="changed")
        for path in self._seeds.keys() - self.files.keys():
            last = [one.kind for one in self.effects if one.resource and one.resource.name == path]
            gone = bool(last) and last[-1] in ("fs.delete", "fs.move")
            found[path] = Written(state="gone" if gone else "changed")
        return found
