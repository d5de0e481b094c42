"""Clients of code forges (`gh`, `glab`): API requests, and commands that publish files."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from interlock.analyse.argv import parse
from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.readers import FORGES as NAMES
from interlock.analyse.shell.readers.service_clients import client
from interlock.analyse.shell.services.stored_aliases import find_alias, read_alias_list, run_alias, store_alias
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_FIELDS = frozenset("-f -F --field --raw-field --input".split())
_GUARDS = late(
    r"/protection|/rulesets|vulnerability-alerts|/secret-scanning|code-scanning|/actions/permissions|/pending_deployments"
    r"|/approval|/protected_|/push_rule|/branch-restrictions|/environments/"
)
_RIGHTS = late(
    r"/collaborators/|/keys\b|/memberships/|/hooks\b|/teams/[^/]+/repos|/invitations|/runners\b|/members\b|/installations"
    r"|/deploy_tokens|/access_tokens|/variables\b|/secrets\b"
)
_RELEASES = late(
    r"/deployments\b|/releases\b|/dispatches$|/merge$|/merges$|/pages\b|/git/refs|/trigger/pipeline|/play$"
)
_DELETING = late(r"\b(delete|remove)[A-Z]")
_PUBLIC = late(r"(?i)^(visibility=public|private=false)$")
_PUBLIC_IN_JSON = late(r"\"(?:visibility\"\s{0,4}:\s{0,4}\"public\"|private\"\s{0,4}:\s{0,4}false)")
_PUBLISHING = frozenset(
    {("gist", "create"), ("gist", "new"), ("gist", "edit"), ("release", "upload"), ("release", "create")}
)


def forge(call: ShellCall) -> Flow:
    """Analyse a call of a forge's client."""
    parsed = parse(call.words, PROGRAMS[call.program])
    named = tuple(value.text for value in parsed.operands[:2])
    if named[:1] == ("api",) and not {"--help", "-h"} & parsed.options.keys():
        return _api(call, parsed)
    reading = call.scope.reading
    first = len(reading.effects)
    for value in parsed.operands[2:] if named in _PUBLISHING else ():
        reading.file("fs.read", call.site, value.text)
    if named[:1] == ("alias",):
        _read_aliases(call, parsed, named)
    stored = find_alias(call.scope, call.program, named[0]) if named else None
    if stored is not None:  # a command by that name may exist as well
        run_alias(call, call.program, stored, call.words[parsed.operands[0].at + 1 :])
    taken = any(effect.kind == "secret.read" for effect in reading.effects[first:])
    if named == ("repo", "clone") and "--" in call.words:  # what follows is for `git clone`
        rest = call.words[call.words.index("--") + 1 :]
        address = [value.text for value in parsed.operands[2:3]]
        call.with_words(["git", "clone", *rest, *address], [None] * (len(rest) + 3)).tail(0, call.program)
    flow = client(call, frozenset({"secret"}) if taken else NONE)
    if named in _DRAFTED and not taken:
        _mark_draft_release(call, first)
    return flow


def _read_aliases(call: ShellCall, parsed: ParsedArguments, named: tuple[str, ...]) -> None:
    """Keep the aliases that a command defines, or takes from a file of this run, and read those that run a shell."""
    if named == ("alias", "set"):
        texts = [value.text for value in parsed.operands[2:4]]
        shell = "!" if "--shell" in parsed.options or "-s" in parsed.options else ""
        defined = [(texts[0], shell + texts[1].removeprefix(shell))] if len(texts) > 1 else []
    elif named == ("alias", "import"):
        defined = [one for value in parsed.operands[2:3] for one in read_alias_list(_known_text(call, value.text))]
    else:
        return
    for name, meaning in defined:
        store_alias(call.scope, call.program, name, meaning)
        if meaning.startswith("!"):
            call.scope.reading.nest("shell", meaning[1:], call.site.behind(call.words[0]))


def _known_text(call: ShellCall, path: str) -> str:
    """Return the text of a file that this run has written, or an empty text."""
    reading = call.scope.reading
    held = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    return (held.text if held is not None else None) or ""


_DRAFTED = frozenset({("release", "create"), ("release", "new")})
_DRAFT = frozenset({"--draft", "--draft=true", "-d"})


def _mark_draft_release(call: ShellCall, first: int) -> None:
    """Take a release that stays a draft as a change which nobody else sees until it is published."""
    reading = call.scope.reading
    revoked = any(word.startswith("--draft=") and word != "--draft=true" for word in call.words)
    if call.program != "gh" or revoked or _DRAFT.isdisjoint(call.words):
        return
    for at in range(first, len(reading.effects)):
        effect = reading.effects[at]
        if effect.kind == "deploy.release":
            reading.effects[at] = msgspec.structs.replace(effect, kind="vcs.push")


def _api(call: ShellCall, parsed: ParsedArguments) -> Flow:
    """Analyse an API request by its method, its path and its fields."""
    reading, site = call.scope.reading, call.site
    path = " ".join(value.text for value in parsed.operands[1:2])
    secret = _read_fields(call)
    method = (parsed.options.get("-X") or parsed.options.get("--method") or "").upper()
    given = _known_text(call, parsed.options.get("--input") or "")
    if not method:
        method = "POST" if _FIELDS & parsed.options.keys() and not _is_query([*call.words, given], path) else "GET"
    if method in ("GET", "HEAD", "OPTIONS"):
        reading.emit("vcs.read", site, path)
        return UNKNOWN
    flags = {"forge", "api", *(["unguarded"] if _GUARDS.search(path) else ())}
    flags |= secret
    if _RIGHTS.search(path):
        flags.add("granted")
    if "archived=true" in call.words:
        flags.add("archived")
    if any(_PUBLIC.match(word[:40]) for word in call.words) or _PUBLIC_IN_JSON.search(given):
        flags.add("public")
    if _RELEASES.search(path) and method != "DELETE":
        reading.emit("deploy.release", site, path, frozenset(flags))
        return UNKNOWN
    deletes = method == "DELETE" or any("mutation" in word and _DELETING.search(word) for word in [*call.words, given])
    reading.emit("infra.destroy" if deletes else "vcs.push", site, path, frozenset(flags))
    return UNKNOWN


def _read_fields(call: ShellCall) -> frozenset[str]:
    """Report the files that the fields and the body of a request are taken from; return the flag of secrets in them."""
    reading = call.scope.reading
    first = len(reading.effects)
    for at, word in enumerate(call.words[1:], 1):
        name, equals, text = word.partition("=")
        value = text if equals and name[:2] == "--" else next(iter(call.words[at + 1 : at + 2]), "")
        if name == "--input" and value != "-":
            reading.file("fs.read", call.site, value)
        elif name in ("-F", "--field") and "=@" in value and not value.endswith("=@-"):
            reading.file("fs.read", call.site, value.partition("=@")[2])
    taken = any(effect.kind == "secret.read" for effect in reading.effects[first:])
    return frozenset({"secret"}) if taken or "secret" in call.stdin.marks else NONE


def _is_query(words: list[str], path: str) -> bool:
    """Whether a GraphQL request only reads."""
    return path == "graphql" and not any("mutation" in word for word in words)


FORGES: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(NAMES, forge)
