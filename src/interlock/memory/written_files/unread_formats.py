"""Files in formats without a parser that this run passes to programs: their paths and addresses.

A list of arguments, a collection of requests, a pipeline or a batch job says what a program does, in a language of its
own. It cannot be read as code, but the places, the statements and the addresses in it can be found.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.levels import Level
from interlock.memory.calls.command_lines import name_of, spell_out
from interlock.memory.calls.programs import inner_calls
from interlock.memory.calls.words import command_words, file_words
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding, ProgramCall, WrittenFile
from interlock.patterns import late
from interlock.sanitise import quotable

RULE = "written_file_handed_over"
MAX_TEXT, MAX_WORDS, MAX_FILE = 20_000, 200, 60_000
_WORD = late(r"[^\s\"'`;|&<>()=,]{3,300}")
#: Words that tell a program only to show or to check something.
_CHECKING = frozenset(
    (
        "--dry-run --check --syntax-check --lint --validate --list --version --help -n lint validate check test fmt "
        "format"
    ).split()
)
#: What a file may name → the pattern by which it is found.
_NAMED = {
    "a folder outside the project": late(
        r"(?<![\w.)}*/-])(?:~|\$HOME|\$\{HOME\}|/home/[\w.-]+|/Users/[\w.-]+|/data|/srv|/mnt)/(?P<path>[^\s\"',;:{}()\[\]]{2,160})"
    ),
    "a statement that deletes": late(
        r"(?im)\b(?:drop\s+(?:table|schema|database)\b|truncate\s+(?:table\s+)?\w|delete\s+from\s+[\w.]+\s*(?:;|$|\"|\n))"
        r"|\"method\"\s*:\s*\"delete\"|^DELETE\s+(?:https?:|\{\{)"
    ),
    "a forwarding": late(r"(?i)\bforward\w*[\"']?\s{0,4}[:=]\s{0,4}[\"']?[\w.+-]{1,64}@"),
    "a mining pool": late(r"(?i)\bxmrig\b|stratum\+|\b(?:pool|mine)\.[\w-]+\.[a-z]{2,6}:\d{4,5}"),
    "a very large number of requests or jobs": late(
        r"(?i)\b(?:vus|users|connections|rate|arrivalRate|target|concurrency)[\"']?\s{0,4}[:=]\s{0,4}[\d_]{4,}|--array=\d+-\d{4,}"
    ),
}
_MANY = late(
    r"(?i)(?:^|\s)(?:-u|-c|--users|--vus|--connections|--concurrency|--rate|-r|-n)[ =]?\d{4,}\b"
    r"|\b\w*(?:VUS|USERS|CONNECTIONS|RATE|CONCURRENCY)\w*[= ]+\d{4,}\b"
)
_PUBLIC_HOST = late(
    r"(?im)\b(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b|\b(?!localhost)[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|de|eu|nl|uk|fr|ch|at|info|biz|co|app|dev|gov|edu|us)\b"
)
_FAR = late(
    r"https?://(?P<host>(?!localhost|127\.|0\.0\.0\.0|host\.docker|[\w-]+(?::|/|$)|[\w.-]+\.(?:local|internal|test|localhost)\b)[\w.-]+)"
)


def find_unread_file(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a program without a description reads a file of this run that refers outside the project."""
    if "shell" not in analysis.languages or not analysis.effects:
        return None
    text = spell_out(analysis)[:MAX_TEXT]
    reading = (call for call in inner_calls(analysis) if name_of(call) not in command_words().readers)
    programs = [name_of(call) for call in reading if not _only_checks(call) and " " not in name_of(call)]
    if not programs:
        return None
    crowd = _find_crowd(programs, text, state)
    if crowd:
        reason = f"Sends a very large number of requests to `{quotable(crowd)}`"
        return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    for path in _find_named_files(action, text, state):
        name = path.rpartition("/")[2]
        if any(name in via for effect in analysis.effects for via in effect.via):
            continue  # it was analysed
        scanned = (
            _PUBLIC_HOST.search(state.written[path].text or "")
            if not command_words().scanners.isdisjoint(programs)
            else None
        )
        if scanned:
            reason = f"Scans machines that this run wrote into `{quotable(name)}` (`{quotable(scanned[0])}`)"
            return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
        named = _find_named(
            action, state.written[path].text or "", is_code=name.endswith(file_words().analysed_endings)
        )
        if named:
            reason = f"Hands `{quotable(name)}` to `{quotable(programs[0])}`: this run wrote {named} into it"
            return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    return None


def _only_checks(call: ProgramCall) -> bool:
    """Whether a program is told only to show or to check something."""
    return not _CHECKING.isdisjoint(call.words)


def _find_crowd(programs: list[str], text: str, state: RunState) -> str:
    """Return the host that a load test with thousands of users goes to, by its options, variables and files."""
    if command_words().load_testers.isdisjoint(programs):
        return ""
    kept = " ".join(f"{name}={value}" for name, value in state.shell.variables.items())
    if not _MANY.search(text) and not _MANY.search(kept):
        return ""
    texts = [text, kept, *(one.text or "" for one in state.written.values() if one.state in ("whole", "part"))]
    found = next((one for each in texts if (one := _FAR.search(each[:MAX_FILE]))), None)
    return found["host"] if found else ""


def _find_named_files(action: Action, text: str, state: RunState) -> Iterator[str]:
    """Yield the files with known text that a command names."""
    folder = (action.cwd or "").rstrip("/")
    for at, found in enumerate(_WORD.finditer(text)):
        word = found[0].lstrip("@").removeprefix("./")
        path = word if word[:1] == "/" else f"{folder}/{word}"
        if at < MAX_WORDS and path in state.written and state.written[path].text and _is_text(state.written[path]):
            yield path


def _is_text(file: WrittenFile) -> bool:
    return file.state in ("whole", "part", "changed")  # the text of a link is where it leads


def _find_named(action: Action, text: str, *, is_code: bool) -> str:
    """Describe the first thing in a text that needs approval; return an empty text if there is none."""
    project = (action.workspace or action.cwd or "").rstrip("/")
    for what, pattern in _NAMED.items():
        for found in pattern.finditer(text[:MAX_FILE]):
            path = found[0] if "path" in found.groupdict() else ""
            if not path:
                return what
            if is_code:  # which is analysed when it runs
                break
            if not (project and path.startswith(project)) and not path.endswith((".cfg", ".conf")):
                return f"{what} (`{quotable(path)}`)"
    return ""
