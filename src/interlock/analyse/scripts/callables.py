"""Functions as values: one that runs code or commands counts as called wherever it is handed to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE
from interlock.analyse.scripts.held_texts import CODE, COMMANDS, EVERYTHING, PATHS, does_something
from interlock.analyse.scripts.values import MAX_CHOICES, Choice, Ref, as_text, unknown
from interlock.knowledge.function import Function
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

MAX_TRIED = 8
_MAX_DEPTH = 4
_RUNNING_ROLES = frozenset({"code", "command"})
_RUNNING_READERS = frozenset(
    "command command_behind_one command_behind_three command_behind_two function run_image worker".split()
)
#: Readers that call what they are given themselves, or that only show it.
_OWN_READERS = frozenset(
    {"alias", "apply", "callback", "construct", "line", "member", "module", "print", "send", "timer"}
)
#: Members by which a function is called, those that hold the function itself, and those that show it.
INVOKERS = frozenset({"__invoke", "call", "invoke"})
LIST_INVOKERS = frozenset({"apply", "invokeArgs"})
_HOLDERS = frozenset({"__promisify__", "default", "value"})
#: Functions that call what they are handed with the elements of something else, and with nothing else.
_FOR_ELEMENTS = frozenset(
    (
        "Array.from collect each every filter find flatMap forEach foreach gsub map replace replaceAll some sub then"
    ).split()
)
_PATTERN = late(r"/.*/[a-z]*|\^.*|.*\$")


def runner(script: Script, value: Any) -> tuple[str, Function] | None:
    """Return the name and the description of a function that runs code or commands; None for any other value."""
    if not isinstance(value, Ref):
        return None
    name, found = script.lookup(value)
    if found is None or not runs_something(found) or not _is_meant(name, found):
        return None
    return name, found


def runs_something(found: Function) -> bool:
    """Whether a function runs code or commands."""
    return found.reader in _RUNNING_READERS or not _RUNNING_ROLES.isdisjoint(found.arguments.values())


def _is_meant(name: str, found: Function) -> bool:
    """Whether a description is of this function, and not of methods that happen to have its name."""
    return not name.startswith(".") and (name in found.names or name.lower() in map(str.lower, found.names))


def note_function(script: Script, value: Ref) -> None:
    """Note a function that runs something or changes files, and that is handed to where it may not be followed."""
    name, found = script.lookup(value)
    if found is None:
        if value.owner is None and script.has_runners(value):
            script.held.unfollowed |= EVERYTHING
    elif _is_meant(name, found):
        roles = found.arguments.values()
        if found.reader in _RUNNING_READERS or "command" in roles:
            script.held.unfollowed.add(COMMANDS)
        if found.reader == "function" or "code" in roles:
            script.held.unfollowed.add(CODE)
        if "fs.delete" in roles or "fs.write" in roles:
            script.held.unfollowed.add(PATHS)
            script.held.changers[name] = found


def runners_in(script: Script, *values: Any, depth: int = _MAX_DEPTH) -> Iterator[Ref]:
    """Yield the functions that run code or commands among values, and in lists and hashes among them."""
    for value in values:
        if isinstance(value, Ref):
            if runner(script, value) is not None:
                yield value
        elif depth and isinstance(value, Choice):
            yield from runners_in(script, *value.values[:MAX_CHOICES], depth=depth - 1)
        elif depth and isinstance(value, (list, dict)):
            inner = value.values() if isinstance(value, dict) else value
            yield from runners_in(script, *list(inner)[:64], depth=depth - 1)


def call_callbacks(
    script: Script, callee: str, found: Function | None, owner: Any, arguments: list[Any], start: Any
) -> Any:
    """Call the functions that a call is handed, with what else it is given; return the first of them, or None.

    What becomes of them is not known, so they may also be called with something else, unless the callee is known to
    give them nothing but the elements of what it has.
    """
    if found is not None and (found.reader in _OWN_READERS or found.reader in _RUNNING_READERS):
        return None
    handed = arguments[1:] if found is not None and found.result.computed == "same" else arguments
    functions = list(dict.fromkeys(runners_in(script, *handed)))[:MAX_CHOICES]
    if not functions:
        return None
    texts = find_given_texts(script, owner, arguments)
    if not texts or not _gives_elements(callee):
        texts.append(unknown())
    for function in functions:
        run_with(script, function, texts, start)
    return functions[0] if found is None else None


def _gives_elements(callee: str) -> bool:
    return callee in _FOR_ELEMENTS or callee.rpartition(".")[2] in _FOR_ELEMENTS


def run_with(script: Script, function: Ref, texts: list[Any], start: Any) -> None:
    """Call a function that runs code or commands with each of some texts."""
    known = runner(script, function)
    if known is not None:
        for text in texts:
            script.perform(*known, None, [text], start)


def find_given_texts(script: Script, *values: Any) -> list[Any]:
    """Return the texts among values that a function may be called with: known ones, and those of known origin."""
    found = [
        text
        for text in _texts_in(values, _MAX_DEPTH)
        if (not is_hole(text) or script.reading.marks(text) != NONE) and _PATTERN.fullmatch(text) is None
    ]
    return list(dict.fromkeys(found))[:MAX_TRIED]


def _texts_in(values: Any, depth: int) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            if value.strip():
                yield value
        elif depth and isinstance(value, Ref) and value.owner is not None:
            yield from _texts_in([value.owner], depth - 1)
        elif depth and isinstance(value, (list, dict)):
            yield from _texts_in(list(value.values() if isinstance(value, dict) else value)[:64], depth - 1)
        elif depth and isinstance(value, Choice):
            yield from _texts_in(value.values, depth - 1)


def find_invoked(script: Script, value: Ref) -> Ref | None:
    """Return the function that a call through one of its members calls: `f.call(…)`, `$f->invoke(…)`; or None."""
    holder, _, last = value.name.rpartition(".")
    if last not in INVOKERS and last not in LIST_INVOKERS:
        return None
    function = Ref(holder) if holder else _find_named(script, value.owner)
    return function if function is not None and script.knows(function) else None


def _find_named(script: Script, value: Any) -> Ref | None:
    """Return the function that a value stands for: in PHP its name is enough."""
    if isinstance(value, Ref):
        return value
    is_name = script.syntax.name == "php" and isinstance(value, str) and value and HOLE not in value
    return Ref(value) if is_name else None


def find_member(script: Script, value: Ref) -> Ref | None:
    """Return the function of a module that a name is a member of, or one in what the name begins at; else None."""
    name = value.name
    while "." in name.strip("."):
        name = name.rpartition(".")[0]
        if "." in name and runner(script, Ref(name)) is not None:
            return Ref(name)
    return next(runners_in(script, value.owner), None) if value.owner is not None else None


def member_of(script: Script, value: Any, name: str) -> Ref | None:
    """Return the function that a member of a function stands for: `descriptor.value`; None for any other member."""
    return value if name in _HOLDERS and runner(script, value) is not None else None


def store_outside(script: Script, value: Any, start: Any) -> None:
    """A function that runs code or commands is put where it is not followed: it may be called with anything."""
    for function in list(runners_in(script, value))[:MAX_CHOICES]:
        run_with(script, function, [unknown()], start)


#: How the names of objects end whose methods show what they are given: `console[level](…)`.
_SHOWING = ("console", "log", "logger", "logging")


_WORDS = late(r"[\w./-]+\s+\S")


def only_shows(value: Ref) -> bool:
    """Whether a member, whichever it is, belongs to something that shows texts."""
    holder = value.name.partition(HOLE)[0].strip(".") or as_text(value.owner).strip(HOLE)
    return holder.lower().endswith(_SHOWING)


def report_unknown_callee(script: Script, callee: str, arguments: list[Any], start: Any) -> None:
    """Say that a function which is not known is given a command that does something: it may run it."""
    script.held.unfollowed |= EVERYTHING
    for text in find_given_texts(script, arguments):
        if HOLE not in text and _WORDS.match(text) and does_something(script, "shell", text):
            script.opaque(f"a function that is not known, with `{text[:40]}`", callee, start)
            return
