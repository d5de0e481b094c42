"""The files that Interlock itself loads and writes: changing one of them could switch its checks off."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

import interlock
from interlock.config.home import MACHINE_FILE, own_folder

#: The packages that Interlock imports, by the beginning of the names of their folders and modules.
PACKAGES = (
    "_duckdb", "anyio", "argon2", "cel_expr_python", "cryptography", "cyclopts", "duckdb", "fsspec", "google",
    "httptools", "jinja2", "litestar", "markupsafe", "mcp", "msgspec", "prometheus_client", "psycopg", "pyarrow", "re2",
    "regex", "rich", "sqlglot", "tree_sitter", "uvicorn",
)  # fmt: skip
#: Modules that Python imports at every start, from any folder of packages.
_STARTUP = ("sitecustomize", "usercustomize")
#: Folders in which `pipx` and `uv` give each program an environment of its own.
_DEDICATED = ("/pipx/venvs/", "/uv/tools/")
_SQLITE = "sqlite:///"


def own_files(store: str | None = None, named: Iterable[str] = ()) -> Callable[[str], bool]:
    """Return a test for paths of Interlock's code, its environment, its folders, its keys and its store.

    `named` are the files of its configuration, wherever they are: settings, and descriptions of programs.
    """
    package = os.path.dirname(os.path.abspath(interlock.__file__))
    site, scripts = os.path.dirname(package), os.path.dirname(os.path.abspath(sys.executable))
    environment = os.path.dirname(scripts)
    folders = [package, str(own_folder()), str(MACHINE_FILE.parent)]
    if any(folder in f"{environment}/" for folder in _DEDICATED):
        folders.append(environment)
    roots = tuple(f"{path}/" for path in dict.fromkeys([*folders, *map(os.path.realpath, folders)]))
    files = (f"{scripts}/interlock", f"{scripts}/python", f"{environment}/pyvenv.cfg", *_store_files(store))
    elsewhere = frozenset(path for file in named for path in (os.path.abspath(file), os.path.realpath(file)))

    def test(path: str) -> bool:
        if f"{path}/".startswith(roots) or path.startswith(files) or path in elsewhere:
            return True
        folder, _, name = path.partition(f"{site}/")
        if folder or not name:
            return False
        name = name.partition("/")[0]
        return name.endswith(".pth") or name.startswith((*PACKAGES, *_STARTUP))

    return test


def _store_files(store: str | None) -> tuple[str, ...]:
    """Return the path that the files of a store begin with: the database, its journal and its anchor."""
    if store is None or not store.startswith(_SQLITE):
        return ()
    path = store.removeprefix(_SQLITE)
    return (path,) if path.startswith("/") else ()
