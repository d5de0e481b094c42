"""Import Interlock's own modules from their compiled files without searching folders.

A hook imports two hundred of them, and Python takes as long to find and open each as to load it. What is found here is
used on the same conditions as in Python: it was compiled by this version, from a source of this time and size. In all
other cases Python imports the module by itself, and compiles it again.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType

_ENDING = f".{sys.implementation.cache_tag}.pyc"
#: The header of a compiled file that is validated by the time and size of its source.
_START = MAGIC_NUMBER + bytes(4)
_HEAD = len(_START) + 8


class CompiledLoader(SourceFileLoader):
    """Loads a module whose code was read already."""

    def __init__(self, name: str, file: str, code: CodeType) -> None:
        super().__init__(name, file)
        self.code = code

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the signature is Python's
        """Return the code of the module."""
        return self.code


class CompiledFinder:
    """Finds the modules of one package."""

    def __init__(self, package: str, folder: str) -> None:
        self._prefix, self._root = f"{package}.", folder.removesuffix(package)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return where a module is and how it is loaded, or None to leave it to Python."""
        if not name.startswith(self._prefix):
            return None
        folder, _, last = (self._root + name.replace(".", "/")).rpartition("/")
        return self._find(name, folder, last) or self._find(name, f"{folder}/{last}", "__init__")

    def _find(self, name: str, folder: str, stem: str) -> ModuleSpec | None:
        file, compiled = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}{_ENDING}"
        try:
            content = _read(compiled)
            source = os.stat(file)
        except OSError:
            return None
        time, size = int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF
        if content[:_HEAD] != _START + time.to_bytes(4, "little") + size.to_bytes(4, "little"):
            return None
        code = marshal.loads(content[_HEAD:])  # noqa: S302 - as Python itself does
        spec = ModuleSpec(name, CompiledLoader(name, file, code), origin=file)
        spec.has_location, spec.cached = True, compiled
        if stem == "__init__":
            spec.submodule_search_locations = [folder]
        return spec


def _read(file: str) -> memoryview:
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return memoryview(os.read(handle, os.fstat(handle).st_size))
    finally:
        os.close(handle)


def find_compiled_modules(package: str, folder: str) -> None:
    """Let Python import the modules of a package from their compiled files."""
    if not sys.flags.optimize:  # which has compiled files of other names
        sys.meta_path.insert(0, CompiledFinder(package, folder))
