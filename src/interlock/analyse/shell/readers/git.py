"""`git`: aliases and settings that run programs, refspecs that force or delete, checkouts that discard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import is_build_output
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read, read_parsed
from interlock.analyse.shell.readers.git_remotes import (
    is_forced_by_setting,
    pushes_by_itself,
    reads_as_release,
    record_remote,
    record_setting,
    replaces_shared_branch,
    stranger_flags,
)
from interlock.analyse.shell.repositories import discards_work, find_committed_source, is_regenerable, mark_repository
from interlock.knowledge.arguments import ParsedArguments, find_values
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.command import Command
from interlock.knowledge.table_types.commands import GitSettings
from interlock.model import Place
from interlock.patterns import late

_TABLE = read_table("git-settings", GitSettings)
_CONVERTERS = frozenset(_TABLE.converters)
_SETTINGS = {name: entry.means for entry in _TABLE.settings for name in entry.names}

#: Subcommands that replace the content of files.
_REPLACING = frozenset("checkout restore mv rm apply am merge pull cherry-pick stash".split())
_MAX_SETTINGS = 32
_HELP = frozenset({"--help", "-h"})


def git(call: ShellCall) -> Flow:
    """Analyse a call of git. Settings come first, since `-c alias.…` can make it any command."""
    spec = PROGRAMS["git"]
    parsed = parse(call.words, spec)
    name = parsed.operands[0].text if parsed.operands else ""
    rest = call.words[parsed.rest :]
    if len(rest) == 1 and rest[0] in _HELP:
        call.scope.reading.emit("vcs.read", call.site)
        return UNKNOWN
    first = len(call.scope.reading.effects)
    flow = _read_call(call, spec, name, rest, parsed)
    mark_repository(call, first, parsed.values)
    source = find_committed_source(call, name, rest)
    return flow.replace(url=source) if source else flow


def _read_call(call: ShellCall, spec: Command, name: str, rest: list[str], parsed: ParsedArguments) -> Flow:
    """Analyse a call of one subcommand."""
    settings = list(_settings(call, call.words[1:] if name == "clone" else call.words[1 : parsed.rest]))
    for key, value in settings:
        if key == f"alias.{name.lower()}":
            return _run_alias(call, value, rest)
        _read_setting(call, key, value)
        record_setting(call, key, value)
    stored = _find_alias(call, name) if name not in spec.subcommands else None
    if stored is not None:
        return _run_alias(call, stored, rest)
    if name.startswith("credential-") and rest[:1] in (["get"], ["list"]) and f"git-{name}" in PROGRAMS:
        return call.with_words([f"git-{name}", *rest], [None] * (len(rest) + 1)).tail(0, "git", call.stdin)
    if name == "for-each-repo" and (command := [at for at, word in enumerate(rest) if _is_command(rest, at)]):
        return call.with_words(["git", *rest[command[0] :]], [None] * (len(rest) - command[0] + 1)).tail(0, "git")
    _read_arguments(call, name, rest)
    if discards_work(name, rest, call.stdin):
        call.scope.reading.emit("vcs.discard", call.site, " ".join([name, *rest[:4]]), frozenset({"files"}))
    if _is_scratch_worktree(call, name, rest):
        call.scope.reading.emit("vcs.change", call.site, " ".join([name, *rest[:4]]))
        return UNKNOWN
    if pushes_by_itself(name, rest):
        call.scope.reading.emit("vcs.push", call.site, " ".join(rest[:4]), stranger_flags(call, rest[1:]))
        return UNKNOWN
    handler = _SUBCOMMANDS.get(name)
    kind, flags = handler(rest) if handler else ("", NONE)
    if name == "push":
        flags |= _read_push(call, rest)
    if kind:
        call.scope.reading.emit(kind, call.site, " ".join(rest[:4]) if flags else None, flags)
        return UNKNOWN
    return read_parsed(call, spec, parsed, flags)


def _is_command(rest: list[str], at: int) -> bool:
    """Whether a word of `git for-each-repo` is the command, neither an option nor its value."""
    return rest[at][:1] != "-" and (at == 0 or rest[at - 1] != "--config")


def _find_alias(call: ShellCall, name: str) -> str | None:
    from interlock.analyse.shell.services.stored_aliases import find_alias  # few calls use one

    return find_alias(call.scope, "git", name)


def _run_alias(call: ShellCall, value: str, rest: list[str]) -> Flow:
    from interlock.analyse.shell.services.stored_aliases import run_alias

    return run_alias(call, "git", value, rest)


def _store_alias(call: ShellCall, name: str, value: str) -> None:
    from interlock.analyse.shell.services.stored_aliases import store_alias

    store_alias(call.scope, "git", name, value)


def _read_push(call: ShellCall, rest: list[str]) -> frozenset[str]:
    """Return the flags of a push by where it goes, and report one that deploys."""
    flags = stranger_flags(call, rest)
    if call.scope.reading.files:
        flags |= call.scope.reading.content_marks(_repository(call), below=False) & _NOT_FOR_ALL
    if replaces_shared_branch(rest) or is_forced_by_setting(call, rest):
        flags |= {"force"}
    released = reads_as_release(rest)
    if released == "platform":
        call.scope.reading.emit("deploy.release", call.site, " ".join(rest[:3]))
    return flags | {"release"} if released and released != "platform" else flags


def _read_arguments(call: ShellCall, name: str, rest: list[str]) -> None:
    """Read what the arguments of a subcommand tell by themselves: files, remotes, settings and secrets."""
    record_remote(call, name, rest)
    if name in _REPLACING:
        _read_changed_paths(call, rest)
    elif name in _SHOWING:
        _read_shown_paths(call, name, rest)
    elif name in _ARGUMENT_READERS:
        _ARGUMENT_READERS[name](call, rest)


def _settings(call: ShellCall, words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the settings of this call only: `-c key=value`, and those in the environment."""
    for index, word in enumerate(words):
        text = words[index + 1] if word == "-c" and index + 1 < len(words) else word[2:] if word[:2] == "-c" else ""
        if text and not word.startswith("--"):
            key, _, value = text.partition("=")
            yield key.lower(), value
    scope = call.scope
    for _, setting in find_values(words, ("--config-env",)):  # `--config-env=key=VARIABLE`
        key, _, variable = setting.rpartition("=")
        yield key.lower(), scope.value(variable)
    for number in range(_MAX_SETTINGS):
        named = scope.variables.get(f"GIT_CONFIG_KEY_{number}")
        if not isinstance(named, str):
            break
        yield named.lower(), scope.value(f"GIT_CONFIG_VALUE_{number}")
    parameters = scope.variables.get("GIT_CONFIG_PARAMETERS")
    for text in parameters.replace("'", "").split() if isinstance(parameters, str) else ():
        key, _, value = text.partition("=")
        yield key.lower(), value


