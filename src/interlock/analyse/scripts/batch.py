"""The language of `cmd.exe`, read as the shell text that says the same.

So the catalogue describes its programs like any others, pipes carry what runs through them, and what a variable may
hold after a branch is followed as in a shell.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.grammars import parse
from interlock.analyse.languages import language_of
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.batch_words import (
    OPERATORS,
    QUOTED,
    SPLITTING,
    count_operators,
    double_signs,
    separate_switches,
    shell_name,
    split,
    strip_leading,
    variable,
)
from interlock.analyse.scripts.percent import PercentVariables
from interlock.analyse.scripts.values import shell_text, shell_word
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

MAX_CHARS = 64_000
MAX_LINE = 8_191  # `cmd.exe` takes no longer one
MAX_DEPTH = 24
MAX_CALLS = 12
MAX_LINES = 2_000
_CAP = frozenset({"cap"})
#: The grammar takes quadratic time on thousands of these.
_MOST = dict.fromkeys('&|(){}<>%!^"', 3_000)

_CONTINUED = late(r"\^\r?\n")
_PIECE = late(r"(?:\"[^\"\n]*\"?|\^.|[^&|\n()\"^<>])+")
_ODD_NAME = late(r"(?m)((?:^|[&|(])[ \t]*)[/~\\]")  # a path that the grammar does not take for a command's name
# A batch file that starts itself twice, or again and again.
_FORKS = late(r"(?i)%~?(?:f|dp)?0\"?\s*\|\s*\"?%~?(?:f|dp)?0|\bstart\s+(?:\"[^\"]*\"\s+)?(?:/\w+\s+)*\"?%~?(?:f|dp)?0")
_LABEL = late(r"(?im)^[ \t]*:([^\s:+].*?)[ \t]*$")
_CALLED = late(r"(?i)call[ \t]+:(\S+)[ \t]*(.*)", re.DOTALL)
_START_OPTIONS = late(r"(?i)/(?:d\s*\S+|\w+(?::\S+)?)$")
_FOR_NAME = late(r"%{1,2}~?[a-z$]*?([A-Za-z?#])$")
#: Commands that only show something, wait, or set how lines are read.
_NOTHING = frozenset(
    "@echo rem cls title pause color chcp mode prompt verify setlocal endlocal break exit timeout choice ver vol "
    "path date time goto shift echo. echo: echo( else".split()
)
#: Commands of `cmd.exe` that a shell knows by another name.
_NAMES = {
    "type": "cat",
    "md": "mkdir",
    "find": "grep -e",
    "findstr": "grep -e",
    "where": "which",
    "chdir": "cd",
    "more": "cat",
}
_LEADING = "@,;= \t"
MAX_ITEMS = 8
_TOKENS = late(r"tokens=([\d,*-]+)")
_DELIMITERS = late(r"delims=([^\"]*?)(?:\s+\w+=|\"|$)")
_STATEMENTS = frozenset(
    "cmd command_sep cond_exec pipe_stmt redirect_stmt if_stmt for_stmt call_stmt variable_assignment parenthesized "
    "else_clause macro_invocation ERROR label".split()
)


def read_batch(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read a batch text as the shell text that says the same."""
    reading.spend(len(text) // 32)
    site = site.replace(base=-1)
    why = f"longer than {MAX_CHARS} characters" if len(text) > MAX_CHARS else ""
    if max(map(len, text.split("\n"))) > MAX_LINE:
        why = why or f"with a line longer than {MAX_LINE} characters"
    for sign, most in _MOST.items():
        why = why or (f"with more than {most} `{sign}`" if text.count(sign) > most else "")
    if why:
        reading.unread(f"batch text {why}", site, flags=_CAP)
        text = text[: MAX_CHARS // 32]
    if _FORKS.search(text):
        reading.emit("machine.exhaust", site, "fork")
    batch = _BatchFile(reading, site)
    try:
        lines = batch.translate(text)
    except RecursionError:
        reading.unread("batch text nested too deep", site, flags=_CAP)
        return UNKNOWN
    return reading.nest("shell", "\n".join(lines), site, stdin)


class _BatchFile:
    """A batch text being turned into a shell text."""

    __slots__ = ("_calls", "_depth", "_reading", "_site", "_text", "_variables")

    def __init__(self, reading: Reading, site: Site) -> None:
        self._reading, self._site = reading, site
        self._variables = PercentVariables()
        self._text = ""
        self._depth = self._calls = 0

    def translate(self, text: str) -> list[str]:
        """Return the lines of a shell text that does what a batch text does."""
        outer, self._text = self._text, _CONTINUED.sub("", text).replace("\r", "")
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                self._reading.unread("batch text nested too deep", self._site, flags=_CAP)
                return []
            self._text = double_signs(strip_leading(self._text))
            root = parse("batch", _ODD_NAME.sub(r"\1x", self._text) + "\n")
            lines = self._lines(root)
            if root.has_error:
                self._reading.unread("batch text that does not parse", self._site)
                for piece in _PIECE.finditer(self._text):
                    lines += self._command(piece[0].strip(" \t@"))
            return lines[:MAX_LINES]
        finally:
            self._depth -= 1
            self._text = outer

    def _of(self, node: Node) -> str:
        return self._text[node.start_byte : node.end_byte]

    def _lines(self, node: Node) -> list[str]:
        """Return the shell lines of a node's statements."""
        found: list[str] = []
        for child in node.named_children:
            found += self._statement(child)
        return found

    def _statement(self, node: Node) -> list[str]:
        self._reading.spend()
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH * 2:
                self._reading.unread("batch text nested too deep", self._site, flags=_CAP)
                return []
            return self._translate(node)
        finally:
            self._depth -= 1

    def _translate(self, node: Node) -> list[str]:
        kind = node.type
        if kind in ("cmd", "macro_invocation"):
            return self._command(self._of(node))
        if kind == "variable_assignment":
            return self._assignments(self._of(node))
        if kind == "call_stmt":
            return self._call(self._of(node))
        if kind == "pipe_stmt":
            return self._pipe(node)
        if kind == "redirect_stmt":
            return self._redirect(node)
        if kind == "if_stmt":
            return self._if(node)
        if kind == "for_stmt":
            return self._for(node)
        if kind == "label":
            return []
        return self._lines(node) if node.named_child_count else []

    # commands

    def _command(self, raw: str) -> list[str]:
        """Return one command; variables are filled in before it is taken apart, as `cmd.exe` does."""
        several = self._variables.possible_texts(raw) if self._depth < MAX_DEPTH else []
        if several:
            lines = [line for one in several for line in self.translate(one)]
            return ["if false; then", *(lines or [":"]), "fi"]
        expanded = self._variables.expand(raw.strip().lstrip(_LEADING).strip())
        if count_operators(expanded) > count_operators(raw) and self._depth < MAX_DEPTH:
            return self.translate(expanded)
        words = separate_switches(split(expanded))
        if not words:
            return []
        name = words[0].lower()
        if name == "set":
            return self._assignment(expanded)
        if name in ("if", "for", "call") and self._depth < MAX_DEPTH and raw != expanded:
            return self.translate(expanded)
        if name in ("start", "call") and len(words) > 1:
            return self._read_start(words[1:])
        return self._program(words)

    def _read_start(self, words: list[str]) -> list[str]:
        """`start "title" /options program …`."""
        if words[0] == "":
            words = words[1:]
        while words and (_START_OPTIONS.match(words[0]) or " " in words[0]) and len(words) > 1:
            words = words[1:]
        return self._program(words) if words else []

    def _program(self, words: list[str]) -> list[str]:
        name, rest = words[0], words[1:]
        lower = name.lower().removesuffix(".exe") if "\\" not in name else name
        if lower in _NOTHING or not name.strip("()"):
            return []
        if lower in SPLITTING:
            rest = [part for word in rest for part in (re.split("[,;]", word) if "[" not in word else [word]) if part]
        if lower in ("cd", "chdir", "pushd"):
            rest = [unix_path(word) for word in rest if word.lower() != "/d"]
        elif lower in _NAMES:
            rest = [unix_path(word) for word in rest if not word.startswith("/")]
        elif lower == "mklink":
            operands = [unix_path(word) for word in rest if not word.startswith("/")]
            return [shell_text(["ln", "-s", *reversed(operands)])] if len(operands) > 1 else []
        if lower.endswith((".bat", ".cmd", ".ps1")) and self._text.lower().count(lower) > 1:
            return [
                shell_text([f"./{unix_path(name)}" if "\\" not in name else unix_path(name), *rest])
            ]  # written here
        if share_address(name):  # a program at another machine
            return [shell_text([name, *rest])]
        script = self._find_known_script(name)
        if script is not None:
            return script
        for ending in (".cmd", ".bat"):
            if f"{lower}{ending}" in self._text.lower() and lower.isidentifier() and not PROGRAMS.find(lower):
                return [shell_text([f"./{name}{ending}", *rest])]  # written here, and run by its first name
        plain = _NAMES.get(lower) or (unix_path(name) if "\\" in name or ":" in name[1:2] else shell_name(lower, name))
        if lower in _NAMES or HOLE not in plain:
            head = plain if " " in plain and lower in _NAMES else shell_text([plain])
        else:
            head = shell_word(plain)
        return [f"{head} {shell_text(rest)}".strip()]

    def _find_known_script(self, name: str) -> list[str] | None:
        """Return what a batch file does that this action wrote."""
        reading = self._reading
        if not reading.files or self._calls >= MAX_CALLS:
            return None
        for path in (name, f"{name}.bat", f"{name}.cmd"):
            plain = unix_path(path)
            held = reading.files.get(reading.places.resolve(plain, self._site.cwd) or plain)
            if held is not None and held.text is not None and language_of(plain, "") == "batch":
                self._calls += 1
                return self.translate(held.text)
            if held is not None:
                return [shell_text([plain if "/" in plain else f"./{plain}"])]
        return None

    def _call(self, raw: str) -> list[str]:
        """`call :label words`: the lines behind the label, with the words as its arguments."""
        found = _CALLED.match(raw.strip())
        if found is None:
            text = re.sub(r"(?i)^[\s@,;=]*call\s+", "", raw, count=1)
            return self._command(self._variables.expand(text) if "%%" in text else text)  # which is expanded twice
        self._calls += 1
        if self._calls > MAX_CALLS:  # the lines behind a label are read where they stand as well
            return []
        start = next((one.end() for one in _LABEL.finditer(self._text) if one[1].lower() == found[1].lower()), -1)
        if start < 0:
            return []
        body = re.split(r"(?im)^[ \t]*(?:exit\s+/b|goto\s*:?eof)\b", self._text[start:], maxsplit=1)[0]
        before = self._variables.arguments
        self._variables.arguments = [found[1], *split(self._variables.expand(found[2]))]
        try:
            return self.translate(body)
        finally:
            self._variables.arguments = before

    # variables

    def _assignments(self, raw: str) -> list[str]:
        """Return an assignment, and what follows it on the line: the grammar takes that for a part of the value."""
        for found in OPERATORS.finditer(raw):
            if found[1]:
                rest = raw[found.start() :].lstrip("&|")
                return self._assignment(raw[: found.start()].rstrip(" ")) + self.translate(rest)
        return self._assignment(raw)

    def _assignment(self, raw: str) -> list[str]:
        """`set name=value`, `set /p name=`, `set /a`; in a branch, the shell follows what it may hold."""
        text = re.sub(r"(?i)^\s*@?set\b\s*", "", raw, count=1)
        option = re.match(r"(?i)/([ap])\s*", text)
        text = text[option.end() :] if option else text
        text = text.strip()
        if text.startswith('"'):
            text = text[1:].rpartition('"')[0] or text[1:].rstrip('"')
        name, equals, value = text.partition("=")
        if not equals:
            return [] if text else ["env"]
        name = name.strip().lower()
        value = self._variables.expand(value) if not option else ""
        if option or HOLE in value:
            self._variables.forget(name)
            return [f"{variable(name)}={shell_word(value)}"] if not option else []
        plain = QUOTED.sub(lambda found: found[2] if found[2] else found[0], value)
        self._variables.set(name, plain)
        return [f"{variable(name)}={shell_word(plain)}"]

    # control

    def _pipe(self, node: Node) -> list[str]:
        parts = ["\n".join(self._statement(child)) for child in node.named_children]
        return [" | ".join(f"{{ {part}\n}}" if "\n" in part else part for part in parts if part)]

    def _redirect(self, node: Node) -> list[str]:
        lines: list[str] = []
        targets: list[str] = []
        for child in node.named_children:
            if child.type == "redirection":
                targets.append(self._target(child))
            else:
                lines += self._statement(child)
        body = "\n".join(lines)
        if not body:
            return [f": {' '.join(targets)}"] if targets else []
        return [f"{{ {body}\n}} {' '.join(targets)}" if "\n" in body else f"{body} {' '.join(targets)}"]

    def _target(self, node: Node) -> str:
        found = ""
        for child in node.children:
            if child.type in ("redirect_op", "fd_redirect_op"):
                found += f" {self._of(child).strip()} "
            elif child.type == "fd_redirect":
                found += f" {self._of(child).strip()}"
            elif child.type in ("redirect_target", "argument_value", "string", "variable_reference"):
                words = split(self._variables.expand(self._of(child)))
                path = unix_path(words[0]) if words else ""
                found += "/dev/null" if path.lower() in ("nul", "nul:") else shell_word(path)
        return found

    def _if(self, node: Node) -> list[str]:
        """Return both branches: which of them runs is not known."""
        before = self._variables.copy()
        done: list[str] = []
        other: list[str] = []
        for child in node.named_children:
            if child.type == "else_clause":
                other += self._lines(child)
            elif child.type in _STATEMENTS:
                done += self._statement(child)
        self._variables.forget_uncertain(before)
        if not done and not other:
            return []
        return ["if false; then", *(done or [":"]), *(["else", *other] if other else []), "fi"]

    def _for(self, node: Node) -> list[str]:
        """`for %%i in (…) do …`; `/f` with a command in quotes goes over what that prints."""
        name, options, items = "i", "", ""
        statements: list[Node] = []
        before = self._variables.copy()
        for child in node.named_children:
            if child.type == "for_variable":
                found = _FOR_NAME.search(self._of(child))
                name = found[1] if found else "i"
                self._variables.loops.add(name)
            elif child.type == "for_options":
                options = self._of(child)
            elif child.type == "for_set":
                items = self._of(child).strip()
            elif child.type in _STATEMENTS:
                statements.append(child)
        known = self._find_known_items(options.lower(), items, statements, name)
        if known is not None:
            return self._unroll(known, statements, before)
        body = [line for child in statements for line in self._statement(child)]
        self._variables.forget_uncertain(before)
        head = self._items(options, items)
        return [f"for {variable(name)} in {head}; do", *(body or [":"]), "done"]

    def _find_known_items(
        self, options: str, items: str, statements: list[Node], name: str
    ) -> list[dict[str, str]] | None:
        """Return what the variables of a loop hold in each turn, if the loop runs them or takes a text apart."""
        runs = any(re.match(rf"(?i)[@\s(]*(?:call\s+)?%+~?[a-z]*{name}\b", self._of(one)) for one in statements)
        if options.startswith("/f"):
            if items[:1] != '"' or "usebackq" in options:
                return None
            return [_take_apart(options, self._variables.expand(items.strip('"')), name)]
        words = split(self._variables.expand(items))
        if options.startswith("/l") and "!" in "".join(map(self._of, statements)):
            return [{name: str(number)} for number in _numbers(words)] or None
        if not runs or options.strip() or len(words) > MAX_ITEMS or any(HOLE in word for word in words):
            return None
        return [{name: word} for word in words]

    def _unroll(self, turns: list[dict[str, str]], statements: list[Node], before: dict[str, str | None]) -> list[str]:
        lines: list[str] = []
        for turn in turns:
            self._variables.turn = turn
            for child in statements:
                lines += self._statement(child)
            self._variables.turn = {}
        self._variables.forget_uncertain(before)
        return lines

    def _items(self, written: str, items: str) -> str:
        options = written.lower()
        quote = "`" if "usebackq" in options else "'"
        if options.startswith("/f") and items[:1] == quote:
            return f"$({'; '.join(self.translate(items.strip(quote)))})"
        words = split(self._variables.expand(items))
        if options.startswith("/l"):
            return shell_text(words[:1])
        if options.startswith("/f") and items[:1] not in "\"'":
            return " ".join(f"$(cat {shell_word(unix_path(word))})" for word in words)
        if options.startswith("/r"):  # every file below a folder
            root = unix_path(" ".join(split(written[2:])))
            words = [f"{root.rstrip('/')}/{word}" if root else word for word in words]
        # A plain path stays as it is: with slashes, `rd` would take it for a switch.
        patterns = [unix_path(word) if any(sign in word for sign in "*?") else shell_word(word) for word in words]
        return " ".join(patterns) or "''"


def _numbers(words: list[str]) -> list[int]:
    """Return the numbers that `for /l %%i in (start,step,end)` goes through, if they are few."""
    parts = [int(one) for one in re.findall(r"-?\d{1,6}", " ".join(words))]
    if len(parts) != 3 or not parts[1]:
        return []
    found = range(parts[0], parts[2] + (1 if parts[1] > 0 else -1), parts[1])
    return list(found) if len(found) <= MAX_ITEMS else []


def _take_apart(options: str, text: str, name: str) -> dict[str, str]:
    """Return what `for /f` puts into its variables: parts of a text, by `tokens` and `delims`."""
    wanted, marks = _TOKENS.search(options), _DELIMITERS.search(options)
    delimiters = marks[1] if marks else " \t"
    parts = [one for one in re.split(f"[{re.escape(delimiters)}]+", text) if one] if delimiters else [text]
    numbers: list[str] = re.split(",", wanted[1]) if wanted else ["1"]
    found: dict[str, str] = {}
    letter = ord(name)
    for number in numbers:
        first, _, last = number.partition("-")
        if first == "*":
            found[chr(letter)] = " ".join(parts) if not found else " ".join(parts[len(found) :])
            break
        for at in range(int(first or 1), min(int(last or first or 1), len(parts) + 1) + 1):
            found[chr(letter)] = parts[at - 1] if at <= len(parts) else ""
            letter += 1
        if number.endswith("*"):
            break
    return found
