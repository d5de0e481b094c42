"""A script being read: what its calls do, by the descriptions of its language, and what they give."""

from __future__ import annotations

from collections.abc import Container
from functools import reduce
from typing import Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.scripts.call_readers import SPECIAL
from interlock.analyse.scripts.callables import (
    LIST_INVOKERS,
    call_callbacks,
    find_invoked,
    find_member,
    report_unknown_callee,
    runs_something,
)
from interlock.analyse.scripts.child_environment import report_shell, variables_of, with_environment
from interlock.analyse.scripts.client_calls import call_client, call_library
from interlock.analyse.scripts.held_texts import CODE, COMMANDS, EVERYTHING, read_held_texts
from interlock.analyse.scripts.named_functions import read_by_name, report_objects
from interlock.analyse.scripts.private_values import SENT
from interlock.analyse.scripts.pure import compute, from_base64
from interlock.analyse.scripts.scope import ScriptScope
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.values import (
    ASKED_ENVIRONMENT,
    CLIENTS,
    Choice,
    Ref,
    alternatives,
    as_text,
    choices,
    either,
    flat,
    is_constant,
    is_unknown,
    shell_text,
    unknown,
)
from interlock.analyse.scripts.whole_scripts import report_whole
from interlock.analyse.scripts.working_folder import find_started_site
from interlock.analyse.scripts.written_files import append_written, keep_written, load_foreign, run_written
from interlock.analyse.secrets.disclosure import VALUE, holds_value, report_printed
from interlock.analyse.shell.output.local_content import path_marks
from interlock.effects import KINDS
from interlock.knowledge.function import ORDINALS, Function
from interlock.patterns import late

MAX_CHARS = 64_000
#: The shortest text that counts as hidden once it is decoded.
MIN_HIDDEN = 4
_HIDDEN = _DECODED = frozenset({"decoded"})
#: Functions whose object comes behind their arguments.
_OBJECT_LAST = frozenset({"replace", "replace_first", "split", "translate"})
#: Functions that give back what something else hid.
_DECODERS = frozenset(
    {"base64", "hex", "inflate", "deflated", "rot13", "uu", "pack", "buffer", "url", "form", "utf16", "chr"}
)
_GLOBALS = late(
    r"^(?:(?:globalThis|global|window|self|root|Kernel|CORE|CORE\.GLOBAL|Object(?!\.values\b)|main|_G|_ENV)\.(?=.)"
    r"|this\.(?=(?:eval|Function|require|process|global|globalThis)(?:\.|$)))+"
)


