"""Command substitution `$(…)` and process substitution `<(…)`, `>(…)`."""

from __future__ import annotations

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import TooMuch
from interlock.analyse.shell.control_flow import MAX_NESTING
from interlock.analyse.shell.files.installed_paths import find_known_path, prints_project_root
from interlock.analyse.shell.redirection import REDIRECTS, Redirects
from interlock.analyse.shell.scope import CAPTURED, ShellScope

MAX_COMMAND = 300
_OWN_CODE = frozenset({"own_code"})


def substitute(node: Node, scope: ShellScope) -> Flow:
    """Walk a substitution in a subshell; return its output, or for `<(…)` the name of a file that holds it."""
    if scope.depth >= MAX_NESTING:
        raise TooMuch
    inner = scope.copy()
    inner.depth += 1
    inner.variables[CAPTURED] = ""
    flow = NOTHING
    text = scope.source.of(node)
    if text[:1] == ">":
        return _open_sink(node, inner)
    if text[:1] == "`" and "\\`" in text:  # back ticks inside back ticks are escaped
        return scope.shell.evaluate(text[1:-1].replace("\\`", "`"), inner, NOTHING, scope.site(scope.source.span(node)))
    for child in node.named_children:
        if child.type in REDIRECTS:  # `$(< file)`, `$(> file)`
            redirects = Redirects(inner, scope.source.span(node))
            flow = redirects.take(child, NOTHING)
            redirects.finish(NOTHING)
        else:
            flow = flow.then(scope.shell.walk(child, inner, NOTHING))
    if node.type == "process_substitution":
        name = f"/dev/fd/{len(scope.reading.files) + 63}"
        scope.reading.files[name] = flow
        return Flow(name, flow.marks)
    command = text.strip("$()`").strip() if flow.text is None and len(text) < MAX_COMMAND else ""
    path = _project_of(scope) if prints_project_root(command) else None
    if path is None and flow.marks <= _OWN_CODE:
        path = find_known_path(command)
    return flow if path is None else Flow(path)


def _project_of(scope: ShellScope) -> str | None:
    """Return the project that a scope is in, or None if it is elsewhere."""
    places = scope.reading.places
    project, folder = places.workspace, scope.cwd or places.cwd
    return project if project and f"{folder}/".startswith(f"{project.rstrip('/')}/") else None


def _open_sink(node: Node, inner: ShellScope) -> Flow:
    """Return the file name of `>(…)`; its command is walked when something is written to that file."""

    def run(flow: Flow) -> None:
        for child in node.named_children:
            inner.shell.walk(child, inner, flow)

    name = f"/dev/fd/{len(inner.reading.sinks) + 31}"
    inner.reading.sinks[name] = run
    return Flow(name)