def _read_setting(call: ShellCall, key: str, value: str) -> None:
    """Analyse a setting that makes git run a command, use other hooks or contact another host."""
    reading, site = call.scope.reading, call.site
    for pattern, meaning in _SETTINGS.items():
        if not fnmatchcase(key, pattern):
            continue
        if meaning == "command":
            text = value.removeprefix("!")
            if text and not (pattern == "alias.*" and not value.startswith("!")):
                reading.nest("shell", text, site.behind(f"git {key}"))
        elif meaning == "helper" and value.startswith("!"):
            reading.nest("shell", value[1:], site.behind(f"git {key}"))
            reading.emit("vcs.change", site, key, frozenset({"config", "command"}))
        elif meaning == "path":
            reading.file("code.run", site, value, frozenset({"hooks"}))
        elif meaning == "redirected" and _stays_on_host(key, value):
            return
        elif meaning != "off" or value.lower() in ("false", "0", "no", "off"):
            flag = "unverified" if meaning == "off" else meaning
            reading.emit("vcs.change", site, f"{key}={value}", frozenset({"config", flag}))
        return


def _stays_on_host(key: str, value: str) -> bool:
    """Whether a redirecting setting stays on the same host or leads to this machine."""
    if key.endswith("insteadof"):
        return host_of(key.partition(".")[2]) == host_of(value)
    return "local" in host_flags(value)


# Settings that users commonly set to a program of their choice.
_CHOSEN = ("alias.", "pager.", "core.pager", "core.editor", "sequence.editor", "man.", "browser.")


