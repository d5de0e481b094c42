"""Code that was not read is never silent: it is an effect, in every language."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node

from interlock.analyse.files.paths import Places
from interlock.analyse.flow import NOTHING
from interlock.analyse.grammars import parse
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading, Site, TooMuch
from interlock.analyse.scripts.awk import AWK
from interlock.analyse.scripts.lisp import LISP
from interlock.analyse.scripts.sed import commands
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.syntaxes import SYNTAXES
from interlock.analyse.scripts.tokens.tokenizer import Tokenizer

#: How each language runs `rm -rf /`, or does the worst that it can.
DANGER = {
    "javascript": "require('child_process').execSync('rm -rf /');",
    "typescript": "require('child_process').execSync('rm -rf /');",
    "tsx": "require('child_process').execSync('rm -rf /');",
    "ruby": "system('rm -rf /')",
    "perl": "system('rm -rf /');",
    "php": "system('rm -rf /');",
    "lua": "os.execute('rm -rf /')",
    "awk": 'BEGIN { system("rm -rf /") }',
    "applescript": 'do shell script "rm -rf /"',
    "r": 'system("rm -rf /")',
    "julia": "run(`rm -rf /`)",
    "groovy": '"rm -rf /".execute()',
    "elixir": 'System.shell("rm -rf /")',
    "octave": 'system("rm -rf /")',
    "erlang": 'os:cmd("rm -rf /")',
    "lisp": '(shell-command "rm -rf /")',
    "tcl": "exec rm -rf /",
    "sed": "1e rm -rf /",
    "vim": ":!rm -rf /",
    "ed": "!rm -rf /",
    "gdb": "shell rm -rf /",
    "tex": "\\write18{rm -rf /}",
    "python": "import os; os.system('rm -rf /')",
    "mongo": "db.dropDatabase()",
    "redis": "FLUSHALL",
    "powershell": "Remove-Item -Recurse -Force C:\\Users",
    "batch": "rd /s /q C:\\Users",
    "make": "all: ; rm -rf /",
}
DANGEROUS = frozenset({"fs.delete", "db.drop"})
UNREAD = frozenset({"code.opaque", "code.remote"})

_SCRIPT = ["const a = `x ${1 + 1}`; if (a) { b(/x/g) } else c['d'] = e => e;", "for (const x of [1, 2]) { f(x) } // z"]
ORDINARY = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "ruby": ['def f(a, b: 1)\n  puts "x #{a}" if a =~ /y/\nend', "[1].each { |x| p x } # z", "x = <<A\n y\nA"],
    "perl": [
        'my ($a, %b) = @_; print "x $a\\n" if /y/; s/a/b/g;',
        "foreach my $x (@y) { $z{$x}++ } # z",
        "print <<A;\ny\nA",
    ],
    "php": ["function f($a) { return \"x {$a['b']}\"; } echo f([1]); // z", "foreach ($a as $b) { echo $b ?? 'c'; }"],
    "lua": ["local function f(a) return a .. [[x]] end -- z", "for k, v in pairs({a = 1}) do print(k, v) end"],
    "awk": ['/x/ { print $1 / 2, "y" } # z', "{ if ($1 > 2) n++ } END { print n }"],
    "applescript": ['set x to "y" -- z', "repeat 3 times\n beep\nend repeat"],
    "r": ["x <- c(1, 2) # z\nf <- function(a) paste0('y', a)", 'if (x[1] > 2) print("z")'],
    "julia": ['x = [1, 2]\' # z\nf(a) = "y $(a)"', "for i in 1:3 println('a') end"],
    "groovy": ["def x = [1, 2].collect { it * 2 } // z", 'println "y ${x}"; def z = /a/'],
    "elixir": ['x = Enum.map([1], fn a -> "y #{a}" end) # z', "case x do\n 1 -> :ok\nend"],
    "octave": ["x = [1 2]'; y = 'z'; % a", 'if x(1) > 2, disp("b"), end'],
    "erlang": ["X = lists:map(fun(A) -> A end, [1]), % z", 'io:format("y~n")'],
    "lisp": ["(defun f (a) (+ a 1)) ; z", '(message "y" \'b)'],
    "tcl": ["set x [list 1 2]; # z", 'foreach a {1 2} { puts "y $a" }'],
    "sed": ["s/x/y/g", "1,5p"],
    "powershell": [
        "$a = @('x', \"y $b\"); if ($a) { Get-Item 'z' | % { $_.Name } } # c",
        "function f([string]$p = 'a') { Write-Host \"x $($p)\" }",
        "$t = @'\ny\n'@; $u = @\"\n$t\n\"@",
    ],
    "batch": [
        'set a=b\nif "%a%"=="b" (echo x) else echo y',
        "for %%i in (1 2) do echo %%i\nrem z",
        ':l\necho "a^b" & echo c',
    ],
    "make": [
        "a := $(shell echo 'x')\nb = y # z\nc: d\n\techo $(a)\n",
        "ifeq ($(a),b)\nc = d\nendif\ndefine e\nx\nendef",
    ],
    "python": ["def f(a):\n    return f'x {a}' # z", "for x in [1, 2]:\n    print(x)"],
}
INJECTED = [
    *"'\"`/\\()[]{}<>#%$@&|;:,.?!~^*-=+\n\r\t\0\x1b\x7f é\u2028\ufeff",
    *"// /* */ -- --[[ ]] [==[ <!-- --> <?php ?> #{ ${ $( {{ }} %w( %q{ q{ qq( s/ y/ tr/ m{ =begin =pod =cut".split(),
    *"__END__ <<A <<'A' <<~A <<<A A (* *) #= =# ~r/ r\"( $/ /$ %{ %} ''' \"\"\" ?' ?\" $' $\" a' => ->".split(),
    *"if do end class def sub".split(),
    "\n=pod\n",
    "\n=cut\n",
    "\n=begin\n",
    "\n=end\n",
    "\nA\n",
    "/'/",
    "`${`",
    "\0x\0",
]


@st.composite
def prefixes(draw: st.DrawFn, language: str) -> str:
    """Draw an ordinary text of a language that was cut, and that something was put into."""
    text = draw(st.sampled_from([*ORDINARY.get(language, [""]), ""]))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(INJECTED)) + text[at:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


def read(language: str, text: str) -> Reading:
    """Read a text."""
    reading = Reading(Places(), LANGUAGES)
    try:
        LANGUAGES[language](reading, text, Site((0, len(text)), base=0), NOTHING)
    except TooMuch:
        reading.unread("more steps than may be spent on one action", Site((0, 0)), flags=frozenset({"cap"}))
    return reading


def kinds(reading: Reading) -> set[str]:
    return {effect.kind for effect in reading.effects}


def says_so(reading: Reading) -> bool:
    """Whether an effect tells that something was not read."""
    return not UNREAD.isdisjoint(kinds(reading))


GRAMMARS = {
    "javascript": ("javascript", "typescript", "tsx"),
    "typescript": ("typescript", "tsx", "javascript"),
    "tsx": ("tsx", "typescript", "javascript"),
    "ruby": ("ruby",),
    "perl": ("perl",),
    "php": ("php_only", "php"),
    "lua": ("lua",),
}
#: What a line ends with that the next one belongs to.
CONTINUED = {"powershell": ("`", ","), "batch": ("^",), "make": ("\\",)}
INERT = (
    "string comment regex pattern template heredoc nowdoc pod data eof uninterpreted text html interpolated bare "
    "encapsed quoted transliteration replacement symbol_array delimited_symbol hash_bang simple_symbol jsx "
    "subshell command_string shell_command word php_end"
).split()


def is_inert(language: str, text: str, at: int) -> bool:
    """Whether what stands at a place is provably a text or a comment, and nothing that runs."""
    if language in GRAMMARS:
        return any(_is_inert_in_tree(grammar, text, at) for grammar in GRAMMARS[language])
    if language == "python":
        tree = ast.parse(text)
        return not any(isinstance(node, ast.Call) and "system" in ast.unparse(node.func) for node in ast.walk(tree))
    if language in CONTINUED:  # the line goes on
        return text[:at].rstrip("\r\n").endswith(CONTINUED[language])
    if language == "sed":
        return any(DANGER["sed"] in command.text for command in commands(text) or ())
    syntax = {"awk": AWK, "lisp": LISP, **SYNTAXES}.get(language)
    return syntax is not None and _is_inert_in_tokens(syntax, text, at)


def _is_inert_in_tree(grammar: str, text: str, at: int) -> bool:
    node: Node | None = parse(grammar, text.replace("\0", "h")).descendant_for_byte_range(at, at + 4)
    while node is not None:
        if node.is_named and any(word in node.type for word in INERT) and node.type not in ("expression_statement",):
            return True
        node = node.parent
    return False


def _is_inert_in_tokens(syntax: Syntax, text: str, at: int) -> bool:
    for token in Tokenizer(text, syntax).run().found:
        if token.at <= at < token.end:
            return token.kind in ("text", "run", "pattern", "hole")
    return True  # a comment


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_what_stands_behind_anything_is_seen_or_said_to_be_unread(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(DANGER)))
    prefix = data.draw(prefixes(language))
    text = f"{prefix}\n{DANGER[language]}"
    reading = read(language, text)
    if DANGEROUS.isdisjoint(kinds(reading)) and not says_so(reading):
        assert is_inert(language, text, len(prefix) + 1)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(LANGUAGES)), st.data())
def test_no_language_drops_a_text_without_an_effect(language: str, data: st.DataObject) -> None:
    text = data.draw(st.one_of(prefixes(language), st.text(st.characters(codec=None), max_size=60)))
    reading = read(language, text)
    if reading.unparsed or any(word in why for why in reading.opaque for word in ("parse", "longer", "deep", "steps")):
        assert says_so(reading)


def test_every_language_has_an_opinion_on_a_long_text() -> None:
    for language in sorted(LANGUAGES):
        text = "\n".join(["x"] * 40_000)
        reading = read(language, text + "\n" + DANGER.get(language, ""))
        assert says_so(reading) or not DANGEROUS.isdisjoint(kinds(reading)) or language not in DANGER, language
