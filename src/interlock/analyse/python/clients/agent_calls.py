"""Calls that start an agent without its checks: `ClaudeAgentOptions(permission_mode="bypassPermissions")`."""

from __future__ import annotations

from interlock.analyse.python.call import PythonCall

#: Argument → values that turn the checks of an agent off.
_UNGUARDED: dict[str, frozenset[str | bool]] = {
    "permission_mode": frozenset({"bypassPermissions", "dontAsk"}),
    "permissionMode": frozenset({"bypassPermissions", "dontAsk"}),
    "approval_policy": frozenset({"never"}),
    "approval_mode": frozenset({"never", "yolo", "full-auto"}),
    "sandbox_mode": frozenset({"danger-full-access"}),
    "dangerously_skip_permissions": frozenset({True}),
    "allow_dangerously_skip_permissions": frozenset({True}),
    "bypass_permissions": frozenset({True}),
    "auto_approve_all": frozenset({True}),
    "yolo": frozenset({True}),
}
_OPTIONS = frozenset(_UNGUARDED)
_FLAG = frozenset({"unguarded"})


def report_unguarded(call: PythonCall) -> None:
    """Report an agent that is started without its checks."""
    if _OPTIONS.isdisjoint(call.keywords):
        return
    for name in _OPTIONS & call.keywords.keys():
        value = call.keywords[name]
        if isinstance(value, (str, bool)) and value in _UNGUARDED[name]:
            call.reading.emit("process.run", call.site, f"{name}={value}", _FLAG)
            return
