"""Settings of running programs: commands that print them, and selections that show variables or a secret among them."""

from __future__ import annotations

from itertools import pairwise

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.secrets.disclosure import VALUE, holds_value
from interlock.analyse.secrets.keys import is_key_shape, shows_secret
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.partial_views import SEARCHING, inverts, view_of
from interlock.analyse.shell.output.secret_sources import prints_diagnostics
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.commands import Agents
from interlock.patterns import late

_DIAGNOSTICS = frozenset({"diagnostics"})
#: Clients of build servers, which mask the secrets in the logs that they print.
_BUILD_SERVERS = programs_in("build-server-clients")
_CI_LOG = frozenset({"ci_log"})
_VARIABLES = VALUE | {"environment"}
#: Programs that pick fields out of structured text.
_PICKING = programs_in("pickers")
#: Options whose value says which part of the answer is shown.
_SELECTING = frozenset("--format -f --query -o --output -p --property -P --template -t --jq --filter --fields".split())
# The environment as a field of an answer; `tags.env` and `[?Key=='Environment']` are labels.
_ENVIRONMENT = late(
    r"(?<![\w:='`\"-])(?<!labels\.)(?<!tags\.)(?<!Tags\.)(?<!metadata\.)"
    r"(?i:env|environ(?:ment)?|env(?:ironment)?_?var(?:iable)?s?|env_?from|app_?settings|connection_?strings?)"
    r"(?![\w-]|\s*={1,2}\s*['\"`])"
)
_IN_TEXT = late(r"(?i)\benv(?:iron(?:ment)?)?(?:_?var(?:iable)?s?)?\b(?:\s*[:=]|$|\W*\|)")
_FIELD = late(r"\.(\w+)")
_NAMES_ONLY = late(
    r"\b(?:keys|length|has|map\(\.name\)|to_entries\[\]\.key)\b|(?:\.env(?:ironment)?\[\]?\*?\]?\.)name\b"
)


def trace_settings(call: ShellCall, printed: Flow) -> Flow:
    """Return what a command prints, with the marks of logs, of settings, and of variables that it selects from them."""
    words = call.words
    if prints_diagnostics(call.program, words):
        marks = _DIAGNOSTICS | _VARIABLES if _selects_variables(words) else _DIAGNOSTICS
        if call.program in _BUILD_SERVERS:
            marks |= _CI_LOG
        return printed if marks <= printed.marks else printed.replace(marks=printed.marks | marks)
    if call.program in _PICKING and _picks_servers(call):
        return printed.replace(marks=printed.marks | _VARIABLES)
    if "diagnostics" in call.stdin.marks and _picks_variables(call):
        return printed.replace(marks=printed.marks | _VARIABLES)
    return printed


# Settings of agents in which keys of MCP servers stand, and the fields that show these.
_AGENTS = "|".join(read_table("agents", Agents).names)
_SERVERS = late(
    r"(?:^|/)(?:\.claude\.json|\.?mcp(?:_config|_settings|-config)?\.json|claude_desktop_config\.json"
    rf"|\.(?:{_AGENTS})/(?:[\w-]+/)*settings(?:\.local)?\.json|\w+_mcp_settings\.json)$"
)
_SERVER_FIELDS = late(r"\.(?:env|headers)\b|\.(?:mcpServers|servers)(?!\s*\|\s*(?:keys|length))(?:\[\])?\s*$")


def _picks_servers(call: ShellCall) -> bool:
    """Whether a filter shows the keys of MCP servers: `jq '.mcpServers[].env' ~/.claude.json`."""
    words = call.words
    names = (
        words[1:]
        if call.stdin is NOTHING
        else [one.resource.name for one in call.scope.reading.effects[-2:] if one.resource is not None]
    )
    if not any(_SERVERS.search(name) for name in names):
        return False
    return any(_SERVER_FIELDS.search(word) and not _NAMES_ONLY.search(word) for word in words[1:])


