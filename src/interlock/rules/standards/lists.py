"""The lists of risks and techniques that rules refer to, as they were published."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from interlock.errors import InterlockError

FOLDER = Path(__file__).parent
#: The lists, in the order in which their ids are shown.
FILES = {"OWASP": "owasp-agentic.toml", "ATLAS": "mitre-atlas.toml", "ATT&CK": "mitre-attack.toml"}


class Tactic(msgspec.Struct, frozen=True):
    """A tactic: the purpose of a technique."""

    id: str
    name: str


class Reference(msgspec.Struct, frozen=True):
    """A risk or technique of a list. `label` is the list's short name; a sub-technique has a `parent`."""

    id: str
    name: str
    label: str
    standard: str
    version: str
    url: str
    tactics: tuple[Tactic, ...] = ()
    parent: Reference | None = None

    @property
    def full_name(self) -> str:
        """The name, after that of the technique it belongs to."""
        return f"{self.parent.name}: {self.name}" if self.parent else self.name


def read_document(file: str) -> dict[str, Any]:
    """Return the content of a file of this folder."""
    return tomllib.loads((FOLDER / file).read_text("utf-8"))


@cache
def references() -> Mapping[str, Reference]:
    """Return every entry of every list, by id."""
    found: dict[str, Reference] = {}
    for label, file in FILES.items():
        document = read_document(file)
        tactics = {id_: Tactic(id_, name) for id_, name in document.get("tactics", {}).items()}
        for id_, text in sorted(document["entries"].items()):  # a technique comes before its sub-techniques
            words = text.split()
            count = next(number for number, word in enumerate(words) if word not in tactics)
            found[id_] = Reference(
                id_,
                " ".join(words[count:]),
                label,
                document["name"],
                document["version"],
                document["link"].format(id=id_, path=id_.replace(".", "/")),
                tuple(tactics[word] for word in words[:count]),
                found.get(_parent_id(id_)),
            )
    return found


def _parent_id(id_: str) -> str:
    """Return the id before the last point: of `T1552.001`, `T1552`. Ids of ATLAS begin with `AML.`."""
    before = id_.rpartition(".")[0]
    return "" if before == "AML" else before


def find_reference(id_: str) -> Reference:
    """Return the entry with an id; raise `InterlockError` if no list has it."""
    found = references().get(id_)
    if found is None:
        raise InterlockError(f"`{id_}` is in none of the lists in `standards/`")
    return found
