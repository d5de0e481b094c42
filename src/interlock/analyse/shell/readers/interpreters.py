"""Interpreters: shells, Python, Perl, awk and others that run code from arguments, files or standard input."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.files.ignore_files import IGNORE_FILES, UNIGNORED, lets_secret_in
from interlock.analyse.files.paths import HOLE, format_holes, is_hole
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.argument_values import read_value
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.execution import STANDARD_INPUT, find_given_script, run_file, run_flow
from interlock.analyse.shell.scope import TRACED
from interlock.effects import KINDS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late


def _shell(call: ShellCall) -> Flow:
    """A shell: run the text after `-c`, else a script, else standard input."""
    words = call.words
    name = words[0].rpartition("/")[2]
    index, code, stdin, checks = 1, False, False, False
    while index < len(words) and words[index][:1] in ("-", "+") and words[index] != "-":
        word = words[index]
        if word == "--":
            index += 1
            break
        if not word.startswith("--"):
            code, stdin, checks = code or "c" in word, stdin or "s" in word, checks or word == "-n"
            index += word.endswith(("o", "O"))
        elif word in ("--rcfile", "--init-file"):
            index += 1
        index += 1
    if checks:  # `bash -n` only checks the syntax
        call.scope.reading.emit("system.read", call.site, name)
        return UNKNOWN
    if code and index < len(words):
        return _shell_code(call, index, name)
    if index < len(words) and not stdin and words[index] not in STANDARD_INPUT:
        return run_file(call, words[index])
    if call.stdin is NOTHING:
        call.scope.reading.emit("process.run", call.site, name)
        return _INTERACTIVE
    flow = run_flow(call, call.stdin, "shell", name)
    return flow if call.stdin.text is not None else _INTERACTIVE


#: The output of a shell that runs commands from an unknown input.
_INTERACTIVE = Flow(None, frozenset({"shell"}))


def _shell_code(call: ShellCall, index: int, name: str) -> Flow:
    """Analyse the text of `sh -c` with its positional arguments."""
    text = call.words[index]
    if is_hole(text):
        marks = call.scope.reading.marks(text)
        return run_flow(call, Flow(None, marks), "shell", name)
    site = call.inner(index).behind(f"{name} -c")
    inner = call.scope.copy()  # all variables are passed on, since any may be exported
    inner.arguments, inner.aliases, inner.via = call.words[index + 2 :], {}, site.via
    if any(word[:1] == "-" and word[:2] != "--" and "x" in word for word in call.words[1:index]):
        inner.variables[TRACED] = "1"
    else:
        inner.variables.pop(TRACED, None)
    inner.variables["0"] = call.words[index + 1] if index + 1 < len(call.words) else name
    call.scope.reading.spend(len(text) // 16 + 1)
    return inner.shell.evaluate(text, inner, call.stdin, site)


def _python(call: ShellCall) -> Flow:
    """`python`: run code of `-c`, a module, a script or standard input."""
    end = call.words.index("-m") + 2 if "-m" in call.words else len(call.words)  # what follows is the module's
    parsed = parse(call.words[:end], PROGRAMS["python"])
    name = call.program
    if "-c" in parsed.options:
        value = next((v for v in parsed.values if v.role == "code:python"), None)
        if value is None:
            return UNKNOWN
        if is_hole(value.text):
            return run_flow(call, Flow(None, call.scope.reading.marks(value.text)), "python", name)
        from interlock.analyse.scripts.printing import find_python_output
        from interlock.analyse.shell.given_values import insert_given_values

        text = insert_given_values(value.text, "python", call.words[value.at + 1 :], call.scope)
        site = call.inner(value.at, value.inner) if text is value.text else call.site
        call.scope.reading.nest("python", text, site.behind(f"{name} -c"), call.stdin)
        return find_python_output(text)
    if "-m" in parsed.options:
        return _python_module(call, parsed)
    if parsed.operands and parsed.operands[0].text not in STANDARD_INPUT:
        return run_file(call, parsed.operands[0].text, "python")
    if {"-V", "--version", "-h", "--help"} & parsed.options.keys():
        call.scope.reading.emit("system.read", call.site, name)
        return UNKNOWN
    if call.stdin is NOTHING:
        call.scope.reading.emit("process.run", call.site, name)
        return UNKNOWN
    return run_flow(call, _with_given_values(call, "python", parsed.operands), "python", name)


def _with_given_values(call: ShellCall, language: str, operands: list[ArgumentValue]) -> Flow:
    """Return the code on standard input, with the values that it is given after `-`."""
    text = call.stdin.text
    if not text or HOLE in text:
        return call.stdin
    from interlock.analyse.shell.given_values import insert_given_values

    given = call.words[operands[0].at + 1 :] if operands else []
    text = insert_given_values(text, language, given, call.scope)
    return call.stdin if text is call.stdin.text else Flow(text, call.stdin.marks, call.stdin.url)


def _python_module(call: ShellCall, parsed: ParsedArguments) -> Flow:
    """`python -m`: run a known program, a module that this run wrote, or an unknown module."""
    module = parsed.options["-m"]
    index = call.words.index(module) if module in call.words else len(call.words) - 1
    if module == "pdb":
        from interlock.analyse.shell.readers.interpreter_arguments import run_debugger_commands

        run_debugger_commands(call, call.words[index + 1 :])
    if module in PROGRAMS:
        return call.tail(index, "python -m")
    reading = call.scope.reading
    for name in (f"{module.replace('.', '/')}.py", f"{module.replace('.', '/')}/__main__.py"):
        if reading.files and (reading.places.resolve(name, call.scope.cwd) or name) in reading.files:
            return run_file(call, name, "python", module)
    call.scope.reading.emit("process.run", call.site, module)
    return UNKNOWN


def _script_reader(language: str) -> Callable[[ShellCall], Flow]:
    """Return the reader of an interpreter that runs code from its options, else a script, else standard input."""

    def reader(call: ShellCall) -> Flow:
        name = call.program
        parsed = parse(call.words, PROGRAMS[name])
        reading, first = call.scope.reading, len(call.scope.reading.effects)
        actual = "javascript" if parsed.options.get("-l", "").lower() == "javascript" else language
        if language in _DISGUISED and (flow := _run_disguised(call, language, parsed)) is not None:
            return flow
        codes = [value for value in parsed.values if value.role.startswith("code:")]
        scripts = [value.text for value in parsed.values if value.role == "script"]
        for path in scripts:
            run_file(call, path, actual)
        for value in parsed.values:
            if value.role == "loaded":
                read_value(call, parsed, value, NONE)
            elif value.role in KINDS:
                reading.on(value.role, call.site, value.text)
        if parsed.options.get("-d"):  # `php -d auto_prepend_file=x.php`
            from interlock.analyse.settings import read_options

            read_options(reading, call.site.behind(name), [parsed.options["-d"]])
        if codes:
            if actual != language and language == "applescript":  # JavaScript for automation
                from interlock.analyse.scripts.applications import report_requests

                report_requests(reading, "\n".join(value.text for value in codes), call.site.behind(name))
            flow = _run_code(call, codes, actual, name)
            if language == "perl":
                _run_pipes(call, parsed)
            _read_operands(call, parsed)
        else:
            flow = UNKNOWN if scripts else _run_external_code(call, parsed, actual, name)
        if len(reading.effects) == first:
            reading.emit("out.print", call.site)
        return flow

    return reader


#: Languages whose interpreters take code in other arguments too.
_DISGUISED = frozenset({"perl", "ruby", "octave", "r"})


def _run_disguised(call: ShellCall, language: str, parsed: ParsedArguments) -> Flow | None:
    """Analyse arguments that hold code without the option for code; return the flow if they are all of the call."""
    from interlock.analyse.shell.readers import interpreter_arguments as arguments

    codes = [value for value in parsed.values if value.role.startswith("code:")]
    if language == "perl":
        arguments.run_perl_modules(call)
    elif language == "ruby" and codes:
        return arguments.run_ruby_command(call, parsed, codes[0].text, codes[0].at)
    elif language == "r":
        return arguments.run_r_tool(call)
    return None


def _run_code(call: ShellCall, codes: list[ArgumentValue], language: str, name: str) -> Flow:
    """Analyse code in one or several options."""
    reading = call.scope.reading
    text = "\n".join(value.text for value in codes)
    if is_hole(text):
        return run_flow(call, Flow(None, reading.marks(text)), language, name)
    at = codes[0]
    if language == "javascript" and call.words[at.at - 1] in _PRINTING:  # the value of an expression is printed
        inner = text.strip().rstrip(";")
        if ";" not in inner and "\n" not in inner:
            return reading.nest(language, f"console.log({inner})", call.site.behind(name), call.stdin)
    from interlock.analyse.shell.given_values import insert_given_values

    whole, text = text, insert_given_values(text, language, call.words[codes[-1].at + 1 :], call.scope)
    site = call.inner(at.at, at.inner) if len(codes) == 1 and text is whole else call.site
    if language not in ("python", "shell"):
        from interlock.analyse.addresses.code_addresses import read_addresses_in_code
        from interlock.analyse.scripts.endless_loops import report_exhaustion

        read_addresses_in_code(reading, text, call.site.behind(name))
        report_exhaustion(reading, text, call.site.behind(name))
    return reading.nest(language, text, site.behind(f"{name} {call.words[at.at - 1][:12]}"), call.stdin)


_PRINTING = frozenset({"-p", "--print", "-pe", "-ep"})


_PIPE = late(r"^\s*\||\|\s*$")


def _run_pipes(call: ShellCall, parsed: ParsedArguments) -> None:
    """Run the operands of Perl that are commands: `<>`, `-n` and `-p` open `command |` as a pipe."""
    for operand in [value.text for value in parsed.operands] + call.words[parsed.rest :]:
        if _PIPE.search(operand):
            call.scope.reading.nest("shell", operand.strip().strip("|"), call.site.behind("perl"))


def _read_operands(call: ShellCall, parsed: ParsedArguments) -> None:
    """Report the operands after code: files that it reads, or with `-i` writes."""
    kind = "fs.write" if "in_place" in parsed.flags else "fs.read"
    for path in [value.text for value in parsed.operands] + call.words[parsed.rest :]:
        if "in_place" in parsed.flags or path[:1] in ("/", "~", ".") or "." in path:
            call.scope.reading.file(kind, call.site, path)


def _run_external_code(call: ShellCall, parsed: ParsedArguments, language: str, name: str) -> Flow:
    """Analyse an interpreter that runs a script or standard input."""
    reading = call.scope.reading
    if parsed.kind == "system.read":
        reading.emit("system.read", call.site, name)
        return UNKNOWN
    if parsed.operands and language == "lisp" and parsed.operands[0].text.lstrip()[:1] == "(":  # `bb '(println 1)'`
        return _run_code(call, parsed.operands[:1], language, name)
    path = parsed.operands[0].text if parsed.operands and not _takes_input(call, language) else "-"
    if path not in STANDARD_INPUT:
        return run_file(call, path, language)
    if call.stdin is NOTHING:
        reading.emit("process.run", call.site, name)
        return UNKNOWN
    return run_flow(call, call.stdin, language, name)


def _takes_input(call: ShellCall, language: str) -> bool:
    """Whether all operands belong to a script on standard input: `curl … | php -- --quiet`."""
    if language != "php" or call.stdin is NOTHING or "--" not in call.words:
        return False
    return all(word[:1] == "-" for word in call.words[1 : call.words.index("--")])


def _sed(call: ShellCall) -> Flow:
    """`sed`: analyse script files, then read the call by its description."""
    spec = PROGRAMS[call.program]
    _read_script_files(call, parse(call.words, spec), "sed")
    flow = read(call, spec)
    path, in_place = call.words[-1], any(word.startswith(("-i", "--in-place")) for word in call.words)
    scripts = (word.removeprefix("--expression=").removeprefix("-e") for word in call.words[1:-1])
    if in_place and path.endswith(IGNORE_FILES) and lets_secret_in(scripts):
        call.scope.reading.file("fs.write", call.site, path, UNIGNORED)
    return flow


def _read_script_files(call: ShellCall, parsed: ParsedArguments, language: str) -> None:
    """Analyse the script that `-f` names if it is on standard input or this run wrote it, else report it as unread."""
    reading = call.scope.reading
    for path in [parsed.options[name] for name in _SCRIPT_OPTIONS[language] if name in parsed.options]:
        if path == "inplace":  # a library of gawk
            continue
        held = find_given_script(call, path)
        if held is not None and held is call.stdin:
            run_flow(call, held, language, language)
        elif held is not None and held.text is not None:
            reading.nest(language, held.text, call.site.behind(language), call.stdin)
        else:
            report_loading(reading, call.site.behind(language), path)
            reading.opaque.append(f"a script: `{format_holes(path)}`")


_SCRIPT_OPTIONS = {"awk": ("-f", "--file", "-E", "--exec", "-i", "--include"), "sed": ("-f", "--file")}


def _awk(call: ShellCall) -> Flow:
    """`awk`: analyse its program with the variables of `-v`; its output is known if its input is."""
    name = call.program
    spec = PROGRAMS[name]
    parsed = parse(call.words, spec)
    _read_script_files(call, parsed, "awk")
    codes = [value for value in parsed.values if value.role == "code:awk"]
    if not codes and not parsed.first and parsed.operands:
        codes = [parsed.operands.pop(0).replace(role="code:awk")]
    parsed.first = True
    parsed.values = [value for value in parsed.values if value.role != "code:awk"]
    if "inplace" in (parsed.options.get("-i"), parsed.options.get("--include")):
        parsed.kind = "fs.write"
    given = [word for word in parsed.operands if not _SETTING.match(word.text)]
    parsed.operands = given
    flow = apply(call, spec, parsed)
    printed = UNKNOWN
    for value in codes:
        reading, site = call.scope.reading, call.inner(value.at, value.inner).behind(name)
        stdin = call.stdin if not given else UNKNOWN
        if "while" in value.text or "for" in value.text:
            from interlock.analyse.scripts.endless_loops import report_exhaustion

            report_exhaustion(reading, value.text, site)
        printed = reading.nest("awk", _format_assignments(call.words) + value.text, site, stdin)
    return Flow(printed.text, flow.marks | printed.marks | _decoded_marks(call.stdin, printed), flow.url)


def _format_assignments(words: list[str]) -> str:
    """Return the assignments of `-v name=text` as awk code."""
    given = [words[at + 1] if word == "-v" else word[2:] for at, word in enumerate(words[:-1]) if word[:2] == "-v"]
    parts = [setting.partition("=") for setting in given if _SETTING.match(setting)]
    escaped = [(name, text.replace('"', '\\"').replace("\n", "\\n")) for name, _, text in parts]
    return "".join(f'BEGIN {{{name} = "{text}"}}\n' for name, text in escaped)


_SETTING = late(r"[A-Za-z_]\w*=")


def _decoded_marks(stdin: Flow, printed: Flow) -> frozenset[str]:
    """Return the mark `decoded` if a known input became an unknown output."""
    return frozenset({"decoded"}) if stdin.text and printed.text is None and HOLE not in stdin.text else NONE


_LANGUAGES = {
    "perl": "perl",
    "ruby": "ruby",
    "node": "javascript",
    "ts-node": "javascript",
    "zx": "javascript",
    "qjs": "javascript",
    "electron": "javascript",
    "php": "php",
    "lua": "lua",
    "osascript": "applescript",
    "Rscript": "r",
    "julia": "julia",
    "groovy": "groovy",
    "elixir": "elixir",
    "tclsh": "tcl",
    "expect": "tcl",
    "octave": "octave",
    "gnuplot": "gnuplot",
    **dict.fromkeys("clojure csi hy janet fennel gosh gsi chibi-scheme chezscheme mit-scheme ros".split(), "lisp"),
    **dict.fromkeys("lfe newlisp picolisp guile racket sbcl bb".split(), "lisp"),
}

INTERPRETERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("sh bash zsh dash ksh ash mksh rbash fish csh tcsh".split(), _shell),
    **dict.fromkeys(PROGRAMS["python"].names, _python),
    **dict.fromkeys(PROGRAMS["awk"].names, _awk),
    **dict.fromkeys(PROGRAMS["sed"].names, _sed),
    **{
        program: _script_reader(language) for first, language in _LANGUAGES.items() for program in PROGRAMS[first].names
    },
}
