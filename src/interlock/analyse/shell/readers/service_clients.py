"""Clients of services (`aws`, `gcloud`, …), read by the verb and the resources among their words."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.readers import CLIENTS
from interlock.analyse.shell.readers.client_arguments import copies_to_here, read_carried_command, read_copy
from interlock.analyse.shell.scope import CAPTURED
from interlock.analyse.shell.services.client_vocabulary import (
    CHANGE,
    DESTROY,
    OWN_COMMANDS,
    PREPARE,
    READ,
    TOOL_COMMANDS,
    classes_of,
    find_verb,
    names_listing,
    shows_credentials,
)
from interlock.analyse.shell.services.labelling import only_labels
from interlock.effects import READS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments, find_values
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Client, Program
from interlock.knowledge.command import ClientCall as CallMeaning
from interlock.patterns import late

# Grants to everyone, in the syntax of different services.
_WORLD = late(
    r"(?i)\b(allUsers|allAuthenticatedUsers)\b|(^|[=\",'\[{ ])(0\.0\.0\.0/0|::/0)|^(--acl=)?public-read(-write)?$"
    r"|\"Principal\"\s*+:\s*+(\"\*\"|{\s*+\"AWS\"\s*+:\s*+\"\*\")|\bGroup=all\b|global/AllUsers"
)
# Administrator roles, in the syntax of different services.
_ADMIN = late(
    r"(?i)(^|[/:= ])(AdministratorAccess|PowerUserAccess|IAMFullAccess|roles/(owner|editor|iam\.[a-z]*admin)"
    r"|Owner|Contributor|User Access Administrator|cluster-admin)$|\"Action\"\s*+:\s*+(\[\s*+)?\"\*\""
)
_PLAIN = late(r"[A-Za-z][\w:.-]*")
# Effects that send data to others, so that the provenance of the data matters.
_SENDING = frozenset({"message.send", "net.send", "deploy.release", "vcs.push"})
_COPYING = frozenset("cp mv sync copy rsync upload upload-batch put-object put c s mirror".split())
_CODE = frozenset({"code:sql", "code:shell"})
_PRIVATE = frozenset({"secret.read", "env.read"})
# Clients whose command stands before its options.
_LEADING = frozenset({"aws", "azure", "gcloud"})
MAX_WORDS = 8
MAX_LENGTH = 80


class Interpretation(NamedTuple):
    """One way to read a command's words: the verb's position, the kind of effect and its flags."""

    words: list[str]
    kind: str
    at: int
    flags: frozenset[str]
    entry: tuple[CallMeaning, int] | None


def client(call: ShellCall, taken: frozenset[str] = NONE) -> Flow:
    """Analyse a call of a service client; `taken` are the provenance marks of data that it sends."""
    return read_client(call, PROGRAMS[call.program], taken)


def read_client(call: ShellCall, spec: Program, taken: frozenset[str] = NONE) -> Flow:
    """Analyse a call of a service client by its description."""
    name = call.program
    parsed = parse(call.words, spec)
    interpretation = _interpret(call.words, parsed, spec)
    words, at = interpretation.words, interpretation.at
    flags = {*parsed.flags, *_value_flags(call.words, spec), *interpretation.flags}
    kind = _kind(call.words, parsed, spec, interpretation, flags)
    if kind == spec.as_client.changes and _only_labels(call, interpretation, flags):
        flags = {*spec.effect_flags, "labelled"}
    if kind in _SENDING:
        flags |= taken | call.stdin.marks | _hole_marks(call)
    copies = words[at] if words[at : at + 1] and words[at] in _COPYING else ""
    if copies and kind == spec.as_client.changes and copies_to_here(call, parsed, copies):
        kind = spec.as_client.reads
    if "session" in flags and CAPTURED in call.scope.variables:
        flags.add("captured")
    first = len(call.scope.reading.effects)
    call.scope.reading.emit(kind, call.site, " ".join([name, *words[: at + 2]]), frozenset(flags))
    if copies:
        read_copy(call, parsed, copies)
    read_carried_command(call, parsed, interpretation.entry, name)
    _judge_by_code(call, parsed, spec.as_client, first)
    if any(effect.kind == "env.read" and not effect.resource for effect in call.scope.reading.effects[first:]):
        call.scope.reading.emit("secret.read", call.site, name, frozenset({"store"}))
    if "session" in flags:  # a token that is printed
        return Flow(None, VALUE)
    return Flow(None, frozenset({"secret"})) if kind == "secret.read" else UNKNOWN


def _only_labels(call: ShellCall, interpretation: Interpretation, flags: set[str]) -> bool:
    """Whether nothing but labels or descriptions change, and no value says more or is taken from a file."""
    if not flags.isdisjoint(("public", "admin", "granted", "credential", "unguarded")) or _hole_marks(call):
        return False
    if any("file://" in word or "fileb://" in word or word[:1] == "@" for word in call.words):
        return False
    return only_labels(call.program, call.words, interpretation.words, interpretation.at)


def _judge_by_code(call: ShellCall, parsed: ParsedArguments, client: Client, at: int) -> None:
    """Turn a call that carries a query or a command into a read if that code only reads."""
    effects = call.scope.reading.effects
    if effects[at].kind != client.changes or not any(v.role in _CODE for v in parsed.values):
        return
    carried = [effect.kind for effect in effects[at + 1 :]]
    if carried and READS.issuperset(carried) and _PRIVATE.isdisjoint(carried):
        flags = effects[at].flags - {"remote_run", "run"}
        effects[at] = msgspec.structs.replace(effects[at], kind=client.reads, flags=flags)


def _hole_marks(call: ShellCall) -> frozenset[str]:
    """Return the provenance marks of the unknown parts of the words."""
    found = NONE
    for word in call.words:
        if HOLE in word:
            found |= call.scope.reading.marks(word)
    return found


def _interpret(arguments: list[str], parsed: ParsedArguments, spec: Program) -> Interpretation:
    """Return what the command does. A word after an unknown option may be its value: the worse reading counts."""
    table = spec.option_table
    certain = [
        value
        for value in parsed.operands
        if (before := arguments[value.at - 1])[:1] != "-" or "=" in before or before == "--" or before in table
    ]
    interpretation = _interpret_words(parsed.operands, spec)
    if not _LEADING.isdisjoint(spec.effect_flags):
        leading = _interpret_words(_leading_operands(parsed.operands), spec)
        if _rank(leading.kind, spec) > _rank(interpretation.kind, spec):
            interpretation = leading
    if len(certain) < len(parsed.operands):
        other = _interpret_words(certain, spec)
        return other if _rank(other.kind, spec) > _rank(interpretation.kind, spec) else interpretation
    return interpretation


def _leading_operands(operands: list[ArgumentValue]) -> list[ArgumentValue]:
    """Return the operands before the next option: options of some clients take several values."""
    found = operands[:1]
    for value in operands[1:]:
        if value.at != found[-1].at + 1:
            break
        found.append(value)
    return found


def _command_words(operands: list[ArgumentValue], spec: Program) -> tuple[list[str], frozenset[int]]:
    """Return the first operands split at `:`, and the positions of parts that continue the word before them."""
    words: list[str] = []
    joined: set[int] = set()
    for value in operands[:MAX_WORDS]:
        text = value.text[:MAX_LENGTH]
        if text in spec.as_client.skip and not words:
            continue
        parts = [part for part in text.split(":") if part] if _PLAIN.fullmatch(text) else [text]
        joined.update(range(len(words) + 1, len(words) + len(parts)))
        words += parts
    return words, frozenset(joined)


def _interpret_words(operands: list[ArgumentValue], spec: Program) -> Interpretation:
    """Interpret operands by the verb among them and by the program's table of commands."""
    client = spec.as_client
    words, joined = _command_words(operands, spec)
    verb = find_verb(words, client.verb_from if len(words) > 1 else 0, client.verb_within)
    looks = len(words) <= client.verb_from or names_listing(words)
    at, (does, flag) = verb or (len(words) - 1, (READ if looks else CHANGE, ""))
    if (
        does == CHANGE
        and words[:1]
        and (words[0] in OWN_COMMANDS or (not client.verb_from and _is_tool_command(words, at)))
    ):
        does = PREPARE
    flags = classes_of(tuple(words[: at + 1]))
    if flag:
        flags |= {flag}
    if does == READ and shows_credentials(words[: at + 1]):
        flags |= {"session"}
    kind, entry = client.kinds[does], spec.find_call(words, joined)
    if entry is not None:
        flags |= frozenset(entry[0].flags)
        kind = entry[0].makes or kind
    return Interpretation(words, kind, at, flags, entry)


