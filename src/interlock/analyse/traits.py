"""Traits: what the names in a path say about it, wherever it is."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache

from interlock.analyse import names
from interlock.analyse.names import words
from interlock.patterns import late

_GLOB = frozenset("*?[")
_LITERAL = late(r"\[[^\]]*\]|[*?]")
# What a pattern must not reach unseen: `cat ~/.ss*/id_*` reads a key.
_GUARDED = tuple(dict.fromkeys(["interlock.toml", *names.NAMES, *names.FOLDERS, "credentials", *words.SECRET_WORDS]))
_WORDS = late(r"[^-_. ]+")
_LONGEST = max(path.count("/") for path in names.PATHS) + 1

# Another process's memory and environment, in which its keys stand.
_PROCESS = late(r"^/proc/(?:[^/]+/(?:task/[^/]+/)?(?:environ|mem|fd/.*)|kcore)$|^/dev/(?:k?mem|vcsa?\d*)$")
_OTHER_ROOT = late(r"^/proc/[^/]+/root(?:/|$)")

MAX_PATH = 1_024  # a longer path is no file's, and must not stay in memory
NONE: frozenset[str] = frozenset()


def traits(path: str) -> frozenset[str]:
    """Return what the names in a path say about it: `secret`, `startup`, `agent_config`, ….

    >>> sorted(traits("/home/u/.ssh/id_rsa"))
    ['secret', 'ssh_key']
    >>> sorted(traits("src/main.py"))
    []
    """
    return _traits(path[-MAX_PATH:])


@lru_cache(maxsize=4096)
def _traits(path: str) -> frozenset[str]:
    parts = path.replace("\\", "/").lower().rstrip("/").split("/")
    if not _GLOB.isdisjoint(path):
        parts = [_reached(part) for part in parts]
    name = parts[-1]
    found = set(_of_folders(parts).split())
    found.update(_of_name(name).split())
    for (folder, ending), meaning in names.FOLDER_SUFFIXES.items():
        if name.endswith(ending) and folder in parts:
            found.update(meaning.split())
    if _PROCESS.match(path) and not path.startswith("/proc/self/fd/"):
        found.update(("secret", "process_memory"))
    if _OTHER_ROOT.match(path):
        found.add("other_root")
    if "secret" not in found and name not in names.NAMES and _is_secret_data(parts):
        found.add("secret")
    if "secret" in found and _is_public(parts):
        found.discard("secret")
    return frozenset(found) if found else NONE


def _reached(part: str) -> str:
    """Return the name that means something and that a pattern reaches, or the pattern itself."""
    if _GLOB.isdisjoint(part):
        return part
    stem = part[: part.rfind(".")] if part.rfind(".") > 0 else part  # an ending alone names nothing
    spelled = len(_LITERAL.sub("", stem))
    begins = len(_LITERAL.split(stem)[0])
    return next(
        (known for known in _GUARDED if (begins > 2 or 2 * spelled >= len(known)) and fnmatchcase(known, part)), part
    )


def _of_folders(parts: list[str]) -> str:
    """Return what the folders in a path say: several names in a row before a single one."""
    meanings = []
    at, count = 0, len(parts)
    while at < count:
        for length in range(min(_LONGEST, count - at), 1, -1):
            meaning = names.PATHS.get("/".join(parts[at : at + length]))
            if meaning is not None:
                meanings.append(meaning)
                at += length
                break
        else:
            meanings.append(names.FOLDERS.get(parts[at], ""))
            at += 1
    return " ".join(meanings)


def _of_name(name: str) -> str:
    """Return what the last name says by itself: as a whole, by its ending, or as a pattern that reaches one."""
    known = names.NAMES.get(name)
    if known is not None:
        return known
    if name.startswith(".env."):
        return "secret env_file"
    dot = name.rfind(".")
    return names.SUFFIXES.get(name[dot:], "") if dot > 0 else ""


def _is_secret_data(parts: list[str]) -> bool:
    """Whether a path is a data file that is called a secret: `config/secrets/api.json`, `db-password.txt`."""
    name = parts[-1]
    dot = name.rfind(".")
    if dot > 0 and name[dot:] not in words.DATA_SUFFIXES:
        return False
    if len(parts) > 1 and parts[-2] in words.SECRET_FOLDERS:
        return True
    said = _WORDS.findall(name[:dot] if dot > 0 else name)
    if len(said) > 1 and said[-1] in words.VARIANTS:  # `credentials_prod.json`
        said.pop()
    return bool(said) and (said[-1] in words.SECRET_WORDS or tuple(said[-2:]) in words.SECRET_PAIRS)


def _is_public(parts: list[str]) -> bool:
    """Whether a path that looks like a secret is meant for everyone: a public key, a template, a certificate."""
    name = parts[-1]
    if "/".join(parts[-2:]) in words.PUBLIC or name.endswith(words.PUBLIC_SUFFIXES):
        return True
    return name.endswith(".pem") and not words.PUBLIC_WORDS.isdisjoint(_WORDS.findall(name))
