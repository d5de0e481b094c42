"""Findings on actions that send, push or show files with sensitive data."""

from __future__ import annotations

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.command_lines import spell_out
from interlock.memory.calls.programs import programs_of_command
from interlock.memory.calls.words import command_words, memory_words
from interlock.memory.exposures.destinations import EXTERNAL_FLAGS, INTERNAL_FLAGS, TRANSFER_KINDS
from interlock.memory.model import Content, Taint
from interlock.memory.state import RunState
from interlock.memory.taint.browser_pages import is_paste
from interlock.memory.taint.command_paths import commands_of, full_path, paths_of
from interlock.memory.taint.data_flows import find_flows
from interlock.memory.taint.documents import without_sessions
from interlock.memory.taint.propagation import CLIPBOARD, COMMITS, COPIED_ELSEWHERE, add_taints, find_taint
from interlock.memory.taint.tables import find_made_tables, find_read_tables, is_published
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

#: Requests by which a client of a forge writes something.
_FORGE_WRITE = late(r"\b(?:gh|glab) api\b[^\n]{0,400}(?:\s-f |\s-F |--field|--raw-field|--input)")
RULE = "holding_passed_on"
MAX_PATH, MAX_COMMAND, MAX_VERBS = 300, 2_000, 3
_STEM = late(r"\.\w{1,8}$")
_FILE = late(r"^[^\n]*(?:/[^\s/]+|\.\w{1,8})$")
_SENDING_KINDS = frozenset("message.send document.share content.publish data.export net.send infra.change".split())
_PUSHING_KINDS = frozenset({"vcs.push", "message.send", "package.publish"})
#: Options by which clients attach a file to a request, and folders that are copied to a service.
_UPLOAD_OPTION = late(r"\s(?:-b|--cookie|-K|--config|-H|--header|-T|-d|-F|--data\S*|--form)[ =]")
_SYNC_FOLDER = late(
    r"(?i)/(?:dropbox|google ?drive|onedrive|icloud\S*|nextcloud|owncloud|seafile|pcloud|mega|public|syncthing|box sync"
    r"|box|sharepoint|kdrive|magentacloud|yandex\.disk"
    r"|[\w -]*(?:freigabe|shared with|partag[eé]|compartid[oa]|condivis[oa]"
    r"|compartilhad[oa]|gedeeld|udostępni|sdílen|delt med|delad|jaettu|megosztott|partajat|paylaşılan)[\w -]*)(?:/|$)"
)
_SCRIPT_KINDS = frozenset({"code.run", "process.run", "process.spawn"})
MAX_NAME = 80
_SHARING_KINDS = frozenset({"document.share", "access.grant", "content.publish"})


