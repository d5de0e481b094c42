"""The state that analysers share: effects found so far, code that could not be read, and the step budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from interlock.analyse.destinations import destination_flags, share_address, source_flags
from interlock.analyse.handmade import CHANGES, mark_handmade
from interlock.analyse.keys import is_secret_name, shows_secret
from interlock.analyse.links import LINKING, Links
from interlock.analyse.made_files import LASTING, is_rewritten, made_backup, made_outside, spoiled, stale_backups
from interlock.analyse.paths import HOLE, Places, format_holes, hole, holes, variable
from interlock.analyse.record import Record
from interlock.analyse.shadowing import replaces_tool, shadows
from interlock.effects import KINDS
from interlock.knowledge.extension import NO_EXTENSION
from interlock.lazy import LazyModule
from interlock.model import Analysis, Coverage, Effect, Place, Resource, Span, Written
from interlock.patterns import late

if TYPE_CHECKING:  # most actions are no calls of services
    from interlock.analyse import hidden_text, instructions, packages
    from interlock.analyse.tools.organisation import Organisation
    from interlock.memory.state import RunState
    from interlock.model import ShellState
else:
    hidden_text = LazyModule("interlock.analyse.hidden_text")
    instructions = LazyModule("interlock.analyse.instructions")
    packages = LazyModule("interlock.analyse.packages")

NONE: frozenset[str] = frozenset()

_DISK = late(r"^/dev/(sd[a-zA-Z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper/|disk/)")


# Files that are certainly a disk image and not a disk; a name with a hole may be either.
_IMAGE = late(
    r"(?!/dev/|\\|[A-Za-z]:)[^\0\s]*(/[^\0\s]*|\.(img|iso|raw|bin|qcow2?|vmdk|vdi|vhdx?|dmg|luks|swap|ext[234]|fs))$"
)


def _marks_of_name(name: str) -> frozenset[str]:
    return frozenset({"secret"}) if is_secret_name(name) else NONE


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
_INSTRUCTIONS = frozenset({"instructions"})
_DISGUISED = frozenset({"disguised"})
_DECEPTIVE = frozenset({"deceptive"})
#: Flags of files that agents obey.
_TAUGHT = frozenset({"agent_rules", "ide_config"})
#: Kinds of effects that make or use nothing by its name.
_LOOKING = frozenset(
    "out.print fs.read fs.delete fs.move system.read process.run db.read vcs.read message.send".split()
)


def _is_content(file: Written | None) -> bool:
    """Whether the content of a file is known, or known to have changed."""
    return file is not None and file.state != "kept"


def _parts_of(path: str) -> tuple[str, ...]:
    """Return the beginning that the names of several files have in common, if a path stands for them: `part-*`."""
    return (path[:-1],) if path.endswith("*") else ()


def _kind(marks: frozenset[str]) -> Literal["whole", "part"]:
    return "part" if "part" in marks else "whole"


_ADJUSTED = frozenset({"fs.mode", "code.run"})


def _adjust_points(kind: str, resource: Resource, flags: frozenset[str]) -> Resource:
    """Return a file with other points where its place counts less for what happens there."""
    if kind == "fs.mode":  # one's own file, which is not opened to others
        eased = resource.place in _OWN and "owner_only" in flags and _OPENING.isdisjoint(flags)
        return Resource("file", resource.name, resource.place, OWN_POINTS) if eased else resource
    installed = resource.name.startswith(_INSTALLED)  # only root can write there
    return Resource("file", resource.name, resource.place, 0) if installed else resource


class TooMuch(Exception):  # noqa: N818 - a signal between two functions, never shown
    """The step budget or the nesting limit is exceeded."""


#: Marks by which unread code is vouched for.
_VOUCHING = frozenset({"own_code", "generated", "own_process"})


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
        marks = self.marks | second.marks
        if second is not NOTHING and not marks.isdisjoint(_VOUCHING):  # all of it must come from there
            marks -= _VOUCHING - (self.marks & second.marks)
        return Flow(text, marks, self.url or second.url)


NOTHING = Flow("")
UNKNOWN = Flow()


_DOWNLOADED = frozenset({"download"})
_COPIED = frozenset({"copy", "carried"})
#: The content of a known file after it was overwritten with unknown content.
REPLACED = Flow(None, frozenset({"changed"}))
_NOTHING_WRITTEN: Mapping[str, Written] = {}
_HIDING = ("decoded", "disguised")
_STATES = {
    "whole": NONE,
    "part": frozenset({"part"}),
    "changed": frozenset({"changed"}),
    "gone": NONE,
    "kept": NONE,
}
#: Marks of content that stay with a file for the rest of a run.
KEPT_MARKS = frozenset(
    "secret variable environment printed personal records dump mail browser browser_secrets clipboard screen keys "
    "recording diagnostics process_memory password_hash decrypted request_headers workspace".split()
)
_SETTINGS = frozenset({"ci_config", "ide_config", "package_config", "registry_key", "login"})
_LEADING = frozenset({"link", "moved"})
#: Endings of scripts: that one was generated, and its text is unknown, matters when it is run.
_SCRIPTS = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".rb", ".pl", ".php", ".ps1", ".sql", ".out", ".cmd", ".bat")
_UNREAD = frozenset({"unread"})
_SHARED_FOLDERS = frozenset({"/tmp", "/var/tmp", "/dev/shm", "/private/tmp"})
_FULL = Coverage()
#: Kinds and flags of effects that are looked at again when all of an action is known.
_REVIEWED_KINDS = LASTING | CHANGES | {"process.signal", "message.send"}
_REVIEWED_FLAGS = _TAUGHT | _SETTINGS


class Site(Record, frozen=True, gc=False):
    """A location: the span in the action's text, the wrappers around it, and the working folder."""

    span: Span
    via: tuple[str, ...] = ()
    cwd: str | None = None
    base: int = -1  # the offset of a nested text, if the action contains it literally

    def behind(self, *wrappers: str) -> Site:
        """Return this location inside more wrappers."""
        return self.replace(via=self.via + wrappers)


