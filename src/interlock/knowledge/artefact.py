"""The compiled knowledge: one file with an index, so that only the programs that an action names are decoded.

It is used only while it matches its sources. The folders of the sources are compared with it at every start, and each
source file when its data is first used: none may be newer or have another size. In a checkout, where people edit them,
all files are compared at the start, since the index names what is in them. A file is also newer if its inode
changed later than the artefact's, since a copy may keep the time of its original. A digest of all sources then decides
whether the artefact stays in use or is compiled again. Each part has a checksum, so that one that was cut off or
damaged is compiled again too.
"""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from interlock.knowledge.command import Program
from interlock.knowledge.shards import ShardedTable, Shards
from interlock.knowledge.table_types import TABLES, SecondOpinion, Table, WordTable

if TYPE_CHECKING:  # a shell command needs neither
    from interlock.knowledge.cmdlet import Cmdlet
    from interlock.knowledge.function import Function
    from interlock.knowledge.tool import ToolFile

#: Increment it whenever the notation or the layout of the artefact changes.
FORMAT = 8
FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Folders of the sources. The time of a folder changes when files are added, renamed or removed.
PARTS = ("cmdlets", "functions", "programs", "services", "tables")
#: Whether an installer has put the sources there, so that they are not edited.
_INSTALLED = "site-packages" in FOLDER or "dist-packages" in FOLDER
#: Installers unpack files in the order of their names, so this one is written after its sources.
ARTEFACT = f"{FOLDER}/unified.bin"
#: Bytes for the length of the index, and with its checksum.
_LENGTH, _START = 8, 12
#: The length of the beginning in which artefacts differ: it holds the digest of their sources.
_HEAD = 128


class ArtefactIndex(msgspec.Struct, frozen=True):
    """The index at the beginning of an artefact."""

    digest: str
    folders: tuple[str, ...]
    files: tuple[str, ...]
    sizes: tuple[int, ...]  # of the source files
    places: tuple[int, ...]  # offset of each file's data, then the end of the data
    checksums: tuple[int, ...]  # of each file's data
    tables: dict[str, int]  # name → number of its file
    programs: Shards  # name → number of its file
    functions: dict[str, tuple[int, ...]]  # language → numbers of its files
    cmdlets: tuple[int, ...]  # numbers of their files
    clients: tuple[str, ...]
    windows: tuple[str, ...]
    conditional: tuple[str, ...]  # programs with effects that depend on several arguments
    services: Shards  # name of a service → number of its file


class StoredOpinion(msgspec.Struct, frozen=True):
    """The compiled form of a `SecondOpinion` with its thousands of weights."""

    threshold: float
    bias: float
    weights: Shards
    calm: float
    very_calm: float


class StoredWords(msgspec.Struct, frozen=True):
    """A table of lists of words. It is decoded as mappings, because preparing a type with many fields takes longer."""

    sets: dict[str, frozenset[str]]
    others: dict[str, tuple[str, ...] | dict[str, tuple[str, ...] | str | int | float]]


class Stale(Exception):  # noqa: N818 - a signal between two functions, never shown
    """A source has changed since the artefact was compiled, or the artefact is damaged."""


class Times(msgspec.Struct, frozen=True):
    """When a file was modified, and when its inode changed."""

    modified: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> "Times":
        """Return the times of a file."""
        return cls(found.st_mtime_ns, found.st_ctime_ns)


class FileContent:
    """The content of an artefact's file. Only the parts that are needed are read."""

    def __init__(self, file: str) -> None:
        self._handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        found = os.fstat(self._handle)
        self.times, self._size = Times.of(found), found.st_size
        self._head = self._read(0, _HEAD)

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if "_handle" in vars(self):
            close(self._handle)

    def __getitem__(self, part: slice) -> bytes:
        """Return a part; raise `Stale` if the file was overwritten. One that was replaced or removed is still read."""
        data = self._read(part.start or 0, part.stop)
        times = Times.of(os.fstat(self._handle))
        if times != self.times:
            if self._read(0, _HEAD) != self._head:
                raise Stale
            self.times = times  # it was touched
        return data

    def _read(self, start: int, end: int) -> bytes:
        return os.pread(self._handle, max(0, min(end, self._size) - start), start)


