"""Switches to live systems: of a client, a variable or a setting that later calls use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interlock.memory.calls.words import memory_words
from interlock.memory.changes import EXPORTED, MAX_TEXT
from interlock.memory.model import Exposure, ExposureKind
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

if TYPE_CHECKING:
    from interlock.memory.calls.text_edits import Edit

_LIVE = r"(?<![a-z])(?:prod|production|live|prd)(?![a-z])"
_LIVE_WORD = late(rf"(?i){_LIVE}")
# Commands that switch a client to a system.
SWITCHES = late(
    r"(?i)\b(?:context use|context create|context switch|argocd context|set-cluster|use-context|workspace select"
    r"|stack select|config set(?:-context)?|configurations activate|connection (?:set-)?default"
    r"|account set|kubectx|kubens|git:remote|project-ref|oc project|eb use|cf target|ibmcloud target|firebase use"
    r"|railway (?:environment|link)|(?:vercel|netlify) (?:link|switch)|fly(?:ctl)? (?:config|apps?) "
    r"|amplify env checkout|app config use|project:set-remote|site:set|minikube profile|profile use|auth switch"
    r"|env select|environment select|use --env)\b[^\n;&|]*"
)
# Commands that forward a port to another machine, and words for a data store there.
_TUNNELS = late(
    r"(?i)\b(?:(?:kubectl|oc|k9s|k|microk8s kubectl) [^\n;&|]{0,200}?port-forward|kubefwd"
    r"|telepresence (?:connect|intercept)|(?:auto)?ssh [^\n;&|]{0,200}?-[A-Za-z]{0,6}L ?\S"
    r"|cloud[-_]sql[-_]proxy|gcloud [^\n;&|]{0,80}?(?:start-iap-tunnel|sql connect)"
    r"|aws ssm start-session [^\n;&|]{0,200}?PortForwarding|az network bastion tunnel|az redis|fly(?:ctl)? proxy"
    r"|alloydb-auth-proxy|tsh (?:proxy )?(?:db|ssh)|boundary connect|heroku pg:\w+|pscale connect|railway connect)"
    r"[^\n;&|]{0,300}"
)
_STORE = late(
    r"(?i)sql|postgres|pg|maria|mongo|redis|valkey|elastic|opensearch|cassandra|rabbit|kafka|clickhouse|oracle"
    r"|database|alloydb|pscale"
    r"|(?<![a-z])db(?![a-z])|(?<!\d)(?:5432|5433|3306|3307|27017|6379|1433|1521|9200|5672|9092|8123|9042|26257)(?!\d)"
)
# Statements that switch a connection to a database or a schema.
_SQL_SWITCHES = late(
    r"(?i)(?:^|;)\s{0,99}(?:use|attach|alter session set current_schema|set (?:local |session )?(?:search_path|schema))"
    r"\b[^\n;]{0,200}"
)
# Variables for a location or an environment.
_VARIABLES = late(
    r"(?i)\b(?!NODE_ENV|BABEL_ENV|MIX_ENV|VITE_|NEXT_PUBLIC_)\w*(?:URL|URI|DSN|HOST|ENDPOINT|PROFILE|CONTEXT|CLUSTER"
    r"|PROJECT|ACCOUNT|SUBSCRIPTION|WORKSPACE|SETTINGS_MODULE|RAILS_ENV|APP_ENV|DEPLOY_ENV|ENVIRONMENT|STAGE|TARGET"
    r"|KUBECONFIG|DATABASE)\w*=\S+"
)
_PRACTICE = late(
    r"(?i)(?<![a-z])(?:sandbox|test|testing|dev|development|staging|local|localhost|demo|mock|dry|false)(?![a-z])"
)
_SETTINGS = late(
    r"(?i)\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|py|rb|js|ts|php|exs?|xml|tfvars|hcl|mk|sh|gradle|kts|tf|rc)$|(?:^|/)\.env[^/]*$|(?:^|/)(?:Makefile|Justfile|justfile|Procfile|Rakefile|Vagrantfile)$"
)
# Code and settings that load the variables of a live system.
_LOADED = late(r"(?i)(?:dotenv|env[-_]?file|source|load)[^\n]{0,40}\.env\.(?:prod|production|live|prd)\b")
# A setting that names a machine or an address.
_MACHINE = late(
    r"(?im)(?P<key>[\w.-]{0,40}(?:url|uri|endpoint|host|broker|server|dsn|gateway|address|database)[\w-]{0,40})"
    r"[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?"
    r"(?P<at>[^\s\"',]{4,200})"
)
MAX_NAME = 80
_HOST = late(r"(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?P<domain>[\w-]+\.[a-z]{2,12})(?![\w.-])")


def find_switch(action: Action, analysis: Analysis) -> Iterator[Exposure]:
    """Yield the first thing that an action switches to production, if there is one."""
    found = list(_switches(analysis.text[:MAX_TEXT])) if "shell" in analysis.languages else []
    if analysis.languages == ("sql",):
        found += [one[0].strip("; \n\t") for one in _SQL_SWITCHES.finditer(analysis.text[:MAX_TEXT])]
    found += _edits(action, analysis)
    found += _tool_switches(action)
    live = next((one for one in found if _LIVE_WORD.search(one)), None)
    if live is not None:
        yield Exposure(ExposureKind.LIVE, quotable(live))


def _tool_switches(action: Action) -> Iterator[str]:
    """Yield the name and the argument of a tool that switches later calls to another system."""
    if action.tool_name.isalpha() and action.tool_name[1:].islower():
        return  # one word, such as `Bash`, says nothing about a system
    from interlock.knowledge.tool_names import split_words

    words = frozenset(split_words(action.tool_name))
    if not words.isdisjoint(memory_words().selecting) and not words.isdisjoint(memory_words().selected):
        for _, value in leaves(action.input_payload):
            if isinstance(value, str) and len(value) <= MAX_NAME and _LIVE_WORD.search(value):
                yield f"{action.tool_name} {value}"


def _switches(text: str) -> Iterator[str]:
    yield from (found[0].strip() for found in SWITCHES.finditer(text))
    yield from (found[0].strip() for found in _TUNNELS.finditer(text) if _STORE.search(found[0]))
    if EXPORTED.search(text):
        yield from (found[0].strip() for found in _VARIABLES.finditer(text))


def _edits(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the words for a live system that replace words for a test system in an edit of settings."""
    if analysis.languages and not any(one.kind == "fs.write" for one in analysis.effects):
        return  # commands and code that write nothing
    from interlock.memory.calls.text_edits import find_edits

    for edit in find_edits(action, analysis):
        if not _SETTINGS.search(edit.path):
            continue
        loaded = _LOADED.search(edit.new)
        if loaded is not None and not _LIVE_WORD.search(edit.path.rpartition("/")[2]):
            yield loaded[0]
        yield from _find_switches(edit)


def _find_switches(edit: Edit) -> Iterator[str]:
    """Yield the new text of an edit that switches from a test system to a live one."""
    old, new = edit.old, edit.new
    practice = _PRACTICE.search(old) is not None
    if edit.loose and not practice:
        named = next((one for one in _MACHINE.finditer(new) if _LIVE_WORD.search(one["at"])), None)
        if named is not None and not _LIVE_WORD.search(edit.path.rpartition("/")[2]):
            yield named[0]
    elif practice and _LIVE_WORD.search(new) and not _LIVE_WORD.search(old):
        yield " ".join(new.split())
    elif practice and not _PRACTICE.search(new) and _is_moved(old, new):
        yield f"no longer {' '.join(old.split())}: live"


def _is_moved(old: str, new: str) -> bool:
    """Whether the same setting names a machine before and after, and another one; or a machine of the same domain."""
    before, after = _MACHINE.search(old), _MACHINE.search(new)
    if before and after:
        return before["key"].lower() == after["key"].lower() and before["at"] != after["at"]
    first, second = _HOST.search(old), _HOST.search(new)
    return bool(first and second and first["domain"].lower() == second["domain"].lower() and first[0] != second[0])
