"""Shell builtins: they print, or change the state of the shell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import FRESH, report_loading
from interlock.analyse.secrets.disclosure import holds_value
from interlock.analyse.shadowing import COMMANDS, CONFIDANTS, GUARDS
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.analyse.shell.output.filters import MAX_TEXT, echo, printf
from interlock.analyse.shell.scope import CWD, TRACED, ShellScope
from interlock.analyse.shell.states import take_state
from interlock.patterns import late


def _print_reader(function: Callable[[list[str], str], str | None]) -> Callable[[ShellCall], Flow]:
    """Return the reader of a builtin that prints the result of a function of its words."""

    def reader(call: ShellCall) -> Flow:
        call.scope.reading.emit("out.print", call.site)
        marks = NONE
        for word in call.words[1:]:
            if HOLE in word:
                marks |= call.scope.reading.marks(word)
                if holds_value(word):
                    marks |= {"variable"}  # printed, unless a pipe takes it
        text = function(call.words, "")
        call.scope.reading.spend(len(text or "") // 128)
        return Flow(text if text is not None and len(text) <= MAX_TEXT else None, marks)

    return reader


def _cd(call: ShellCall) -> Flow:
    """`cd`, `pushd`, `popd`: change the working folder."""
    scope = call.scope
    targets = [word for word in call.words[1:] if word == "-" or not word.startswith("-")]
    target = targets[0] if targets else "~"
    stack = scope.variables.get("DIRSTACK")
    earlier = stack if isinstance(stack, list) else []
    before = scope.cwd or scope.reading.places.cwd or ""
    if call.program == "popd":
        target, scope.variables["DIRSTACK"] = earlier[-1] if earlier else hole("cwd"), earlier[:-1]
    elif call.program == "pushd":
        scope.variables["DIRSTACK"] = [*earlier, before]
    elif target == "-":
        target = scope.value("OLDPWD")
    _change_folder(scope, target)
    scope.variables["OLDPWD"] = before
    scope.reading.emit("out.print", call.site)
    return NOTHING


def _change_folder(scope: ShellScope, target: str) -> None:
    """Change the working folder of a scope; with `CDPATH`, a relative folder may be in one of its folders too."""
    places = scope.reading.places
    plain = places.resolve(target, scope.cwd) or hole("cwd")
    scope.alternatives.pop(CWD, None)  # a command is walked for each of them
    if target[:1] not in ("/", "~") and target.split("/")[0] not in (".", "..") and scope.lookup("CDPATH"):
        scope.add_alternative(CWD, plain)
        target = f"{scope.value('CDPATH').partition(':')[0]}/{target}"
        plain = places.resolve(target, scope.cwd) or hole("cwd")
    scope.cwd = plain


def _pwd(call: ShellCall) -> Flow:
    """`pwd`: print the working folder."""
    call.scope.reading.emit("out.print", call.site)
    cwd = call.scope.cwd or call.scope.reading.places.cwd
    return Flow(cwd + "\n" if cwd and HOLE not in cwd else None)


def _eval(call: ShellCall) -> Flow:
    """`eval`: analyse its arguments as shell text in this scope."""
    text = " ".join(call.words[1:])
    call.scope.reading.emit("code.eval", call.site)
    site = call.inner(1).behind("eval") if len(call.words) == 2 else call.site.behind("eval")
    if HOLE in text and text.startswith(HOLE):
        return run_flow(call, Flow(None, call.scope.reading.marks(text)), "shell", "eval")
    return call.scope.shell.evaluate(text, call.scope, call.stdin, site)


_PARTLY = frozenset({"part", "changed"})
_STDIN = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def _source(call: ShellCall) -> Flow:
    """`source`: the file runs in the current shell, so its assignments and functions stay."""
    if len(call.words) < 2:
        return NOTHING
    path = call.words[1]
    reading = call.scope.reading
    known = call.stdin if path in _STDIN else reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    if known is not None and known.text is not None and HOLE not in known.text and not known.marks & _PARTLY:
        return call.scope.shell.evaluate(known.text, call.scope, NOTHING, call.site.behind("source"))
    return run_flow(call, call.stdin, "shell", "source") if path in _STDIN else run_file(call, path)


def _alias(call: ShellCall) -> Flow:
    """`alias`: define aliases: `alias name=text`, and in fish `alias name text`, which `--save` keeps."""
    plain = [word for word in call.words[1:] if word[:1] != "-"]
    if len(plain) == 2 and "=" not in plain[0]:
        call.scope.define_alias(plain[0], plain[1])
        _report_alias(call, plain[0], plain[1])
        if plain[0] in COMMANDS and not {"-s", "--save"}.isdisjoint(call.words):
            call.scope.reading.file("fs.write", call.site, f"~/.config/fish/functions/{plain[0]}.fish")
    for word in call.words[1:]:
        name, equals, text = word.partition("=")
        if equals:
            call.scope.define_alias(name, text)
            _report_alias(call, name, text)
    call.scope.reading.emit("out.print", call.site)
    return NOTHING


def _report_alias(call: ShellCall, name: str, text: str) -> None:
    """Report an alias for a command that everyone uses, if it runs another one or gives it settings that run code."""
    reading = call.scope.reading
    if name in GUARDS:
        reading.emit("defence.disable", call.site, name)
    if name not in COMMANDS or not text.strip() or HOLE in text:
        return
    first = text.split()[0].lstrip("\\")
    if name in CONFIDANTS and first.rpartition("/")[2] != name and first not in ("command", "sudo", "kitty", "TERM"):
        reading.emit("code.run", call.site, f"{name} {text}", frozenset({"shadows"}))
    if any(sign in text for sign in ("/", "|", ";", "$(", "`", " -c ")):
        call.scope.shell.evaluate(text, call.scope.copy(), NOTHING, call.site.behind("alias"))


# `set -U` of fish: the variable is kept for all later sessions.
_UNIVERSAL = late(r"^(?:-[a-zA-Z]*U[a-zA-Z]*|--universal)$")


def _trap(call: ShellCall) -> Flow:
    """`trap`: analyse its command, with the folders that later commands make for it.

    A command that runs before every other one and sends something tells others what is typed.
    """
    if len(call.words) < 3 or call.words[1] in ("-", ""):
        return NOTHING
    scope, reading, text = call.scope, call.scope.reading, call.words[1]
    later = {name: FRESH for name in _LATER.findall(scope.source.text) if name not in scope.variables}
    if later and "$" in text:
        scope = scope.copy()
        scope.variables.update(later)
    first = len(reading.effects)
    flow = scope.shell.evaluate(text, scope, NOTHING, call.inner(1).behind("trap"))
    if "DEBUG" in call.words[2:] and any(effect.kind.startswith("net.") for effect in reading.effects[first:]):
        reading.emit("system.read", call.site, "commands that are typed", frozenset({"keys"}))
    return flow


# Variables that hold a new folder or file: `work=$(mktemp -d)`.
_LATER = late(r"""(?m)(?:^|[\s;&(])([A-Za-z_]\w*)=["']?\$\(mktemp\b""")


def _bind(call: ShellCall) -> Flow:
    """`bind`: analyse the command that `-x` puts on a key, or the file of `-f`."""
    for at, word in enumerate(call.words[1:-1], 1):
        value = call.words[at + 1]
        if word == "-x":
            command = value.partition(":")[2].strip().strip("\"'")
            call.scope.shell.evaluate(command, call.scope.copy(), NOTHING, call.site.behind("bind"))
        elif word == "-f":
            report_loading(call.scope.reading, call.site, value)
    return _print_nothing(call)


def _complete(call: ShellCall) -> Flow:
    """`complete -C COMMAND NAME`: analyse the command that runs when a word is completed."""
    for at, word in enumerate(call.words[1:-1], 1):
        if word == "-C":
            call.scope.shell.evaluate(call.words[at + 1], call.scope.copy(), NOTHING, call.site.behind("complete"))
    return _print_nothing(call)


def _hash(call: ShellCall) -> Flow:
    """`hash -p PATH NAME` and `enable -f FILE NAME`: another program or library stands for a name from now on."""
    for at, word in enumerate(call.words[1:-1], 1):
        if word in ("-p", "-f"):
            report_loading(call.scope.reading, call.site, call.words[at + 1])
            if word == "-p" and at + 2 < len(call.words):
                import shlex

                call.scope.define_alias(call.words[-1], shlex.quote(call.words[at + 1]))
            if call.words[-1] in COMMANDS and at + 2 < len(call.words):
                call.scope.reading.file("code.run", call.site, call.words[at + 1], frozenset({"shadows"}))
    return _print_nothing(call)


def _read_variable(call: ShellCall) -> Flow:
    """`read`: assign the words of the first input line to the names; the last name takes the rest."""
    names = [word for word in call.words[1:] if word.isidentifier()] or ["REPLY"]
    text, scope = call.stdin.text, call.scope
    typed_unseen = any(word[:1] == "-" and "s" in word for word in call.words[1:3])  # a password: `read -s`
    separators = scope.variables.get("IFS")
    line = (text or "").partition("\n")[0]
    split = line.split(separators if isinstance(separators, str) and separators.strip() else None, len(names) - 1)
    values = [line] if len(names) == 1 else split
    listed = _array_name(call.words)
    if listed and text is not None and HOLE not in text:
        scope.variables[listed] = line.split(separators if isinstance(separators, str) and separators.strip() else None)
        names.remove(listed)
    for at, name in enumerate(names):
        known = text is not None and HOLE not in text and at < len(values) and bool(text)
        scope.set(name, values[at] if known else hole(name))
        if call.stdin.marks:
            private = not call.stdin.marks.isdisjoint(_PRIVATE)
            scope.reading.taints[name] = call.stdin.marks | {"carried"} if private else call.stdin.marks
        elif typed_unseen:
            scope.reading.taints[name] = _TYPED
    scope.reading.emit("out.print", call.site)
    return NOTHING


_TYPED = frozenset({"secret", "variable"})
#: Marks of input that is about people, or is somebody's own.
_PRIVATE = frozenset({"records", "dump", "mail", "personal"})


def _array_name(words: list[str]) -> str:
    """Return the array that `read -a` puts the words of a line into, or nothing."""
    if words[0] != "read":
        return ""
    pairs = pairwise(words)
    return next((name for word, name in pairs if word[:1] == "-" and word.endswith("a") and name.isidentifier()), "")


def _mapfile(call: ShellCall) -> Flow:
    """`mapfile -C`: run a command on each input line."""
    words = call.words
    for at, word in enumerate(words[:-1]):
        if word == "-C":
            import shlex

            lines = [hole("input")] if call.stdin.text is None else call.stdin.text.splitlines()[:16]
            for line in lines:
                call.scope.shell.evaluate(f"{words[at + 1]} 0 {shlex.quote(line)}", call.scope, NOTHING, call.site)
                call.scope.shell.evaluate(f"{words[at + 1]} {shlex.quote(line)}", call.scope, NOTHING, call.site)
    return _read_variable(call)


def _mktemp(call: ShellCall) -> Flow:
    """`mktemp`: print the path of a new file or folder."""
    from interlock.analyse.shell.files.temporary_paths import temporary_path

    call.scope.reading.emit("out.print", call.site)
    path = temporary_path(call.words)
    return Flow(f"{path}\n") if path else UNKNOWN


def _shift(call: ShellCall) -> Flow:
    """`shift` and `set`: change the positional arguments; `set +o history` is reported."""
    arguments = call.scope.arguments
    if call.words[0] == "set" and any(_UNIVERSAL.match(word) for word in call.words[1:3]):
        call.scope.reading.file("fs.write", call.site, "~/.config/fish/config.fish")
    if call.words == ["set"]:
        call.scope.reading.emit("env.read", call.site)
        return Flow(None, frozenset({"environment", "variable"}))
    if call.words[0] == "set" and "--" in call.words:
        call.scope.arguments = call.words[call.words.index("--") + 1 :]
    elif call.words[0] == "set" and len(call.words) > 1 and call.words[1][:1] not in ("-", "+"):
        call.scope.arguments = call.words[1:]
    elif call.words[0] == "set":
        _set_options(call)
    elif call.words[0] == "shift" and arguments is not None:
        count = call.words[1] if len(call.words) > 1 else "1"
        call.scope.arguments = arguments[int(count[:6]) :] if count.isascii() and count.isdigit() else None
    return _print_nothing(call)


def _set_options(call: ShellCall) -> None:
    """`set -x`: commands are shown with their values from now on; `set +o history` is reported."""
    if call.words[1:3] == ["+o", "history"]:
        call.scope.reading.emit("trace.erase", call.site, "history", frozenset({"history"}))
    for at, word in enumerate(call.words[1:], 1):
        named = word in ("-o", "+o") and call.words[at + 1 : at + 2] == ["xtrace"]
        if named or (word[:1] in ("-", "+") and "x" in word and word[1:].isalpha()):
            if word[0] == "-":
                call.scope.variables[TRACED] = "1"
            else:
                call.scope.variables.pop(TRACED, None)


def _compgen(call: ShellCall) -> Flow:
    """`compgen -e`: print the names of all variables."""
    if not {"-e", "-v", "-A"}.isdisjoint(call.words):
        call.scope.reading.emit("out.print", call.site)
        return Flow(None, frozenset({"variable_names"}))
    return _complete(call)


def _printf(call: ShellCall) -> Flow:
    """`printf`, and `printf -v` which assigns its output to a variable."""
    if len(call.words) > 3 and call.words[1] == "-v":
        text = printf([call.words[0], *call.words[3:]], "")
        call.scope.set(call.words[2], hole(call.words[2]) if text is None else text)
        return _print_nothing(call)
    return _print_reader(printf)(call)


def _which(call: ShellCall) -> Flow:
    """`which x`, `type -p x`: print the path of a program, assumed to be in `/usr/bin`."""
    call.scope.reading.emit("system.read", call.site)
    names = [word for word in call.words[1:] if not word.startswith("-")]
    prints = call.words[0] != "type" or any(word in ("-p", "-P") for word in call.words[1:])
    return Flow("".join(f"/usr/bin/{name}\n" for name in names)) if prints and names else UNKNOWN


def _run_group(call: ShellCall) -> Flow:
    """`{` or `!` where the grammar parses it as a program's name, as after `time`."""
    return call.tail(1, call.words[0], call.stdin)


def _yes(call: ShellCall) -> Flow:
    """`yes`: print its arguments endlessly; one line is kept, with the mark `endless`."""
    call.scope.reading.emit("out.print", call.site)
    return Flow(" ".join(call.words[1:] or ["y"]) + "\n", frozenset({"endless"}))


def _declare(call: ShellCall) -> Flow:
    """`export`, `declare` and the like where they are no keywords: `\\export A=b`, `builtin declare -x A=b`."""
    from interlock.analyse.shell.expansion.assignment import declare_variable  # the grammar reads most of them

    scope, named = call.scope, [word for word in call.words[1:] if word[:1] not in ("-", "+")]
    if not named:
        scope.reading.emit("env.read", call.site)
        return Flow(None, frozenset({"environment", "variable"}))
    for word in named:
        name, equals, text = word.partition("=")
        name = name.removesuffix("+")
        if not name.isidentifier():
            continue
        if equals:
            declare_variable(scope, name, text, call.site)
        elif call.program == "export":
            scope.reading.export(name, scope.value(name), call.site)
    return _print_nothing(call)


def _print_nothing(call: ShellCall) -> Flow:
    """Report a builtin without output or other effects."""
    call.scope.reading.emit("out.print", call.site)
    return NOTHING


def _leave_loop(call: ShellCall) -> Flow:
    """`break`, `continue 2`: keep what has been set so far, for after the loop or its next round."""
    loops, number = call.scope.loops, "".join(call.words[1:2])
    state = take_state(call.scope)
    for left in loops[-int(number) :] if number.isascii() and number.isdigit() and len(number) < 4 else loops[-1:]:
        left.append(state)
    return _print_nothing(call)


def _return(call: ShellCall) -> Flow:
    """`return`: keep what has been set so far, for after the function."""
    call.scope.returns.append(take_state(call.scope))
    return _print_nothing(call)


BUILTINS: dict[str, Callable[[ShellCall], Flow]] = {
    "echo": _print_reader(echo),
    "printf": _printf,
    "pwd": _pwd,
    "eval": _eval,
    "alias": _alias,
    "mktemp": _mktemp,
    "shift": _shift,
    "set": _shift,
    "trap": _trap,
    "bind": _bind,
    "complete": _complete,
    "compgen": _compgen,
    **dict.fromkeys(("hash", "enable"), _hash),
    **dict.fromkeys(("{", "!"), _run_group),
    **dict.fromkeys(("which", "type"), _which),
    "yes": _yes,
    **dict.fromkeys(("cd", "pushd", "popd"), _cd),
    **dict.fromkeys(("source", "."), _source),
    "read": _read_variable,
    "return": _return,
    **dict.fromkeys(("break", "continue"), _leave_loop),
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    **dict.fromkeys(
        (": true false shopt test [ exit wait sleep unset unalias bg fg umask getopts let times ulimit }").split(),
        _print_nothing,
    ),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
}
