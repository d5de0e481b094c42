"""The compiled form of the knowledge: one file with an index, so that only the programs an action names are decoded.

It is used only while it matches its sources. At every start the folders of the sources are compared with it, and each
source file when something of it is first used: none may be newer or of another size. If one is, the content decides:
the artefact stays in use if it was compiled from these very bytes, and is compiled anew otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from interlock.knowledge.command import Program
from interlock.knowledge.tables import TABLES, Table

#: Raised whenever the notation or the layout of the artefact changes.
FORMAT = 1
FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Where sources are. A change to a folder itself shows that files were added, renamed or removed.
PARTS = ("programs", "tables")
#: Installers unpack files in the order of their names, so this one is written after its sources.
ARTEFACT = f"{FOLDER}/unified.bin"
_LENGTH = 8


class Index(msgspec.Struct, frozen=True):
    """What stands at the beginning of an artefact."""

    format: int
    digest: str
    folders: tuple[str, ...]
    files: tuple[str, ...]
    sizes: tuple[int, ...]  # of the files
    places: tuple[int, ...]  # where the data of each file begins, and at last where the data ends
    programs: dict[str, int]  # name → number of its file
    clients: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()


class Stale(Exception):  # noqa: N818 - a signal between two functions, never shown
    """A source is no longer what the artefact was compiled from."""


class Artefact:
    """The knowledge in its compiled form."""

    def __init__(self, data: bytes, time: int | None = None) -> None:
        """`time` is when the artefact was last known to match; None for one that was compiled just now."""
        end = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
        self.index = msgspec.msgpack.decode(data[_LENGTH:end], type=Index)
        self._data, self._body, self._time = data, end, time
        self._programs = msgspec.msgpack.Decoder(Program)

    def check_folders(self) -> None:
        """Raise `Stale` if a file may have been added, renamed or removed."""
        for folder in self.index.folders:
            if self._is_newer(os.stat(f"{FOLDER}/{folder}")):
                raise Stale

    def program(self, name: str) -> Program:
        """Return a program's description; raise KeyError, or `Stale`."""
        return self._programs.decode(self._read(self.index.programs[name]))

    def table(self, name: str) -> Table:
        """Return a table; raise `Stale` if its file has changed."""
        return msgspec.msgpack.decode(self._read(self.index.files.index(f"tables/{name}.toml")), type=TABLES[name])

    def _read(self, number: int) -> bytes:
        index = self.index
        if self._time is not None:
            try:
                found = os.stat(f"{FOLDER}/{index.files[number]}")
            except OSError:
                raise Stale from None
            if found.st_size != index.sizes[number] or self._is_newer(found):
                raise Stale
        return self._data[self._body + index.places[number] : self._body + index.places[number + 1]]

    def _is_newer(self, found: os.stat_result) -> bool:
        return self._time is not None and found.st_mtime_ns > self._time


def load() -> Artefact:
    """Return the artefact as it is, if no folder has changed since it was compiled."""
    found = _open(ARTEFACT)
    if found is not None:
        try:
            found.check_folders()
            return found
        except (Stale, OSError):
            pass
    return renew()


def renew() -> Artefact:
    """Return the artefact after comparing the content of every source, compiled anew if it does not match."""
    files = sorted(find_sources())
    found = _open(ARTEFACT)
    digest = digest_sources(files)
    if found is not None and found.index.digest == digest:
        _touch(ARTEFACT)
        return _open(ARTEFACT, just_checked=True) or found
    from interlock.knowledge.compile import compile_sources  # the notation is parsed only where it has changed

    data = compile_sources(files, digest)
    _write(ARTEFACT, data)
    return Artefact(data)


def find_sources() -> Iterator[str]:
    """Return the names of all source files, relative to the folder of the knowledge."""
    for part in PARTS:
        for folder, _, names in os.walk(f"{FOLDER}/{part}"):
            prefix = os.path.relpath(folder, FOLDER)
            yield from (f"{prefix}/{name}" for name in names if name.endswith(".toml"))


def digest_sources(files: list[str]) -> str:
    """Return the digest of the names and the content of all sources."""
    import hashlib  # only where a source has changed

    digest = hashlib.sha256(str(FORMAT).encode())
    for file in files:
        content = _read_bytes(f"{FOLDER}/{file}")
        digest.update(f"{file}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def encode(index: Index, body: bytes) -> bytes:
    """Return the bytes of an artefact."""
    head = msgspec.msgpack.encode(index)
    return len(head).to_bytes(_LENGTH, "big") + head + body


def _read_bytes(file: str) -> bytes:
    with open(file, "rb") as handle:
        return handle.read()


def _open(file: str, just_checked: bool = False) -> Artefact | None:
    """Return the artefact in a file, or None if there is none that this version can read."""
    try:
        time = os.stat(file).st_mtime_ns
        found = Artefact(_read_bytes(file), None if just_checked else time)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.index.format == FORMAT else None


def _touch(file: str) -> None:
    """Note that the artefact matches its sources as they are now. Where that is not possible, the next start checks."""
    try:
        os.utime(file)
    except OSError:
        return


def _write(file: str, data: bytes) -> None:
    """Replace the artefact in one step. Where the folder cannot be written, every start compiles."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(dir=FOLDER, prefix=".unified-", delete=False) as handle:
            handle.write(data)
        os.chmod(handle.name, 0o644)
        os.replace(handle.name, file)
    except OSError:
        return