def _selects_variables(words: list[str]) -> bool:
    """Whether an option of the command selects the environment: `--format '{{json .Config.Env}}'`."""
    if "--environment" in words and "config" in words:  # `docker compose config --environment`
        return True
    for before, word in pairwise(words):
        if before in _SELECTING:
            text = word
        elif word[:2] == "--" and "=" in word:
            name, _, text = word.partition("=")
            if name not in _SELECTING:
                continue
        elif word[:2] in ("-p", "-o", "-f") and word[2:3].isalpha():
            text = word[2:].removeprefix("=")
        else:
            continue
        if _ENVIRONMENT.search(text) and not _NAMES_ONLY.search(text):
            return True
    return False


def _shows_values(text: str) -> bool:
    """Whether an expression picks the environment or secrets out of settings: `.Config.Env`, `.values.password`."""
    return _ENVIRONMENT.search(text) is not None or _SECRETS.search(text) is not None


def _picks_variables(call: ShellCall) -> bool:
    """Whether a filter shows the environment in the settings that it is given: `jq '.[0].Config.Env'`."""
    words = call.words
    operands = [word for word in words[1:] if word[:1] != "-"]
    if call.program in _PICKING:
        shown = [word for word in operands if not _NAMES_ONLY.search(word)]
        return any(_shows_values(word) or any(map(is_secret_setting, _FIELD.findall(word))) for word in shown)
    if call.program in _EDITING:
        return any(_KEPT.search(word) for word in operands)
    if call.program not in SEARCHING or inverts(words) or view_of(words):
        return False
    return any(_IN_TEXT.search(word) for word in operands)


# Fields that hold secrets, and not what they are called or where they lie.
_SECRETS = late(
    r"(?i)(?<!account)(?<!mount)(?:passwords?|passwd|secret_?(?:key|string|value|id)?|tokens?|private_?key(?:_pem)?|access_?key)"
    r"(?![\w.]*(?:name|ref|path|count|version|arn|expir|type|policy|length|at\b))(?![\w-]*s?\[\]\.name)\b"
)
#: Programs that show a part of each line, and patterns that keep what stands before the `@` of an address.
_EDITING = frozenset("sed gsed perl awk gawk".split())
_KEPT = late(r"/[^()]*\((?:\?[:<!=]*)?[^()]*\)(?:[^()]*|\([^()]*\))*@.*(?:\\[12]|\$[12&])")
_GETTING = frozenset(
    "get get-value show read print view lookup GET --get --get-all --get-regexp --get-urlmatch".split()
)
_SPLIT = late(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_PLAIN = frozenset({"printed", "secret"})
_STORE = frozenset({"secret", "store"})
# Names of settings that hold secrets, and do not say so in the words of variables.
_HOLDING = late(
    r"(?i)requirepass|masterauth|extraheader|http-basic\..*|(?:github|gitlab)-(?:oauth|token)\..*|bearer\..*"
)


def report_setting(call: ShellCall) -> None:
    """Report a command that prints a secret setting by its name: `glab config get token`."""
    words = [word for word in call.words[1:] if word[:1] != "-" or word in _GETTING]
    if words[:1] == ["variable"] and any(HOLE in word and holds_value(word) for word in call.words):
        call.scope.reading.emit("secret.read", call.site, " ".join(words[:3]), _PLAIN)  # everyone may read a variable
        return
    for before, word in pairwise(words):
        asked = before in _GETTING or (before == "config" and word == words[-1] and _HOLDING.search(word))
        if asked and is_secret_setting(word):
            call.scope.reading.emit("secret.read", call.site, " ".join(call.words[:4]), _STORE)
            return


def is_secret_setting(name: str) -> bool:
    """Whether a setting holds a secret, by its name.

    >>> is_secret_setting("//registry.npmjs.org/:_authToken"), is_secret_setting("credential.helper")
    (True, False)
    """
    if _HOLDING.search(name) or is_key_shape(name):
        return True
    last = name.rpartition("/")[2].rpartition(".")[2]
    if last.lower() == "key" or last.lower().endswith("_id"):
        return False
    return shows_secret("_".join(part for part in _SPLIT.split(last) if part))
