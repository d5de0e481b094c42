"""Arguments of interpreters that hold code, or name it, without the option for code: `perl -M'X;…'`, `ruby -run`."""

from __future__ import annotations

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_file
from interlock.knowledge.arguments import ParsedArguments
from interlock.patterns import late

#: A module of `-M` that is more than a name and its imports: Perl puts the whole text behind `use`.
_MODULE = late(r"-(?!I)[a-zA-Z]{0,4}?[Mm]-?(\S[^;({`]*[;({`].*)", 16)


def run_perl_modules(call: ShellCall) -> None:
    """Analyse what `-M` and `-d:` put behind `use`, and what `-F` puts into `split`."""
    for at, word in enumerate(call.words[1:], 1):
        value = call.words[at + 1] if word in ("-M", "-m") and at + 1 < len(call.words) else ""
        found = _MODULE.fullmatch(word + value)
        if found is not None:
            call.scope.reading.nest("perl", f"use {found[1]};", call.site.behind("perl -M"))

    for word in call.words[1:]:
        debugger, pattern = _DEBUGGER.fullmatch(word), _PATTERN.fullmatch(word)
        if debugger is not None:
            call.scope.reading.nest("perl", f"use Devel::{debugger[1]};", call.site.behind("perl -d"))
        elif pattern is not None:
            call.scope.reading.nest("perl", f"split({pattern[1]});", call.site.behind("perl -F"))


#: A debugger with more than its name, and a pattern in marks: Perl puts both into code as they are.
_DEBUGGER = late(r"-dt?:-?(\w[\w:]*[;({`].*)", 16)
_PATTERN = late(r"-(?!I)[a-zA-Z0-9]{0,6}?F(([\"'/]).*\2.+)", 16)
#: Commands of Ruby's library `un` that are those of the shell.
_UN = frozenset("cp ln mv rm mkdir rmdir install chmod touch".split())


def run_ruby_command(call: ShellCall, parsed: ParsedArguments, code: str, at: int) -> Flow | None:
    """Analyse `ruby -run -e rm -- -r build` as that command; None if it is ordinary code."""
    name = code.strip()
    if name not in _UN or not any(value.role == "loaded" and value.text == "un" for value in parsed.values):
        return None
    rest = [word for word in call.words[at + 1 :] if word != "--"]
    return call.with_words([name, *rest], [None] * (len(rest) + 1)).tail(0, "ruby -run", call.stdin)


def run_r_tool(call: ShellCall) -> Flow | None:
    """Analyse `R CMD BATCH FILE` and the other tools of R; None if it is an ordinary call."""
    if call.words[1:2] != ["CMD"]:
        return None
    tool = call.words[2] if len(call.words) > 2 else ""
    operands = [word for word in call.words[3:] if word[:1] != "-"]
    if tool == "BATCH" and operands:
        return run_file(call, operands[0], "r")
    kind = {"INSTALL": "package.install", "REMOVE": "package.remove"}.get(tool, "process.spawn")
    for operand in operands or [tool]:
        call.scope.reading.on(kind, call.site, operand)
    return UNKNOWN


_PRINTS = late(r"(?:!|pp?\s)\s*")


def run_debugger_commands(call: ShellCall, words: list[str]) -> None:
    """Analyse the statements among the commands of `python -m pdb -c`: what is no command is Python."""
    for at, word in enumerate(words[:-1]):
        if word in ("-c", "--command"):
            text = words[at + 1].strip()
            code = _PRINTS.sub("", text, count=1)
            if code != text or "(" in code:
                call.scope.reading.nest("python", code, call.site.behind("python -m pdb"))
