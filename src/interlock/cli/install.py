"""`interlock install`, `uninstall` and `doctor`: a hook where an agent looks for it, and proof that it stops things."""

from __future__ import annotations

import compileall
import contextlib
import io
import sys
from pathlib import Path

import interlock
from interlock.agents.heard import agent_of
from interlock.agents.settings.entries import Wish
from interlock.agents.settings.health import Health, healths
from interlock.agents.settings.installing import Change, installing, uninstalling
from interlock.agents.settings.installing import install as carry_in
from interlock.agents.settings.installing import uninstall as carry_out
from interlock.agents.settings.proof import proved
from interlock.config.load import load
from interlock.errors import InterlockError
from interlock.sanitise import plain

_NEXT = {
    "claude-code": "Claude Code takes it up at once, also in sessions that are open.",
    "codex": "Codex runs it once you have trusted it: type /hooks in Codex, and again after every change.",
    "gemini": "Gemini CLI takes it up when it is next started.",
    "cursor": "Cursor takes it up at once.",
    "copilot": "Copilot takes it up when it is next started.",
}
_SHARED = "Everybody who works here needs `interlock` on their PATH: for whoever has it not, every action is refused."
_GIVEN_AWAY = (
    "What --auto-approve {level} gives away: what Interlock read in full and finds at most {level} runs without the "
    "agent's own\nquestion, whatever its own rules say. Nobody looks at it before it runs; it is on record."
)


def install(agent: str, wish: Wish, *, project: bool, dry_run: bool) -> int:
    """Enter a hook into an agent's settings."""
    agent_of(agent)
    where = Path.cwd() if project else None
    change = installing(agent, wish, where)
    if dry_run:
        return _show(change, "installed already; nothing would change")
    if wish.auto_approve:
        print(_GIVEN_AWAY.format(level=wish.auto_approve))
    if not change.changes:
        print(f"installed already: {plain(str(change.file))}")
        return 0
    carry_in(change)
    _compile()
    print(f"installed: {plain(str(change.file))}")
    print(_NEXT[agent] if not project else f"{_NEXT[agent]}\n{_SHARED}")
    print("`interlock doctor --prove` shows that it stops things; `interlock uninstall` puts the file back as it was.")
    return 0


def uninstall(agent: str, *, project: bool, dry_run: bool) -> int:
    """Take a hook out of an agent's settings."""
    agent_of(agent)
    change = uninstalling(agent, Path.cwd() if project else None)
    if dry_run:
        return _show(change, "not installed; nothing would change")
    carry_out(change)
    print(f"{'uninstalled' if change.changes else 'not installed'}: {plain(str(change.file))}")
    return 0


def _show(change: Change, nothing: str) -> int:
    print("\n".join(plain(line) for line in change.shown.splitlines()) if change.changes else nothing)
    return 0


def _compile() -> None:
    """Compile what a hook imports, so that its first call is as quick as the others."""
    with contextlib.redirect_stdout(io.StringIO()):  # where it cannot be written, nobody need know
        compileall.compile_dir(Path(interlock.__file__).parent, quiet=2)


def doctor(*, prove: bool) -> int:
    """Say what is installed where, and what is wrong with it; with `prove`, try it."""
    found = healths(Path.cwd())
    well = True
    for one in found:
        if one.is_installed or one.troubles:
            well = _report(one, prove=prove) and well
    if not any(one.is_installed for one in found):
        print("no agent is guarded yet: `interlock install claude-code` (or codex, gemini, cursor, copilot) does that")
        well = well and not prove
    return 0 if _is_configured() and well else 1


def _is_configured() -> bool:
    try:
        load()
    except InterlockError as error:
        print(f"✗ the configuration does not load, so every hook denies: {plain(str(error))}")
        return False
    return True


def _report(one: Health, *, prove: bool) -> bool:
    """Print how one file stands; return whether all is well."""
    print(f"{'✗' if one.troubles else '✓'} {one.agent}  {plain(str(one.file))}")
    for trouble in one.troubles:
        print(f"    ✗ {plain(trouble)}")
    if not one.is_installed:
        return False
    print(f"    at {', '.join(one.commands)}")
    if not prove or one.deciding is None:
        return not one.troubles
    well = not one.troubles
    for check in proved(one.agent, *one.deciding):
        well = well and check.holds
        print(f"    {'✓' if check.holds else '✗'} {check.what}: {plain(check.came)}  ({check.seconds * 1000:.0f} ms)")
        sys.stdout.flush()
    return well
