"""Programs with commands of their own, some of which run a shell: editors, debuggers, clients of databases.

Such commands come one a line. What runs a shell text, what runs other code, and what opens or writes a file is in
a table for each program; everything else is data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.command_form import is_command, is_script
from interlock.analyse.scripts.shells import opens_shell


class CommandPattern(NamedTuple):
    """A pattern of a command, and what its last group is: a role, or nothing for a shell that waits."""

    pattern: re.Pattern[str]
    role: str


def _commands(*rows: tuple[str, str]) -> tuple[CommandPattern, ...]:
    return tuple(CommandPattern(re.compile(pattern, re.IGNORECASE), role) for pattern, role in rows)


_VIM = _commands(
    (
        r"(?:silent!?\s+|sil!?\s+|exe\w*\s+['\"])*:?\s*(?:[%.,$\d]*\s*)?(?:(?:r|read)\s*|(?:w|write)\s+)?!\s*(.+)",
        "code:shell",
    ),
    (r"(?:silent!?\s+)*(?:term|terminal|ter|make|mak)\s+(.+)", "code:shell"),
    (r"(?:sh|shell|sus|suspend|st|stop|term|terminal)!?$", ""),
    (r"(?:lua)\s+(.+)", "code:lua"),
    (r"(?:py|py3|python|python3|pythonx|pyx)\s+(.+)", "code:python"),
    (r"(?:perl)\s+(.+)", "code:perl"),
    (r"(?:ruby)\s+(.+)", "code:ruby"),
    (r".*\b(?:system|systemlist|termopen|jobstart|job_start|term_start)\(\s*(['\"])(.+?)\1", "code:shell"),
    (r".*\bdelete\(\s*(['\"])(.+?)\1", "fs.delete"),
    (r".*\bwritefile\(.*,\s*(['\"])(.+?)\1", "fs.write"),
    (r".*\breadfile\(\s*(['\"])(.+?)\1", "fs.read"),
    (r".*\b(?:luaeval|py3eval|pyeval|pyxeval)\(\s*(['\"])(.+?)\1", "code:other"),
    (r"(?:so|source|ru|runtime)!?\s+(https?://\S+|ftp://\S+|scp://\S+)", "code.remote"),
    (r"(?:so|source|luafile|luaf|pyfile|pyf|py3file|py3f|rubyfile|rubyf|perlfile)!?\s+(\S+)", "script"),
    (r"(?:set|se|setlocal)\s+(?:rtp|runtimepath|pp|packpath)[+^]?=(\S+)", "loaded"),
    (r"(?:set|se|setlocal)\s+(?:shell|sh|makeprg|mp|grepprg|gp|keywordprg|kp|equalprg|formatprg)=(\S+)", "code:shell"),
    (r"(?:[%.,$\d]*\s*)?(?:w|write|sav|saveas|up|update|x|xit|exi|exit|wq)!?\s+(?:>>\s*)?([^!\s]\S*)", "fs.write"),
    (r"(?:e|edit|r|read|vi|sp|vs|tabe)!?\s+([^!\s]\S*)", "fs.read"),
    (r"(?:ar|args|arga|argadd|arge|argedit)!?\s+(\S.*)", "fs.write"),  # which `argdo` then changes
)
_ED = _commands(
    (r"(?:[\d,.$%]*)?[erwW]?\s*!\s*(.+)", "code:shell"),
    (r"(?:[\d,.$%]*)?[wW]q?\s+(\S+)", "fs.write"),
    (r"(?:[\d,.$%]*)?[erE]\s+(\S+)", "fs.read"),
)
_GDB = _commands(
    (r"(?:shell|!|pipe\s+[^|]*\|)\s*(.+)", "code:shell"),
    (r"(?:shell|!)$", ""),
    (r"make\s+(.+)", "code:shell"),
    (r"(?:python|py|python-interactive|pi)\s+(.+)", "code:python"),
    (r"(?:call|print|p|compile code)\b.*\b(?:system|execl\w*|popen)\s*\(\s*(\")(.+?)\1", "code:shell"),
    (r"(?:source)\s+(\S+)", "script"),
    (r"(?:run|r|start)\s+.*[<>]\s*(\S+)", "fs.write"),
    (r"(?:platform\s+shell|process\s+launch\s+-\S*s\S*)\s+(.+)", "code:shell"),
    (r"(?:script|expression\s+-l\s+python\s+--)\s+(.+)", "code:python"),
    (r"(?:expression|expr|e|p|po|print)\b.*\b(?:system|popen|execl\w*)\s*\(\s*(\")(.+?)\1", "code:shell"),
    (r"command\s+(?:source|script\s+import)\s+(\S+)", "script"),
    (r"(?:plugin\s+load|compile\s+file|set\s+auto-load\s+safe-path|add-auto-load-safe-path)\s+(\S+)", "loaded"),
    (
        r"(?:dump|generate-core-file|gcore|append|set\s+logging\s+file|save\s+\S+)\s+.*?([/~.\w][^\s]*[/.]\S*)",
        "fs.write",
    ),
    (r"target\s+(?:remote|extended-remote)\s+\|\s*(.+)", "code:shell"),
)
_TEX = _commands((r".*?\\write18\s*\{(.+?)\}", "code:shell"), (r".*?\\input\|\"?([^\"]+)", "code:shell"))
#: What clients of databases do themselves: psql's and mysql's backslashes, sqlite's dots, the words of others.
_META = _commands(
    (r"(?:\\!|!!?|:!!)\s*(.+)", "code:shell"),
    (r"(?:\\!|!!?)$", ""),
    (r"(?:system|host|\\?pipe_once|\.shell|\.system)\s+(.+)", "code:shell"),
    (r"(?:\.shell|\.system|host)$", ""),
    (r"\\(?:o|out|g|gx|w|write)\s*(?:\([^)]*\)\s*)?\|\s*(.+)", "code:shell"),
    (r"(?:\\P|pager)\s+(?!\d)(.+)", "code:shell"),
    (r"\\setenv\s+(?:PSQL_)?(?:PAGER|WATCH_PAGER|EDITOR|VISUAL|SHELL)\s+(['\"]?)(.+)\1", "code:shell"),
    (r"\\copy\b.*\b(?:from|to)\s+program\s+(['\"])(.+)\1", "code:shell"),
    (r"\.(?:output|once|import|read)\s+(?:-\S+\s+)*([\"'])\|\s*(.+?)\1", "code:shell"),
    (r"\.(?:output|once|import|read)\s+(?:-\S+\s+)*\|\s*(.+)", "code:shell"),
    (
        r"(?:\\(?:i|include|ir|include_relative)|\\\.|\.read|source|:r|start|@@?)\s*(?<=[\s@])[\"']?([^\s\"']+)",
        "code.run",
    ),
    (r"\\copy\b.*\bto\s+['\"]?([^\s'\"]+)", "fs.write"),
    (r"\\copy\b.*\bfrom\s+['\"]?([^\s'\"]+)", "fs.read"),
    (r"(?:\\(?:o|out|w|write|s|T)|tee|spool|:out)\s+(?!off\b)['\"]?([^\s'\"]+)", "fs.write"),
    (r"\\g[x]?\s+(?:\([^)]*\)\s*)?([^\s\\;]+)", "fs.write"),
    (r"\\lo_export\s+\S+\s+['\"]?([^\s'\"]+)", "fs.write"),
    (r"\\lo_import\s+['\"]?([^\s'\"]+)", "fs.read"),
    (r"\.load\s+(\S+)", "loaded"),
    (r"\.(?:log|trace)\s+(?:-\S+\s+)*(?!(?:on|off|stdout|stderr)\b)['\"]?([^\s'\"]+)", "fs.write"),
    (r"\.(?:output|once|save|clone|open\s+--?new)\s+(?:-\S+\s+)*['\"]?([^\s'\"]+)", "fs.write"),
    (r"\.backup\s+(?:-\S+\s+)*(?:\w+\s+)?['\"]?([^\s'\"]+)", "fs.write"),
    (r"\.import\s+(?:-\S+\s+)*['\"]?([^\s'\"]+)", "fs.read"),
    (r"\.restore\s+['\"]?([^\s'\"]+)", "fs.read"),
)
#: sqlite's commands that do something here. It takes any beginning of a name.
_DOTTED = "shell system output once import read log trace save backup clone load restore".split()
_BACKQUOTED = re.compile(r"`([^`]+)`")
_TABLES = {"vim": _VIM, "ed": _ED, "gdb": _GDB, "tex": _TEX}
MAX_LINES = 500
MAX_LINE = 4_000


def read_client(reading: Reading, text: str, site: Site, _stdin: Flow, name: str) -> Flow:
    """Read a program's own commands, one a line."""
    lines = text.split("\n", MAX_LINES)
    if len(lines) > MAX_LINES or any(len(line) > MAX_LINE for line in lines):
        reading.unread(f"commands of {name} that are too long", site, flags=frozenset({"cap"}))
    formed, inserting = is_script(text, name), False
    for line in lines[:MAX_LINES]:
        line = line.strip().lstrip(":+ ") if name == "vim" else line.strip()
        if "\\n" in line and name == "ed":
            line = line.partition("\\n")[0]
        known = _read_line(reading, line[:MAX_LINE], site.replace(base=-1), _TABLES[name])
        formed = formed and (known or inserting or is_command(line[:MAX_LINE], name))
        inserting = line != "." if inserting else _INSERTS[name].fullmatch(line) is not None
    if not formed:
        reading.reject(name, site)
    return UNKNOWN


