"""One command: a block, a function, an alias, a cmdlet with code of its own, one in the table, a script, a program."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.files.paths import HOLE, format_holes
from interlock.analyse.flow import NOTHING
from interlock.analyse.languages import language_of
from interlock.analyse.loading import is_foreign_code
from interlock.analyse.powershell.aliases import ALIASES, PROGRAMS
from interlock.analyse.powershell.arguments import CommandWords, Redirection, program_words, read_words
from interlock.analyse.powershell.binding import CmdletArgument, bind, complete
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply
from interlock.analyse.powershell.cmdlets.special import SPECIAL
from interlock.analyse.powershell.cmdlets.verbs import read_by_verb
from interlock.analyse.powershell.defaults import add_defaults
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import write_file
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.operators import operate
from interlock.analyse.powershell.parameters import COMMON
from interlock.analyse.powershell.providers import read_provider
from interlock.analyse.powershell.state import PowerShellFunction
from interlock.analyse.powershell.values import Instance, ScriptBlock, items_of, text_of
from interlock.analyse.scripts.values import choices, unknown
from interlock.analyse.shell.readers import READERS
from interlock.knowledge.catalogue import PROGRAMS as CATALOGUE
from interlock.patterns import late

_FOREIGN = frozenset({"foreign"})
_BRACKETS = "parenthesized_expression"

if TYPE_CHECKING:
    from interlock.analyse.powershell.walk import Interpreter

_CMDLET = late(r"[A-Za-z]{2,}-[A-Za-z][A-Za-z0-9]*")
_SCRIPT = late(r".*\.ps(?:m|d)?1", re.IGNORECASE | re.DOTALL)
_BATCH = late(r".*\.(?:bat|cmd)", re.IGNORECASE | re.DOTALL)
_BASE64 = late(r"[A-Za-z0-9+/]{8,}={0,2}")
_ENDINGS = (".ps1", ".psm1", ".psd1", ".cmd", ".bat")
_RANGE = late(r"-?\d{1,9}\.\.-?\d{1,9}")
#: What the service control program is told, by which it is told apart from `Set-Content`.
_SERVICE_WORDS = frozenset(
    "query queryex create delete start stop config qc failure pause continue sdset sdshow".split()
)


def run_command(reader: Interpreter, node: Node, given: Any, piped: bool) -> Any:
    """Read one command; return what it gives."""
    state = reader.state
    state.see(node)
    state.reading.call += 1
    elements = next((child for child in node.named_children if child.type == "command_elements"), None)
    operator = next(
        (reader.text(c).strip() for c in node.named_children if c.type == "command_invokation_operator"), ""
    )
    name, end = _name(reader, node, bool(operator), elements)
    words = read_words(reader, elements, end)
    value: Any = None
    for way in choices(name):
        value = _run(reader, way, words, Invocation(reader, node, words.arguments, given, piped))
    _keep_output(reader, words.arguments, value, node)
    return redirect(reader, words.redirections, value, node)


#: Parameters of every cmdlet that name a variable which what it gives is put into.
_OUTPUT = ("outvariable", "ov", "pipelinevariable", "pv")


def _keep_output(reader: Interpreter, arguments: list[CmdletArgument], value: Any, node: Node) -> None:
    """`-OutVariable name`: the variable holds what the cmdlet gives."""
    for one, other in pairwise([*arguments, CmdletArgument()]):
        if one.parameter.lower() in _OUTPUT:
            name = text_of(one.value if one.attached else other.value).lstrip("+")
            if name and HOLE not in name:
                reader.state.set(name, items_of(value) if value is not None else unknown(name), reader.state.at(node))


def redirect(reader: Interpreter, redirections: list[Redirection], value: Any, node: Node) -> Any:
    """Write what a command gives where it is redirected to; return what is left of it."""
    for redirection in redirections:
        if redirection.target is not None:
            written = None if redirection.errors else value
            write_file(
                reader.state, text_of(redirection.target), written, reader.state.at(node), append=redirection.append
            )
            value = value if redirection.errors else None
    return value


def _name(reader: Interpreter, node: Node, called: bool, elements: Node | None) -> tuple[Any, int]:
    """Return a command's name, and where it ends: with the call of a method that gives it, `& $x.Get('ls') …`."""
    named = node.child_by_field_name("command_name")
    if named is None:
        return "", node.start_byte
    first = elements.children[0] if elements is not None and elements.children else None
    if called and first is not None and first.type == _BRACKETS and first.start_byte == named.end_byte:
        return reader.word(named.start_byte, first.end_byte), first.end_byte
    return _plain_name(reader, named, called), named.end_byte