def _read_config(call: ShellCall, rest: list[str]) -> None:
    """Analyse `git config key value`, which holds for every later call."""
    parsed = parse(rest, PROGRAMS["git"].subcommands["config"], 0)
    words = [value.text for value in parsed.operands]
    if words[:1] in (["set"], ["add"]):
        words = words[1:]
    file = parsed.options.get("-f") or parsed.options.get("--file")
    if (
        file
        and "git_config" not in traits(file)
        and parsed.kind is None
        and (len(words) > 1 or "--unset" in parsed.options)
    ):
        call.scope.reading.file("fs.write", call.site, file)
    if len(words) == 2 and "." in words[0]:
        key = words[0].lower()
        if key.startswith("alias."):
            _store_alias(call, key[6:], words[1])
        _read_setting(call, key, words[1])
        stored = any(meaning == "command" and fnmatchcase(key, name) for name, meaning in _SETTINGS.items())
        converts = "--global" not in rest and "--system" not in rest and _is_conversion(key, words[1])
        if stored and not key.startswith(_CHOSEN) and not converts:
            call.scope.reading.emit("vcs.change", call.site, key, frozenset({"config", "command"}))


def _is_conversion(key: str, value: str) -> bool:
    """Whether a setting of the repository makes git show or store files through a program that only converts them."""
    program = "git-lfs" if value.startswith("git lfs ") else value.partition(" ")[0]
    return (
        program in _CONVERTERS
        and any(fnmatchcase(key, pattern) for pattern in _TABLE.converted)
        and not any(sign in value for sign in "|;&$`<>()\n")
    )


_PASSWORD = late(r"^https?://[^/@:]*:([^/@]{8,})@|^https?://(gh[pousr]_|glpat-)[^/@]*@")


def _read_stored_password(call: ShellCall, rest: list[str]) -> None:
    """Report a token in the address of a remote: it stays in the settings of the repository, in plain text."""
    if rest[:1] and rest[0] in ("add", "set-url") and any(_PASSWORD.match(word) for word in rest):
        call.scope.reading.file("fs.write", call.site, ".git/config", frozenset({"variable"}))


def _read_hashed_files(call: ShellCall, rest: list[str]) -> None:
    """Report secrets that `git hash-object` copies into the repository."""
    for word in rest:
        if "secret" in traits(word):
            call.scope.reading.file("fs.read", call.site, word)


#: Settings of package managers that belong in a repository. A key in them asks when it is written.
_SHARED_SETTINGS = frozenset({".npmrc", ".yarnrc.yml"})


def _read_added_files(call: ShellCall, rest: list[str]) -> None:
    """Report secrets that `git add` puts into the repository; what git was told to ignore is one."""
    forced, reading = "-f" in rest or "--force" in rest, call.scope.reading
    if any("secret" in traits(word) and (forced or not _is_shared_setting(word)) for word in rest):
        reading.emit("vcs.change", call.site, " ".join(rest[:4]), _SECRET)
        added = _SECRET
    else:
        added = NONE.union(*(_kept_marks(call, word) for word in rest))
    if added:
        reading.files[_repository(call)] = Flow(None, added | reading.content_marks(_repository(call), below=False))


_SECRET = frozenset({"secret"})
#: Marks of what does not belong into a repository that others read.
_NOT_FOR_ALL = frozenset({"secret", "records", "dump", "mail", "browser"})


def _repository(call: ShellCall) -> str:
    """Return the path under which it is remembered what was put into the repository of the working folder."""
    return f"{(call.scope.cwd or call.scope.reading.places.cwd or '').rstrip('/')}/.git"


def _kept_marks(call: ShellCall, word: str) -> frozenset[str]:
    """Return the marks of what this run has put into a file or a folder that is added."""
    reading = call.scope.reading
    if word[:1] == "-" and word not in _EVERYTHING:
        return NONE
    full = reading.places.resolve("." if word in _EVERYTHING else word, call.scope.cwd) or word
    moved = _SECRET if any("secret" in traits(name) for name in reading.find_moved_files(full)) else NONE
    return moved | (reading.content_marks(full) & _NOT_FOR_ALL)


