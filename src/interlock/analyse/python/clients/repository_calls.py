"""Repositories in Python: GitPython, pygit2 and dulwich. What they discard is what `git` would."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.subprocess_calls import spawn
from interlock.analyse.python.evaluation.values import Ref, as_text

_SAFE = ("SAFE", "NONE", "SOFT", "MIXED", "DRY_RUN")


def read_repository_call(call: PythonCall, path: str) -> None:
    """Emit the effect of a call on a repository; `path` leads from the repository to the method."""
    parts = path.split(".")
    if len(parts) > 1 and parts[-2] == "git":  # GitPython: `repo.git.checkout("--", ".")`
        words = ["git", parts[-1].replace("_", "-"), *(as_text(value) for value in call.arguments)]
        words += [f"--{name.replace('_', '-')}" for name, value in call.keywords.items() if value is True]
        spawn(call.replace(name="subprocess.run", arguments=[words], keywords={}, owner=None))
        return
    flags = _discard_flags(call, parts[-1])
    if flags:
        call.reading.emit("vcs.discard", call.site, path, frozenset(flags))
    elif parts[-1] in ("delete_head", "branch_delete", "delete_branch"):
        forced = call.keywords.get("force") is True or parts[-1] != "delete_head"
        found = {"branch", "delete", "force"} if forced else {"branch", "delete"}
        call.reading.emit("vcs.rewrite", call.site, path, frozenset(found))
    elif parts[-1] == "push":
        force = {"force"} if call.keywords.get("force") is True else set()
        call.reading.emit("vcs.push", call.site, path, frozenset(force))


def _discard_flags(call: PythonCall, method: str) -> set[str]:
    """Return the flags of a call that throws uncommitted changes away, or none."""
    if method == "reset" and (call.keywords.get("working_tree") is True or _says_hard(call)):
        return {"hard"}
    if method.startswith("checkout") and (call.keywords.get("force") is True or _is_forced(call)):
        return {"force"}
    if method == "clean":
        return {"untracked", "force"}
    return {"stash"} if method in ("stash_drop", "stash_clear") else set()


def _says_hard(call: PythonCall) -> bool:
    return any("hard" in _name(value).lower() for value in call.values)


def _is_forced(call: PythonCall) -> bool:
    strategy = call.keywords.get("strategy")
    return strategy is not None and not any(word in _name(strategy) for word in _SAFE)


def _name(value: Any) -> str:
    return value.name if isinstance(value, Ref) else as_text(value)
