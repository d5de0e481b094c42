"""The origin of a folder: the repository that it is in, its commit, and whether it has uncommitted changes."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from interlock.errors import InterlockError
from interlock.patterns import late
from interlock.policies.folder import is_policy_file, list_policy_files
from interlock.policies.origin import PolicyOrigin
from interlock.sanitise import plain

_SECONDS = 30
#: A remote in the short form of ssh: `git@github.com:acme/policies.git`.
_SHORT_REMOTE = late(r"^(?:[^@/:]+@)?([^/:]+):(?!//)(.+)$")


def find_origin(folder: Path, name: str | None, commit: str | None, author: str | None) -> PolicyOrigin:
    """Return the origin of a folder. Options override git."""
    top = _top(folder)
    if top is None:
        return _origin(name or folder.resolve().name or "/", commit=commit or "", author=author or "")
    inside, repository = folder.resolve().relative_to(top), _repository(folder, top)
    path = inside.as_posix() if inside.parts else ""
    said = _git(folder, "log", "-1", "--format=%H%n%an <%ae>", optional=True).split("\n")
    head, by = said if len(said) == 2 else ("", "")
    return _origin(
        name or f"{repository}/{path}".rstrip("/"),
        repository=repository,
        path=path,
        commit=commit or head,
        author=author or by,
        dirty=_is_dirty(folder),
    )


def _origin(name: str, *, dirty: bool = False, **texts: str) -> PolicyOrigin:
    longest = {"name": 200, "commit": 100}
    shown = {key: plain(text)[: longest.get(key, 300)] for key, text in {"name": name, **texts}.items()}
    return PolicyOrigin(dirty=dirty, **shown)


def _top(folder: Path) -> Path | None:
    """Return the root of the repository that a folder is in, or None."""
    here = folder.resolve()
    if not any((parent / ".git").exists() for parent in (here, *here.parents)):
        return None
    return Path(_git(folder, "rev-parse", "--show-toplevel"))


def _repository(folder: Path, top: Path) -> str:
    """Return the name of a repository: its remote without scheme and credentials, or the name of its folder."""
    remote = _git(folder, "config", "--get", "remote.origin.url", optional=True)
    return name_remote(remote) or top.name


def name_remote(url: str) -> str:
    """Return the host and path of a remote, however its URL is written, or an empty text.

    >>> name_remote("https://ci:secret@github.com/acme/policies.git"), name_remote("git@github.com:acme/policies.git")
    ('github.com/acme/policies', 'github.com/acme/policies')
    """
    short = _SHORT_REMOTE.match(url)
    try:
        host, path = (short[1], short[2]) if short else (urlsplit(url).hostname or "", urlsplit(url).path)
    except ValueError:  # not a URL, and not a path
        return ""
    path = re.sub(r"\.git/?$", "", path).strip("/")
    return f"{host}/{path}" if host else path


def _is_dirty(folder: Path) -> bool:
    """Whether the TOML files of a folder are not those of the commit: changed, new, ignored or deleted.

    They are compared here: `git status` would run programs that the repository's configuration names.
    """
    said = _git(folder, "ls-tree", "-r", "-z", "HEAD", "--", ".", optional=True).split("\0")
    entries = (entry.partition("\t") for entry in said)
    committed = {path: about.split()[-1] for about, _, path in entries if is_policy_file(path)}
    found = {file.relative_to(folder).as_posix(): file.read_bytes() for file in list_policy_files(folder)}
    return committed.keys() != found.keys() or any(
        committed[path] not in _blob_ids(data, len(committed[path])) for path, data in found.items()
    )


def _blob_ids(data: bytes, length: int) -> set[str]:
    """Return the ids that git may have for a file: of its content as it is, or with Unix line endings."""
    algorithm = hashlib.sha256 if length == 64 else hashlib.sha1
    texts = (data, data.replace(b"\r\n", b"\n"))
    return {algorithm(b"blob %d\0" % len(text) + text).hexdigest() for text in texts}


def _git(folder: Path, *words: str, optional: bool = False) -> str:
    """Return the output of git. These commands run nothing that the repository's configuration names.

    An object that is missing in a partial clone would be fetched, by a program that the configuration may name: no
    protocol is allowed.
    """
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"]
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603 - the words are ours
            [*command, *words], cwd=folder, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_answer(folder, str(error)) from None
    if done.returncode and not optional:
        raise _no_answer(folder, done.stderr.decode("utf-8", "replace"))
    return "" if done.returncode else done.stdout.decode("utf-8", "replace").rstrip("\n")


def _no_answer(folder: Path, said: str) -> InterlockError:
    first = plain(said.strip().partition("\n")[0])[:300]
    return InterlockError(f"could not read the commit of `{folder}` from git: {first}")