def find_disclosure(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action sends, pushes or shows something that holds sensitive data."""
    if not analysis.effects:
        return None
    if analysis.effects[0].kind in TOOL_KINDS:
        return _find_attachment(action, analysis, state)
    found = _find_publication(action, analysis, state) or _find_pushed_commits(action, analysis, state)
    if found is not None:
        return found
    held = next((one for path in paths_of(action, analysis) if (one := find_taint(path, state.taints))), None)
    held = held or _find_named_taint(analysis, state) or _find_configured_taint(action, analysis, state)
    if held is None:
        return (
            _find_display(analysis, state)
            or _find_deployment(action, analysis, state)
            or _find_read_by_code(action, analysis, state)
        )
    return _find_transfer(analysis, held) or _find_printed(analysis, held)


def _find_named_taint(analysis: Analysis, state: RunState) -> Taint | None:
    """Return the file of private data that an argument names without folder and ending: `--list preview`."""
    if not any(one.kind in _SCRIPT_KINDS and _is_named_sender(one) for one in analysis.effects):
        return None
    words = frozenset(analysis.text[:MAX_COMMAND].split()[1:])
    return next((one for one in state.taints if _STEM.sub("", one.path.rpartition("/")[2]) in words), None)


def _find_configured_taint(action: Action, analysis: Analysis, state: RunState) -> Taint | None:
    """Return the file of sensitive data that is named in a file of this run, if a command that sends is given that."""
    if _find_sending(analysis) is None:
        return None
    project = f"{action.workspace or action.cwd}/"
    for path in paths_of(action, analysis):
        text = state.written[path].text if path in state.written else None
        for one in state.taints if text else ():
            if one.path[:1] == "/" and one.path.removeprefix(project) in (text or ""):
                return one
    return None


def _find_pushed_commits(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action pushes commits that hold sensitive data."""
    pushed = _find_push(analysis)
    if pushed is None:
        return None
    flows = [one for one in find_flows(action, analysis, ()) if not one.pushes]
    after = add_taints(state.taints, flows, state.count + 1)
    commits = next((one for one in after if one.path == COMMITS), None)
    return None if commits is None else _finding("Pushes commits that hold", commits, pushed)


def _find_push(analysis: Analysis) -> Effect | None:
    """Return the first effect that pushes commits, sends a message or publishes a package."""
    return next((one for one in analysis.effects if one.kind in _PUSHING_KINDS), None)


def _find_transfer(analysis: Analysis, held: Taint) -> Finding | None:
    """Return a finding if an action sends a tainted file, or copies it to where others see it."""
    passes_on = f"Passes on `{quotable(held.path)}`, which holds"
    for one in analysis.effects:
        fetches = one.kind == "net.fetch" and one.flags.isdisjoint(INTERNAL_FLAGS)
        if fetches and _UPLOAD_OPTION.search(spell_out(analysis)):
            return _finding(passes_on, held, one)
    for one in analysis.effects:
        if one.kind == "fs.write" and one.resource and _SYNC_FOLDER.search(one.resource.name):
            return _finding(f"Puts `{quotable(held.path)}` into a folder that others see, which holds", held, one)
    is_variable = held.path[:1] == "$"
    writes_to_forge = _FORGE_WRITE.search(spell_out(analysis))
    if writes_to_forge or (is_variable and _find_push(analysis)):
        return _finding(passes_on, held, analysis.effects[0])
    effect = _find_sending(analysis)
    return None if effect is None else _finding(passes_on, held, effect)


def _find_printed(analysis: Analysis, held: Taint) -> Finding | None:
    """Return a finding if a command prints a tainted file, or something from the clipboard, that holds a secret."""
    commands = programs_of_command(analysis)
    shown = held.path == CLIPBOARD or any(program in command_words().printing for program, _ in commands)
    if held.what is Content.SECRET and shown:
        return _finding(f"Shows `{quotable(held.path)}`, which holds", held, analysis.effects[0])
    return None


def _find_publication(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a view over private rows is created in a schema that an API publishes."""
    commands = tuple(commands_of(action, analysis))
    if not any(is_published(table) for command in commands for table in find_made_tables(command.text)):
        return None
    for command in commands:
        held = next((one for table in find_read_tables(command.text) if (one := find_taint(table, state.taints))), None)
        if held is not None:
            return _finding(f"Publishes `{quotable(held.path)}`, which holds", held, analysis.effects[0])
    return None


def _find_display(analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool reads a file that holds a secret."""
    if analysis.languages:
        return None
    for one in analysis.effects:
        name = one.resource.name if one.kind == "fs.read" and one.resource else ""
        held = next((held for held in state.taints if held.what is Content.SECRET and held.path == name), None)
        if held is not None:
            return _finding(f"Shows `{quotable(name)}`, which holds", held, one)
    return None


def _find_deployment(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a project with private data of this run is published on the web."""
    named = {part for command in programs_of_command(analysis) for part in command}
    project = f"{action.workspace or action.cwd}/"
    held = next(
        (one for one in state.taints if one.path.startswith(project) and one.what is not Content.TEMPLATE), None
    )
    if held is None or named.isdisjoint(command_words().deploying):
        return None
    return _finding("Publishes a project that holds", held, analysis.effects[0])


def _find_read_by_code(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action runs code that this run wrote and that names a file with secrets."""
    secrets = [one for one in state.taints if one.what is Content.SECRET and one.path[:1] == "/"]
    programs = programs_of_command(analysis)
    if not secrets or (programs and all(program in command_words().inert for program, _ in programs)):
        return None
    for path in paths_of(action, analysis):
        text = without_sessions(state.written[path].text or "") if path in state.written else None
        held = next((one for one in secrets if text and one.path.removeprefix(f"{action.cwd}/") in text), None)
        if held is not None:
            return _finding(f"Runs code that reads `{quotable(held.path)}`, which leads to", held, analysis.effects[0])
    return None


def _find_sending(analysis: Analysis) -> Effect | None:
    """Return the effect of a command that sends something, judged by its description or its verb."""
    for one in analysis.effects:
        if one.kind in _SENDING_KINDS and one.flags.isdisjoint(INTERNAL_FLAGS):
            return one
    named = {part for program, word in programs_of_command(analysis) for part in (word, program, *word.split("."))}
    unknown = next((one for one in analysis.effects if one.kind == "process.run"), None)
    if unknown is not None and not named.isdisjoint(command_words().uploading):
        return unknown
    if unknown is not None and unknown.resource and not command_words().uploading.isdisjoint(_verbs_of(unknown)):
        return unknown
    return next((one for one in analysis.effects if one.kind in _SCRIPT_KINDS and _is_named_sender(one)), None)


def _verbs_of(effect: Effect) -> list[str]:
    """Return the first words after a program without a description: `support attach`."""
    name = effect.resource.name if effect.resource else ""
    return [word for word in name.split(" ")[:MAX_VERBS] if word.isalpha()]


def _is_named_sender(effect: Effect) -> bool:
    """Whether a script, a module or a task is named after sending."""
    name = effect.resource.name.split(" ")[0] if effect.resource else ""
    return not command_words().sending_names.isdisjoint(split_words(name))


def _find_attachment(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool is given a file that holds sensitive data."""
    pasted = next((one for one in state.taints if one.path in (CLIPBOARD, COPIED_ELSEWHERE)), None)
    if pasted is not None and is_paste(action):
        return _finding("Pastes", pasted, analysis.effects[0])
    effect = next((one for one in analysis.effects if one.kind in TRANSFER_KINDS), None)
    if effect is None or any(not one.flags.isdisjoint(INTERNAL_FLAGS) for one in analysis.effects):
        return None
    opened = any(map(_shares, analysis.effects)) or _makes_visible(action)
    for _, value in leaves(action.input_payload):
        named = next((one for one in state.taints if one.path == value), None) if opened else None
        if named is not None:
            return _finding(f"Opens `{quotable(str(value)[:80])}`, which holds", named, effect)
        if isinstance(value, str) and 0 < len(value) <= MAX_PATH and _FILE.search(value):
            held = find_taint(full_path(value, action), state.taints)
            if held is not None:
                return _finding(f"Hands over `{quotable(value[:80])}`, which holds", held, effect)
    return None


def _shares(effect: Effect) -> bool:
    """Whether an effect shows something to others, or invites people who may be outside."""
    if effect.kind == "appointment.make":
        return not effect.flags.isdisjoint(EXTERNAL_FLAGS)
    return effect.kind in _SHARING_KINDS and effect.flags.isdisjoint(INTERNAL_FLAGS)


def _makes_visible(action: Action) -> bool:
    """Whether a call says that something becomes visible to others."""
    return any(
        (value is True and key.lower() in memory_words().visible)
        or (
            isinstance(value, str)
            and len(value) <= MAX_NAME
            and not memory_words().outside.isdisjoint(split_words(value))
        )
        for key, value in leaves(action.input_payload)
    )


def _finding(does: str, held: Taint, effect: Effect) -> Finding:
    what = "a secret" if held.what is Content.SECRET else "private data"
    reason = f"{does} {what} since call {held.call}"
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(held.call,))
