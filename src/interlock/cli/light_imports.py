"""Import the libraries that a hook needs without the modules that they load eagerly and a hook does not use.

While a library is imported, a stand-in takes the place of each such module. Stand-ins import their modules as soon as
something of them is used, so nothing is missing, only late.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

#: Modules that are not used while they are imported, but by functions that a hook does not call.
_LATE = (
    "cryptography.hazmat.primitives._serialization",
    "ipaddress",
    "msgspec.inspect",
    "ntpath",
    "textwrap",
)


class StandIn(ModuleType):
    """Takes the place of a module until one of its attributes is looked up that was not given."""

    def __init__(self, name: str, **given: object) -> None:
        super().__init__(name)
        vars(self).update(given)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # Python asks every module for some of these
            raise AttributeError(name)
        module = self.__name__
        if sys.modules.get(module) is self:
            del sys.modules[module]
        __import__(module)
        return getattr(sys.modules[module], name)


def import_libraries() -> None:
    """Import the libraries that every hook needs, with stand-ins for modules that take longer to load than they do.

    msgspec prefers `typing_extensions`, but `typing` has what it uses of it. `uuid` needs `platform` for the name of
    the system alone, and `pathlib` needs `urllib.parse` for one method. hashlib loads the code of every function.
    """
    stand_ins: dict[str, ModuleType | None] = {name: StandIn(name) for name in _LATE}
    stand_ins["typing_extensions"] = None  # makes its import fail
    stand_ins["platform"] = StandIn("platform", system=lambda: os.uname().sysname)
    stand_ins["urllib.parse"] = StandIn("urllib.parse", quote_from_bytes=_quote_from_bytes)
    used = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(used)  # type: ignore[arg-type]  # None is allowed
    try:
        import pathlib  # noqa: F401

        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
        import msgspec  # noqa: F401
    finally:
        for name, module in used.items():
            if sys.modules.get(name, module) is module:
                sys.modules.pop(name, None)
    _replace_hashlib()


def _replace_hashlib() -> None:
    """Let `hashlib` be SHA-256 until something else of it is used."""
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # other versions of Python have it elsewhere
        return
    sys.modules.setdefault("hashlib", StandIn("hashlib", sha256=sha256))


def _quote_from_bytes(data: bytes) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(data)
