"""Files that hold something which is not for everyone, and that an action now passes on, pushes or shows."""

from __future__ import annotations

from interlock.effects import TOOL_KINDS
from interlock.levels import Level
from interlock.memory.exposure import quotable
from interlock.memory.holdings import COMMITS, Holding, add_holdings, find_holding, find_mentions, full_path, paths_of
from interlock.memory.outward import NEAR
from interlock.memory.programs import find_commands
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves

#: Requests by which a client of a forge writes something.
_API = late(r"\b(?:gh|glab) api\b[^\n]{0,400}(?:\s-f |\s-F |--field|--raw-field|--input)")
RULE = "holding_passed_on"
MAX_PATH = 300
_FILE = late(r"^[^\n]*(?:/[^\s/]+|\.\w{1,8})$")
#: Effects by which a call of a tool, or a command, passes on what it is given.
_GIVING = frozenset(
    "message.send document.share content.publish record.change data.export net.send tool.change tool.unknown".split()
)
_SENDING = frozenset("message.send document.share content.publish data.export net.send infra.change".split())
_PUSHING = frozenset({"vcs.push", "message.send", "package.publish"})
#: Verbs by which a program that nobody described passes something on, and programs that print files.
_UPLOADING = frozenset(
    "upload share submit publish post send push put deploy comment note ingest send-email release attach".split()
)
_PRINTING = frozenset("cat jq yq head tail less more bat strings xxd".split())


def find_handed_holding(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action passes on, pushes or shows what holds something that is not for everyone."""
    if not analysis.effects:
        return None
    if analysis.effects[0].kind in TOOL_KINDS:
        return _find_given(action, analysis, state)
    api = _API.search(analysis.text[: MAX_PATH * 10])
    pushed = next((one for one in analysis.effects if one.kind in _PUSHING), None)
    if pushed is not None:
        after = add_holdings(state.holdings, find_mentions(action, analysis, ()), state.count + 1)
        commits = next((one for one in after if one.path == COMMITS), None)
        if commits is not None:
            return _finding("Pushes commits that hold", commits, pushed)
    held = next((one for path in paths_of(action, analysis) if (one := find_holding(path, state.holdings))), None)
    if held is None:
        return None
    effect = analysis.effects[0] if api or (pushed and held.path[:1] == "$") else _find_sending(analysis)
    if effect is not None:
        return _finding(f"Passes on `{quotable(held.path)}`, which holds", held, effect)
    commands = find_commands(analysis)
    if held.what == "secret" and any(program in _PRINTING for program, _ in commands):
        return _finding(f"Shows `{quotable(held.path)}`, which holds", held, analysis.effects[0])
    return None


def _find_sending(analysis: Analysis) -> Effect | None:
    """Return the effect by which a command passes something on, described or by its verb."""
    for one in analysis.effects:
        if one.kind in _SENDING and one.flags.isdisjoint(NEAR):
            return one
    named = {part for program, word in find_commands(analysis) for part in (word, program)}
    unknown = next((one for one in analysis.effects if one.kind == "process.run"), None)
    return unknown if not named.isdisjoint(_UPLOADING) else None


def _find_given(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool is given a file that holds something."""
    effect = next((one for one in analysis.effects if one.kind in _GIVING), None)
    if effect is None or any(not one.flags.isdisjoint(NEAR) for one in analysis.effects):
        return None
    opened = any(one.kind in _OPENING and one.flags.isdisjoint(NEAR) for one in analysis.effects) or _publishes(action)
    for _, value in leaves(action.input_payload):
        named = next((one for one in state.holdings if one.path == value), None) if opened else None
        if named is not None:
            return _finding(f"Opens `{quotable(str(value)[:80])}`, which holds", named, effect)
        if isinstance(value, str) and 0 < len(value) <= MAX_PATH and _FILE.search(value):
            held = find_holding(full_path(value, action), state.holdings)
            if held is not None:
                return _finding(f"Hands over `{quotable(value[:80])}`, which holds", held, effect)
    return None


def _publishes(action: Action) -> bool:
    """Whether a call says that something becomes visible to others."""
    return any(value is True and key.lower() in _VISIBLE for key, value in leaves(action.input_payload))


_OPENING = frozenset({"document.share", "access.grant", "content.publish"})
_VISIBLE = frozenset({"published", "public", "visible", "is_public", "publish"})


def _finding(does: str, held: Holding, effect: Effect) -> Finding:
    what = "a secret" if held.what == "secret" else "private data"
    reason = f"{does} {what} since call {held.call}"
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(held.call,))