#: Options by which `git add` takes all files.
_EVERYTHING = frozenset({"-A", "--all"})


def _is_shared_setting(path: str) -> bool:
    inside = path[:1] not in ("/", "~", "\0") and ".." not in path
    return inside and path.rpartition("/")[2] in _SHARED_SETTINGS


def _read_changed_paths(call: ShellCall, rest: list[str]) -> None:
    """Report the configuration files of Interlock that a subcommand overwrites."""
    for word in rest:
        if " " not in word and "guard_config" in traits(word):
            call.scope.reading.file("fs.write", call.site, word)


#: Subcommands that print the content of files in the history.
_SHOWING = frozenset("show log diff blame cat-file archive grep".split())


#: Options by which git is told a text to look for.
_SOUGHT = frozenset({"-S", "-G", "--grep", "--author", "-e"})


def _read_shown_paths(call: ShellCall, name: str, rest: list[str]) -> None:
    """Report secrets that git prints: `HEAD:.env`, `-- .env`, or an absolute path."""
    options = True
    if name == "grep":  # the first plain word is what is searched for
        pattern = next((at for at, word in enumerate(rest) if word[:1] != "-"), len(rest))
        rest = rest[:pattern] + rest[pattern + 1 :]
    for before, word in pairwise(["", *rest]):
        options = options and word != "--"
        if options and before in _SOUGHT:
            continue
        path = word.rpartition(":")[2] if ":" in word else word if not options or word[:1] in ("/", "~") else ""
        if path and " " not in path and "secret" in traits(path):
            call.scope.reading.file("fs.read", call.site, path)


