"""Options of `curl` and `wget` that stand elsewhere: in a configuration file, on standard input, in `-e name=value`."""

from __future__ import annotations

from interlock.analyse.flow import NOTHING
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.patterns import late

_LINE = late(r"^\s*(-{0,2}[\w#.:-]+?)(?:\s*[=:]\s*|\s+|$)(.*)$")
_INPUT = frozenset({"-", "/dev/stdin"})
_UNREAD = frozenset({"unread"})


def expand_options(call: ShellCall) -> ShellCall:
    """Return the call with the options of its configuration in their place, as far as they are known."""
    words: list[str] = []
    left = iter(call.words)
    for word in left:
        name, equals, value = word.partition("=")
        if name in ("-K", "--config") and call.program.startswith("curl"):
            words += _config_words(call, value if equals else next(left, ""))
        elif word.startswith("-K") and call.program.startswith("curl"):
            words += _config_words(call, word[2:])
        elif name in ("-e", "--execute") and call.program.startswith("wget"):
            setting, _, text = (value if equals else next(left, "")).partition("=")
            words.append(f"--{setting.strip().replace('_', '-')}={text.strip()}")
        else:
            words.append(word)
    return call.with_words(words, [None] * len(words))


def _config_words(call: ShellCall, path: str) -> list[str]:
    """Return the options in a configuration of `curl`, or the option itself if the text is not known."""
    reading = call.scope.reading
    if path in _INPUT or not path:
        if call.stdin is not NOTHING and call.stdin.text is not None:
            return _read_config(call.stdin.text)
        reading.unread("a request whose options are piped in", call.site, flags=_UNREAD)
        return ["-K", path]
    known = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    if known is not None and known.text is not None:
        return _read_config(known.text)
    report_loading(reading, call.site, path)
    return ["-K", path]


def _read_config(text: str) -> list[str]:
    """Return the words of a configuration of `curl`.

    >>> _read_config('url = "https://example.com"\\n# x\\n-o a.txt\\nsilent')
    ['--url', 'https://example.com', '-o', 'a.txt', '--silent']
    """
    words: list[str] = []
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None or line.lstrip()[:1] == "#":
            continue
        name, value = found[1], found[2].strip()
        words.append(name if name[0] == "-" else f"--{name}")
        if value:
            words.append(value[1:-1] if value[0] == value[-1] == '"' and len(value) > 1 else value)
    return words


_OUTPUT = late(r"%output\{(?:>>)?([^}]+)\}")
_NAMING_FILES = frozenset({"-H", "--header", "--proxy-header", "-w", "--write-out"})


def take_named_files(call: ShellCall, parsed: ParsedArguments) -> None:
    """Add the files that a request takes cookies, headers, variables and the format of its report from."""
    for at, word in enumerate(call.words[1:-1], 1):
        value = call.words[at + 1]
        if word in ("-w", "--write-out"):
            saved = [found[1] for found in _OUTPUT.finditer(value)]
            parsed.values += [ArgumentValue("fs.write", path, at + 1) for path in saved]
        if word in ("-b", "--cookie") and "=" not in value and value[:1] in ("/", "~"):
            parsed.values.append(ArgumentValue("fs.read", value, at + 1))
        elif word in _NAMING_FILES and value[:1] == "@" and value != "@-":
            parsed.values.append(ArgumentValue("fs.read", value[1:], at + 1))
        elif word == "--variable" and "@" in value and not value.endswith("@-"):
            parsed.values.append(ArgumentValue("fs.read", value.partition("@")[2], at + 1))