def _plain_name(reader: Interpreter, named: Node, called: bool) -> Any:
    """Return a command's name: a word, or what an expression behind `&` gives."""
    masked = reader.state.source.words.get(named.start_byte)
    inner = next(iter(named.named_children), None)
    if masked is not None:
        return reader.word(named.start_byte, masked)
    if named.type == "command_name" or inner is None:
        text = reader.state.source.of(named)
        return (
            text.replace("`", "")
            if not any(sign in text for sign in "\"'$")
            else reader.word(named.start_byte, named.end_byte)
        )
    if inner.type == "command_name":
        return reader.word(inner.start_byte, inner.end_byte)
    if inner.type == "path_command_name":
        return reader.word(inner.start_byte, inner.end_byte) if called else reader.text(inner)
    return reader.evaluate(inner)


def _run(reader: Interpreter, name: Any, words: CommandWords, call: Invocation) -> Any:
    if isinstance(name, list) and len(name) == 1:
        name = name[0]
    if isinstance(name, ScriptBlock):
        return _run_block(reader, name, call)
    if isinstance(name, Instance) and name.type == "scriptblock":
        return reader.run_code("scriptblock", name.arguments[0], call.node)
    text = text_of(name).strip() if not isinstance(name, list) else "".join(text_of(item) for item in name)
    if not text:
        return call.given
    if _RANGE.fullmatch(text) and not call.arguments:  # which the grammar takes for a name
        first, _, last = text.partition("..")
        return operate("..", int(first), int(last)) or reader.state.result(text)
    if HOLE in text:
        return _unknown_name(reader, text, words, call)
    return run_name(reader, text, call)


def _run_block(reader: Interpreter, block: ScriptBlock, call: Invocation) -> Any:
    arguments = [argument.value for argument in call.arguments if not argument.parameter]
    return reader.run_block(block, arguments, call.given if call.piped else None, call.flow() if call.piped else None)


def run_name(reader: Interpreter, name: str, call: Invocation) -> Any:
    """Run a command by its name."""
    lower = name.lower()
    if "\\" in lower and _CMDLET.fullmatch(lower.rpartition("\\")[2]):
        lower = lower.rpartition("\\")[2]  # a module stands before it
    state = reader.state
    function = state.functions.get(lower)
    if function is not None:
        return _call_function(reader, function, call)
    held = state.variables.get(f"function:{lower}")
    if isinstance(held, ScriptBlock):
        return _run_block(reader, held, call)
    if held is not None:
        return reader.run_code(lower, held, call.node)
    if lower in state.aliases and state.aliases[lower].lower() != lower:
        return run_name(reader, state.aliases[lower], call)
    cmdlet = ALIASES.get(lower)
    if cmdlet is not None and lower in PROGRAMS and not _fits(cmdlet, lower, call):
        return run_program(reader, name, call)
    cmdlet = cmdlet or lower
    call = call._replace(arguments=add_defaults(state, cmdlet, call.arguments))
    for added in state.reading.knowledge.added_cmdlets.get(cmdlet, ()):
        apply(call, cmdlet, added, bind(call.arguments, added))
    held = read_provider(call, cmdlet)
    if held is not NotImplemented:
        return held
    special = SPECIAL.get(cmdlet)
    if special is not None:
        return special(call)
    known = state.reading.knowledge.cmdlets.get(cmdlet) or CMDLETS.get(cmdlet)
    if known is not None:
        return apply(call, cmdlet, known, bind(call.arguments, known))
    if _CMDLET.fullmatch(name) and not lower.endswith((".exe", ".ps1")) and not _is_program(lower):
        return read_by_verb(call, lower)
    return run_program(reader, name, call)


def _is_program(name: str) -> bool:
    """Whether a name that looks like a cmdlet's is that of a program: `docker-compose`, `manage-bde`."""
    return name in READERS or (CATALOGUE.find(name) is not None and name not in CATALOGUE.index.windows)


def _call_function(reader: Interpreter, function: PowerShellFunction, call: Invocation) -> Any:
    return reader.call_function(function, call.arguments, call.given if call.piped else None, call.node)


def _fits(cmdlet: str, alias: str, call: Invocation) -> bool:
    """Whether the parameters are those of the cmdlet, and not of the program that has the alias for its name."""
    given = [argument for argument in call.arguments if argument.parameter]
    first = text_of(call.arguments[0].value).lower() if call.arguments and not call.arguments[0].parameter else ""
    if alias == "sc":
        return first not in _SERVICE_WORDS and not first.startswith("\\\\")
    if alias in ("set", "r", "h", "lp", "group", "compare", "measure", "echo", "start", "where"):
        return True
    if any(argument.written.startswith("--") for argument in given):
        return False
    if any(text_of(a.value)[:1] == "-" for a in call.arguments if not a.parameter):  # `kill -9`, `head -3`
        return False
    if alias in ("curl", "wget"):
        return all(len(argument.parameter) > 2 for argument in given if not argument.attached) and not any(
            argument.written in ("-fsSL", "-sSL", "-fsS") for argument in given
        )
    known = CMDLETS.get(cmdlet)
    if known is None:
        return True
    names = [*known.roles, *known.toggles, *COMMON]
    return all(complete(argument.parameter, names) for argument in given)