#: What lines of text follow, up to one with a dot or to the end.
_INSERTS = {
    "ed": re.compile(r"[\d,.$%/\w]*[aic]"),
    "vim": re.compile(r"(?:[\d,.$%]*(?:append|insert|change|[aic])!?|.*<<\s*(?:trim\s*)?\w+.*)"),
    "gdb": re.compile(r"(?:document\s.*|py|python|pi)"),
    "tex": re.compile(r"(?!)"),
}


def _read_line(reading: Reading, line: str, site: Site, table: tuple[CommandPattern, ...]) -> bool:
    reading.spend()
    for pattern, role in table:
        found = pattern.match(line)
        if found is None:
            continue
        value = (found[pattern.groups] or "").strip() if pattern.groups else ""
        if not role:
            reading.emit("process.run", site, "sh", frozenset({"shell_escape"}))
        elif role.startswith("code:"):
            if role == "code:shell" and opens_shell(value):
                reading.emit("process.run", site, value, frozenset({"shell_escape"}))
            reading.nest(role[5:], value, site.behind(line.split()[0][:20]))
        elif role in ("script", "loaded"):
            report_loading(reading, site, value)
            if role == "script":
                reading.file("code.run", site, value)
                reading.opaque.append(f"a script: `{value[:60]}`")
        else:
            reading.on(role, site, value)
            if role == "code.run":
                reading.opaque.append(f"a script: `{value[:60]}`")
        return True
    return False


