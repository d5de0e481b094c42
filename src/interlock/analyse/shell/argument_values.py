"""Values of options and operands, read by their role: code, a command, a script, an upload, a search pattern."""

from __future__ import annotations

from itertools import pairwise

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NONE, NOTHING
from interlock.analyse.languages import ENDINGS, language_of
from interlock.analyse.loading import report_endpoint, report_loading, report_service
from interlock.analyse.repetition import report_repeated
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.secrets.keys import is_key_shape, traces_a_key
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_file
from interlock.analyse.shell.output.partial_views import inverts, view_of
from interlock.analyse.shell.output.secret_sources import is_diagnostic_file
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Command
from interlock.model import Place
from interlock.patterns import late

#: Programs that run a command again and again.
_REPEATING = frozenset({"watch", "viddy", "hwatch"})


def read_value(call: ShellCall, parsed: ParsedArguments, value: ArgumentValue, flags: frozenset[str]) -> frozenset[str]:
    """Read one value by its role; return the provenance marks of data that it uploads."""
    role, reading = value.role, call.scope.reading
    program = call.program
    wrapper = program if parsed.start == 1 else f"{program} {call.words[parsed.start - 1]}"  # `git rebase`
    if role == "command":
        first = len(reading.effects)
        printed = call.tail(value.at, wrapper)
        if program in _REPEATING:
            report_repeated(reading, first)
        return printed.marks & VALUE
    if role == "script":
        return _run_script(call, value.text)
    if role.startswith("code:"):
        site = call.inner(value.at, value.inner).behind(wrapper)
        return reading.nest(role[5:], value.text, site, call.stdin).marks & VALUE
    if role == "upload":
        return _read_upload(call, value.text, flags)
    if role == "assignment":
        from interlock.analyse.variables import read_variable

        name, equals, text = value.text.partition("=")
        read_variable(reading, name, text if equals else "".join(call.words[value.at + 1 : value.at + 2]), call.site)
    elif role == "mount":
        source = value.text.partition(":")[0]
        if source[:1] in ("/", ".", "~", HOLE):
            reading.file("fs.write", call.site, source, flags)
    elif role in ("pattern", "history"):
        _read_search(call, value.text, role == "history")
    elif role == "repository" and value.text.startswith("ext::"):
        reading.nest("shell", value.text[5:].replace("% ", "\\ "), call.site.behind(wrapper))
    elif role == "directory":
        call.scope.cwd = reading.places.resolve(value.text, call.scope.cwd)
    else:
        _read_source(call, value, wrapper)
    return NONE


_ENDING = late(r"\.[a-z][a-z0-9]*$")
_REACHING = late(
    r"(?i)\b(?:os\.|exec|system|spawn|popen|shell|eval|process\b|create_process|remove|delete|unlink|diraccess|fileaccess"
    r"|environ|http|stream|socket|tcp|curl|wget|load_resource_pack|expression)|#!|`|\$\(|\brm\b|/(?:etc|home|root|bin)\b|~/"
)


def _run_script(call: ShellCall, path: str) -> frozenset[str]:
    """Analyse a script that a program runs; return the marks of the values that it prints."""
    if not _is_harmless_script(call, path):
        spec = PROGRAMS.find(call.program)
        own, ending = spec.stdin if spec is not None else "", language_of(path, "") or _language_of_options(spec)
        if own and own != ending:  # whatever the file is called, an interpreter reads its own language
            run_file(call, path, own)
        return run_file(call, path, ending).marks & VALUE
    call.scope.reading.file("code.run", call.site, path)
    call.scope.reading.opaque.append(f"a script: `{path}`")
    return NONE


def _language_of_options(spec: Command | None) -> str:
    """Return the language of a program's scripts by the code in its options."""
    if spec is not None and spec.stdin:
        return spec.stdin
    roles = {option.value for option in spec.options.values()} if spec is not None else set()
    found = [role[5:] for role in roles if role.startswith("code:")]
    return found[0] if len(found) == 1 else "shell"


