"""Options that no description explains, read by their names: commands, files that are written, read or loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.loading import report_loading
from interlock.analyse.settings import is_telling, read_setting
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import PROGRAMS, programs_in
from interlock.model import Effect
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.code_arguments import DescribedOptions

# Names of options by which programs write, read or load the file that is their value.
_WRITES = late(
    r"^--?(?:[\w-]+[-_])?(?:out(?:put)?(?:[-_]?(?:file|path|dir|document))?|o|log[-_]?file|logto|save(?:[-_]?(?:to|as|file))?"
    r"|dump[-_]?(?:file|to)|export[-_]?(?:file|to|path)|report[-_]?(?:file|path)|trace[-_]?file|pid[-_]?file|record[-_]?to"
    r"|dest(?:ination)?|target[-_]file|write[-_]?(?:to|file))$"
)
_READS = late(
    r"^--?(?:[\w-]+[-_])?(?:in(?:put|file)(?:[-_]?(?:file|path))?|from[-_]file|body[-_]?file|data[-_]?file|post[-_]?file"
    r"|payload(?:[-_]?file)?|attach(?:ment)?|include[-_]?file|upload[-_]?file|stdin[-_]?file)$"
)
_CONFIGURES = late(
    r"^--?(?:[\w.-]*[-_.])?(?:user|global|run|build|project|yarn|npm|pnpm)?"
    r"(?:configs?|conf|cfg|rc|settings|options|init|ini|manifest|build[-_]file|project|preset|formatter|reporter"
    r"|(?:gem|just|task|make|snake|proc|nox|pip|gulp|grunt|rake|docker|fab|jenkins)file)"
    r"(?:[-_]?(?:file|path|location|locations))?$"
)
# Names of options that say that a key is used to sign in.
_USES = late(r"key|cert|ident|cred|env|pass|auth|token|ks|kube|config|secret|ssh|netrc|sign|ca\b|vault")
_LOGS = late(r"log|trace|cache|report(?!er)|coverage")
_CODE = late(
    r"\.(?:c?js|mjs|tsx?|py|rb|lua|sh|bash|zsh|vim|el|pl|php|gradle|kts|groovy|cmake|so|dylib|dll|jar|r|targets|props)$"
)
# Kinds of effects of clients: what their options name is on another machine, or in a container.
_ELSEWHERE = ("infra.", "cluster.", "container.", "deploy.", "message.", "secret.", "payment.")
# Wrappers whose command sees the files of a container or of another machine.
_AWAY = programs_in("remote-runners")
_SETTING = late(r"^([A-Za-z_][\w.-]*)=([/~].+)$")
_PRINTED = frozenset({"out.print"})


def read_unlisted_options(call: ShellCall, program: str, first: int, described: DescribedOptions, acting: bool) -> None:
    """Read the options of a call that no description explains; `first` is the first effect of the call.

    A program that is not `acting` runs no code by itself, so that only options with telling names count.
    """
    reading = call.scope.reading
    effects = reading.effects[first:]
    if _carries_command(call, effects) or {effect.kind for effect in effects} <= _PRINTED:
        return
    if any(effect.kind.startswith(_ELSEWHERE) for effect in effects):
        return
    if any(wrapper.partition(" ")[0] in _AWAY for wrapper in call.scope.via):
        return
    for name, value in _options(call.words):
        if name in described.with_role or not value or value[:1] == HOLE:
            continue
        if name in described.explained:
            if acting and value[:1] in ("/", "~") and _CODE.search(value) and not _LOGS.search(name):
                report_loading(reading, call.site.behind(program), value)
            continue
        if not acting and name[:2] == "--" and is_telling(name):
            read_setting(reading, call.site.behind(program), name, value)
        elif "/" in value or value[:1] == "~":
            _read_file(call, name, value, program, acting)


def _carries_command(call: ShellCall, effects: list[Effect]) -> bool:
    """Whether a part of the words is a command of its own, whose options are not those of this program."""
    depth = len(call.site.via)
    return any(len(effect.via) > depth for effect in effects)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield options with what may be their values: after `=`, or the next word.

    >>> list(_options(["x", "--out=a", "-o", "b", "--", "--c=d"]))
    [('--out', 'a'), ('-o', 'b')]
    """
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            return
        if word[:1] != "-" or len(word) < 2:
            continue
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
        elif at + 1 < len(words) and words[at + 1][:1] != "-":
            setting = _SETTING.match(words[at + 1])  # `-D html_extra_path=…`
            yield (f"-{setting[1]}", setting[2]) if setting else (name, words[at + 1])


def _read_file(call: ShellCall, name: str, value: str, program: str, acting: bool) -> None:
    """Report a file outside the project that an option names, by what the name says is done to it."""
    reading = call.scope.reading
    if is_url(value) or "\n" in value or value[:1] not in ("/", "~", "."):
        return
    lowered = name.lower()
    if _WRITES.match(lowered):
        if value not in ("/dev/stdout", "/dev/stderr", "/dev/null"):
            reading.file("fs.write", call.site, value)
    elif _READS.match(lowered):
        reading.file("fs.read", call.site, value)
    elif _is_loaded(lowered, value.lower(), program, acting):
        report_loading(reading, call.site.behind(program), value)
    elif acting and "secret" in traits(value) and not _USES.search(lowered):
        reading.file("fs.read", call.site, value)


def _is_loaded(name: str, value: str, program: str, acting: bool) -> bool:
    """Whether a program takes code or settings from the file that an option names."""
    code = _CODE.search(value) is not None
    if _CONFIGURES.match(name):
        return code or (acting and program in PROGRAMS and not _LOGS.search(name))
    return code and acting and program in PROGRAMS and not _LOGS.search(name)