class _Seeds(Record, frozen=True):
    """What earlier actions of a run left behind, as an analysis begins with it."""

    files: dict[str, Flow]
    kept: list[str]
    made: frozenset[str]
    links: dict[str, Written]


_NO_SEEDS = _Seeds({}, [], NONE, {})


def _seeds_of(written: Mapping[str, Written]) -> _Seeds:
    """Return what the analysis of an action begins with. Most actions of a run write nothing, and share it."""
    known = _LAST_SEEDS.get("last")
    if known is not None and known[0] is written:
        return known[1]
    files = {
        path: Flow(one.text, _STATES[one.state] | one.marks) for path, one in written.items() if one.state in _STATES
    }
    seeds = _Seeds(
        files,
        [path for path, flow in files.items() if not flow.marks.isdisjoint(KEPT_MARKS)],
        frozenset(path for path, one in written.items() if one.state == "made"),
        {path: one for path, one in written.items() if one.state in _LEADING},
    )
    _LAST_SEEDS["last"] = (written, seeds)
    return seeds


#: What the last analysis began with. Threads may overwrite each other's entry: it is compared before it is used.
_LAST_SEEDS: dict[str, tuple[Mapping[str, Written], _Seeds]] = {}


class Reading:
    """The analysis of one action in progress. Analysers add effects; `close` returns the result."""

    __slots__ = (
        "_kept",
        "_left",
        "_links",
        "_nested",
        "_queries",
        "_seeds",
        "attached",
        "backups",
        "call",
        "depth",
        "downloaded",
        "effects",
        "files",
        "knowledge",
        "made",
        "memory",
        "mounts",
        "opaque",
        "organisation",
        "places",
        "remotes",
        "shell",
        "shell_after",
        "sinks",
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
        written = memory.written if memory is not None else _NOTHING_WRITTEN
        self.places = places
        self.memory = memory  # what earlier actions of the run did
        self.shell = memory.shell if memory is not None else None
        self.shell_after: ShellState | None = None  # what the shell of this action is left with, if that has changed
        self.effects: list[Effect] = []
        self.written: list[Effect] = []  # effects of code that is written to files, not run
        self.files: dict[str, Flow] = {}  # contents of files that this run wrote
        seeds = _seeds_of(written) if written else _NO_SEEDS
        self._seeds, self._kept, self.made = seeds.files, seeds.kept, seeds.made
        self.files.update(self._seeds)
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
        if self.shell is not None and self.shell.remotes:
            self.remotes.update(self.shell.remotes)
        self.trusted: frozenset[str] = NONE  # hosts that the configuration trusts
        self.organisation: Organisation | None = None  # the people and accounts that the configuration names
        self.downloaded = memory.downloaded if memory is not None else NONE
        self.taints: dict[str, frozenset[str]] = {}  # name of a hole → its provenance marks: `secret`, `download`, …
        self._nested = nested
        self._queries: dict[tuple[str, Site], tuple[list[Effect], int, int, Flow]] = {}
        self._left = self.MAX_STEPS
        # what earlier actions of this run built or copied outside the project
        self.backups: dict[str, str] = {}  # copies of databases that this action makes → what they are copies of
        self._links = Links(seeds.links) if seeds.links else None  # else set by the first command that moves a file

    def spend(self, steps: int = 1) -> None:
        """Take steps from the budget of the action; raise `TooMuch` if none are left."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch

    def emit(
        self, kind: str, site: Site, name: str | None = None, flags: frozenset[str] = NONE, summary: str = ""
    ) -> None:
        """Add an effect on something that is not a file; `summary` is a sentence about it for people."""
        resource = Resource(KINDS[kind].resource, format_holes(name)) if name else None
        if name and kind in _FROM_SOURCES and ("." in name or "://" in name):
            flags = flags | source_flags(name)
        self._add(kind, site, resource, flags, summary)

    def emit_scratch(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on something that is made for a trial: a temporary table, a repository below `/tmp`."""
        self._add(kind, site, Resource(KINDS[kind].resource, format_holes(name), Place.SCRATCH, SCRATCH_POINTS), flags)

    def _add(self, kind: str, site: Site, resource: Resource | None, flags: frozenset[str], summary: str = "") -> None:
        self._left -= 1
        if self._left < 0:
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
            if kind == "fs.delete" and not _DEEP.isdisjoint(flags):
                for held in self._links.below(name, self.effects):
                    self._add_file(kind, site, held, flags)
        elif kind == "fs.move" or not LINKING.isdisjoint(flags):
            self._links = Links()
        if kind == "fs.write" and (self.mounts or path[:1] == "\\" or path[:2] == "//"):
            self._send_to_share(site, path, name)

    def _add_file(self, kind: str, site: Site, path: str, flags: frozenset[str]) -> str:
        """Add an effect on a file, with the traits of its path as flags; return its name."""
        resource, traits = self.places.resource(path, site.cwd)
        if "uncalled" in flags:  # the function is defined here, but not called
            resource = Resource("file", resource.name, resource.place, UNCALLED_POINTS)
        if kind == "fs.read":
            if "names" not in flags and ("secret" in traits or (self._kept and self._holds_secret(resource.name))):
                kind = "secret.read"
            elif _DISK.match(resource.name):
                kind, resource = "disk.read", Resource("device", resource.name)
        elif kind in _ADJUSTED:
            resource = _adjust_points(kind, resource, flags | traits)
        elif kind in _CHANGING:
            flags = self._change_file(kind, path, resource.name, flags)
            if _DISK.match(resource.name):
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
        """Add a send for a file that is written to a folder of another machine: a share, or one that is mounted."""
        share = share_address(path)
        if share:
            self.url("net.send", site, path, _COPIED, share)
        for folder, address in self.mounts.items():
            if name == folder or name.startswith(folder + "/"):
                self.url("net.send", site, address, _COPIED)

    def mount(self, folder: str, address: str) -> None:
        """Remember a folder of another machine that is mounted here: what is written to it is sent."""
        self.mounts[folder] = address
        if self._links is None:
            self._links = Links()
        self._links.add_mount(folder, f"/mnt/{address}")

    def kinds_since(self, first: int) -> set[str]:
        """Return the kinds of the effects from `first` on."""
        return {effect.kind for effect in self.effects[first:]}

    def mark_effects(self, first: int, kind: str, flags: frozenset[str]) -> None:
        """Put flags on the effects of a kind from `first` on."""
        for at in range(first, len(self.effects)):
            one = self.effects[at]
            if one.kind == kind:
                self.effects[at] = Effect(one.kind, one.resource, one.flags | flags, one.span, one.via, one.call)

    def url(self, kind: str, site: Site, url: str, flags: frozenset[str] = NONE, address: str = "") -> None:
        """Add an effect on the network, with the flags of its destination.

        `address` is the destination as a URL, where `url` is written in another way.
        """
        resource = Resource(KINDS[kind].resource, format_holes(url))
        self._add(kind, site, resource, flags | destination_flags(kind, address or url, flags, self.trusted))

    def on(self, kind: str, site: Site, name: str, flags: frozenset[str] = NONE) -> None:
        """Add an effect on the resource that its kind implies: a file, a destination or a name."""
        if KINDS[kind].resource == "file":
            self.file(kind, site, name, flags)
        elif kind.startswith("net."):
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
        """Return the marks of what a file or folder holds, by what this run has put there.

        A file in a folder may be what was copied into the folder. A path that ends with `*` stands for the parts of a
        file that was split. A folder holds what is in its files; `below` says whether that counts.
        """
        if not self.files:
            return NONE
        held = self.files.get(name)
        found = held.marks if held is not None else NONE
        if not self._kept:
            return found
        inside = name.rstrip("/") + "/"
        for path in self._kept:
            if (below and path.startswith(inside)) or name.startswith((path.rstrip("/") + "/", *_parts_of(path))):
                found |= self.files[path].marks & KEPT_MARKS if path in self.files else NONE
        return found

    def recall_forgotten(self, name: str) -> Flow | None:
        """Return the unknown content of a file that this run wrote so long ago that it was forgotten, or None."""
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
        files = _NOTHING_WRITTEN
        if not self._leaves_nothing(text):
            self._review(text, languages)
            files = self._lasting_files()
        coverage = Coverage(tuple(dict.fromkeys(self.opaque))) if self.opaque else _FULL
        return Analysis(tuple(self.effects), coverage, languages, text, tuple(self.written), files, self.shell_after)

    def _lasting_files(self) -> Mapping[str, Written]:
        """Return the files that an action changes, makes or leads elsewhere, as they are once it has run."""
        files = self._changed_files() if self.files != self._seeds else _NOTHING_WRITTEN
        if self._links is not None:
            links = self._links.changes(self.effects)
            files = {**files, **{path: one for path, one in links.items() if not _is_content(files.get(path))}}
        made = made_outside(self.effects)
        if self.backups:
            made |= {
                made_backup(copy, source)
                for copy, source in self.backups.items()
                if not is_rewritten(copy, self.effects, 1)
            }
        if made or self.made:
            gone = spoiled(self.made | made, self.effects) | (stale_backups(self.made, self.effects) - made)
            new = dict.fromkeys(made - self.made - gone, Written(state="made"))
            files = {**new, **dict.fromkeys(gone & self.made, Written(state="gone")), **files}
        return files

    def _leaves_nothing(self, text: str) -> bool:
        """Whether an action has no effects that are reviewed as a whole, and changes no file that is remembered."""
        if self.made or self.backups or self._links is not None or not text.isascii() or self.files != self._seeds:
            return False
        return not any(
            effect.kind in _REVIEWED_KINDS or not _REVIEWED_FLAGS.isdisjoint(effect.flags) for effect in self.effects
        )

    def _review(self, text: str, languages: tuple[str, ...]) -> None:
        """Report and mark what only all effects together tell."""
        if "python" in languages and any(effect.kind == "fs.write" for effect in self.effects):
            from interlock.analyse.written_commands import report_written_commands

            report_written_commands(self, text)
        if any(effect.kind == "process.signal" for effect in self.effects):
            from interlock.analyse.found_processes import report_found_processes

            report_found_processes(self, text)
        if self.files != self._seeds:
            self._report_poisoned(text)
        if not text.isascii():
            self._report_mixed_letters()
        if any(not _TAUGHT.isdisjoint(effect.flags) for effect in self.effects):
            from interlock.analyse.taught_files import report_taught

            report_taught(self.effects, text, self.files)
        if "@" in text and any(effect.kind == "message.send" for effect in self.effects):
            self._report_false_correspondent(text)
        mark_handmade(self.effects, self.files, self.places.home, self._is_backup)
        if any(not _SETTINGS.isdisjoint(effect.flags) for effect in self.effects):
            from interlock.analyse.project_settings import mark_ordinary

            mark_ordinary(self.effects, self.files, text)

    def _is_backup(self, copy: str, source: str) -> bool:
        """Whether this run made a file as a copy of another one, and has not changed it since."""
        if copy in self.backups:
            return self.backups[copy] == source and not is_rewritten(copy, self.effects, 1)
        return made_backup(copy, source) in self.made and not is_rewritten(copy, self.effects, 0)

    def _report_poisoned(self, text: str) -> None:
        """Add an effect for each file that this action fills with instructions which would mislead an agent."""
        changed = {path: flow.text for path, flow in self.files.items() if flow is not self._seeds.get(path)}
        for path in instructions.poisoned_files((path, content) for path, content in changed.items() if content):
            resource, flags = self.places.resource(path)
            self.effects.append(Effect("fs.write", resource, flags | _INSTRUCTIONS, (0, len(text)), (), self.call))
        if any(content and hidden_text.conceals(content) for content in changed.values()):
            self.effects.append(Effect("code.opaque", None, _DISGUISED, (0, len(text)), (), self.call))

    def _report_false_correspondent(self, text: str) -> None:
        """Add an effect for a message whose sender, or a link in it, is made to look like another one."""
        from interlock.analyse.deception import find_false_correspondent

        found = find_false_correspondent(text)
        if found:
            resource = Resource("url", found)
            self.effects.append(Effect("net.connect", resource, _DECEPTIVE, (0, len(text)), (), self.call))

    def _report_mixed_letters(self) -> None:
        """Add an effect for a name that is made or used and has letters of another script among plain ones."""
        for effect in self.effects:
            if effect.resource and effect.kind not in _LOOKING and hidden_text.mixes_letters(effect.resource.name):
                self.effects.append(Effect("code.opaque", None, _DISGUISED, effect.span, (), self.call))
                return

    def _is_wide(self, path: str) -> bool:
        """Whether a path is a folder that holds much else: the project, a folder around it, or one that all share."""
        project = self.places.workspace or self.places.cwd or ""
        return path in _SHARED_FOLDERS or f"{project}/".startswith(f"{path.rstrip('/')}/")

    def _changed_files(self) -> dict[str, Written]:
        """Return the files whose recorded content has changed during this action."""
        found = {}
        for path, flow in self.files.items():
            if flow is self._seeds.get(path) or not path.startswith("/") or path.startswith("/dev/"):
                continue
            marks = flow.marks & KEPT_MARKS
            if flow.text is None and self._is_wide(path):  # not all that is in such a folder is of this run
                continue
            if flow.text is not None and HOLE not in flow.text:
                found[path] = Written(flow.text, "changed" if "changed" in flow.marks else _kind(flow.marks), marks)
            elif marks or "download" in flow.marks:
                marks |= flow.marks & _DOWNLOADED
                found[path] = Written(None, "changed" if "changed" in flow.marks else "kept", marks)
            elif flow.text is None and path.endswith(_SCRIPTS) and flow.marks.isdisjoint(_VOUCHING):
                found[path] = Written(None, "kept", _UNREAD)
            elif path in self._seeds or not flow.marks.isdisjoint(_HIDING):  # or its content was hidden on purpose
                found[path] = Written(state="changed")
        for path in self._seeds.keys() - self.files.keys():
            last = [one.kind for one in self.effects if one.resource and one.resource.name == path]
            gone = bool(last) and last[-1] in ("fs.delete", "fs.move")
            found[path] = Written(state="gone" if gone else "changed")
        return found