def _is_harmless_script(call: ShellCall, path: str) -> bool:
    """Whether a program runs a file that this run wrote in a language of its own, and that names nothing outside it."""
    reading = call.scope.reading
    ending = _ENDING.search(path)
    if not reading.files or ending is None or ending[0] in ENDINGS:
        return False
    held = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    return held is not None and not held.marks and bool(held.text) and _REACHING.search(held.text or "") is None


def _read_source(call: ShellCall, value: ArgumentValue, wrapper: str) -> None:
    """Report a place that code is loaded from, or a server that does a part of the work, if it is foreign."""
    reading = call.scope.reading
    if value.role in ("loaded", "setting") and " " in value.text:
        _read_command(call, value, wrapper)
    if value.role == "loaded":
        for path in [value.text] if is_url(value.text) or value.text.startswith("data:") else value.text.split(":"):
            named = path[:1] not in ("/", "~", ".") and not path.startswith(("data:", "http"))  # `name=/path`
            report_loading(reading, call.site.behind(wrapper), path.rpartition("=")[2] if named else path)
    elif value.role == "setting":
        from interlock.analyse.settings import read_setting

        name, equals, text = value.text.partition("=")
        if equals and " " not in text:
            read_setting(reading, call.site.behind(wrapper), name, text)
        elif not equals:
            report_loading(reading, call.site.behind(wrapper), name)
        if text.startswith("-") or name.startswith("-"):
            _read_options(call, value.text, wrapper)
    elif value.role == "endpoint":
        report_endpoint(reading, call.site, value.text)
    elif value.role == "service":
        report_service(reading, call.site, call.program, value.text)


def _read_options(call: ShellCall, text: str, wrapper: str) -> None:
    """Read the options of another program that a value holds: `pg_ctl -o '-c archive_command=…'`."""
    import shlex

    from interlock.analyse.settings import read_options

    try:
        words = shlex.split(text)
    except ValueError:
        call.scope.reading.unread("options in a value", call.site)
        return
    read_options(call.scope.reading, call.site.behind(wrapper), words)


def _read_command(call: ShellCall, value: ArgumentValue, wrapper: str) -> None:
    """Analyse the command in a value that names a program: `--compiler 'sh -c …'`, `--config 'hooks.x=rm -r y'`."""
    from interlock.analyse.settings import find_command

    name, equals, text = value.text.partition("=")
    if equals and " " not in name:
        text = text.strip().removeprefix("!")
        text = text[1:-1].replace('\\"', '"') if text[:1] == text[-1:] and text[:1] in "\"'" else text
    else:
        text = value.text
    command = find_command(text, telling=True)
    if command:
        call.scope.reading.nest("shell", command, call.site.behind(wrapper))


#: Options by which git names commits and files, and shows none of their content.
_SHOWN = frozenset("--oneline --name-only --name-status --stat --shortstat --count".split())
#: Marks of data in which people and programs leave secrets.
_TELLING = ("environment", "history", "diagnostics")


def _read_search(call: ShellCall, pattern: str, far: bool) -> None:
    """Report a search for secrets: by the shape of a key anywhere, by its name in histories and environments."""
    far = far or not call.stdin.marks.isdisjoint(_TELLING) or (traces_a_key(pattern) and _follows_settings(call))
    if far and (inverts(call.words) or not _SHOWN.isdisjoint(call.words)):  # what is left out is not shown
        return
    if far and "history" not in call.stdin.marks and _is_command(pattern):
        return
    if "ci_log" in call.stdin.marks and _TROUBLE.fullmatch(pattern) and not is_key_shape(pattern):
        return
    signed = "request_headers" in call.stdin.marks and _SIGNING.search(pattern) is not None
    if is_key_shape(pattern) or (far and traces_a_key(pattern)) or (signed and not inverts(call.words)):
        call.scope.reading.emit("fs.read", call.site, pattern, frozenset({"secret_search"}))


