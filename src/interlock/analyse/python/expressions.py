"""Expressions: what they are known to be, and the effects of the calls in them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from interlock.analyse.paths import HOLE, hole
from interlock.analyse.python.calling import has_effects, runs_code
from interlock.analyse.python.folding import combine, joined
from interlock.analyse.python.library.names import BARE
from interlock.analyse.python.locating import Locator
from interlock.analyse.python.marks import ENVIRONMENT, marks_of, mixture, sources, variable_of
from interlock.analyse.python.pure import COMPUTE_ERRORS, NAMED
from interlock.analyse.python.scope import MISSING, Scope
from interlock.analyse.python.state import State
from interlock.analyse.python.values import (
    ABSTRACT,
    MAX_CONSTANT,
    MAX_PARTS,
    UNKNOWN,
    Choice,
    Class,
    Function,
    Instance,
    Object,
    Partial,
    Ref,
    Unknown,
    as_text,
    bounded,
    either,
    is_known,
    is_list,
)
from interlock.analyse.reading import Reading, Site

MAX_DEPTH = 60
MIN_HIDDEN = 4  # characters: what is shorter is not worth hiding
#: Variables that make every program that starts load something first.
LOADERS = frozenset({"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP"})
_DETOUR = frozenset({"detour"})
_NAMESPACES = frozenset({"builtins", "__builtins__"})


class Expressions(Locator):
    """Reads expressions: what its names stand for, and where effects go."""

    __slots__ = ("_depth", "reading", "scope", "stars", "state")

    readers: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {}

    def __init__(self, reading: Reading, text: str, site: Site, scope: Scope, state: State) -> None:
        super().__init__(text, site)
        self.reading, self.scope, self.state = reading, scope, state
        self.stars: list[str] = []  # modules of which everything was imported
        self._depth = 0

    def value(self, node: ast.expr | None) -> Any:
        """Return what an expression is known to be; its calls put their effects into the reading."""
        if node is None:
            return None
        if type(node) is ast.Constant:
            return node.value
        handler = self.readers.get(type(node))
        if handler is None:
            self.parts(node)
            return UNKNOWN
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._depth = 0
            raise RecursionError
        result = handler(self, node)
        self._depth -= 1
        return result

    def _name(self, node: ast.Name) -> Any:
        return self.named(node.id)

    def named(self, name: str) -> Any:
        """Return what a name stands for here: its value, or the thing of that name."""
        found = self.scope.get(name)
        if found is not MISSING:
            return found
        for module in self.stars:
            if has_effects(f"{module}.{name}"):
                return Ref(f"{module}.{name}")
        return Ref(BARE.get(name, name))

    def _attribute(self, node: ast.Attribute) -> Any:
        return self.member(node, self.value(node.value), node.attr)

    def detour(self, node: ast.expr, found: Any) -> Any:
        """Return something that was reached by its name as a text: who runs code that way hides it."""
        if isinstance(found, Ref) and runs_code(found.name):
            self.reading.emit("code.eval", self.at(node), found.name, _DETOUR)
        return found

    def member(self, node: ast.expr, owner: Any, name: str) -> Any:
        """Return what something has by a name."""
        if isinstance(owner, Ref):
            return self._member_of_ref(node, owner, name)
        if isinstance(owner, Object):
            return self._member_of_object(owner, name)
        if isinstance(owner, Instance):
            return self._member_of_instance(owner, name)
        if isinstance(owner, Class):
            found = owner.find(name)
            return Unknown(name) if found is None else found
        if isinstance(owner, Choice):
            return either_of([self.member(node, one, name) for one in owner.values])
        if isinstance(owner, Unknown) and owner.name in self.reading.taints:
            return owner  # part of it comes from where all of it came
        return Unknown(name)

    def _member_of_ref(self, node: ast.expr, owner: Ref, name: str) -> Any:
        if owner.name in _NAMESPACES:
            return owner if name == "__dict__" else self.named(name)
        if name == "__dict__":
            return owner
        full = f"{owner.name}.{name}"
        if self.state.members and full in self.state.members:
            return self.state.members[full]
        if full == "os.environ":
            self.reading.emit("env.read", self.at(node))
        return NAMED.get(full) or Ref(full)

    def _member_of_object(self, owner: Object, name: str) -> Any:
        found = owner.attributes.get(name)
        if found is None and name not in owner.attributes:
            found = owner.kind.find(name)
            if isinstance(found, Function):
                return Partial(found, this=owner)
            if found is None:
                inherited = (f"{base.name}.{name}" for base in owner.kind.bases if isinstance(base, Ref))
                known = next((full for full in inherited if has_effects(full)), None)
                return Ref(known) if known else Unknown(name)
        return found

    def _member_of_instance(self, owner: Instance, name: str) -> Any:
        if owner.kind == "file" and name == "name":
            return owner.text
        if owner.kind == "pathlib.Path" and name in ("parent", "name"):
            head, slash, tail = owner.text.rpartition("/")
            above = head or ("/" if slash else hole("parent") if HOLE in tail else ".")
            return tail if name == "name" else Instance("pathlib.Path", above)
        if owner.kind == "process" and name in ("stdout", "stderr"):
            return owner
        return Ref(f"{owner.kind}.{name}")

    def _joined(self, node: ast.JoinedStr) -> Any:
        self.reading.spend(len(node.values) // 8)
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.format_spec)
                part = part.value
            parts.append(self._told(self.value(part)))
        return joined(parts)

    def _told(self, value: Any) -> Any:
        """Return a value as it goes into a text: what is more than a text is known by where it came from."""
        if isinstance(value, (Ref, list, tuple, dict, Object)) and not isinstance(value, (Unknown, Choice, Instance)):
            found = sources(self.reading, value)
            return Unknown(found[0]) if found else value
        return value

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div) and isinstance(left, Instance) and left.kind == "pathlib.Path":
            text = as_text(right)
            return Instance(
                "pathlib.Path", text if text[:1] == "/" else f"{left.text.rstrip('/')}/{text}"[:MAX_CONSTANT]
            )
        return self.combined(node.op, left, right)

    def combined(self, op: ast.operator, left: Any, right: Any) -> Any:
        """Return `left op right`, with where it came from."""
        if isinstance(op, (ast.Add, ast.Mod)):
            left, right = self._told(left), right if isinstance(right, (list, dict)) else self._told(right)
        result = combine(op, left, right)
        if isinstance(result, Unknown):
            return mixture(self.reading, result.name, (left, right))
        if self.state.decoded and isinstance(result, (str, bytes)):
            hidden = max((len(x) for x in (left, right) if self.is_decoded(x)), default=0)
            if 2 * hidden > len(result):
                self.state.decoded.add(result)
        return result

    def is_decoded(self, value: Any) -> bool:
        """Whether a constant came out of a decoder."""
        return isinstance(value, (str, bytes)) and value in self.state.decoded

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        return bounded(self.items(node.elts))

    def items(self, nodes: list[ast.expr]) -> list[Any]:
        """Return the values of expressions, those behind a star one by one."""
        self.reading.spend(len(nodes) // 8)
        items: list[Any] = []
        for element in nodes:
            if isinstance(element, ast.Starred):
                value = self.value(element.value)
                if is_list(value):
                    items += value[:MAX_CONSTANT]
                    self.reading.spend(len(value) // 64)
                    continue
                items.append(value)
            else:
                items.append(self.value(element))
        return items

    def _dict(self, node: ast.Dict) -> Any:
        self.reading.spend(len(node.keys) // 8)
        found: dict[Any, Any] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            key, value = self.value(key_node), self.value(value_node)
            if key_node is None and isinstance(value, dict):
                found |= value
            else:
                found[key if isinstance(key, (str, int)) else as_text(key)] = value
        return bounded(found)

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, index = self.value(node.value), self._index(node.slice)
        if isinstance(owner, Choice):
            return either_of([self.item(one, index) for one in owner.values])
        found = self.item(owner, index)
        return self.detour(node, found) if isinstance(owner, Ref) else found

    def item(self, owner: Any, index: Any) -> Any:
        """Return `owner[index]` where that can be told."""
        if isinstance(owner, Ref):
            return self._item_of_ref(owner, index)
        if isinstance(owner, (str, bytes, list, tuple, dict)) and not isinstance(owner, ABSTRACT):
            try:
                found = owner[index]
            except COMPUTE_ERRORS:
                return mixture(self.reading, "…", (owner,))
            if isinstance(index, slice) and isinstance(found, (str, bytes)):
                backwards = index.step is not None and index.step < 0 and len(found) > MIN_HIDDEN
                if backwards or self.is_decoded(owner):
                    self.state.decoded.add(found)
            return found
        if isinstance(owner, Unknown) and owner.name in self.reading.taints:
            return owner
        return mixture(self.reading, as_text(index).strip("\0") if isinstance(index, str) else "…", (owner,))

    def _item_of_ref(self, owner: Ref, index: Any) -> Any:
        if owner.name == "sys.modules":
            return Ref(index) if isinstance(index, str) else Ref("builtins")
        if owner.name == "os.environ":
            return variable_of(self.reading, index) if isinstance(index, str) else Unknown(ENVIRONMENT)
        if not isinstance(index, str):
            return Unknown(owner.name.rpartition(".")[2])
        if owner.name in _NAMESPACES:
            return Ref("builtins") if index == "__builtins__" else self.named(index)
        known = has_effects(f"{owner.name}.{index}") or owner.name.endswith("__dict__")
        return Ref(f"{owner.name}.{index}") if known else Unknown(index)

    def _index(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        parts = [self.value(part) if part else None for part in (node.lower, node.upper, node.step)]
        if not all(part is None or isinstance(part, int) for part in parts) or parts[2] == 0:
            return UNKNOWN
        return slice(*parts)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else UNKNOWN

    def _either(self, node: ast.BoolOp) -> Any:
        return either_of([self.value(part) for part in node.values])

    def _conditional(self, node: ast.IfExp) -> Any:
        self.value(node.test)
        return either(self.value(node.body), self.value(node.orelse))

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _inner(self, node: ast.Await | ast.Starred) -> Any:
        return self.value(node.value)

    def rounds(self, items: Any, limit: int) -> list[Any] | None:
        """Return what a loop goes through one by one, if it is known and short enough."""
        if isinstance(items, dict):
            items = list(items)
        elif isinstance(items, (str, bytes)) and is_known(items):
            items = list(items) if len(items) <= limit else None
        if not is_list(items) or len(items) > limit or not self.state.may_repeat(len(items)):
            return None
        return list(items)

    def each(self, items: Any) -> Any:
        """Return what any one of a loop's items is."""
        if isinstance(items, Instance):
            return Unknown(items.source) if items.source or items.kind == "file" else items
        return mixture(self.reading, "…", (items,))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        before = self.scope
        self.scope = Scope(before)
        found: list[Any] = []
        try:
            whole = self._generate(node, 0, found)
        finally:
            self.scope = before
        if isinstance(node, ast.DictComp):
            return mixture(self.reading, "…", found)
        return bounded(found) if whole else mixture(self.reading, "…", found)

    def _generate(self, node: Any, depth: int, found: list[Any]) -> bool:
        """Go through one `for` of a comprehension; return whether every item is known."""
        if depth == len(node.generators):
            self.reading.spend()
            found.append(self.value(node.elt if not isinstance(node, ast.DictComp) else node.value))
            if isinstance(node, ast.DictComp):
                self.value(node.key)
            return True
        generator = node.generators[depth]
        items = self.value(generator.iter)
        known = self.rounds(items, MAX_PARTS) if not generator.ifs else None
        whole = known is not None
        for item in known if known is not None else [self.each(items)]:
            self.bind(generator.target, item)
            for test in generator.ifs:
                self.value(test)
            whole = self._generate(node, depth + 1, found) and whole
        return whole

    def keywords(self, nodes: list[ast.keyword]) -> dict[str, Any]:
        """Return the keyword arguments of a call."""
        keywords: dict[str, Any] = {}
        for keyword in nodes:
            value = self.value(keyword.value)
            if keyword.arg is None and isinstance(value, dict):
                keywords |= {str(name): item for name, item in value.items()}
            else:
                keywords[keyword.arg or "**"] = value
        return keywords

    def parts(self, node: ast.AST) -> None:
        """Read the expressions below a node whose own value does not matter."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            else:
                self.parts(child)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a name, or several, what they stand for."""
        if isinstance(target, ast.Name):
            anonymous = isinstance(value, Unknown) and value.name not in self.reading.taints
            self.scope.set(target.id, Unknown(target.id) if anonymous else value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value if is_list(value) else ()
            rest = UNKNOWN if is_list(value) else mixture(self.reading, "…", (value,))
            for index, part in enumerate(target.elts):
                self.bind(part, items[index] if index < len(items) else rest)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, mixture(self.reading, "…", (value,)))
        elif isinstance(target, ast.Attribute):
            self._bind_member(self.value(target.value), target.attr, value)
        elif isinstance(target, ast.Subscript):
            self.bind_item(target, self.value(target.value), self._index(target.slice), value)
        else:
            self.value(target)

    def _bind_member(self, owner: Any, name: str, value: Any) -> None:
        """Put something into an object: which of its methods run first is not known, so what it had stays possible."""
        if isinstance(owner, Object):
            kept = owner.attributes.get(name, value)
            owner.attributes[name] = either(kept, value)
        elif isinstance(owner, Class):
            owner.attributes[name] = value
        elif isinstance(owner, Ref):
            self.state.members[f"{owner.name}.{name}"] = value

    def bind_item(self, node: ast.Subscript, owner: Any, index: Any, value: Any) -> None:
        """Put something into a container."""
        if isinstance(owner, dict) and len(owner) < MAX_CONSTANT:
            owner[index if isinstance(index, (str, int)) else as_text(index)] = value
        elif isinstance(owner, list) and owner and isinstance(index, int) and -len(owner) <= index < len(owner):
            owner[index] = value
        elif isinstance(owner, Ref) and owner.name == "os.environ" and index in LOADERS:
            self.reading.file("code.run", self.at(node), as_text(value), frozenset({"preload"}))
        elif isinstance(node.value, ast.Name) and marks_of(self.reading, value):
            self.bind(node.value, mixture(self.reading, node.value.id, (owner, value)))


def either_of(values: list[Any]) -> Any:
    """Return a value that could be any of several."""
    found = values[0]
    for value in values[1:]:
        found = either(found, value)
    return found


Expressions.readers = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.JoinedStr: Expressions._joined,
    ast.BinOp: Expressions._binary,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._either,
    ast.IfExp: Expressions._conditional,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._inner,
    ast.Starred: Expressions._inner,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
}
