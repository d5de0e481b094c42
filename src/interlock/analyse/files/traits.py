"""Traits: flags of a path by the names in it, independent of its place."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from interlock.analyse.files import file_names
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Agents
from interlock.patterns import late

_GLOB = frozenset("*?[")
_LITERAL = late(r"\[[^\]]*\]|[*?]")
# Names that globs are matched against: `cat ~/.ss*/id_*` reads a key.
_GUARDED = tuple(
    dict.fromkeys(["interlock.toml", *file_names.NAMES, *file_names.FOLDERS, "credentials", *file_names.SECRET_WORDS])
)
_ENCRYPTED = late(r"\.(?:enc|sops)\.")
_WORDS = late(r"[^-_. ]+")
_LONGEST = max(path.count("/") for path in file_names.PATHS) + 1

# Memory and environment of processes, which contain their secrets.
_PROCESS = late(r"^/proc/(?:[^/]+/(?:task/[^/]+/)?(?:environ|mem|fd/.*)|kcore)$|^/dev/(?:k?mem|vcsa?\d*)$")
_OTHER_ROOT = late(r"^/proc/[^/]+/root(?:/|$)")

# Guards of agents by the shape of their names, where programs are installed and configured.
_AGENTS = "|".join(read_table("agents", Agents).names)
_OTHER_GUARD = late(
    r"(?:^|/)(?:\.config/|\.local/(?:bin|lib|share|state)/|etc/|usr/local/bin/|\.)(?:[a-z0-9]+[-_])?"
    rf"(?:agents?|llm|ai|mcp|prompts?|tools?|shell|commands?|{_AGENTS}|hooks?)[-_]?"
    r"(?:guards?|guardrails?|shield|firewall|approvers?|approvals?|gatekeeper|sandbox|polic(?:y|ies)|gate)(?:[-_./]|$)"
)

MAX_PATH = 1_024  # longer than any path, so that the cache stays small
NONE: frozenset[str] = frozenset()


def traits(path: str) -> frozenset[str]:
    """Return the flags of a path by the names in it: `secret`, `startup`, `agent_config`, ….

    >>> sorted(traits("/home/u/.ssh/id_rsa"))
    ['secret', 'ssh_key']
    >>> sorted(traits("src/main.py"))
    []
    """
    return _traits(path[-MAX_PATH:])


@lru_cache(maxsize=4096)
def _traits(path: str) -> frozenset[str]:
    """Return the flags of a path, cached."""
    parts = path.replace("\\", "/").lower().rstrip("/").split("/")
    if not _GLOB.isdisjoint(path):
        parts = _match_path([_match_guarded(part) for part in parts])
    name = parts[-1]
    found = set(_folder_flags(parts))
    found.update(_name_flags(name))
    for (folder, ending), flags in file_names.FOLDER_ENDINGS.items():
        if name.endswith(ending) and folder in parts:
            found.update(flags)
    if _PROCESS.match(path) and not path.startswith("/proc/self/fd/"):
        found.update(("secret", "process_memory"))
    if _OTHER_GUARD.search(path.lower()):
        found.add("other_guard")
    if _OTHER_ROOT.match(path):
        found.add("other_root")
    named = "secret" in found or "startup" in found or name in file_names.NAMES
    if not named and (_is_secret_data(parts) or _is_password_list(name)):
        found.add("secret")
    if "secret" in found and _is_public(parts):
        found.discard("secret")
    return frozenset(found) if found else NONE


@lru_cache(maxsize=1024)
def is_known_public(path: str) -> bool:
    """Whether a path is known to be public or ordinary, although its name may look like that of a secret.

    >>> is_known_public("/home/u/.ssh/known_hosts"), is_known_public("/home/u/.config/frobnicate/token")
    (True, False)
    """
    parts = path[-MAX_PATH:].replace("\\", "/").lower().rstrip("/").split("/")
    return _is_public(parts) or file_names.PATHS.get("/".join(parts[-2:])) == ()


def _match_guarded(part: str) -> str:
    """Return the first guarded name that a glob matches, or the glob itself."""
    if _GLOB.isdisjoint(part):
        return part
    stem = part[: part.rfind(".")] if part.rfind(".") > 0 else part  # the ending alone is too unspecific
    spelled = len(_LITERAL.sub("", stem))
    begins = len(_LITERAL.split(stem)[0])
    return next(
        (known for known in _GUARDED if (begins > 2 or 2 * spelled >= len(known)) and fnmatchcase(known, part)), part
    )


def _match_path(parts: list[str]) -> list[str]:
    """Return the parts of a path whose last one is a glob, with the name of a secret that it matches in that folder."""
    if _GLOB.isdisjoint(parts[-1]):
        return parts
    for known, flags in file_names.PATHS.items():
        *folders, name = known.split("/")
        if folders[:1] and folders[0][:1] != ".":  # a folder of a project, in which most files are no secrets
            continue
        if "secret" in flags and parts[-len(folders) - 1 : -1] == folders and fnmatchcase(name, parts[-1]):
            return [*parts[:-1], name]
    return parts


def _folder_flags(parts: list[str]) -> Iterator[str]:
    """Yield the flags of the folders in a path; a known path of several names precedes single folders."""
    at, count = 0, len(parts)
    while at < count:
        for length in range(min(_LONGEST, count - at), 1, -1):
            flags = file_names.PATHS.get("/".join(parts[at : at + length]))
            if flags is not None:
                yield from flags
                at += length
                break
        else:
            yield from file_names.FOLDERS.get(parts[at], ())
            at += 1


def _name_flags(name: str) -> tuple[str, ...]:
    """Return the flags of the last name, as a whole or by its ending."""
    known = file_names.NAMES.get(name)
    if known is not None:
        return known
    if name.startswith(".env."):
        return ("secret", "env_file")
    dot = name.rfind(".")
    return file_names.ENDINGS.get(name[dot:], ()) if dot > 0 else ()


def _is_secret_data(parts: list[str]) -> bool:
    """Whether a path is a data file named as a secret: `config/secrets/api.json`, `db-password.txt`."""
    name = parts[-1]
    dot = name.rfind(".")
    if _ENCRYPTED.search(name):
        return False
    if dot > 0 and name[dot:] not in file_names.DATA_ENDINGS:
        return False
    if len(parts) > 1 and parts[-2] in file_names.SECRET_FOLDERS:
        return True
    words = _WORDS.findall(name[:dot] if dot > 0 else name)
    if len(words) > 1 and words[-1] in file_names.VARIANTS:  # `credentials_prod.json`
        words.pop()
    return bool(words) and (words[-1] in file_names.SECRET_WORDS or tuple(words[-2:]) in file_names.SECRET_PAIRS)


def _is_password_list(name: str) -> bool:
    """Whether a file is a document or data in which somebody notes passwords: `All passwords.xlsx`."""
    dot = name.rfind(".")
    if dot <= 0 or name[dot:] not in file_names.NOTE_ENDINGS:
        return False
    words = _WORDS.findall(_compose(name[:dot]))
    if not file_names.ABOUT_PASSWORDS.isdisjoint(words):
        return False
    spaced = f" {' '.join(words)} "
    return any(f" {known} " in spaced for known in file_names.PASSWORD_LISTS)


def _compose(name: str) -> str:
    """Return a name with each accented letter as one character."""
    if name.isascii():
        return name
    from unicodedata import normalize  # few names need it

    return normalize("NFC", name)


def _is_public(parts: list[str]) -> bool:
    """Whether a path that looks like a secret is public: a public key, a template, a certificate."""
    name = parts[-1]
    if "/".join(parts[-2:]) in file_names.PUBLIC_PATHS or name.endswith(file_names.PUBLIC_ENDINGS):
        return True
    if _is_made_up(parts):
        return True
    return name.endswith(".pem") and not file_names.PUBLIC_WORDS.isdisjoint(_WORDS.findall(name))


#: Folders with data for tests, and words for secrets that are in use.
_FIXTURES = frozenset("fixtures fixture testdata test-data test_data __fixtures__ __mocks__ mocks golden".split())
_REAL = frozenset("prod production live real staging env".split())


def _is_made_up(parts: list[str]) -> bool:
    """Whether a file is data for tests, by its folder and its name: `tests/fixtures/fake_credentials.json`."""
    words = _WORDS.findall(parts[-1])
    if not _REAL.isdisjoint(words) or parts[-1][:1] == ".":
        return False
    return not _FIXTURES.isdisjoint(parts[:-1]) and not any(part[:1] == "." for part in parts[:-1])
