"""Shadowed commands: programs, functions and aliases with the name of a common command."""

from __future__ import annotations

from interlock.analyse.files.traits import traits
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.files import SystemLibraries

#: Commands that a system has anyway: a program of this name in a folder of one's own is run instead of it.
COMMANDS = programs_in("system-commands")
#: Commands that ask for a password or a key.
CONFIDANTS = programs_in("password-prompts")

#: Programs that decide what an agent may do.
GUARDS = programs_in("guards")


_TABLE = read_table("system-libraries", SystemLibraries)
#: Libraries that programs of a system load by their names.
LIBRARIES = frozenset(_TABLE.libraries)


def shadows(full: str) -> bool:
    """Whether a file in a folder below home replaces a command, or a library that programs load.

    >>> shadows("/home/u/.local/bin/git"), shadows("/home/u/.local/bin/my-tool"), shadows("/home/u/project/bin/git")
    (True, False, False)
    >>> shadows("/home/u/.local/lib/libssl.so.3"), shadows("/home/u/.local/lib/libmine.so")
    (True, False)
    """
    folder, _, name = full.rpartition("/")
    if name in COMMANDS:
        return _is_personal(folder, _TABLE.program_folders)
    return ".so" in name and name.partition(".so")[0] in LIBRARIES and _is_personal(folder, _TABLE.library_folders)


def takes_effect(full: str, home: str) -> bool:
    """Whether a shell, a loader or an interpreter finds a file outside the project by its name and folder.

    >>> takes_effect("/home/u/.bashrc", "/home/u"), takes_effect("/home/u/backup/.bashrc", "/home/u")
    (True, False)
    """
    folder = full.rpartition("/")[0]
    if shadows(full):
        return True
    found = folder == home or folder.rpartition("/")[2] in _MODULES or "startup" in traits(folder)
    return found and "startup" in traits(full)


_MODULES = frozenset({"site-packages", "dist-packages"})


#: Folders in which a package manager puts the programs of a project's packages, which scripts call by their names.
_INSTALLED = ("/node_modules/.bin", "/.venv/bin", "/venv/bin", "/vendor/bin", "/.venv/Scripts")


def replaces_tool(full: str) -> bool:
    """Whether a file replaces a program that a package manager has installed in a project.

    >>> replaces_tool("/home/u/app/node_modules/.bin/eslint"), replaces_tool("/home/u/app/bin/eslint")
    (True, False)
    """
    return full.rpartition("/")[0].endswith(_INSTALLED)


def _is_personal(folder: str, endings: tuple[str, ...]) -> bool:
    """Whether a folder of programs belongs to one user: `~/bin`, `~/.local/bin`."""
    parents = (folder.removesuffix(ending) for ending in endings if folder.endswith(ending))
    return any(one in ("~", "/root") or one.rpartition("/")[0] in ("/home", "/Users") for one in parents)
