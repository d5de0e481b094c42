"""A script being read: what its calls do, by the descriptions of its language, and what they give."""

from __future__ import annotations

from collections.abc import Container
from functools import reduce
from typing import Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.scripts.call_readers import SPECIAL
from interlock.analyse.scripts.callables import (
    LIST_INVOKERS,
    call_callbacks,
    find_invoked,
    find_member,
    report_unknown_callee,
    runs_something,
)
from interlock.analyse.scripts.child_environment import report_shell, variables_of
from interlock.analyse.scripts.client_calls import call_client, call_library
from interlock.analyse.scripts.held_texts import read_held_texts
from interlock.analyse.scripts.named_functions import read_by_name, report_objects
from interlock.analyse.scripts.private_values import SENT
from interlock.analyse.scripts.script_acts import ScriptActs
from interlock.analyse.scripts.values import (
    ASKED_ENVIRONMENT,
    CLIENTS,
    Choice,
    Ref,
    as_text,
    choices,
    either,
    flat,
    is_constant,
    unknown,
)
from interlock.analyse.scripts.whole_scripts import report_whole
from interlock.analyse.scripts.working_folder import find_started_site
from interlock.analyse.scripts.written_files import append_written, keep_written, load_foreign
from interlock.analyse.secrets.disclosure import VALUE, holds_value
from interlock.effects import KINDS
from interlock.knowledge.function import ORDINALS, Function
from interlock.patterns import late

MAX_CHARS = 64_000
_GLOBALS = late(
    r"^(?:(?:globalThis|global|window|self|root|Kernel|CORE|CORE\.GLOBAL|Object(?!\.values\b)|main|_G|_ENV)\.(?=.)"
    r"|this\.(?=(?:eval|Function|require|process|global|globalThis)(?:\.|$)))+"
)