def _follows_settings(call: ShellCall) -> bool:
    """Whether the data comes from settings of an application below home: `cat ~/.continue/config.yaml | grep key`."""
    return call.stdin is not NOTHING and any(
        effect.kind == "fs.read"
        and effect.resource is not None
        and effect.resource.place is Place.HOME
        and not _APPLICATIONS.isdisjoint(effect.flags)
        for effect in call.scope.reading.effects[-4:]
    )


_APPLICATIONS = frozenset({"agent_config", "app_settings"})

# Words for what went wrong in a run, in which a word for credentials is one among them: `error|denied|token`.
_TROUBLE = late(
    r"(?i)(?=.*\b(?:err(?:or)?s?|fail(?:ed|ure|s)?|warn(?:ing)?s?|denied|fatal|exception|panic|traceback|timed?.?out"
    r"|refused|forbidden|unauthori[sz]ed|permission|invalid|expired|40[13])\b)[\w .()-]+(?:\\?\|[\w .()-]+)+"
)


def _is_command(pattern: str) -> bool:
    """Whether a pattern is a command as one would type it, without credentials: `gh auth token`."""
    first, _, rest = pattern.partition(" ")
    return bool(rest) and first in PROGRAMS and _CREDENTIALS.search(rest) is None


_CREDENTIALS = late(
    r"(?i)(?:^|\s)-[upHaPbx]\b|--?(?:pass|user|header|auth|key|token|secret)|=|auth\w*:|bearer|[\\\[*|]"
)
# Headers of a request that hold its credentials.
_SIGNING = late(r"(?i)\bauth|cookie|bearer|\btoken|api-?key|^\W*>")
_WIDE = frozenset({Place.ROOT, Place.HOME})


def report_searches(call: ShellCall, values: list[ArgumentValue]) -> None:
    """Report a search for keys in logs of the machine, or in a whole home or system."""
    patterns = [value.text for value in values if value.role == "pattern"]
    if patterns and not inverts(call.words) and any(traces_a_key(pattern) for pattern in patterns):
        if any(_names_secret_files(before, word) for before, word in pairwise(call.words)) and not view_of(call.words):
            call.scope.reading.emit("fs.read", call.site, patterns[0], frozenset({"secret_search"}))
        for value in values:
            if value.role == "fs.read":
                _report_search_in(call, value.text)


_LIMITING = frozenset({"-g", "--glob", "--iglob", "--include"})


def _names_secret_files(before: str, word: str) -> bool:
    """Whether an option limits a search to files that hold secrets: `rg -g '.env*'`, `grep --include=.env`."""
    name, equals, value = word.partition("=")
    glob = word if before in _LIMITING else value if equals and name in _LIMITING else ""
    return bool(glob) and glob[:1] != "!" and "secret" in traits(glob)


def _report_search_in(call: ShellCall, path: str) -> None:
    place, _, full = call.scope.reading.places.locate(path, call.scope.cwd)
    if full is None:
        return
    wide = place in _WIDE and (call.scope.reading.places.is_top(full, place) or "/." in full)
    if wide or full == "/var/log" or is_diagnostic_file(full):
        call.scope.reading.file("fs.read", call.site, path, frozenset({"secret_search"}))


def _read_upload(call: ShellCall, text: str, flags: frozenset[str]) -> frozenset[str]:
    """Read an upload, where `@name`, `field=@name` and `@-` name files; return its provenance marks."""
    reading = call.scope.reading
    _, at, path = text.partition("@")
    if at and (text[0] == "@" or text[: -len(path) - 1].endswith(("=", "<"))):
        if path == "-":
            return call.stdin.marks
        path = path.partition(";")[0]
        reading.file("fs.read", call.site, path, flags)
        known = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
        if known:
            return known.marks | reading.marks(text)
    return reading.marks(text)


def run_known_file(call: ShellCall, spec: Command, role: str, path: str) -> None:
    """Analyse a file that the command runs, if this run wrote it and its text is known."""
    reading = call.scope.reading
    if role != "code.run" or not reading.files:
        return
    held = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    if held is not None and held.text is not None:
        language = spec.stdin or language_of(path, held.text) or "shell"
        reading.nest(language, held.text, call.site.behind(path.rpartition("/")[2]))
