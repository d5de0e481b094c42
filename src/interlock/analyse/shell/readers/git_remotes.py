"""Remotes of git: which addresses are the work's own, and which a push would newly bring it to."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.addresses.destinations import ELSEWHERE, address_of, destination_flags
from interlock.analyse.flow import NONE
from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

_SCP_LIKE = late(r"[\w.-]+@[\w.-]+:\S")
#: Names that a repository's own remotes have.
_OWN_NAMES = frozenset({"origin", "upstream", "fork"})
_STRANGER = frozenset({"stranger"})
#: Subcommands that push in their own way, with the word that says so.
_PUSHING = {"subtree": "push", "lfs": "push", "annex": "copy"}
_SETTING = late(r"^remote\.(.+)\.(?:push)?url$")
_REFSPEC = late(r"^remote\.(.+)\.push$")
_LFS = late(r"^(?:lfs\.url|remote\..+\.lfsurl)$")
#: Settings that name the remote, or the address, to which a push goes that names none.
_LEADING = late(r"(?i)^(?:branch\..+\.(?:push)?remote|remote\.pushdefault)$")
_UPSTREAM = late(r"(?:--set-upstream-to=|-u=?)?(?P<remote>[\w.-]+)/\S+")
#: Under what the refspec of a remote, the server for large files, and where plain pushes lead are remembered.
_PUSHED, _LARGE, _LED = "push:", "lfs:", "led:"


def record_remote(call: ShellCall, name: str, rest: list[str]) -> None:
    """Remember a remote that this action adds or changes: `git remote add`, `set-url`, `git config remote.x.url`."""
    words = [word for word in rest if not word.startswith("-")]
    if name == "remote" and len(words) > 2 and words[0] in ("add", "set-url"):
        call.scope.reading.remotes[words[1]] = words[2]
    elif name == "remote" and len(words) > 2 and words[0] == "rename":
        _rename_remote(call, words[1], words[2])
    elif name == "config" and len(words) > 1:
        record_setting(call, words[-2], words[-1])
    elif name == "branch":
        _record_upstream(call, rest)


def _rename_remote(call: ShellCall, old: str, new: str) -> None:
    """Remember that a remote has another name."""
    remotes = call.scope.reading.remotes
    if old in remotes:
        remotes[new] = remotes.pop(old)


def _record_upstream(call: ShellCall, rest: list[str]) -> None:
    """Remember the remote of the branch that `git branch -u` sets as the one that is pushed to."""
    for at, word in enumerate(rest):
        given = rest[at + 1] if word in ("-u", "--set-upstream-to") and at + 1 < len(rest) else word
        found = _UPSTREAM.fullmatch(given) if word.startswith(("-u", "--set-upstream-to")) else None
        if found is not None:
            call.scope.reading.remotes[f"{_LED}upstream"] = found["remote"]


def is_forced_by_setting(call: ShellCall, rest: list[str]) -> bool:
    """Whether a setting that this run has made makes a plain push overwrite a branch, or go to a shared one."""
    names = [word for word in rest if not word.startswith("-")]
    refspec = call.scope.reading.remotes.get(_PUSHED + (names[0] if names else "origin"), "")
    return len(names) < 2 and (refspec.startswith("+") or _SHARED.fullmatch(refspec.rpartition(":")[2]) is not None)


def record_setting(call: ShellCall, key: str, value: str) -> None:
    """Remember the address of a remote that a setting names (`-c remote.origin.pushurl=…`), and what is pushed."""
    remotes = call.scope.reading.remotes
    if found := _SETTING.match(key):
        remotes[found[1]] = value
    elif found := _REFSPEC.match(key):
        remotes[_PUSHED + found[1]] = value
    elif _LFS.match(key):
        remotes[_LARGE] = value
    elif _LEADING.match(key):
        remotes[_LED + key.lower()] = value


def stranger_flags(call: ShellCall, rest: list[str]) -> frozenset[str]:
    """Return the flag `stranger` for a push to an address that is none of the repository's remotes."""
    large = call.scope.reading.remotes.get(_LARGE)
    if large is not None and not _is_own(call, "origin", large):
        return _STRANGER
    for word in rest:
        value = word.partition("=")[2] if word.startswith("--repo=") else word
        if value.startswith("-"):
            continue
        if "://" in value or _SCP_LIKE.match(value):
            return NONE if _is_near(call, value) else _STRANGER
        added = call.scope.reading.remotes.get(value)
        if added is not None:
            return NONE if _is_own(call, value, added) else _STRANGER
        return NONE
    return _STRANGER if any(_is_stranger(call, name) for name in _default_remotes(call)) else NONE


