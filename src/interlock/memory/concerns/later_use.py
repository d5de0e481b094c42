"""Findings on actions that use what an earlier call left behind, if that call needed approval."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.command_lines import CommandLine, read_command_line
from interlock.memory.calls.programs import commands_or_tool, family_of, programs_of_command
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import command_words, file_words, memory_words
from interlock.memory.concerns.descriptions import describe_concern, describe_setting
from interlock.memory.concerns.identities import words_of_use
from interlock.memory.concerns.loosened_use import find_loosened_use
from interlock.memory.concerns.new_concerns import browser_of
from interlock.memory.model import COPY_RULE, PREPARED_RULE, Concern, ConcernKind, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.payload import leaves

_VIEWING = frozenset("fs.read out.print vcs.read system.read env.read cluster.read infra.read container.read".split())
#: Effects that run or send something.
_RUNNING = ("process.", "code.", "container.run", "package.", "net.", "message.send", "deploy.")
#: Effects of clients, whose target depends on variables.
_TALKING = ("infra.", "cluster.", "secret.read")
_PUSHING = frozenset({"vcs.push", "message.send", "deploy.release", "package.publish"})
MIN_MENTION = 6
MAX_WORDS = 6  # of a command, among which a verb may be
#: Settings that refer outside the project: by themselves, or after the run has read untrusted content.
_LEADING_OUT = frozenset({ConcernKind.FOLDER, ConcernKind.SIMILAR_HOST, ConcernKind.RECIPIENT, ConcernKind.DOWNLOAD})
_NAMING_OTHERS = frozenset({ConcernKind.HOST, ConcernKind.DETAILS})
#: Values that let the next program do more than before.
_LOOSENED = frozenset({ConcernKind.LOOSENED, ConcernKind.REAL_TARGET, ConcernKind.HOST})
#: What was prepared, copied or redefined, and whatever uses the programs, files and names of that.
_USABLE = frozenset(
    {
        ConcernKind.PREPARED,
        ConcernKind.COPY,
        ConcernKind.REDEFINED,
        ConcernKind.ROLE,
        ConcernKind.DEFAULT_REPOSITORY,
        ConcernKind.MANIFEST_SOURCE,
    }
)
#: Effects of programs that read settings when they run.
_WITH_SETTINGS = ("process.", "code.run", "container.run", "container.change", "system.tune", "infra.", "deploy.")


def find_later_use(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action uses what an earlier call prepared, and that use was not approved yet."""
    users = commands_or_tool(action, analysis)
    for concern in reversed(state.concerns):
        if users and set(users) <= set(concern.used_by):
            continue
        found = _find_concern_use(action, analysis, state, concern)
        if found is not None:
            return found
    return None


def _find_concern_use(action: Action, analysis: Analysis, state: RunState, concern: Concern) -> Finding | None:
    """Return a finding if an action uses what one call has prepared. Aliases and some files are checked elsewhere."""
    if concern.kind in _LOOSENED:
        effect = find_loosened_use(analysis, concern)
        if effect is not None:
            return Finding(PREPARED_RULE, Level.HIGH, describe_setting(concern), effect.span, calls=(concern.call,))
        if concern.kind is not ConcernKind.HOST:
            return None
    if concern.kind in _LEADING_OUT or concern.kind in _NAMING_OTHERS:
        return _find_setting_use(analysis, concern, state)
    verbs = words_of_use(concern.kind)
    if verbs is not None:
        effect = _find_verb(action, analysis, concern, verbs)
    else:
        effect = _find_use(action, analysis, concern) if concern.kind in _USABLE else None
    if effect is None:
        return None
    reason = f"Uses what call {concern.call} has prepared: {describe_concern(concern)}"
    rule = COPY_RULE if concern.kind is ConcernKind.COPY else PREPARED_RULE
    return Finding(rule, Level.HIGH, reason, effect.span, calls=(concern.call,))


def _find_verb(action: Action, analysis: Analysis, concern: Concern, verbs: frozenset[str]) -> Effect | None:
    """Return the first effect of a command that uses a changed identity or changed rules."""
    is_profile = concern.kind is ConcernKind.PROFILE
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        same = is_profile and concern.names == (tool_service_of(action.tool_name),)
        return analysis.effects[0] if same and not verbs.isdisjoint(split_words(action.tool_name)) else None
    lines = [read_command_line(call) for call in analysis.commands]
    if is_profile or (concern.kind is ConcernKind.SHARED_BRANCH and not any(map(_overwrites, lines))):
        return None
    words = {part for program, word in programs_of_command(analysis) for part in (word, *word.split("-"), program)}
    for line in lines:
        if line.program in command_words().interpreters:  # `python manage.py sync_roles`
            words |= frozenset(line.plain_operands[1:MAX_WORDS])
    return analysis.effects[0] if analysis.effects and not words.isdisjoint(verbs) else None


