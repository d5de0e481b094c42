"""Coding agents that an action starts, and options that turn their checks off."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Agents
from interlock.patterns import late

AGENTS = read_table("agents", Agents)
_OPTIONS = frozenset(AGENTS.settings_options)
_VALUES = {option: frozenset(values) for option, values in AGENTS.unguarded_values.items()}
_WORDS = tuple(word.lower() for word in AGENTS.settings_words)


def is_unguarded(program: str, words: list[str]) -> bool:
    """Whether arguments turn off the checks of a coding agent, or give it other settings.

    >>> is_unguarded("claude", ["--settings", '{"disableAllHooks": true}'])
    True
    >>> is_unguarded("claude", ["--model", "opus", "-p", "hello"])
    False
    """
    if words[:1] and words[0] in AGENTS.unguarded_commands and _is_unguarded_command(words):
        return True
    if "set" in words[:4] or "add" in words[:3]:
        kept = [word for word in words if word[:1] != "-"]
        if kept[:1] and kept[0] in _KEEPING and _loosens_kept(" ".join(kept[2:])):
            return True
    forcing = AGENTS.forcing_options.get(program, ())
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if not equals:
            value = words[at + 1] if at + 1 < len(words) else ""
        if word in forcing or value in _VALUES.get(option, ()):
            return True
        if option in _TOOLS and not _VALUES[option].isdisjoint(_read_tool_names(value, words[at + 2 :])):
            return True
        if option in _OPTIONS and _loosens(option, value):
            return True
    return False


_EVERYWHERE = late(r"(?:^|[=/@])(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$")


def _is_unguarded_command(words: list[str]) -> bool:
    """Whether a subcommand lets others steer the agent, or permanently turns its prompts off.

    >>> _is_unguarded_command(["serve", "--hostname", "0.0.0.0"]), _is_unguarded_command(["serve"])
    (True, False)
    """
    values = AGENTS.unguarded_commands[words[0]]
    if "everywhere" in values:
        return any(_EVERYWHERE.search(word) for word in words[1:])
    return not values or not set(values).isdisjoint(words[1:])


#: Options that take several names of tools, after commas or as further words.
_TOOLS = frozenset({"--allowedTools", "--allowed-tools", "--allow-tool", "--allow", "--trust-tools"})
_SEPARATORS = late(r"[,\s]+(?![^(]*\))")


def _read_tool_names(value: str, rest: list[str]) -> set[str]:
    """Return the names of tools in the value of an option, and in the words that follow it."""
    further = next((at for at, word in enumerate(rest) if word[:1] == "-" or " " in word), len(rest))
    return {tool for word in (value, *rest[:further]) for tool in _SEPARATORS.split(word)}


#: Subcommands by which agents keep a setting: `claude config set`.
_KEEPING = frozenset({"config", "settings", "configure", "setting", "permissions", "preferences"})
_LOOSENING = late(
    r"(?i)skip_?-?permissions|bypass_?-?permissions|yolo|auto_?-?(?:accept|approve|run|confirm)|approval|disable_?all_?hooks"
    r"|\ballow(?:ed_?tools)?\b|permission|sandbox|trust|hooks|full_?-?access"
)
_TIGHTER = frozenset({"false", "deny", "ask", "default", "on-request", "read-only", "untrusted", "plan", "off", "0"})


def _loosens_kept(setting: str) -> bool:
    """Whether a setting that applies to later sessions loosens the limits of an agent."""
    name, _, value = setting.replace("=", " ", 1).partition(" ")
    return bool(value) and _LOOSENING.search(name) is not None and value.lower() not in _TIGHTER


def _loosens(option: str, value: str) -> bool:
    """Whether settings on the command line may loosen the limits of an agent. The content of a file is unknown."""
    if option == "--setting-sources":
        return "user" not in value
    if option == "--profile":
        return False
    lowered = value.lower()
    is_file = "=" not in value and "{" not in value
    return bool(value) and (is_file or any(word in lowered for word in _WORDS))
