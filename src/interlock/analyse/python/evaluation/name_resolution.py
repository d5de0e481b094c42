"""Name resolution: what variables, attributes and items stand for."""

from __future__ import annotations

import ast
import posixpath
from abc import ABC, abstractmethod
from typing import Any

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.python.calls.library_calls import has_effects, runs_code
from interlock.analyse.python.calls.tool_calls import find_installed_file
from interlock.analyse.python.clients.service_clients import client_item, client_member, is_client
from interlock.analyse.python.clients.store_clients import STORE
from interlock.analyse.python.evaluation.marks import ENVIRONMENT, environment_of, mixture, variable_of
from interlock.analyse.python.evaluation.pure_functions import COMPUTE_ERRORS, NAMED
from interlock.analyse.python.evaluation.scope import MISSING, PythonScope
from interlock.analyse.python.evaluation.values import (
    ABSTRACT,
    MAX_CHOICES,
    MODULE,
    UNKNOWN,
    Choice,
    Class,
    Instance,
    Module,
    Object,
    Partial,
    Property,
    PythonFunction,
    Ref,
    Unknown,
    as_text,
    either_of,
)
from interlock.analyse.python.library.names import NAMES
from interlock.analyse.python.positions import Locator
from interlock.analyse.python.state import PythonState
from interlock.analyse.reading import Reading, Site

MIN_HIDDEN = 4  # characters: what is shorter is not worth hiding
_DETOUR = frozenset({"detour"})
#: Members under which functions and frames keep the names that they see.
_INNER_NAMES = frozenset({"__globals__", "__builtins__", "func_globals", "f_globals", "f_locals", "f_builtins"})
_NAMESPACES = frozenset({"builtins", "__builtins__"})
_WITHOUT_IMPORT = NAMES.without_import


