"""Large tables of names in shards: a hook looks up a few names, and decodes the few shards that hold them."""

from collections.abc import Collection, Iterator, Mapping
from typing import Generic, TypeVar

import msgspec

Value = TypeVar("Value")
SHARDS = 128


class Shards(msgspec.Struct, frozen=True):
    """A table as it is stored: all of it in its order, and the same entries by the number of their shard."""

    whole: bytes
    parts: tuple[bytes, ...]


def split(table: Mapping[str, object]) -> Shards:
    """Return a table as it is stored."""
    parts: list[dict[str, object]] = [{} for _ in range(SHARDS)]
    for name, value in table.items():
        parts[_number(name)][name] = value
    encode = msgspec.msgpack.encode
    return Shards(encode(table), tuple(map(encode, parts)))


def _number(name: str) -> int:
    return sum(name.encode("utf-8", "surrogatepass")) % SHARDS


class ShardedTable(Mapping[str, Value], Generic[Value]):
    """A stored table. Looking up a name decodes its shard, and iterating decodes everything.

    >>> table = ShardedTable(split({"one": 1, "two": 2}), int)
    >>> table.get("two"), "three" in table, list(table)
    (2, False, ['one', 'two'])
    """

    __slots__ = ("_decoder", "_known", "_left", "_whole")

    def __init__(self, stored: Shards, kind: type[Value]) -> None:
        self._decoder: msgspec.msgpack.Decoder[dict[str, Value]] = msgspec.msgpack.Decoder(dict[str, kind])  # type: ignore[valid-type]
        self._known: dict[str, Value] = {}
        self._left = dict(enumerate(stored.parts))
        self._whole = stored.whole

    def get(self, name: str, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """Return the value of a name, or `default`."""
        found = self._known.get(name)
        if found is None and self._left:
            found = self._find_in_shard(name)
        return default if found is None else found

    def load(self, names: Collection[str]) -> dict[str, Value]:
        """Return a table that has all of some names that this one has."""
        if self._left:
            for name in names:
                if name not in self._known:
                    self._find_in_shard(name)
        return self._known

    def _find_in_shard(self, name: str) -> Value | None:
        number = _number(name)
        part = self._left.get(number)
        if part is not None:
            self._known.update(self._decoder.decode(part))
            self._left.pop(number, None)  # afterwards, because other threads look names up too
        return self._known.get(name)

    def _all(self) -> dict[str, Value]:
        if self._whole:
            self._known, self._left, self._whole = self._decoder.decode(self._whole), {}, b""
        return self._known

    def __getitem__(self, name: str) -> Value:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def values_of(table: Mapping[str, Value], names: Collection[str]) -> list[Value]:
    """Return the values of those of some names that a table has.

    >>> values_of({"one": 1, "two": 2}, ["two", "three"])
    [2]
    """
    known = known_values(table, names)
    return [known[name] for name in names if name in known]


def known_values(table: Mapping[str, Value], names: Collection[str]) -> Mapping[str, Value]:
    """Return a plain table that has all of some names that a table has."""
    return table.load(names) if isinstance(table, ShardedTable) else table
