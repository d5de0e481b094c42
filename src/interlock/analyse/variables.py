"""Variables of the environment that do more than hold a value: they load code, run commands, or turn checks off."""

from __future__ import annotations

from interlock.analyse.hosts import host_flags, host_of
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import Reading, Site
from interlock.model import Place
from interlock.patterns import late

#: What setting a variable means: `library` is loaded by every program that starts, `command` is run by one, `check`
#: is a protection that the listed values turn off, `guard` says where Interlock finds what a person has configured.
VARIABLES: dict[str, str] = {
    **dict.fromkeys(("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP"), "library"),
    **dict.fromkeys(
        (
            "ENV PROMPT_COMMAND PERL5DB GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR "
            "GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS EDITOR VISUAL PAGER "
            "MANPAGER LESSOPEN LESSCLOSE BROWSER RSYNC_RSH SUDO_EDITOR SYSTEMD_EDITOR KUBE_EDITOR PSQL_EDITOR"
        ).split(),
        "command",
    ),
    "NODE_TLS_REJECT_UNAUTHORIZED": "check 0",
    "PYTHONHTTPSVERIFY": "check 0",
    "GOINSECURE": "check *",
    "GONOSUMCHECK": "check 1 true",
    "GIT_SSL_NO_VERIFY": "check 1 true yes on",
    "HISTFILE": "history /dev/null",
    "HISTSIZE": "history 0",
    "HISTFILESIZE": "history 0",
    **dict.fromkeys(("INTERLOCK_HOME", "INTERLOCK_STORE", "INTERLOCK_PROMPT"), "guard"),
    **dict.fromkeys(("NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"), "options"),
    **dict.fromkeys(
        (
            "PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX npm_config_registry "
            "NPM_CONFIG_REGISTRY YARN_REGISTRY GOPROXY"
        ).split(),
        "source",
    ),
    **dict.fromkeys(
        (
            "ANTHROPIC_BASE_URL OPENAI_BASE_URL OPENAI_API_BASE GEMINI_BASE_URL GOOGLE_GEMINI_BASE_URL "
            "MISTRAL_BASE_URL COHERE_BASE_URL DEEPSEEK_BASE_URL AZURE_OPENAI_ENDPOINT"
        ).split(),
        "model",
    ),
    **dict.fromkeys("http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY".split(), "proxy"),
    "PATH": "path",
    "SSH_AUTH_SOCK": "agent",
}

_LOADED = late(r"(?:--require|--import|--loader|-r|-javaagent:|-M)[= ]?(\S*[/.]\S+)")
_USUAL = tuple(
    (
        "anthropic.com openai.com azure.com googleapis.com amazonaws.com mistral.ai cohere.com deepseek.com "
        "openrouter.ai groq.com"
    ).split()
)
# What it means to go somewhere else for packages, for a model, or through a proxy, which many networks need.
_REROUTING = {"source": "system.change package_source", "model": "system.change rerouted", "proxy": "system.tune"}
_GUARD = frozenset({"guard_config"})


def read_variable(reading: Reading, name: str, text: str, site: Site) -> None:
    """Put into the reading what setting a variable to a text does."""
    meaning, _, values = VARIABLES.get(name, "").partition(" ")
    if not meaning:
        return
    if meaning == "guard":
        reading.emit("defence.disable", site, name, _GUARD)
    elif meaning == "library" and text:
        reading.file("code.run", site, text.partition(":")[0], frozenset({"preload"}))
    elif meaning == "command":
        _command(reading, name, text, site)
    elif meaning == "check" and text.lower() in values.split():
        reading.emit("defence.disable", site, name, frozenset({"certificates"}))
    elif meaning == "history" and text in ("", *values.split()):
        reading.emit("trace.erase", site, name, frozenset({"history"}))
    elif meaning == "options":
        for found in _LOADED.finditer(text):
            reading.file("code.run", site, found[1], frozenset({"preload"}))
    elif meaning in _REROUTING and _leads_away(text):
        kind, *flags = _REROUTING[meaning].split()
        reading.emit(kind, site, f"{name} {text}", frozenset(flags))
    elif meaning == "path" and _reaches_scratch(reading, text, site):
        reading.file("code.run", site, text.partition(":")[0], frozenset({"search_path"}))
    elif meaning == "agent" and reading.places.locate(text, site.cwd)[0] is Place.SCRATCH:
        reading.emit("secret.read", site, text, frozenset({"secret", "agent_socket"}))


def _leads_away(url: str) -> bool:
    """Whether an address is neither this machine nor one of those that everybody uses."""
    if "://" not in url or HOLE in url:
        return False
    return not host_of(url).endswith(_USUAL) and not {"local", "private"} & host_flags(url)


def _command(reading: Reading, name: str, text: str, site: Site) -> None:
    """Read the command that a variable names; the bare name of a program says nothing that its own call would not."""
    if text and HOLE not in text and any(char in text for char in " /|;&$`"):
        reading.nest("shell", text, site.behind(name))


def _reaches_scratch(reading: Reading, text: str, site: Site) -> bool:
    """Whether programs would first be looked for where anyone can put one."""
    first = text.partition(":")[0]
    return first[:1] == "/" and reading.places.locate(first, site.cwd)[0] is Place.SCRATCH
