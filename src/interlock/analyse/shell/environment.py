"""Variables that programs obey: libraries that are loaded first, code that runs at the start, sources."""

from __future__ import annotations

import re

from interlock.analyse.hosts import host_flags, host_of
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import Site
from interlock.analyse.shell.scope import Scope

_LIBRARIES = frozenset({"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"})
_STARTED = frozenset({"BASH_ENV", "PYTHONSTARTUP", "PERL5DB"})
_COMMANDS = frozenset({"PROMPT_COMMAND", "GIT_SSH_COMMAND", "LESSOPEN"})
_OPTIONS = frozenset({"NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"})
_LOADED = re.compile(r"(?:--require|--import|--loader|-r|-javaagent:|-M)[= ]?(\S*[/.]\S+)")
_INDEXES = re.compile(
    r"(?i)^(?:pip_(?:extra_)?index_url|uv_(?:extra_)?index_url|uv_default_index|npm_config_registry|yarn_registry|bundle_mirror.*)$"
)
_MODELS = re.compile(
    r"^(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GEMINI|MISTRAL|COHERE|DEEPSEEK)_(?:API_)?(?:BASE(?:_URL)?|ENDPOINT|HOST)$"
)
_OFFICIAL = (
    "anthropic.com openai.com azure.com googleapis.com amazonaws.com mistral.ai cohere.com deepseek.com openrouter.ai "
    "groq.com "
    "registry.npmjs.org pypi.org registry.yarnpkg.com registry.npmmirror.com pypi.tuna.tsinghua.edu.cn"
).split()
_SYSTEM = ("/usr/", "/lib", "/opt/", "/nix/", "lib")


def obeyed(scope: Scope, site: Site, name: str, text: str) -> None:
    """Read what a variable's value makes programs do from then on."""
    if not name.isupper() and not name.startswith("npm_config_"):
        return
    reading = scope.reading
    if name in _LIBRARIES:
        for path in re.split(r"[:\s]+", text):
            if path and not path.startswith(_SYSTEM):
                reading.file("code.run", site, path, frozenset({"preload"}))
    elif name in _STARTED and text:
        reading.file("code.run", site, text, frozenset({"preload"}))
    elif name in _OPTIONS:
        for found in _LOADED.finditer(text):
            reading.file("code.run", site, found[1])
    elif name in _COMMANDS and name != "GIT_SSH_COMMAND" and text:
        reading.nest("shell", text.lstrip("| "), site.behind(name))
    elif (_INDEXES.match(name) and not _is_official(text)) or (_MODELS.match(name) and _leads_away(text)):
        flag = "package_source" if _INDEXES.match(name) else "rerouted"
        reading.emit("system.change", site, f"{name} {text}", frozenset({flag}))


def _is_official(url: str) -> bool:
    host = host_of(url)
    return not url or HOLE in url or host.endswith(tuple(_OFFICIAL)) or "local" in host_flags(url)


def _leads_away(url: str) -> bool:
    return "://" in url and not _is_official(url) and "private" not in host_flags(url)
