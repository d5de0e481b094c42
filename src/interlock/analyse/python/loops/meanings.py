"""What a loop is for, by its syntax: which processes it ends, and whether it tries one password after another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from interlock.analyse.python.calls.shell_quoting import quote
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.reading import Reading, Site

MAX_NAMES = 16
_EVERYTHING = frozenset({"everything"})
_GUESSING = frozenset({"attack", "brute_force"})
_LISTINGS = ("process_iter", "pids")
#: Words in a condition that name a field of a process and no process.
_FIELDS = frozenset("name pid cmdline username exe info status create_time ppid cwd".split())
_SIGNING_IN = frozenset(
    "connect login auth authenticate Connection auth_password userauth_password bind post get request".split()
)
_PASSWORDS = frozenset("password passwd pwd passphrase pw auth".split())
_HOSTS = frozenset("host hostname server url address".split())


def report_loop_meaning(reading: Reading, node: ast.For | ast.AsyncFor, first: int, site: Site, text: str) -> None:
    """Report processes that a loop ends by their names, and passwords that it tries."""
    if any(word in text for word in _LISTINGS) and any(
        effect.kind == "process.signal" for effect in reading.effects[first:]
    ):
        _report_processes(reading, node, site)
    host = _find_guessed_host(node) if "passw" in text or ".login(" in text or "auth=" in text else ""
    if host:
        reading.emit("net.connect", site, host, _GUESSING)


def _report_processes(reading: Reading, node: ast.For | ast.AsyncFor, site: Site) -> None:
    """Read the names that a loop over all processes looks for as those that `pkill` would be given."""
    if not any(
        isinstance(part, (ast.Name, ast.Attribute)) and _callee_name(part) in _LISTINGS for part in nodes_in(node.iter)
    ):
        return
    tests = [part.test for part in nodes_in(node) if isinstance(part, (ast.If, ast.IfExp))]
    tests += [test for part in nodes_in(node.iter) if isinstance(part, ast.comprehension) for test in part.ifs]
    if not tests:
        reading.emit("process.signal", site, "every process", _EVERYTHING)
    names = [name for test in tests for name in _names(test)][:MAX_NAMES]
    if names:
        reading.nest("shell", "pkill " + " ".join(quote(name) for name in names), site.behind("process_iter"))


def _callee_name(part: ast.Name | ast.Attribute) -> str:
    return part.id if isinstance(part, ast.Name) else part.attr


def _names(test: ast.expr) -> Iterator[str]:
    for part in nodes_in(test):
        name = part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""
        if name.strip() and name.lower() not in _FIELDS:
            yield name


def _find_guessed_host(node: ast.For | ast.AsyncFor) -> str:
    """Return the host that a loop signs in to with what it goes through, or an empty text.

    `for word in words: ssh.connect(host, password=word)` tries passwords; if the host changes too, it does not.
    """
    varying = {part.id for part in nodes_in(node.target) if isinstance(part, ast.Name)}
    for part in (part for statement in node.body for part in nodes_in(statement)):
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and _is_varying(part.value, varying):
            varying |= {target.id for target in part.targets if isinstance(target, ast.Name)}
        elif isinstance(part, ast.Call) and isinstance(part.func, (ast.Name, ast.Attribute)):
            host = _find_tried_host(part, varying) if _callee_name(part.func) in _SIGNING_IN else ""
            if host:
                return host
    return ""


def _find_tried_host(call: ast.Call, varying: set[str]) -> str:
    given = [keyword.value for keyword in call.keywords if keyword.arg in _PASSWORDS]
    login = _callee_name(call.func) == "login" if isinstance(call.func, (ast.Name, ast.Attribute)) else False
    if login and len(call.args) > 1:
        given.append(call.args[1])
    if not any(_is_varying(value, varying) for value in given):
        return ""
    hosts = [keyword.value for keyword in call.keywords if keyword.arg in _HOSTS] + ([] if login else call.args[:1])
    if any(_is_varying(host, varying) for host in hosts):
        return ""
    known = [host.value for host in hosts if isinstance(host, ast.Constant) and isinstance(host.value, str)]
    return known[0] if known else "another machine"


def _is_varying(node: ast.expr, names: set[str]) -> bool:
    """Whether a password changes with every round; a record such as `host["password"]` belongs to its own account."""
    if isinstance(node, ast.Tuple):
        return any(_is_varying(part, names) for part in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _is_varying(node.func.value, names)
    return isinstance(node, ast.Name) and node.id in names