def _unknown_name(reader: Interpreter, name: str, words: CommandWords, call: Invocation) -> Any:
    """Read a command whose name has unknown parts, as unread; words of a deletion are taken for one."""
    state, marks = reader.state, reader.state.marks(name)
    if "download" in marks | call.marks():  # it may well be `Invoke-Expression`
        state.reading.emit("code.remote", call.site, state.origin(name) or None)
    if any(_is_encoded(one, other) for one, other in pairwise(words.arguments)):
        return run_program(reader, "powershell", call)
    plain = "".join(name.split(HOLE)[::2]).strip()
    if plain and (name.endswith(plain) or re.search(r"[\\/]", plain)):  # a folder that is not known, and a file in it
        return run_program(reader, name, call)
    state.reading.unread(
        f"a command whose name is not known: `{format_holes(name)}`", call.site, flags=marks & {"decoded", "input"}
    )
    reader.run_handed("&", [one.value for one in words.arguments if not one.parameter], call.node)
    given = {argument.parameter.lower() for argument in words.arguments if argument.parameter}
    if {complete(one, ["recurse", "force"]) for one in given} >= {"recurse", "force"}:
        apply(call, "remove-item", CMDLETS["remove-item"], bind(call.arguments, CMDLETS["remove-item"]))
    return state.result(name.replace(HOLE, ""), marks | call.marks())


def _is_encoded(option: CmdletArgument, value: CmdletArgument) -> bool:
    """Whether two arguments are `-EncodedCommand`, possibly abbreviated, and a text in base64."""
    name = option.parameter.lower()
    given = isinstance(value.value, str) and _BASE64.fullmatch(value.value) is not None
    return bool(name) and given and ("encodedcommand".startswith(name) or name == "ec")


def run_program(reader: Interpreter, name: str, call: Invocation) -> Any:
    """Run a script or a program that is no cmdlet."""
    path = unix_path(name)
    if share_address(name):
        reader.state.reading.emit("code.remote", call.site, name)
        return reader.state.result(path)
    path = add_ending(reader, path)
    if _SCRIPT.fullmatch(path) or _BATCH.fullmatch(path):
        return _run_script(reader, path, "batch" if _BATCH.fullmatch(path) else "powershell", call)
    for argument in call.arguments:
        if isinstance(argument.value, ScriptBlock):  # `pwsh -c { … }`
            reader.run_block(argument.value, [])
    given = [argument for argument in call.arguments if not isinstance(argument.value, ScriptBlock)]
    return reader.run_words(path, program_words(given), call.node, call.flow() if call.piped else NOTHING)


def add_ending(reader: Interpreter, path: str) -> str:
    """Return the path of a script that this action wrote, with the ending that a command leaves out: `./build`."""
    state = reader.state
    if "/" not in path or not state.reading.files:
        return path
    full = (state.reading.places.resolve(path, state.location) or path).lower()
    written = {name.lower(): name for name in state.reading.files}
    return next((written[full + ending] for ending in _ENDINGS if full + ending in written), path)


def _run_script(reader: Interpreter, path: str, language: str, call: Invocation) -> Any:
    """Read the running of a script: as code if this action wrote it, as remote code if it was downloaded."""
    state = reader.state
    reading, site = state.reading, call.site
    full = reading.places.resolve(path, state.location) or path
    held = reading.files.get(full) or reading.files.get(path) or state.unnamed.get(path)
    if held is not None and held.text is not None:
        if "changed" in held.marks:
            reading.unread(f"what was changed in `{path}` since it was written", site, path, frozenset({"changed"}))
        found = language_of(path, held.text) or language
        flow = reading.nest(found, held.text, site.behind(format_holes(path)))
        return state.result(path, flow.marks, flow.url)
    if (held is not None and "download" in held.marks) or full in reading.downloaded or path in reading.downloaded:
        reading.emit("code.remote", site, held.url if held is not None and held.url else path)
        return state.result(path)
    if held is not None:
        reading.unread(f"{language} code that is not in the text", site, flags=held.marks & {"decoded", "extracted"})
    foreign = HOLE not in path and is_foreign_code(reading, path, state.location)
    reading.file("code.run", site, path, _FOREIGN if foreign else frozenset())
    reading.opaque.append(f"a script: `{format_holes(path)}`")
    return state.result(path, call.marks())