class Script(ScriptActs):
    """A script in one language, and what its calls do.

    Readers subclass it: `tokens/` for languages that are read token by token, `trees/` for those with a grammar. What
    they call `start` tells them where a call stands in the text; here it is only handed on.
    """

    __slots__ = ()

    def lookup(self, value: Ref) -> tuple[str, Function | None]:
        """Return a function's name and what it does: by the whole name, by its ends, or by its last part."""
        if value.name.startswith(CLIENTS):
            return value.name, None
        name = _GLOBALS.sub("", value.name.replace("::", ".")).replace("fs.promises.", "fs.")
        name = name.lower() if self.syntax.folds else name
        own, shipped = self.reading.knowledge.functions, self.syntax.functions
        for spelling in _spellings(name):
            found = own.get((self.syntax.name, spelling)) if own else None
            found = shipped.get(spelling) if found is None else found
            if found is not None:
                return name, found
        return name, None

    def knows(self, value: Ref) -> bool:
        """Whether a function is known to do something."""
        return self.lookup(value)[1] is not None

    def has_runners(self, module: Ref) -> bool:
        """Whether a module has functions that run something."""
        return module.name in self.syntax.running_modules

    def report_computed_member(self, module: Any, name: str, start: Any) -> None:
        """Say that a function of a module is called whose name is not known, if it may run or delete something."""
        if isinstance(module, Ref) and (self.has_runners(module) or module.name in self.syntax.deleting_modules):
            self.opaque(f"a function of `{module.name}` whose name is computed", name, start)

    # calls

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function; return what it gives."""
        self.reading.call += 1
        if isinstance(value, Choice):
            return reduce(either, [self.call(one, arguments, start) for one in choices(value)])
        if isinstance(value, list) and value:
            value = value[-1]  # `(0, eval)("…")`
        if isinstance(value, str):
            if HOLE in value or not value or self.syntax.name != "php":
                return self.call_unknown(value, arguments, start)
            value = Ref(value)
        if not isinstance(value, Ref):
            return unknown()
        if value.name.startswith(CLIENTS):
            return call_client(self, value, arguments, start)
        through = find_invoked(self, value)
        if through is not None:
            given = flat(arguments) if value.name.rpartition(".")[2] in LIST_INVOKERS else arguments
            return self.call(through, given, start)
        name, found = self.lookup(value)
        self.private.record_arguments(self, value, arguments)
        report_objects(self, name, arguments, start)
        result = self._call_known(name, found, value, arguments, start)
        added = self.reading.knowledge.added_functions
        for spelling in _spellings(name) if added else ():
            for function in added.get((self.syntax.name, spelling), ()):
                self.perform(name, function, value.owner, arguments, start)
        return result

    def _call_known(self, name: str, found: Function | None, value: Ref, arguments: list[Any], start: Any) -> Any:
        if found is None or not is_exact(found, name):
            client = self._call_library(name, found, value, arguments, start)
            if client is not None:
                self.private.account(self, arguments)  # what it signs in with
                return client
        if found is not None:
            call_callbacks(self, name, found, value.owner, arguments, start)
            return self.perform(name, found, value.owner, arguments, start)
        holder, _, last = value.name.rpartition(".")
        if self.is_environment(Ref(holder)):
            if last in ("get", "fetch") and arguments:
                return self.subscript(Ref(holder), arguments[0])
            if last not in _NAMES_ONLY:
                return self.property(Ref(holder), start)
        if last in ("get", "get!") and len(arguments) > 1 and arguments[0] == Ref(ASKED_ENVIRONMENT):
            return self.variable(as_text(arguments[1]))
        if last == "getenv" and arguments and is_constant(arguments[0]):
            return self.variable(as_text(arguments[0]))
        if value.name in self.returns:
            return self.returns[value.name]
        return self._call_unknown(name, value, arguments, start)

    def _call_unknown(self, name: str, value: Ref, arguments: list[Any], start: Any) -> Any:
        """Call a function that nobody described: it may call what it is handed, and give it back."""
        handed = None
        if value.name not in self.function_names():  # else it is followed there
            handed = call_callbacks(self, name, None, value.owner, arguments, start)
        self._hand_on(arguments, value.owner, start)
        given = self.describe_unknown(name, value.owner, arguments, start)
        function = handed if handed is not None else find_member(self, value)
        is_told = not is_hole(as_text(given)) or self.marks(given)
        return given if function is None or is_told else function

    def _call_library(self, name: str, found: Function | None, value: Ref, arguments: list[Any], start: Any) -> Any:
        """Call a function of a library of clients, or one that is handed a client; None for any other."""
        if name in self.returns or name in self.function_names() or (value.owner is not None and name[:1] != "."):
            return None
        return call_library(self, value, name, found is not None, arguments, start)

    def function_names(self) -> Container[str]:
        """Return the names of the functions that the script defines."""
        return ()

    def call_unknown(self, value: str, arguments: list[Any], start: Any) -> Any:
        """Call something that the text does not tell."""
        marks = self.reading.marks(value)
        if marks & {"input", "decoded", "download"} and self.syntax.name != "javascript":  # there, no text is called
            self.opaque("a function whose name is not known", value, start)
        elif HOLE in value:
            report_unknown_callee(self, value, arguments, start)
        call_callbacks(self, "", None, None, arguments, start)
        return self.result("result", marks | self.marks(arguments))

    def _hand_on(self, arguments: list[Any], owner: Any, start: Any) -> None:
        """A function that deletes files and is handed to another one is called with the files that that one has."""
        for argument in arguments:
            found = self.lookup(argument)[1] if isinstance(argument, Ref) else None
            if found is not None and found.arguments.get("first", found.arguments.get("each")) == "fs.delete":
                given = [value for value in (owner, *arguments) if isinstance(value, str) and self.tells_files(value)]
                if given:
                    self.perform(self.lookup(argument)[0], found, None, given[:1], start)

    def tells_files(self, value: Any) -> bool:
        """Whether a value names files: a path, or what a folder of somebody holds."""
        if not isinstance(value, str):
            return False
        return "/" in value if HOLE not in value else "sweep" in self.reading.marks(value)

    def describe_unknown(self, name: str, owner: Any, arguments: list[Any], start: Any) -> Any:
        """Return what a function gives that nobody described: unknown, but from where its arguments are."""
        reading = self.reading
        last = name.rpartition(".")[2]
        owned = self.marks(owner) if owner is not None else NONE
        given = self.marks(arguments) if arguments else NONE
        if "socket" in owned and last in _SENDERS and given & SENT:
            reading.url("net.send", self.where(start), self.sockets[-1] if self.sockets else "", given & SENT)
        elif last in _POSTING and given & SENT and arguments and is_url(as_text(arguments[0])):
            reading.url("net.send", self.where(start), as_text(arguments[0]), given & SENT)
        elif last == "pipe" and arguments:
            append_written(self, arguments[0], [owner])
        elif last in _SENDERS and owner is not None:
            append_written(self, owner, arguments)
        if "environment" in owned and last in _OF_ENVIRONMENT:
            asked = arguments[0] if arguments else None
            return self.variable(asked) if last in _VALUES_OF and isinstance(asked, str) else unknown(last)
        named = read_by_name(self, name, owner, arguments, start)
        if named is not None:
            return named
        if owned and not arguments and is_hole(as_text(owner)):
            return as_text(owner)  # `response.read()` is still the response
        if any(isinstance(text, str) and is_url(text) for text in (owner, *arguments)):
            given |= _FETCHED  # `NSURL.URLWithString("https://…")`
        return self.result(f"{last}()", owned | given)

    def perform(self, name: str, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
        """Put the effects of a call into the reading."""
        if found.reader == "environment" or name.lower().endswith(_ASKING):
            named = arguments[0] if arguments else None
            if isinstance(named, str) and is_constant(named):
                return self.variable(named)
        exported = self.exported
        given = variables_of(self, arguments) if any(isinstance(one, dict) for one in arguments) else {}
        if given:
            self.exported = {**exported, **given}
        site = self.site
        if runs_something(found):
            report_shell(self, arguments, start)
            self.site = find_started_site(self, arguments)
        entered = self.site
        try:
            return self._perform(name, found, owner, arguments, start)
        finally:
            if given:
                self.exported = exported
            if self.site is entered:
                self.site = site

    def _perform(self, name: str, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
        marks = found.result_marks
        result: Any = None
        if found.reader:
            result = SPECIAL[found.reader](self, found, owner, arguments, start)
        for argument, role in found.arguments.items():
            for value in self._arguments(argument, role, owner, arguments):
                for one in choices(value):
                    given = self.act(name, role, one, found, start)
                    result = given if given is not None else result
        if "fs.write" in found.arguments.values():
            keep_written(self, name, found, arguments)
        self._emit_effects(name, found, arguments, start)
        if found.result.kind:
            return Ref(found.result.kind)
        if found.result.computed and owner is None and name.count(".") and not is_exact(found, name):
            return self.result(name, self.marks(arguments))  # a method of something that is not known
        if found.result.computed:
            return self.compute(found.result.computed, name, owner, arguments)
        if result is None or marks:
            given = self.marks(arguments) | (self.marks(owner) if owner is not None else NONE)
            return self.result(f"{name}()", marks | given | self.marks(result or ""))
        return result

    def _emit_effects(self, name: str, found: Function, arguments: list[Any], start: Any) -> None:
        """Put the effects that a description lists into the reading."""
        reading, site = self.reading, self.where(start)
        for kind in found.effects:
            named = name if KINDS[kind].resource in ("program", "code") else None
            if kind == "code.opaque":
                reading.unread(f"what `{name}` loads", site, name, found.effect_flags)
                load_foreign(self, arguments, start)
            else:
                flags = found.effect_flags
                if kind.startswith(("net.", "message.")):
                    flags |= self.find_sent_marks(arguments)
                if kind == "message.send" and self.loops:
                    flags |= {"many"}
                reading.emit(kind, site, named, flags)

    def _arguments(self, argument: str, role: str, owner: Any, arguments: list[Any]) -> list[Any]:
        """Return the values of an argument that a description names."""
        if argument == "object":
            return [owner] if owner is not None else []
        if argument == "each":
            return [value for value in flat(arguments) if not isinstance(value, dict)]
        if argument == "together":
            return [arguments]
        index = ORDINALS[argument]
        if index and role == "fs.write" and index >= len(arguments):
            return []  # where a download is saved need not be said
        value = arguments[index] if index < len(arguments) else unknown()
        return flat([value]) if isinstance(value, list) and role != "command" else [value]

    # the end

    def leave_out_assumed(self) -> None:
        """Leave out what functions would do with anything, where every call of them was followed."""

    def forks(self) -> bool:
        """Whether a script does nothing but start itself again."""
        names = self.words()
        return not names.isdisjoint(_FORKS) and not names.isdisjoint(_LOOPS) and names.isdisjoint(_WAITS)

    def close(self) -> Flow:
        """Say what only the whole script shows; return what it prints."""
        reading, site = self.reading, self.site.replace(base=-1)
        read_held_texts(self)
        self.private.close(self)
        self.leave_out_assumed()
        if self.shells:
            for host in self.sockets[:4]:
                reading.url("net.connect", site, host, frozenset({"shell", "socket"}))
        if self.steered and any(effect.kind == "net.listen" for effect in reading.effects):
            reading.emit("net.listen", site, None, frozenset({"shell"}))
        if self.forks():
            reading.emit("machine.exhaust", site, "fork")
        report_whole(reading, self.text, self.first, site)
        if not self.whole:
            reading.reject(self.syntax.name, site)
        if not self.printed:
            return UNKNOWN
        text = ("\n" if self.branches else "").join(self.printed)
        marks = reading.marks(text)
        shows_all = "environment" in marks and not _NAMING.search(self.text)
        return Flow(text if HOLE not in text else None, marks | VALUE if shows_all or holds_value(text) else marks)


def is_exact(found: Function, name: str) -> bool:
    """Whether a description names a function in full, and not only as a method of any object."""
    last = name.rpartition(".")[2]
    if last[:1].isupper() and last in found.names:  # a class with its package: `java.io.File`
        return True
    return name in found.names or name.lower() in map(str.lower, found.names)


def _spellings(name: str) -> tuple[str, ...]:
    """Return the names by which a function may be described: in full, by its ends, or as a method of any object.

    >>> _spellings("db.users.drop")
    ('db.users.drop', 'db.*.drop', '.drop')
    """
    if "." not in name:
        return (name,)
    first, _, rest = name.partition(".")
    last = rest.rpartition(".")[2] or rest
    return name, f"{first}.*.{last}", f".{last}"


#: Functions that give the names of variables without their values.
_NAMING = late(r"(?:ENV|env|Object)\W{0,3}keys\b|array_keys|getOwnPropertyNames|each_key")
_FORKS = frozenset({"fork", "pcntl_fork"})
_LOOPS = frozenset({"while", "until", "for", "loop", "foreach"})
_WAITS = frozenset("wait waitpid exec exit sleep last break pcntl_waitpid if unless system".split())
_FETCHED = frozenset({"download"})
#: Methods of the environment that give names, or ask for one.
_NAMES_ONLY = frozenset("keys key? has has_key? include? member? exists delete set size length count each_key".split())
#: Ends of the names of functions that give one variable of the environment.
_ASKING = ("getenv", "env.get", "get_env", "fetch_env", "fetch_env!")
#: Methods of the whole environment that give one variable, or none.
_VALUES_OF = frozenset("get getOrDefault fetch getOrElse get!".split())
_OF_ENVIRONMENT = _VALUES_OF | frozenset("containsKey contains keySet keys size has_key length count isEmpty".split())
#: Functions that send what they are given to the address that stands first, in whatever library.
_POSTING = frozenset("post put patch upload publish send_file post_form postForm".split())
_SENDERS = frozenset("write send puts print printf syswrite end sendall emit post say fwrite".split())
