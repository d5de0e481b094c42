"""One call of a library: what it does, by the table, by a program that it starts, or by SQL that it carries."""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.paths import HOLE
from interlock.analyse.python.arguments import argument
from interlock.analyse.python.library import Row, table
from interlock.analyse.python.library.code import INJECTORS
from interlock.analyse.python.library.files import OPENERS, READERS, SAVERS, TELLING_METHODS, TEMPORARY, WRITERS
from interlock.analyse.python.library.network import REQUESTERS, REQUESTS
from interlock.analyse.python.library.processes import EXECUTORS, PROGRAM_MODULES, SPAWNERS
from interlock.analyse.python.marks import ENVIRONMENT, marked, mixture, variable_of
from interlock.analyse.python.running import execute, load_library, run_code, spawn, unpickle
from interlock.analyse.python.sending import carry, is_request, look_up, make_request, request, request_by_method
from interlock.analyse.python.state import Host
from interlock.analyse.python.storing import (
    change_mode,
    contents,
    hand_over,
    held_by,
    made_temporary,
    open_file,
    store,
)
from interlock.analyse.python.values import UNKNOWN, Instance, Ref, Unknown, as_text, words_of
from interlock.analyse.reading import NONE, Reading, Site
from interlock.analyse.sql import looks_like_sql
from interlock.analyse.verbs import DESTRUCTIVE
from interlock.analyse.verbs import words_of as verb_words
from interlock.effects import KINDS

#: Methods of database cursors and connections that take SQL.
SQL_METHODS = frozenset(
    "execute executemany executescript raw query read_sql read_sql_query execute_sql run_query fetch fetchrow fetchval "
    "mogrify exec_driver_sql".split()
)
_PATHS = frozenset("pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath pathlib.WindowsPath".split())
#: Functions of which what they give says nothing about what they were given.
_CLEAN = frozenset(
    "len int float bool isinstance issubclass hasattr type id hash any all round sum print callable time.sleep "
    "os.path.exists os.path.isfile os.path.isdir os.path.getsize".split()
)
_UNCALLED = frozenset({"uncalled"})
_HARMFUL = frozenset({"fs.delete", "fs.mode", "fs.owner"})
_MOVERS = frozenset("os.rename os.replace shutil.move shutil.copy shutil.copy2 shutil.copyfile".split())
_ENVIRONMENT = frozenset({"os.getenv", "os.environ.get", "os.environ.pop", "os.environ.setdefault"})


def has_effects(name: str) -> bool:
    """Whether a function is known to do something."""
    return name in table() or name in SPAWNERS or name in EXECUTORS or name in OPENERS or name in REQUESTERS


def runs_code(name: str) -> bool:
    """Whether a function runs code or programs."""
    row = table().get(name)
    return (
        name in _RUNNERS
        or name in SPAWNERS
        or name in EXECUTORS
        or (row is not None and any(role.startswith("code:") for _, role in row.roles))
    )


_RUNNERS = frozenset({"compile", "__import__", "os.startfile", "pickle.loads", "marshal.loads"})


