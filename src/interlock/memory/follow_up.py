"""Follow-ups: an action uses what an earlier call left behind, and that call needed approval."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.changes import COPY_RULE, LOOKED_FOR, NAMED_AS_OPTION, REDEFINED, RULE, UNPACKED, Concern
from interlock.memory.concerns import browser_of
from interlock.memory.exposure import ExposureKind, memory_words
from interlock.memory.programs import family_of, programs_of_command, users_of
from interlock.memory.repositories import tool_service_of
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves

_VIEWING = frozenset("fs.read out.print vcs.read system.read env.read cluster.read infra.read container.read".split())
#: Effects that run something, or that pass something on.
_RUNNING = ("process.", "code.", "container.run", "package.", "net.", "message.send", "deploy.")
#: Effects of clients, which go where variables say.
_TALKING = ("infra.", "cluster.", "secret.read")
_PUSHING = frozenset({"vcs.push", "message.send", "deploy.release", "package.publish"})
#: Files that take effect where a repository is pushed to, or that say what is pushed.
_PUSHED = (".github/", ".gitlab-ci", ".circleci/", ".gitignore", ".gitmodules", ".gitattributes", "pipelines")
MIN_MENTION = 6
#: Reasons for concerns that are looked at elsewhere.
_STEERING = (LOOKED_FOR, NAMED_AS_OPTION, UNPACKED)
#: Switches to a shared branch matter for what overwrites it.
_SWITCHED, _FORCED = ("`git switch", "`git checkout"), late(r"\s(?:-f|--force\S*|\+\S+)(?:\s|$)")


def find_follow_up(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action uses what an earlier call has prepared and nobody agreed to this use yet."""
    users = users_of(action, analysis)
    for concern in reversed(state.concerns):
        if concern.parked or concern.why.startswith(_STEERING) or (users and set(users) <= set(concern.used_by)):
            continue
        if concern.setting or concern.host:
            found = _find_setting_use(analysis, concern, state)
            if found is not None:
                return found
            continue
        effect = _find_verb(action, analysis, concern) if concern.verbs else _find_use(action, analysis, concern)
        if effect is not None:
            reason = f"Uses what call {concern.call} has prepared: {concern.why}"
            rule = COPY_RULE if concern.holds else RULE
            return Finding(rule, Level.HIGH, reason, effect.span, calls=(concern.call,))
    return None


