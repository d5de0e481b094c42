"""Readers of calls that are about functions: by name, as members, handed over, or given another name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.callables import find_given_texts
from interlock.analyse.scripts.changes import change_any
from interlock.analyse.scripts.held_texts import EVERYTHING
from interlock.analyse.scripts.values import Ref, as_text, flat, is_constant, is_unknown, unknown
from interlock.knowledge.function import NO_FUNCTION, Function
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

#: Options whose value is a function.
_CALLBACKS = ("callback", "options")


def read_timer(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`setTimeout("code", 1)`, `setTimeout(f, 1, "argument")`."""
    first = arguments[0] if arguments else None
    if isinstance(first, str) and is_constant(first):
        script.code("setTimeout", script.syntax.name, first, start)
    elif isinstance(first, Ref):
        script.call(first, arguments[2:], start)


def read_apply(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Reflect.apply(function, this, arguments)`, `xpcall(function, handler, arguments)`."""
    return script.call(arguments[0], flat(arguments[2:]), start) if arguments else None


def read_construct(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Reflect.construct(class, arguments)`."""
    return script.call(arguments[0], flat(arguments[1:2]), start) if arguments else None


def read_member(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`Reflect.get(object, "name")`, `rawget(table, "name")`."""
    if len(arguments) < 2:
        return None
    owner, key = arguments[:2]
    if isinstance(owner, Ref) and HOLE in as_text(key):
        return script.member(owner, as_text(key)[:60])
    return script.subscript(owner, key)


def read_alias(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`alias_method :new, :old`, `define_method(:new, method(:old))`."""
    if len(arguments) > 1:
        old = arguments[1]
        script.names[as_text(arguments[0])] = Ref(old) if isinstance(old, str) and HOLE not in old else old


def read_callback(script: Script, found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`usort($list, "strcmp")`, `ob_start("system")`: a function by its name, called with what else there is."""
    names = list(_callbacks(script, arguments))
    others = [value for value in _values(arguments) if value not in names]
    for name in names:
        texts = find_given_texts(script, others) if name not in found.names else []
        for text in texts or [unknown()]:
            script.call(Ref(name), [text], start)


def _callbacks(script: Script, arguments: list[Any]) -> Iterator[str]:
    """Yield the names of functions that stand where a function is expected."""
    for value in _values(arguments):
        if isinstance(value, str) and HOLE not in value and script.knows(Ref(value)):
            yield value


def _values(arguments: list[Any]) -> Iterator[Any]:
    """Yield arguments, and those that are given by name or as an option."""
    for argument in arguments:
        if isinstance(argument, dict):
            for name, value in argument.items():
                yield value
                if name in _CALLBACKS and isinstance(value, dict):
                    yield from value.values()
        else:
            yield argument


def read_extract(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`extract(["name" => value])`: the keys become variables."""
    if arguments and isinstance(arguments[0], dict):
        script.names |= arguments[0]
    elif arguments:
        change_any(script, script.mix(arguments[0]))


_ERB = late(r"<%(?![%#])[-=]?(.*?)-?%>", re.DOTALL)
_ERB_LINE = late(r"^%(?!%)(.*)$", re.MULTILINE)


def read_template(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`ERB.new("<%= code %>")`, and with the trim mode `%` also lines that begin with that."""
    text = as_text(arguments[0]) if arguments else ""
    if is_unknown(text):
        script.opaque("a template that is not known", text, start)
        return
    code = "\n".join([*_ERB.findall(text), *_ERB_LINE.findall(text)])
    if code.strip():
        script.reading.nest(script.syntax.name, code, script.where(start).behind("ERB"))


def read_worker(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`new Worker(code, {eval: true})`, `new Worker("file.js")`, `new Worker("data:…")`."""
    text = as_text(arguments[0]) if arguments else ""
    options = arguments[1] if len(arguments) > 1 else {}
    if text.startswith("data:"):
        text = as_text(script.url(text, NO_FUNCTION, start))
    elif HOLE in text:  # made in memory, or read from somewhere
        script.held.unfollowed |= EVERYTHING
    elif not (isinstance(options, dict) and options.get("eval", False)):
        return
    script.code("Worker", script.syntax.name, text, start)


FUNCTION_READERS = {
    "alias": read_alias,
    "apply": read_apply,
    "callback": read_callback,
    "construct": read_construct,
    "extract": read_extract,
    "member": read_member,
    "template": read_template,
    "timer": read_timer,
    "worker": read_worker,
}