def _overwrites(line: CommandLine) -> bool:
    """Whether a command of git overwrites what is at the other end: a switch to a shared branch matters for that."""
    forced = any(name == "-f" or name.startswith("--force") for name in line.options)
    return line.program == "git" and (forced or any(text[:1] == "+" for text in line.plain_operands))


def _find_setting_use(analysis: Analysis, concern: Concern, state: RunState) -> Finding | None:
    """Return a finding if an action runs something with settings that refer outside the project."""
    kinds = (*_WITH_SETTINGS, "vcs.push") if concern.kind is ConcernKind.DETAILS else _WITH_SETTINGS
    effect = next((one for one in analysis.effects if one.kind.startswith(kinds) or one.via), None)
    if effect is None:
        return None
    if concern.kind in _LEADING_OUT:
        return Finding(PREPARED_RULE, Level.HIGH, describe_setting(concern), effect.span, calls=(concern.call,))
    untrusted = next((one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED), None)
    if untrusted is None or untrusted.call > concern.call:
        return None
    reason = f"{describe_setting(concern)}, after call {untrusted.call} has read untrusted content (`{untrusted.what}`)"
    return Finding(PREPARED_RULE, Level.HIGH, reason, effect.span, calls=(concern.call, untrusted.call))


def _find_use(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the effect by which an action uses what a call has left behind, or None."""
    if not analysis.effects:
        return None
    if analysis.effects[0].kind in TOOL_KINDS:
        found = _find_named(action, analysis, concern)
        if found is not None:
            return found
    acting = [one for one in analysis.effects if one.kind not in _VIEWING or one.via]
    copied = concern.kind is ConcernKind.COPY
    if concern.files and (acting or copied):
        touched = _find_touching_effect(action, analysis, concern, acting)
        if touched is not None:
            return touched
    only_acting = concern.kind is ConcernKind.DEFAULT_REPOSITORY
    if concern.programs and (acting or not only_acting) and _works_with(analysis, concern):
        return analysis.effects[0]
    if concern.exports:
        talking = next((one for one in analysis.effects if one.kind.startswith(_TALKING)), None)
        if talking is not None:
            return talking
    running = [one for one in acting if one.kind.startswith(_RUNNING) or one.kind in _PUSHING or one.via]
    if not running or copied:
        return None
    return running[0] if concern.exports else next(_loading_effects(running, concern), None) if concern.files else None


def _find_named(action: Action, analysis: Analysis, concern: Concern) -> Effect | None:
    """Return the first effect of a call that triggers something with an object that the earlier call was about."""
    triggers = not memory_words().triggering.isdisjoint(split_words(action.tool_name))
    if not concern.names or not (triggers or _acts_on_others(action, analysis, concern)):
        return None
    if browser_of(action) in concern.names and not memory_words().browsers.isdisjoint(split_words(action.tool_name)):
        return analysis.effects[0]
    values = [(key, value) for key, value in leaves(action.input_payload) if isinstance(value, (str, int))]
    apart = concern.kind is ConcernKind.REDEFINED
    mentioned = [str(value) for key, value in values if not (apart and _names_own_object(key, action))]
    found = any(
        name == value or value.endswith((f":{name}", f".{name}")) for name in concern.names for value in mentioned
    )
    return analysis.effects[0] if found else None


def _acts_on_others(action: Action, analysis: Analysis, concern: Concern) -> bool:
    """Whether a call changes something of another kind than the one whose meaning was changed."""
    if concern.kind is not ConcernKind.REDEFINED or analysis.effects[0].kind == "tool.read":
        return False
    changed, used = frozenset(split_words(concern.subject)), frozenset(split_words(action.tool_name))
    objects = changed & memory_words().definitions
    return bool(objects) and changed.isdisjoint(memory_words().creating) and used.isdisjoint(objects)


def _names_own_object(key: str, action: Action) -> bool:
    """Whether an argument names the tool's own object, not an alias of something else: `activate_scene(scene=…)`."""
    words = frozenset(split_words(key))
    return words.isdisjoint(memory_words().definitions) and words <= frozenset(split_words(action.tool_name))


def _works_with(analysis: Analysis, concern: Concern) -> bool:
    """Whether a command runs a program whose settings were changed, other than to show something."""
    looking = memory_words().looking
    return any(
        word not in looking and (program in concern.programs or family_of(program) in concern.programs)
        for program, word in programs_of_command(analysis)
    )


def _loading_effects(running: list[Effect], concern: Concern) -> Iterator[Effect]:
    """Yield the effects by which code that was written may run, here or where it is pushed to."""
    pushed = any(part in path for path in concern.files for part in file_words().pushed_files)
    for one in running:
        if one.kind == "vcs.push":
            if pushed:
                yield one
        elif one.kind.startswith(("process.", "code.")):
            yield one


def _find_touching_effect(action: Action, analysis: Analysis, concern: Concern, acting: list[Effect]) -> Effect | None:
    """Return the effect on a file that was left behind, or on a folder that contains it."""
    for one in analysis.effects if concern.kind is ConcernKind.COPY else acting:
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