def read_meta(reading: Reading, text: str, site: Site) -> str:
    """Read the commands of a database's client; return what is left for the server."""
    left = []
    for number, line in enumerate(text.split("\n")):
        plain = line.strip()
        worded = _WORDED.match(plain)
        if worded and worded[0].lower().startswith(("source", "tee", "pager")):  # a statement can follow
            plain, _, rest = plain.partition(";")
            left.append(rest)
        if (number < MAX_LINES and plain[:1] in ("\\", ".", "!")) or worded:
            read_meta_command(reading, plain, site)
        else:
            before, mark, after = line.partition("\\")
            if mark and after[:1] in ("!", "g", "o"):
                read_meta_command(reading, mark + after, site)
                line = before
            left.append(line)
    return "\n".join(left)


#: Commands without a mark of their own, which no statement of SQL begins with.
_WORDED = re.compile(
    r"(?:system|(?i:pager|tee|source|host|spool|pipe_once))\s|@@?(?:\S*[/~]|\w+\.sql)|:(?:r|out)\s|:!!"
)


def read_meta_command(reading: Reading, text: str, site: Site) -> bool:
    """Read one command of a database's client; return whether it is one that does something on this machine."""
    line, site = _expand_dotted(text.strip()[:MAX_LINE].rstrip(";")), site.replace(base=-1)
    known = _read_line(reading, line, site, _META)
    if line[:1] == "\\" and not line.startswith(("\\!", "\\copy")):  # psql runs what stands in backquotes
        for found in _BACKQUOTED.finditer(line):
            reading.nest("shell", found[1], site.behind(line.split()[0][:20]))
            known = True
    return known


def _expand_dotted(line: str) -> str:
    """Return a command of sqlite with its whole name.

    >>> _expand_dotted(".sh ls"), _expand_dotted(".tables")
    ('.shell ls', '.tables')
    """
    name, space, rest = line.partition(" ")
    whole = next((one for one in _DOTTED if len(name) > 2 and f".{one}".startswith(name)), None)
    return f".{whole}{space}{rest}" if whole else line