def _is_tool_command(words: list[str], at: int) -> bool:
    """Whether a command of a tool works on the project: `build`, but not `bundle deploy`."""
    return words[0] in TOOL_COMMANDS and (at == 0 or words[at] not in _DEPLOYING)


_DEPLOYING = frozenset("deploy publish push promote release rollback upload run".split())


def _rank(kind: str, spec: Program) -> int:
    kinds = spec.as_client.kinds
    return kinds.index(kind) if kind in kinds else DESTROY if kind == "secret.read" else CHANGE


def _kind(
    arguments: list[str], parsed: ParsedArguments, spec: Program, interpretation: Interpretation, flags: set[str]
) -> str:
    """Return the kind of effect, given the options; add the flags of what the options grant."""
    kinds = spec.as_client.kinds
    if _changes_nothing(arguments, interpretation.words, spec):
        return kinds[READ]
    kind = parsed.kind or interpretation.kind
    if kind == kinds[CHANGE] and "detached" not in flags:
        flags |= _grant_flags(arguments, interpretation.words)
    if interpretation.words[interpretation.at : interpretation.at + 1] == ["scale"] and any(
        word == "0" or word.endswith("=0") for word in arguments
    ):
        flags.add("to_zero")
    return kinds[DESTROY] if "destroys" in flags else kind