def call_effects(
    host: Host, site: Site, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Put the effects of a call into the reading; return what the call gives, where that is known."""
    host.reading.call += 1
    if not isinstance(function, Ref):
        return _method_of_unknown(host, site, function, arguments, keywords, owner)
    name = function.name.removesuffix(".__call__")
    if name in SPAWNERS:
        return spawn(host, site, name, arguments, keywords)
    if name in OPENERS:
        return open_file(host.reading, site, name, arguments, keywords, owner)
    if name in _PATHS:
        return Instance("pathlib.Path", "/".join(as_text(part) for part in arguments) or ".")
    if name in ("pathlib.Path.home", "pathlib.Path.cwd"):
        return Instance("pathlib.Path", "~" if name.endswith("home") else ".")
    if name.startswith("pathlib.Path.") and isinstance(owner, Instance) and name.rpartition(".")[2] in _SAME_PATH:
        return _path_method(owner, name.rpartition(".")[2], arguments)
    if isinstance(owner, Instance):
        if name in READERS:
            return contents(host.reading, site, name, owner)
        if name in WRITERS:
            return store(host.reading, site, owner, arguments)
        if owner.kind == "process":
            return owner.text if owner.text else Unknown(owner.source or "output")
    return _by_name(host, site, name, arguments, keywords, owner)


_SAME_PATH = frozenset("expanduser absolute resolve joinpath with_suffix with_name as_posix".split())


def _path_method(owner: Instance, name: str, arguments: list[Any]) -> Instance:
    if name == "joinpath":
        return Instance("pathlib.Path", "/".join([owner.text, *(as_text(part) for part in arguments)]))
    if name == "with_name" and arguments:
        return Instance("pathlib.Path", f"{owner.text.rpartition('/')[0]}/{as_text(arguments[0])}")
    return owner


def _by_name(host: Host, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any) -> Any:
    """Read the calls that a row of the table cannot describe."""
    reading = host.reading
    if name in EXECUTORS:
        return execute(host, site, arguments[1:] if name.startswith("os.spawn") else arguments)
    if name in REQUESTERS:
        return request_by_method(reading, site, name, arguments, keywords, owner)
    if name in REQUESTS:
        return make_request(reading, site, name, arguments, keywords)
    if name in TEMPORARY:
        return made_temporary(name)
    if name in _ENVIRONMENT:
        reading.emit("env.read", site)
        known = arguments and isinstance(arguments[0], str)
        return variable_of(reading, arguments[0]) if known else marked(reading, ENVIRONMENT, "environment")
    if name == "compile":
        run_code(host, site, name, "python", argument(arguments, keywords, 0))
        return Instance("code", source=mixture(reading, "code", arguments[:1]).name)
    if name == "os.dup2" and arguments and _is_socket(arguments[0]):
        reading.url("net.connect", site, "socket", frozenset({"shell"}))
    if name.endswith(".fileno") and isinstance(owner, Instance):
        return owner
    if name == "shutil.copyfileobj" and len(arguments) > 1 and isinstance(arguments[1], Instance):
        return store(reading, site, arguments[1], arguments[:1])
    if name == "socket.socket.accept":
        return [Instance("socket.socket"), marked(reading, "who connects", "download")]
    if name == "mmap.mmap":
        access = keywords.get("prot", arguments[3] if len(arguments) > 3 else 0)
        if isinstance(access, int) and access & _MAY_RUN:
            reading.emit("code.opaque", site, name, frozenset({"injection"}))
    if name == "yaml.load":
        loader = keywords.get("Loader", arguments[1] if len(arguments) > 1 else None)
        return None if isinstance(loader, Ref) and "Safe" in loader.name else unpickle(host, site, name, arguments[:1])
    if isinstance(owner, Instance) and owner.kind.startswith("cloud."):
        return _by_verb(reading, site, owner, name.rpartition(".")[2])
    if name.startswith(PROGRAM_MODULES):
        return spawn(host, site, name, [[name.rpartition(".")[2], *arguments]], {})
    return _by_table(host, site, name, arguments, keywords, owner)


_MAY_RUN = 4
_MADE = frozenset(
    "create put update modify run start stop reboot attach authorize set copy patch replace restore".split()
)
_UNDONE = DESTRUCTIVE | frozenset("deregister detach disable disassociate prune cancel".split())


def _by_verb(reading: Reading, site: Site, owner: Instance, method: str) -> Any:
    """Read a method of a cloud's client by the verb in its name."""
    words = verb_words(method)
    field = owner.kind.rpartition(".")[2]
    kind = f"{field}.destroy" if field == "infra" else f"{field}.delete"
    if not words & _UNDONE:
        kind = f"{field}.change" if words & _MADE else f"{field}.read"
    if "upload" in words:
        reading.url("net.send", site, owner.text, frozenset({"copy"}))
    else:
        reading.emit(kind, site, method)
    return owner


def _is_socket(value: Any) -> bool:
    return isinstance(value, Instance) and value.kind == "socket.socket"


def _by_table(host: Host, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any) -> Any:
    row = table().get(name)
    if row is None:
        return _method_of_unknown(host, site, Unknown(name.rpartition(".")[2]), arguments, keywords, owner, name)
    reading, result = host.reading, None
    moves = name in _MOVERS and len(arguments) > 1 and reading.files
    held = held_by(reading, site, arguments[0]) if moves else None
    for position, role in row.roles:
        value = owner if position == "self" else argument(arguments, keywords, int(position))
        found = _role(host, site, name, role, value, row, arguments, keywords)
        result = found if result is None else result
    for kind in row.kinds:
        if kind == "code.opaque":
            reading.unread(f"what `{name}` loads", site, name, row.flags)
        else:
            reading.emit(kind, site, _named(kind, name, arguments), row.flags)
    if held is not None:
        hand_over(reading, site, held, arguments[1])
    elif name == "os.chmod" or name == "pathlib.Path.chmod":
        change_mode(reading, site, owner if name[0] == "p" else argument(arguments, keywords, 0), arguments[-1:])
    return _given(host, name, row, result, arguments, owner)


def _named(kind: str, name: str, arguments: list[Any]) -> str | None:
    if kind == "system.change" and arguments:
        return " ".join(as_text(value) for value in arguments if isinstance(value, str))[:200] or name
    return name if KINDS[kind].resource in ("program", "machine", "setting") else None


def _given(host: Host, name: str, row: Row, result: Any, arguments: list[Any], owner: Any) -> Any:
    """Return what a call by the table gives."""
    if row.gives:
        return Instance(row.gives, as_text(arguments[0]) if arguments and isinstance(arguments[0], str) else "")
    if row.marks:
        return mixture(host.reading, f"what {name} gives", arguments, *row.marks)
    if result is not None:
        return result
    return UNKNOWN if name in _CLEAN else mixture(host.reading, name.rpartition(".")[2], (owner, *arguments))


def _role(
    host: Host, site: Site, name: str, role: str, value: Any, row: Row, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    """Read one argument by its role; return what the call gives, if the role tells."""
    reading = host.reading
    if role.startswith("code:"):
        return run_code(host, site, name, role[5:], value)
    if role.startswith("net."):
        return request(reading, site, name, role, value, arguments, keywords, row.flags)
    if role == "lookup":
        return look_up(reading, site, value)
    if role == "carry":
        return carry(reading, site, (*arguments, *keywords.values()))
    if role == "unpickle":
        return unpickle(host, site, name, value)
    if role == "library":
        return load_library(host, site, name, value)
    if role == "command":
        return spawn(host, site, name, arguments, keywords)
    text = as_text(value)
    flags = row.flags
    if role in _HARMFUL and host.state.summaries is not None and text.startswith(HOLE):
        flags |= _UNCALLED  # nothing is known of what it is done to, nor that anybody does it
    reading.on(role, site, text, flags)
    return None


#: Names that functions have which start a program, or send a request, in whatever library.
_STARTERS = frozenset(
    "run call spawn check_call check_output Popen popen system execute exec_command run_command run_cmd shell sh sudo".split()
)
_SENDERS = frozenset(
    "request Request urlopen post put patch upload send_request http_request make_request fetch".split()
)
#: Columns in which browsers and applications keep what opens other doors.
_PASSWORDS = re.compile(
    r"(?i)\bselect\b.*\b(password\w*|passwd|pwd|encrypted_value|card_number\w*|secret\w*|auth_token)\b", re.DOTALL
)


def _names_program(value: Any) -> bool:
    """Whether a value is a command: a list that starts with a program, or a text that does."""
    words = words_of(value) or (as_text(value)[:200].split() if isinstance(value, str) and " " in value else [])
    return len(words) > 1 and HOLE not in words[0] and words[0].rpartition("/")[2] in PROGRAMS


def _method_of_unknown(
    host: Host,
    site: Site,
    function: Any,
    arguments: list[Any],
    keywords: dict[str, Any],
    owner: Any,
    full: str = "",
) -> Any:
    """Read a method whose owner is not known: SQL that it takes, or a name that tells."""
    reading = host.reading
    method = function.name if isinstance(function, Unknown) else ""
    text = argument(arguments, keywords, 0)
    if method in SQL_METHODS and isinstance(text, str) and looks_like_sql(text):
        reading.nest("sql", text, site.behind(method))
        if _PASSWORDS.search(text):
            return marked(reading, "passwords of a database", "secret")
    elif method in TELLING_METHODS:
        uncalled = host.state.summaries is not None and TELLING_METHODS[method] == "fs.delete"
        reading.file(TELLING_METHODS[method], site, as_text(UNKNOWN), _UNCALLED if uncalled else NONE)
    elif method in SAVERS and isinstance(text, (str, Instance)):
        reading.file("fs.write", site, as_text(text))
    elif method in INJECTORS:
        reading.emit("code.opaque", site, method, frozenset({"injection"}))
    elif method in ("clipboard_get", "read_clipboard"):
        reading.emit("system.read", site, method, frozenset({"clipboard"}))
        return marked(reading, "the clipboard", "clipboard")
    elif method in _STARTERS and _names_program(text):
        return spawn(host, site, method, arguments, keywords)
    elif method in _SENDERS and is_request(arguments, keywords):
        return make_request(reading, site, method, arguments, keywords)
    if full in _CLEAN:
        return UNKNOWN
    return mixture(reading, method or "…", (owner, *arguments, *keywords.values()))