def _find_verb(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the first effect of a command that uses an identity or rules which were changed."""
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        same = concern.names == (tool_service_of(action.tool_name),)
        return (
            analysis.effects[0]
            if same and not frozenset(split_words(action.tool_name)).isdisjoint(concern.verbs)
            else None
        )
    if concern.names or (concern.why.startswith(_SWITCHED) and not _FORCED.search(analysis.text)):
        return None
    words = {part for program, word in programs_of_command(analysis) for part in (word, *word.split("-"), program)}
    if analysis.text.startswith("python"):
        words |= frozenset(analysis.text.split()[2:6])
    return analysis.effects[0] if analysis.effects and not words.isdisjoint(concern.verbs) else None


def _find_setting_use(analysis: Analysis, concern: Concern, state: RunState) -> Finding | None:
    """Return a finding if an action runs something with settings that lead out of the project."""
    kinds = (*_WITH_SETTINGS, "vcs.push") if concern.host.startswith("details") else _WITH_SETTINGS
    effect = next((one for one in analysis.effects if one.kind.startswith(kinds) or one.via), None)
    if effect is None:
        return None
    if concern.setting:
        what = _PREPARED.get(concern.setting.partition(" ")[0], _OUTSIDE)
        reason = f"May {what}: call {concern.call} set `{concern.setting}`"
        return Finding(RULE, Level.HIGH, reason, effect.span, calls=(concern.call,))
    untrusted = next((one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED), None)
    if untrusted is None or untrusted.call > concern.call:
        return None
    does = "Publishes other details" if concern.host.startswith("details") else "May report to another machine"
    reason = (
        f"{does}: call {concern.call} set `{concern.host}`, "
        f"after call {untrusted.call} has let in text from outside (`{untrusted.what}`)"
    )
    return Finding(RULE, Level.HIGH, reason, effect.span, calls=(concern.call, untrusted.call))


_PREPARED = {
    "recipient": "write to somebody new",
    "host": "talk to another machine under a similar name",
    "download": "run or follow what came from elsewhere",
}
_OUTSIDE = "write to or empty a folder outside the project"
#: Effects of programs that read settings when they run.
_WITH_SETTINGS = ("process.", "code.run", "container.run", "container.change", "system.tune", "infra.", "deploy.")


def _find_use(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect by which an action uses what a call has left behind, or None."""
    if not analysis.effects:
        return None
    if analysis.effects[0].kind in TOOL_KINDS:
        found = _find_named(action, analysis, concern)
        if found is not None:
            return found
    acting = [one for one in analysis.effects if one.kind not in _VIEWING or one.via]
    if concern.files and (acting or concern.holds):
        touched = _find_touching_effect(action, analysis, concern, acting)
        if touched is not None:
            return touched
    if concern.programs and _works_with(analysis, concern):
        return analysis.effects[0]
    if concern.exports:
        talking = next((one for one in analysis.effects if one.kind.startswith(_TALKING)), None)
        if talking is not None:
            return talking
    running = [one for one in acting if one.kind.startswith(_RUNNING) or one.kind in _PUSHING or one.via]
    if not running or concern.holds:
        return None
    return running[0] if concern.exports else next(_loading_effects(running, concern), None) if concern.files else None


def _find_named(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the first effect of a call that sets something off with an object that the earlier call was about."""
    if not concern.names or memory_words().triggering.isdisjoint(split_words(action.tool_name)):
        return None
    if browser_of(action) in concern.names and not memory_words().browsers.isdisjoint(split_words(action.tool_name)):
        return analysis.effects[0]
    values = [(key, value) for key, value in leaves(action.input_payload) if isinstance(value, (str, int))]
    apart = concern.why.endswith(REDEFINED)
    mentioned = [str(value) for key, value in values if not (apart and _names_own_object(key, action))]
    found = any(
        name == value or value.endswith((f":{name}", f".{name}")) for name in concern.names for value in mentioned
    )
    return analysis.effects[0] if found else None


def _names_own_object(key: str, action: Action) -> bool:
    """Whether an argument names what the tool is about, which stands for nothing else: `activate_scene(scene=…)`."""
    words = frozenset(split_words(key))
    return words.isdisjoint(memory_words().definitions) and words <= frozenset(split_words(action.tool_name))


def _works_with(analysis: Analysis, concern: Concern) -> bool:
    """Whether a command runs a program whose settings were changed, other than to look at something."""
    looking = memory_words().looking
    return any(
        family_of(program) in concern.programs and word not in looking
        for program, word in programs_of_command(analysis)
    )


def _loading_effects(running: list[Effect], concern: Concern) -> Iterator[Effect]:
    """Yield the effects by which code that was written may run, here or where it is pushed to."""
    pushed = any(part in path for path in concern.files for part in _PUSHED)
    for one in running:
        if one.kind == "vcs.push":
            if pushed:
                yield one
        elif one.kind.startswith(("process.", "code.")):
            yield one


def _find_touching_effect(action: Action, analysis: Analysis, concern: Concern, acting: list[Effect]) -> Effect | None:
    """Return the effect on a file that was left behind, or on what holds it."""
    for one in analysis.effects if concern.holds else acting:
        name = one.resource.name if one.resource else ""
        if name and any(_is_same(name, path) for path in concern.files):
            return one
    text = analysis.text or " ".join(str(value) for _, value in leaves(action.input_payload))
    folder = f"{(action.cwd or '').rstrip('/')}/"
    if any(_mentions(text, path.removeprefix(folder)) for path in concern.files):
        return (acting or analysis.effects)[0]
    return None


def _is_same(name: str, path: str) -> bool:
    if "*" in name and fnmatch.fnmatchcase(path, name):
        return True
    return name == path or name.startswith(f"{path.rstrip('/*')}/") or path.startswith(f"{name.rstrip('/*')}/")


def _mentions(text: str, path: str) -> bool:
    return len(path) >= MIN_MENTION and re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w-])", text) is not None
