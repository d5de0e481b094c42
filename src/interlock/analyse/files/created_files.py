"""Files that a run created outside the project, such as a virtual environment, and copies of databases."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from interlock.analyse.files.paths import HOLE
from interlock.model import Effect, Place
from interlock.patterns import late

#: Flags of a file whose content is not, or not only, what this run put there: `touch` and `mkdir` leave what is there.
NOT_OURS = frozenset({"download", "part", "append", "new", "extracted"})
_PLACES = frozenset({Place.SCRATCH, Place.HOME})
_WRITES = frozenset({"fs.write", "fs.move"})
_OTHERS = frozenset({"db.write", "local.change"})
#: Kinds of effects by which something is made outside the project.
LASTING = _WRITES | _OTHERS
#: On a folder that a command fills with programs of the usual indexes, what is made of the project, or its archives.
_FILLED = {"executable": "/bin/", "checkout": "/", "packed": "/*"}
#: Folders that many programs use: what else is there is not of this run. Archives in them are known by their names.
_SHARED = frozenset({"/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp"})
_ARCHIVE = late(r"-v?\d[\w.+-]*\.(?:tgz|whl|tar\.gz|zip|gem|crate|nupkg)$")


def find_made_outside(effects: Iterable[Effect]) -> frozenset[str]:
    """Return the paths outside the project that these effects create. A trailing slash marks a whole folder."""
    return frozenset(
        path
        for effect in effects
        for path in (_paths(effect) if effect.kind in _WRITES else _others(effect) if effect.kind in _OTHERS else ())
    )


def database_copy_name(name: str) -> str:
    """Return the entry for a copied database in the list of created files."""
    return f"database:{name}"


_BACKUP = "backup:"


def backup_name(copy: str, source: str) -> str:
    """Return the entry for a copied file in the list of created files."""
    return f"{_BACKUP}{copy}={source}"


def is_rewritten(path: str, effects: Iterable[Effect], times: int) -> bool:
    """Whether effects write a file more than so many times."""
    return sum(e.kind == "fs.write" and e.resource is not None and e.resource.name == path for e in effects) > times


def stale_backups(made: Collection[str], effects: list[Effect]) -> frozenset[str]:
    """Return the backups of earlier actions whose originals these effects overwrite."""
    return frozenset(
        path
        for path in made
        if path.startswith(_BACKUP) and is_rewritten(path[len(_BACKUP) :].partition("=")[0], effects, 0)
    )


_ORG = "org:"
#: Commands after which an alias may lead to another org.
_REBINDING = late(r"^(?:sf|sfdx) (?:force )?(?:alias|org login|auth|login)\b")


def trial_org_name(alias: str) -> str:
    """Return the entry for a test org in the list of created files."""
    return f"{_ORG}{alias}"


def _others(effect: Effect) -> Iterable[str]:
    """Return the org that is made, or the database that is a copy of another one and can be copied again."""
    if effect.kind == "local.change":
        return [effect.resource.name] if effect.resource and effect.resource.name.startswith(_ORG) else ()
    return [database_copy_name(effect.resource.name)] if effect.resource and "copy" in effect.flags else ()


def _paths(effect: Effect) -> Iterable[str]:
    resource = effect.resource
    if resource is None or resource.place not in _PLACES or not effect.flags.isdisjoint(NOT_OURS):
        return ()
    name = resource.name.rstrip("/")
    if not name.startswith("/") or name.startswith("/dev/") or HOLE in name:
        return ()
    if name in _SHARED and "packed" not in effect.flags:
        return ()
    return [name + ending for flag, ending in _FILLED.items() if flag in effect.flags] or [name]


def find_spoiled(made: Collection[str], effects: list[Effect]) -> frozenset[str]:
    """Return the created folders, packages and orgs that these effects put something else into."""
    written = [
        e.resource.name for e in effects if e.kind in _WRITES and e.resource and _FILLED.keys().isdisjoint(e.flags)
    ]
    folders = [path for path in made if path[-1] == "/"]
    packed = [path for path in made if path[-2:] == "/*"]
    orgs = [path for path in made if path.startswith(_ORG)]
    rebound = bool(orgs) and any(e.resource and _REBINDING.match(e.resource.name) for e in effects)
    return frozenset(
        [
            *(folder for folder in folders if any(f"{name}/".startswith(folder) for name in written)),
            *(path for path in packed if any(_is_packed(path, name) for name in written)),
            *(orgs if rebound else ()),
        ]
    )


def _is_packed(pattern: str, full: str) -> bool:
    """Whether a file may be an archive that was packed into a folder, by the version in its name."""
    folder, _, name = full.rpartition("/")
    return f"{folder}/*" == pattern and _ARCHIVE.search(name) is not None


def is_made(made: Collection[str], full: str) -> bool:
    """Whether a path was created, or is in a created folder.

    >>> is_made({"/tmp/x/bin/", "/tmp/tool"}, "/tmp/x/bin/pip"), is_made({"/tmp/x/bin/"}, "/tmp/x/lib/a.so")
    (True, False)
    """
    return full in made or any(
        f"{full}/".startswith(path) if path[-1] == "/" else path[-2:] == "/*" and _is_packed(path, full)
        for path in made
    )