class Artefact:
    """The knowledge in its compiled form."""

    def __init__(self, data: bytes | FileContent, times: Times | None = None) -> None:
        """Open an artefact, or raise `Stale` if its index is damaged or of another version.

        `times` say when it last matched its sources, None if it was compiled just now.
        """
        start = data[:_START]
        end = _START + int.from_bytes(start[:_LENGTH], "big")
        index = data[_START:end]
        if crc32(index, FORMAT) != int.from_bytes(start[_LENGTH:], "big"):
            raise Stale
        self.index = msgspec.msgpack.decode(index, type=ArtefactIndex)
        self.programs = ShardedTable(self.index.programs, int)
        self.services = ShardedTable(self.index.services, int)
        self._data, self._body, self._times = data, end, times
        self._programs = msgspec.msgpack.Decoder(Program)

    def check_folders(self) -> None:
        """Raise `Stale` if a file may have been added, renamed or removed."""
        for folder in self.index.folders:
            if self._is_newer(os.stat(f"{FOLDER}/{folder}")):
                raise Stale
        if not _INSTALLED and self._times is not None:
            self._check_all_files(self._times)

    def program(self, name: str) -> Program:
        """Return a program's description; raise KeyError, or `Stale`."""
        return self._programs.decode(self._read(self.programs[name]))

    def functions(self, language: str) -> "list[Function]":
        """Return the functions of a language; raise `Stale` if one of its files has changed."""
        from interlock.knowledge.function import Function

        decode = msgspec.msgpack.Decoder(list[Function]).decode
        return [one for number in self.index.functions.get(language, ()) for one in decode(self._read(number))]

    def cmdlets(self) -> "list[Cmdlet]":
        """Return all cmdlets; raise `Stale` if one of their files has changed."""
        from interlock.knowledge.cmdlet import Cmdlet

        decode = msgspec.msgpack.Decoder(list[Cmdlet]).decode
        return [one for number in self.index.cmdlets for one in decode(self._read(number))]

    def service(self, number: int) -> "ToolFile":
        """Return the tools of a service; raise `Stale` if its file has changed."""
        from interlock.knowledge.tool import ToolFile

        return msgspec.msgpack.decode(self._read(number), type=ToolFile)

    def table(self, name: str) -> Table:
        """Return a table; raise `Stale` if its file has changed."""
        data, kind = self._read(self.index.tables[name]), TABLES[name]
        if issubclass(kind, WordTable):
            words = msgspec.msgpack.decode(data, type=StoredWords)
            return kind(**words.sets, **words.others)
        if kind is not SecondOpinion:
            return msgspec.msgpack.decode(data, type=kind)
        found = msgspec.msgpack.decode(data, type=StoredOpinion)
        return SecondOpinion(
            found.threshold, found.bias, ShardedTable(found.weights, float), found.calm, found.very_calm
        )

    def check_data(self) -> None:
        """Raise `Stale` if any part is damaged."""
        for number in range(len(self.index.files)):
            self._data_of(number)

    def _read(self, number: int) -> bytes:
        if self._times is not None:
            self._check_file(number)
        return self._data_of(number)

    def _data_of(self, number: int) -> bytes:
        index = self.index
        found = self._data[self._body + index.places[number] : self._body + index.places[number + 1]]
        if crc32(found) != index.checksums[number]:
            raise Stale
        return found

    def _check_all_files(self, times: Times) -> None:
        """Raise `Stale` if any source has changed. There are over a thousand, so this does no more than it must."""
        stat, start, modified, changed = os.stat, f"{FOLDER}/", times.modified, times.changed
        for file, size in zip(self.index.files, self.index.sizes, strict=True):
            found = stat(start + file)
            if found.st_size != size or found.st_mtime_ns > modified or found.st_ctime_ns > changed:
                raise Stale

    def _check_file(self, number: int) -> None:
        """Raise `Stale` if a source has changed."""
        try:
            found = os.stat(f"{FOLDER}/{self.index.files[number]}")
        except OSError:
            raise Stale from None
        if found.st_size != self.index.sizes[number] or self._is_newer(found):
            raise Stale

    def _is_newer(self, found: os.stat_result) -> bool:
        times = self._times
        return times is not None and (found.st_mtime_ns > times.modified or found.st_ctime_ns > times.changed)


def load_artefact() -> Artefact:
    """Return the artefact if no folder has changed since it was compiled, else compare or recompile it."""
    found = _open(ARTEFACT)
    if found is not None:
        try:
            found.check_folders()
            return found
        except (Stale, OSError):
            pass
    return renew()


def renew() -> Artefact:
    """Return the artefact if it matches the content of every source, else compile a new one."""
    files = sorted(find_sources())
    found = _open(ARTEFACT)
    digest = digest_sources(files)
    if found is not None and found.index.digest == digest and _is_whole(found):
        _touch(ARTEFACT)
        return _open(ARTEFACT, just_checked=True) or found
    from interlock.knowledge.compile import compile_sources  # only needed after a change

    data = compile_sources(files, digest)
    _write(ARTEFACT, data)
    return Artefact(data)


def _is_whole(found: Artefact) -> bool:
    try:
        found.check_data()
    except Stale:
        return False
    return True


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


def encode_artefact(index: ArtefactIndex, body: bytes) -> bytes:
    """Return the bytes of an artefact."""
    head = msgspec.msgpack.encode(index)
    return len(head).to_bytes(_LENGTH, "big") + crc32(head, FORMAT).to_bytes(_START - _LENGTH, "big") + head + body


def _read_bytes(file: str) -> bytes:
    with open(file, "rb") as handle:
        return handle.read()


def _open(file: str, just_checked: bool = False) -> Artefact | None:
    """Return the artefact in a file, or None if there is none that this version can read."""
    try:
        content = FileContent(file)
        found = Artefact(content, None if just_checked else content.times)
    except (OSError, Stale):
        return None
    return found


def _touch(file: str) -> None:
    """Update the artefact's time to show that it matches its sources. If that fails, the next start compares again."""
    try:
        os.utime(file)
    except OSError:
        return


def _write(file: str, data: bytes) -> None:
    """Replace the artefact atomically. If the folder is read-only, every start compiles."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(dir=FOLDER, prefix=".unified-", delete=False) as handle:
            handle.write(data)
        os.chmod(handle.name, 0o644)
        os.replace(handle.name, file)
    except OSError:
        return
