"""Traits: what the names in a path say about it, wherever it is."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache

# What a path's name says about it: a name anywhere in it, its last name, or its ending.
_FOLDER_TRAITS = {
    ".ssh": "secret",
    ".aws": "secret",
    ".gnupg": "secret",
    ".kube": "secret",
    ".azure": "secret",
    ".password-store": "secret",
    "gcloud": "cloud_config",
    ".git": "git_internal",
    "cron.d": "startup",
    "cron.daily": "startup",
    "cron.hourly": "startup",
    "crontabs": "startup",
    "sudoers.d": "privileges",
    "systemd": "startup",
    "init.d": "startup",
    "autostart": "startup",
    "LaunchAgents": "startup",
    "LaunchDaemons": "startup",
    "profile.d": "startup",
    ".claude": "agent_config",
    ".codex": "agent_config",
    ".gemini": "agent_config",
    ".cursor": "agent_config",
    ".interlock": "guard_config",
}
_NAME_TRAITS = {
    ".env": "secret",
    ".envrc": "secret",
    ".netrc": "secret",
    "_netrc": "secret",
    ".pgpass": "secret",
    ".my.cnf": "secret",
    ".npmrc": "secret",
    ".pypirc": "secret",
    ".git-credentials": "secret",
    ".htpasswd": "secret",
    ".vault-token": "secret",
    "id_rsa": "secret",
    "id_dsa": "secret",
    "id_ecdsa": "secret",
    "id_ed25519": "secret",
    "shadow": "secret",
    "gshadow": "secret",
    "credentials": "secret",
    "credentials.json": "secret",
    "application_default_credentials.json": "secret",
    "service-account.json": "secret",
    "secrets.json": "secret",
    "secrets.yaml": "secret",
    "secrets.yml": "secret",
    "authorized_keys": "startup",
    ".bashrc": "startup",
    ".bash_profile": "startup",
    ".bash_login": "startup",
    ".profile": "startup",
    ".zshrc": "startup",
    ".zprofile": "startup",
    ".zshenv": "startup",
    "config.fish": "startup",
    "crontab": "startup",
    "rc.local": "startup",
    "sudoers": "privileges",
    "passwd": "accounts",
    "interlock.toml": "guard_config",
}
_SUFFIX_TRAITS = {".pem": "secret", ".key": "secret", ".p12": "secret", ".pfx": "secret", ".kdbx": "secret"}
# The parts of secret folders that are meant to be read by everyone, and templates without secrets in them.
_PUBLIC = frozenset({".ssh/config", ".ssh/known_hosts", ".aws/config", ".azure/config"})
_PUBLIC_SUFFIXES = (".pub", ".example", ".sample", ".template", ".dist")


_GLOB = frozenset("*?[")
_GUARDED = ("interlock.toml",)  # what a pattern must not reach unseen

MAX_PATH = 1_024  # a longer path is no file's, and must not stay in memory


def traits(path: str) -> frozenset[str]:
    """Return what the names in a path say about it: `secret`, `startup`, `agent_config`, ….

    >>> sorted(traits("/home/u/.ssh/id_rsa"))
    ['secret']
    >>> sorted(traits("src/main.py"))
    []
    """
    return _traits(path[-MAX_PATH:])


@lru_cache(maxsize=4096)
def _traits(path: str) -> frozenset[str]:
    parts = path.split("/")
    name = parts[-1] or (parts[-2] if len(parts) > 1 else "")
    found = {_FOLDER_TRAITS[part] for part in parts if part in _FOLDER_TRAITS}
    if name in _NAME_TRAITS:
        found.add(_NAME_TRAITS[name])
    elif name.startswith(".env."):
        found.add("secret")
    elif not _GLOB.isdisjoint(name) and name.strip("*.") and any(fnmatchcase(guarded, name) for guarded in _GUARDED):
        found.add("guard_config")
    dot = name.rfind(".")
    if dot > 0 and name[dot:] in _SUFFIX_TRAITS:
        found.add("secret")
    if "secret" in found and ("/".join(parts[-2:]) in _PUBLIC or name.endswith(_PUBLIC_SUFFIXES)):
        found.discard("secret")
    if "git_internal" in found and "hooks" in parts:
        found.add("startup")
    return frozenset(found)