def _record_clone(call: ShellCall, rest: list[str]) -> None:
    """Mark the folder that a clone creates as downloaded."""
    operands = [value.text for value in parse(rest, PROGRAMS["git"].subcommands["clone"], 0).operands]
    if not operands or ("://" not in operands[0] and "@" not in operands[0]):
        return
    folder = operands[1] if len(operands) > 1 else operands[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    reading = call.scope.reading
    if _is_known(call, operands[0]):
        reading.file("fs.write", call.site, folder, frozenset({"checkout"}))
        return
    reading.file("fs.write", call.site, folder)
    full = reading.places.resolve(folder, call.scope.cwd)
    if full:
        reading.files[full] = Flow(None, frozenset({"download"}), operands[0])


def _is_known(call: ShellCall, address: str) -> bool:
    """Whether a well-known test repository is cloned, and no option or variable leads elsewhere."""
    if "github.com" not in address or any(word.startswith(_REDIRECTING) for word in call.words):
        return False
    from interlock.analyse.shell.services.test_repositories import is_test_repository

    return is_test_repository(address) and not any(name.startswith("GIT_") for name in call.scope.variables)


#: Options that set the address of a repository, the program that fetches it, or what git runs.
_REDIRECTING = ("-c", "--config", "-u", "--upload-pack", "--template", "--exec-path", "--reference", "--recurse")


def _read_worktree(call: ShellCall, rest: list[str]) -> None:
    """Report the folder that a worktree is checked out to."""
    operands = [
        word for at, word in enumerate(rest) if word[:1] != "-" and rest[at - 1] not in ("-b", "-B", "--reason")
    ]
    if operands[:1] == ["add"] and len(operands) > 1:
        call.scope.reading.file("fs.write", call.site, operands[1], frozenset({"checkout"}))


def _is_scratch_worktree(call: ShellCall, name: str, rest: list[str]) -> bool:
    """Whether a worktree in a folder for temporary files is removed."""
    if name != "worktree" or rest[:1] != ["remove"]:
        return False
    places = call.scope.reading.places
    paths = [word for word in rest[1:] if word[:1] != "-"]
    return bool(paths) and all(places.locate(path, call.scope.cwd)[0] is Place.SCRATCH for path in paths)


_ARGUMENT_READERS: dict[str, Callable[[ShellCall, list[str]], None]] = {
    "add": _read_added_files,
    "clone": _record_clone,
    "config": _read_config,
    "hash-object": _read_hashed_files,
    "remote": _read_stored_password,
    "worktree": _read_worktree,
}


def _push_flags(rest: list[str]) -> tuple[str, frozenset[str]]:
    """Return the flags of a push: `+` in a refspec forces, a leading `:` deletes."""
    flags = set()
    for word in rest:
        if word.startswith("-"):
            continue
        if word.startswith("+") or ":+" in word:
            flags.add("force")
        if word.startswith(":") and len(word) > 1:
            flags.add("delete")
    return "", frozenset(flags)


def _checkout(rest: list[str]) -> tuple[str, frozenset[str]]:
    """Return the effect of a checkout: of paths, it discards changes in them; of a branch, it does not."""
    parsed = parse(rest, PROGRAMS["git"].subcommands["checkout"], 0)
    operands = [value.text for value in parsed.operands]
    options = parsed.options.keys()
    if options & {"-b", "-B", "--orphan", "--detach"}:
        return "", NONE
    after = rest[rest.index("--") + 1 :] if "--" in rest else []
    by_paths = bool(after) or "--pathspec-from-file" in options or "." in operands or len(operands) > 1
    named = after or operands[1:]
    if by_paths and named and all(is_regenerable(path) for path in named):
        return "vcs.change", NONE
    if by_paths or options & {"-p", "--patch", "--ours", "--theirs"}:
        return "vcs.discard", frozenset({"files"})
    if len(operands) == 1 and _looks_like_a_file(operands[0]):
        return "vcs.discard", frozenset({"files"})
    return "", NONE


def _looks_like_a_file(word: str) -> bool:
    """Whether the one operand of a checkout is a file rather than a branch: `src/app.py`, `*.c`."""
    name, dot, ending = word.rpartition(".")
    known = bool(name and dot) and ending.isalpha() and len(ending) <= 4
    return word.startswith("./") or "*" in word or (known and not word.startswith(("v", "release", "origin/")))


def _restore(rest: list[str]) -> tuple[str, frozenset[str]]:
    """Return the effect of a restore: of the working tree, it discards changes; of the index only, it does not."""
    parsed = parse(rest, PROGRAMS["git"].subcommands["restore"], 0)
    named = parsed.operands or parsed.options.keys() & {"--pathspec-from-file", "-p", "--patch"}
    if parsed.operands and all(is_regenerable(value.text) for value in parsed.operands):
        return "vcs.change", NONE
    if named and ("staged" not in parsed.flags or "worktree" in parsed.flags):
        return "vcs.discard", frozenset({"files"})
    return "vcs.change", NONE


def _collect_garbage(rest: list[str]) -> tuple[str, frozenset[str]]:
    """Return the effect of `git gc`: with `--prune=now` it deletes what only the reflog still held."""
    prunes = any(word.startswith("--prune=") and word[8:] in ("now", "all", "0") for word in rest)
    return ("vcs.discard", frozenset({"objects"})) if prunes else ("", NONE)


def _clean(rest: list[str]) -> tuple[str, frozenset[str]]:
    """Return the effect of a clean: of build output alone, it deletes nothing that cannot be made again."""
    parsed = parse(rest, PROGRAMS["git"].subcommands["clean"], 0)
    made_again = bool(parsed.operands) and all(is_build_output(value.text) for value in parsed.operands)
    return ("vcs.change", NONE) if made_again and parsed.kind is None else ("", NONE)


_SUBCOMMANDS = {
    "push": _push_flags,
    "clean": _clean,
    "checkout": _checkout,
    "restore": _restore,
    "gc": _collect_garbage,
}


def patch(call: ShellCall) -> Flow:
    """`patch -R` of what another command prints, such as `git diff`, takes uncommitted changes back."""
    if "history" in call.stdin.marks and {"-R", "--reverse"} & set(call.words[1:]):
        call.scope.reading.emit("vcs.discard", call.site, "patch -R", frozenset({"files"}))
    parsed = parse(call.words, PROGRAMS["patch"])
    folder = parsed.options.get("-d") or parsed.options.get("--directory")
    if folder and parsed.kind is None and not parsed.operands:  # the patch names the files in it
        call.scope.reading.file("fs.write", call.site, folder)
    return read(call, PROGRAMS["patch"])


GIT: dict[str, Callable[[ShellCall], Flow]] = {"git": git, "patch": patch, "gpatch": patch}