def _default_remotes(call: ShellCall) -> Iterator[str]:
    """Yield the remotes to which a push may go that names none. Which branch it is on is not known."""
    yield "origin"
    yield from (value for key, value in call.scope.reading.remotes.items() if key.startswith(_LED))


def _is_stranger(call: ShellCall, remote: str) -> bool:
    """Whether a remote of this name, or an address in place of it, is not one of the work's own."""
    if "://" in remote or _SCP_LIKE.match(remote):
        return not _is_near(call, remote)
    added = call.scope.reading.remotes.get(remote)
    return added is not None and not _is_own(call, remote, added)


def pushes_by_itself(name: str, rest: list[str]) -> bool:
    """Whether a subcommand such as `git subtree push` pushes."""
    return name in _PUSHING and _PUSHING[name] in rest[:1]


def _flags(call: ShellCall, url: str) -> frozenset[str]:
    return destination_flags("net.send", address_of(url) or url, NONE, call.scope.reading.trusted)


def _is_near(call: ShellCall, url: str) -> bool:
    """Whether an address is on this machine, in its network, or trusted."""
    return not {"local", "private", "trusted"}.isdisjoint(_flags(call, url)) or not address_of(url)


def _is_own(call: ShellCall, name: str, url: str) -> bool:
    """Whether a remote that this action sets up is an ordinary one: near, or under its usual name at a usual forge."""
    if _is_near(call, url):
        return True
    found = _flags(call, url)
    return name in _OWN_NAMES and ELSEWHERE not in found and "deceptive" not in found


_VERSION = late(r"(?:refs/tags/)?(?:[\w./-]+@|[\w.-]+[/-](?=v))?v?\d+(?:\.\d+)+(?:[-+.]?[A-Za-z][\w.]*)?")
_RELEASE_BRANCH = late(r"(?:refs/heads/)?(?:releases?|production|prod|live|stable)")
_SHARED = late(
    r"(?:refs/heads/)?(?:main|master|trunk|mainline|develop|development|staging|releases?(?:/.+)?|prod(?:uction)?)"
)
_PLATFORMS = frozenset(
    "heroku dokku piku scalingo clever gigalixir production prod live deploy caprover render".split()
)
_RELEASING = frozenset({"--tags", "--follow-tags"})
_VALUED = frozenset({"-o", "--push-option", "--receive-pack", "--exec"})


def replaces_shared_branch(rest: list[str]) -> bool:
    """Whether a push with a lease replaces the history of a branch that others work on.

    >>> replaces_shared_branch(["--force-with-lease", "origin", "main"])
    True
    >>> replaces_shared_branch(["--force-with-lease", "origin", "fix"]), replaces_shared_branch(["origin", "main"])
    (False, False)
    """
    if not any(word.startswith("--force-with-lease") for word in rest):
        return False
    names = [word for word in rest if word[:1] != "-"]
    return any(_SHARED.fullmatch(name.rpartition(":")[2]) for name in names[1:])


def reads_as_release(rest: list[str]) -> str:
    """Return `platform` for a push to the remote of one, `version` for a tag or a release branch, or an empty text.

    >>> reads_as_release(["heroku", "main"]), reads_as_release(["origin", "v1.2.0"])
    ('platform', 'version')
    >>> reads_as_release(["origin", "fix"])
    ''
    """
    if {"-n", "--dry-run", "-d", "--delete"} & set(rest):
        return ""
    names = [word for at, word in enumerate(rest) if word[:1] != "-" and (not at or rest[at - 1] not in _VALUED)]
    if names[:1] and names[0] in _PLATFORMS:
        return "platform"
    if not _RELEASING.isdisjoint(rest):
        return "version"
    targets = [name.lstrip("+").rpartition(":")[2] for name in names[1:]]
    return "version" if any(_VERSION.fullmatch(name) or _RELEASE_BRANCH.fullmatch(name) for name in targets) else ""