def _changes_nothing(arguments: list[str], words: list[str], spec: Program) -> bool:
    """Whether the command only prints help, or is a dry run."""
    if words[:1] == ["help"] or (words[-1:] == ["help"] and len(words) <= 3 and "aws" in spec.effect_flags):
        return True
    table = spec.option_table
    said = {flag for word in arguments[1:] if word in table for flag in table[word].flags}
    if words[:1] == ["rsync"] and "-n" in arguments:  # in other commands of `gsutil`, `-n` keeps what is there
        return True
    return "help" in said or ("dry_run" in said and not _is_taken_back(arguments))


def _is_taken_back(arguments: list[str]) -> bool:
    """Whether an option takes a dry run back: `--no-dry-run`, `--dry-run=false`."""
    from interlock.analyse.shell.services.local_systems import is_rehearsal

    return any(word.startswith(_DRY_RUNS) for word in arguments) and not is_rehearsal(arguments)


_DRY_RUNS = ("--dry-run", "--dryrun", "--dry_run", "--no-dry")


def _grant_flags(arguments: list[str], words: list[str]) -> set[str]:
    """Return `public` for a grant to everyone, and `admin` for an administrator role."""
    found = set()
    for word in arguments[1:]:
        if _WORLD.search(word) and not any("route" in part or "egress" in part for part in words):
            found.add("public")
        if _ADMIN.search(word):
            found.add("admin")
    return found


def _value_flags(arguments: list[str], spec: Program) -> set[str]:
    """Return the flags of option values that the program's table describes."""
    table = spec.value_table
    found: set[str] = set()
    for name, given in find_values(arguments[1:], table) if table else ():
        search, flags = table[name]
        if search(given):
            found.update(flags)
    return found


SERVICE_CLIENTS: dict[str, Callable[[ShellCall], Flow]] = dict.fromkeys(CLIENTS, client)