class Script(ScriptScope):
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

    def result(self, name: str, marks: frozenset[str]) -> str:
        value = unknown(name)
        for mark in marks:
            self.taint(mark, value.strip(HOLE))
        return value

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

    def act(self, name: str, role: str, value: Any, found: Function, start: Any) -> Any:
        """Do to one argument what its role says; return what the call gives, where that is known."""
        site, reading = self.where(start), self.reading
        if role == "command":
            return self.command(name, value, start)
        if role == "code":
            return self.code(name, self.syntax.name, as_text(value), start)
        if role.startswith("code:"):
            return self.code(name, role[5:], as_text(value), start)
        text = as_text(value)
        if role == "file_or_url":
            return self.url(text, found, start)
        if role == "host":
            self.sockets.append(text)
            reading.url("net.connect", site, text, found.effect_flags | self.find_sent_marks(text))
            return self.result(f"{name}()", frozenset({"download", "socket"}))
        if role == "host_name":
            return self._look_up(text, start)
        if role.startswith("net."):
            reading.url(role, site, text, found.effect_flags | self.find_sent_marks(text))
            return self.result(f"response of {text}", frozenset({"download"}))
        if role == "fs.read":
            return self._file(text, found.effect_flags, start)
        if role == "code.run" and run_written(self, name, text, start):
            return None
        reading.on(role, site, text, found.effect_flags)
        return None

    def _look_up(self, host: str, start: Any) -> Any:
        """Look up a name; what it is made of reaches whoever answers for it."""
        marks = self.find_sent_marks(host)
        if holds_value(host):
            marks |= {"secret"}
        if marks:
            self.reading.url("net.send", self.where(start), host, marks | {"dns"})
        return self.result(f"addresses of {host}", frozenset({"download"}))

    def url(self, text: str, found: Function, start: Any) -> Any:
        """Read something by a name that is a file's or an address."""
        if text.startswith("data:"):
            body = text.partition(",")[2]
            return from_base64(body) if ";base64," in text[:100] else body
        if is_url(text) and not text.startswith(("file:", "php:", "compress.")):
            carried = self.find_sent_marks(text)
            self.reading.url("net.fetch", self.where(start), text, found.effect_flags | carried)
            return self.result(f"response of {text}", frozenset({"download"}))
        if text.startswith("php:"):
            return self.taint("input", "input")
        return self._file(text.removeprefix("file://"), found.effect_flags, start)

    def _file(self, path: str, flags: frozenset[str], start: Any) -> Any:
        """Read a file; what it holds is known where this action wrote it, and secret where the file is."""
        reading = self.reading
        held = reading.files.get(reading.places.resolve(path, self.site.cwd) or path)
        if path in _INPUTS or (path == "stdin" and self.syntax.name == "r"):
            is_given = self.stdin is not NOTHING and self.stdin.text is not None
            return self.stdin.text if is_given else self.taint("input", "input")
        reading.file("fs.read", self.where(start), path, flags)
        if held is not None and held.text is not None:
            return held.text
        if "names" in flags and not _PATTERN.isdisjoint(path):
            return path  # what matches is affected as the pattern says
        marks = held.marks if held is not None else path_marks(reading, path, self.site.cwd) | _CARRIED
        if "names" in flags:
            marks = _SWEEP if "personal" in marks else NONE
        secret = reading.effects[-1].kind == "secret.read"
        value = self.result(f"contents of {path}", marks | {"secret"} if secret else marks)
        self.private.add(value, self.reading.marks(value))
        return value

    def read_file(self, path: str, start: Any) -> Any:
        """Read a file, as a function does whose name says so."""
        return self._file(path, NONE, start)

    def compute(self, pure: str, name: str, owner: Any, arguments: list[Any]) -> Any:
        """Return what a pure function gives; what cannot be told is unknown, and from where its arguments are."""
        given = arguments if owner is None else [owner, *arguments]
        if pure in _OBJECT_LAST and owner is not None:
            given = [*arguments, owner]
        if pure == "join" and isinstance(owner, str) and self.syntax.name == "ruby":
            pure = "path"  # no text has this method, and `Pathname` does
        self.reading.spend(sum(len(value) for value in given if isinstance(value, (str, list))) // 256)
        return reduce(either, [self._compute_one(pure, name, way) for way in alternatives(given)])

    def _compute_one(self, pure: str, name: str, given: list[Any]) -> Any:
        value = compute(pure, given)
        marks = self.marks(given) | (_DECODED if pure in _DECODERS else NONE)
        if value is None:
            return self.result(f"{name}()", marks)
        if isinstance(value, Choice):  # one of its values is not known
            return Choice(tuple(self.result(f"{name}()", marks) if one is None else one for one in value.values))
        if pure in _DECODERS and isinstance(value, str) and len(value) >= MIN_HIDDEN and value not in given:
            self.decoded.add(value)
        return value

    # commands and code

    def run_text(self, text: Any, start: Any) -> Any:
        """Run a command in quotes; return what it prints."""
        printed: Any = ""
        for one in choices(text):
            printed = self.command("`", one, start)
        return printed

    def command(self, name: str, value: Any, start: Any) -> Any:
        """Run a command, given as a text or as words; return what it prints."""
        words = [
            as_text(word) for word in flat(value if isinstance(value, list) else [value]) if not isinstance(word, dict)
        ]
        text = words[0] if len(words) == 1 else shell_text(words)
        if not text.strip():
            return ""
        if _is_given(words):
            self.steered = True
        if is_hole(words[0]):
            self.held.unfollowed |= EVERYTHING
        self.held.run.add(text)
        if opens_shell(text if len(words) == 1 else " ".join(words)):
            self.shells = True
            self.reading.emit("process.run", self.where(start), text.split()[0], frozenset({"shell_escape"}))
        printed = self.code(name, "shell", with_environment(self, text) if self.exported else text, start)
        if isinstance(printed, str) and is_hole(printed):
            self.taint("carried", printed.strip(HOLE))
        return printed

    def code(self, name: str, language: str, text: str, start: Any) -> Any:
        """Read code that a call runs: as code if it is known, else say that it is not."""
        reading = self.reading
        if is_unknown(text):
            self.opaque(f"{language} code that `{name}` computes", text, start)
            self.held.unfollowed.add(COMMANDS if language == "shell" else CODE)
            return self.result(f"{name}()", NONE)
        self.held.run.add(text)
        hidden = any(one in text for one in self.decoded)
        if hidden:
            reading.emit("code.eval", self.where(start), name, _HIDDEN)
        elif language != "shell":
            reading.emit("code.eval", self.where(start))
        first = len(reading.effects)
        flow = reading.nest(language, text, self.where(start).behind(name))
        if language == "shell":  # whether the script keeps or prints it is not followed
            report_printed(reading, flow, self.where(start))
        if flow.text is not None and language == "shell":
            return flow.text
        value = self.result(f"{name}()", flow.marks)
        if language == "shell":
            self.private.add(value, flow.marks)
        else:
            self.private.add_effects(reading, first)
        return value

    def opaque(self, why: str, text: str, start: Any) -> None:
        """Say that code is run which the text does not tell, and where it comes from."""
        site, marks = self.where(start), self.reading.marks(text)
        if "download" in marks:
            self.reading.emit("code.remote", site, text.replace(HOLE, ""))
            self.reading.opaque.append("code that is downloaded")
            if "socket" in marks:
                self.shells = True
            return
        self.shells = self.shells or "input" in marks  # with a socket, the input may be its
        flag = "decoded" if "decoded" in marks else "input" if "input" in marks else "computed"
        self.reading.unread(why, site, flags=frozenset({flag}))

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


def _is_given(words: list[str]) -> bool:
    """Whether a command is whatever somebody gives: all of it, or all that a shell is told to run."""
    command = words[-1] if len(words) == 3 and words[1] in ("-c", "/c", "-lc") else words[0] if len(words) == 1 else ""
    return is_hole(command.strip())


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
_INPUTS = frozenset({"/dev/stdin", "-", "0"})
_CARRIED = frozenset({"carried"})
_FETCHED = frozenset({"download"})
_SWEEP = frozenset({"sweep"})
_PATTERN = frozenset("*?[")
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