class Names(Locator, ABC):
    """Knows what names stand for."""

    __slots__ = ("reading", "scope", "stars", "state", "tracker")

    def __init__(self, reading: Reading, text: str, site: Site, scope: PythonScope, state: PythonState) -> None:
        super().__init__(text, site)
        self.reading, self.scope, self.state, self.tracker = reading, scope, state, state.tracker
        self.stars: list[str] = []  # modules of which everything was imported

    @abstractmethod
    def value(self, node: ast.expr | None) -> Any:
        """Return what an expression is known to be."""

    @abstractmethod
    def call_function(self, function: PythonFunction, arguments: list[Any], keywords: dict[str, Any], this: Any) -> Any:
        """Return the result of a call of a function of the text."""

    def look_up_name(self, name: str) -> Any:
        """Return the value of a name here, or a `Ref` to the builtin or module of that name."""
        frame = self.tracker.frame
        found = self.scope.get(name) if frame is None else frame.look_up(self.scope, name)
        if found is not MISSING:
            return found
        for module in self.stars:
            if has_effects(self.reading, f"{module}.{name}"):
                return Ref(f"{module}.{name}")
        return self._builtin(_WITHOUT_IMPORT[name]) if name in _WITHOUT_IMPORT else Ref(name)

    def _builtin(self, name: str) -> Ref:
        if name == "os.environ":
            environment_of(self.reading)
        return Ref(name)

    def report_detour(self, node: ast.expr, found: Any) -> Any:
        """Return a value that was reached by its name as text; report it if it runs code, which hides the call."""
        if type(found) is Ref and runs_code(self.reading, found.name):
            self.reading.emit("code.eval", self.at(node), found.name, _DETOUR)
        return found

    def member(self, node: ast.expr, owner: Any, name: str) -> Any:
        """Return an attribute of a value."""
        if name in _INNER_NAMES:
            return Ref("builtins")
        kind = type(owner)
        if kind is Unknown:  # part of it comes from where all of it came
            return owner if owner.name in self.reading.taints else Unknown(name)
        if kind is Ref:
            return self._member_of_ref(node, owner, name)
        if kind is Object:
            return self._member_of_object(owner, name)
        if kind is Instance:
            return self._member_of_instance(owner, name)
        if kind is Class:
            found = owner.find(name)
            self._record(owner, name, found)
            if isinstance(found, PythonFunction) and found.has_decorator("classmethod"):
                return Partial(found, this=owner)
            return Unknown(name) if found is None else found
        if kind is Module:
            found = owner.attributes.get(name, MISSING)
            self._record(owner, name, found)
            return self._member_of_ref(node, Ref(owner.name), name) if found is MISSING else found
        if kind is Choice:
            return either_of([self.member(node, one, name) for one in owner.values])
        return Unknown(name)

    def _member_of_ref(self, node: ast.expr, owner: Ref, name: str) -> Any:
        if owner.name in _NAMESPACES:
            return owner if name == "__dict__" else self.look_up_name(name)
        if name == "__dict__":
            return owner
        if name == "__self__" and "." not in owner.name:  # a function of Python's own belongs to all of them
            self.reading.emit("code.eval", self.at(node), name, _DETOUR)
            return Ref("builtins")
        full = f"{owner.name}.{name}"
        if self.state.members and full in self.state.members:
            return self.state.members[full]
        if full == "os.environ":
            self.reading.emit("env.read", self.at(node))
            environment_of(self.reading)
        if name == "__file__":
            return find_installed_file(owner.name) or Ref(full)
        return NAMED.get(full) or Ref(full)

    def _member_of_object(self, owner: Object, name: str) -> Any:
        found, frame, viewed = owner.attributes.get(name, MISSING), self.tracker.frame, owner.viewed
        if frame is not None and viewed.birth < frame.birth:
            frame.record(viewed, name, found)
        if found is MISSING:
            found = owner.kind.find(name)
            self._record(owner.kind, name, found)
            kind = type(found)
            if kind is PythonFunction:
                return Partial(found, this=owner)
            if kind is Property:
                return self.call_function(found.function, [], {}, owner)
            if found is None:
                inherited = (f"{base.name}.{name}" for base in owner.kind.bases if isinstance(base, Ref))
                known = next((full for full in inherited if has_effects(self.reading, full)), None)
                return Ref(known) if known else Unknown(name)
        return found

    def _member_of_instance(self, owner: Instance, name: str) -> Any:
        if is_client(owner):
            return client_member(owner, name)
        if owner.kind == "file" and name == "name":
            return owner.text
        if owner.kind == "pathlib.Path" and name in ("parent", "name"):
            head, slash, tail = owner.text.rpartition("/")
            above = head or ("/" if slash else hole("parent") if HOLE in tail else ".")
            return tail if name == "name" else Instance("pathlib.Path", above)
        if owner.kind == "pathlib.Path" and name == "parents" and HOLE not in owner.text:
            return [Instance("pathlib.Path", above) for above in folders_above(owner.text)]
        if owner.kind == MODULE and name in ("origin", "__file__"):
            return owner.text
        if owner.kind == "process" and name in ("stdin", "stdout", "stderr"):
            return owner
        return Ref(f"{owner.kind}.{name}")

    def item(self, owner: Any, index: Any) -> Any:
        """Return `owner[index]` where that can be told."""
        kind = type(owner)
        if kind is Unknown:
            if owner.name not in self.reading.taints:
                return Unknown(as_text(index).strip("\0") if isinstance(index, str) else "…")
            return Unknown("beginning") if _is_short(index) else owner
        if kind is Ref:
            return self._item_of_ref(owner, index)
        if isinstance(owner, str) and HOLE in owner:
            return mixture(self.reading, "…", (owner,))  # where in it the unknown part ends is not known
        if kind not in ABSTRACT and isinstance(owner, (str, bytes, list, tuple, dict)):
            try:
                found = owner[index]
            except COMPUTE_ERRORS:
                return self._any_of(owner) if type(index) is Unknown else mixture(self.reading, "…", (owner,))
            if isinstance(index, slice) and isinstance(owner, list) and owner and not found and _stand_for_many(owner):
                return owner
            if isinstance(index, slice) and isinstance(found, (str, bytes)):
                backwards = index.step is not None and index.step < 0 and len(found) > MIN_HIDDEN
                if backwards or self.is_decoded(owner):
                    self.state.decoded.add(found)
            return found
        if is_client(owner):
            return client_item(owner)
        return mixture(self.reading, as_text(index).strip("\0") if isinstance(index, str) else "…", (owner,))

    def _any_of(self, owner: Any) -> Any:
        """Return what an unknown index gives; if it may be a widened number, any of the values that there are."""
        values = list(owner.values() if isinstance(owner, dict) else owner)
        if self.state.precise_steps < 0 and 0 < len(values) <= MAX_CHOICES and not isinstance(owner, (str, bytes)):
            return either_of(values)
        return mixture(self.reading, "…", (owner,))

    def _item_of_ref(self, owner: Ref, index: Any) -> Any:
        if owner.name == "sys.modules":
            return Ref(index) if isinstance(index, str) else Ref("builtins")
        if owner.name == "os.environ":
            if f"os.environ[{index}]" in self.state.members:
                return self.state.members[f"os.environ[{index}]"]
            return variable_of(self.reading, index) if isinstance(index, str) else Unknown(ENVIRONMENT)
        if owner.name.startswith(STORE):
            return Ref(f"{owner.name}.{index}") if isinstance(index, str) and index.isidentifier() else owner
        if not isinstance(index, str):
            return Unknown(owner.name.rpartition(".")[2])
        if owner.name in _NAMESPACES:
            return Ref("builtins") if index == "__builtins__" else self.look_up_name(index)
        known = has_effects(self.reading, f"{owner.name}.{index}") or owner.name.endswith("__dict__")
        return Ref(f"{owner.name}.{index}") if known else Unknown(index)

    def index_of(self, node: ast.expr) -> Any:
        """Return what stands in square brackets."""
        if type(node) is not ast.Slice:
            return self.value(node)
        parts = [self.value(part) if part else None for part in (node.lower, node.upper, node.step)]
        if not all(part is None or isinstance(part, int) for part in parts) or parts[2] == 0:
            return UNKNOWN
        return slice(*parts)

    def is_decoded(self, value: Any) -> bool:
        """Whether a constant came out of a decoder."""
        return isinstance(value, (str, bytes)) and value in self.state.decoded

    def _record(self, owner: Object | Class, name: str, value: Any) -> None:
        """Record that the function body that is being read depends on an attribute."""
        frame = self.tracker.frame
        if frame is not None and owner.birth < frame.birth:
            frame.record(owner, name, value)


def folders_above(path: str) -> list[str]:
    """Return the folders that a path is in, the nearest first.

    >>> folders_above("/home/user/a.py"), folders_above("src/a.py")
    (['/home/user', '/home', '/'], ['src', '.'])
    """
    found = list[str]()
    while path not in ("/", "."):
        path = posixpath.dirname(path.rstrip("/")) or "."
        found.append(path)
    return found


def _is_short(index: Any) -> bool:
    """Whether only the first characters of a value are taken, which do not give a secret away: `key[:4]`."""
    return isinstance(index, slice) and index.start is None and isinstance(index.stop, int) and 0 < index.stop <= _SHORT


_SHORT = 6


def _stand_for_many(items: list[Any]) -> bool:
    """Whether each item stands for any number of files: a pattern, or a name with an unknown part."""
    texts = [item.text if isinstance(item, Instance) else item for item in items]
    return all(isinstance(text, str) and ("*" in text or HOLE in text) for text in texts)
