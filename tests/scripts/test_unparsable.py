"""Text that is no program of its language: in every language that is an effect, and ordinary programs have none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.analyse.code import read_code
from interlock.analyse.files.paths import Places
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading

GARBAGE = [
    "}{ )( ]] %% @@ '",
    "((((",
    "a b (",
    "if (",
    '"unterminated',
    "x = = = 1 )",
    "function ( {{{",
    "<<<>>> && || ;;",
    "'",
    "/* unterminated",
    "end end end",
    "rm -rf / )))",
    "@#$%^&*()",
]
#: Garbage that is a program after all. Words alone are a command of a shell, a call, or keys of a store.
VALID = {
    "shell": {"end end end"},
    "powershell": {"end end end"},
    "batch": {"end end end"},
    "ruby": {"end end end"},
    "perl": {"end end end"},
    "sql": {"/* unterminated", "end end end", "rm -rf / )))"},
    "redis": {"a b (", "if (", "x = = = 1 )", "function ( {{{", "end end end", "rm -rf / )))"},
    "sed": {"a b (", "if (", "end end end", "rm -rf / )))"},  # `a` appends, `i` inserts, `e` runs, `r` reads
    "vim": {"a b (", '"unterminated', "x = = = 1 )", "/* unterminated", "rm -rf / )))"},  # a comment, a file, a search
    "ed": {"/* unterminated"},
    "gdb": {"a b (", "rm -rf / )))"},
    "crystal": {"@#$%^&*()"},
    "spl": {"/* unterminated", "end end end", "@#$%^&*()"},  # words that are searched for
    "tex": {text for text in GARBAGE if "{" not in text},
}
#: A program of each language that is read token by token, with brackets, quotes, operators and comments.
ORDINARY = {
    "awk": [
        "{ print $1 }",
        "/[]/]x'/ { n++ } END { print n }",
        '$1 ~ /^[[:alpha:]/]+$/ && NF > 2 { sum += $2 } END { printf "%d\\n", sum / NR }',
        'BEGIN { FS = "," } # it\'s a comment\n!seen[$0]++',
        "//",
        "length($0) > 80",
    ],
    "tcl": ["set x [list 1 2]; # z", 'foreach a {1 2} { puts "y $a" }', "if {$x > (1 + 2)} { incr y }", "puts {a(b}"],
    "r": ["x <- c(1, 2); print(mean(x)) # it's", "`my var` <- 1; if (x == 1) y else z", "f <- \\(x) x + 1"],
    "julia": ["A' * B", 'println("a $(x)") # c', "filter(==(1), x)", "for i in 1:3 println(i) end"],
    "groovy": ["println x.collect { it * 2 }.join('/')", 'def m = [a: 1]\nm.each { k, v -> println "$k" }'],
    "elixir": ['IO.puts("a")', "Enum.map([1, 2], &(&1 * 2)) |> IO.inspect()", "%{a: 1} = %{a: 1}"],
    "octave": ["x = [1 2 3]'; disp(x)", "printf('%d\\n', 3)", "hold on"],
    "erlang": ['io:format("~p~n", [1]).', "case X of 1 -> ok; _ -> error end."],
    "applescript": ['display dialog "hi"', 'tell application "Finder" to get name of every disk', "-- it's\nbeep"],
    "lisp": ["(print '(1 2))", '(message "a") ; (', "(char= #\\( x)", "#| ( |# (+ 1 2)", "(conj [1 2] {:a 1})"],
    "c": ['#include <stdio.h>\n#define A(x) do {\nint main(void) { printf("%d\\n", 1\'000); return 0; }'],
    "csharp": ["using System;\nvar x = 1;", "public static async Task Main() => await F();"],
    "go": ["package main\nimport \"fmt\"\nfunc main() { fmt.Println('a', `b'`) }"],
    "java": ["class A { public static void main(String[] args) { m(@Valid @Body Request request); } }"],
    "kotlin": ["fun main() { println(listOf(1, 2).map { it * 2 }) }", "val x = 1 shl 2"],
    "scala": ["@main def f(): Unit = println(List(1, 2).map(_ * 2))"],
    "swift": ["let xs = [3, 1].sorted(by: <)\nprint(xs.map { $0 + 1 })"],
    "dart": ["void main() { final xs = [1, 2]; print('${xs.length}'); }"],
    "haskell": ["main = print (map (+ 1) [1, 2])", "f x | x == 1 = 'a'\n    | otherwise = '('"],
    "ocaml": ['let () = print_endline (String.concat "" ["a"])', "let f = ( = )"],
    "nim": ['echo "a"', "let x = @[1, 2]\nfor y in x: echo y"],
    "crystal": ["puts [1, 2].map { |x| x + 1 }"],
    "rust": ['fn main() { let f = || 1; println!("{}", f()); }', "fn f<'a>(x: &'a str) -> &'a str { x }"],
    "d": ['import std.stdio; void main() { writeln("a"); }'],
    "v": ["fn main() { println('a') }"],
    "zig": ['const std = @import("std");\npub fn main() void { std.debug.print("a", .{}); }'],
    "fsharp": ['let x = [1; 2] |> List.map (fun y -> y + 1)\nprintfn "%A" x'],
    "vim": ["set number", "%s/a(/b/g", "let x = 'it''s' \" so", "normal! gg=G", "'<,'>sort", "wq", "call f({'a': 1})"],
    "ed": ["1,$s/a/b/", "a\n((((\n.\nw\nq", "g/x/d", "w out.txt"],
    "gdb": ["break main", "p f(1)", "info locals", "# it's", "x/10i $pc"],
    "tex": ["\\section{A} it's (fine % }\n", "\\{ \\}"],
    "gnuplot": [
        "set terminal png size 800,600\nset output 'a.png'\nplot 'a.csv' using 1:2 with lines title \"it's\" # (",
        "$d << EOD\n1 ( 2\nEOD\nf(x) = x**2\nsplot $d u 1:2, \\\n f(x)",
        "do for [i=1:3] {\n  plot sin(i*x)\n}",
        "stats 'a.dat'; fit f(x) 'a.dat' via a, b",
    ],
    "miller": [
        '$z = $x . "_" . $y # it\'s (',
        "func f(str a): num { return strlen(a) }\n$n = f($a)",
        "for (k, v in $*) { if (is_empty(v)) { unset $[k] } }",
        '@sum[$a] += $x; end { emit @sum, "a" }',
        '${new field} = splitax($a, ",")[1]',
        '$x =~ "^a(b" && NR > 1',
    ],
    "mongo": ["db.users.find({name: /^a\\//}) // it's", "use shop", "show dbs", 'db.a.insertOne({"b": 1})'],
    "apex": ["System.debug([SELECT COUNT() FROM Contact]); // it's", "for (Case c : cases) { c.Subject = 'a('; }"],
    "spl": ["index=web status>=500 | stats count BY host", '| rest /services/server/info | where match(a, "x(")'],
    "redis": ["GET user:1", 'SET a "b c"', "ZADD s 1 it's"],
    "cypher": ["MATCH (n {a: 'http://x'}) RETURN n // it's", ":param x => 1"],
}
#: Languages in which brackets are words like any others.
_WORDS = {"spl", "sed", "redis", "tex", "ed", "vim", "gdb", "shell", "batch", "tcl", "powershell", "sql", "make"}
BRACKETED = sorted(set(ORDINARY) - _WORDS)


def is_opaque(language: str, text: str) -> bool:
    reading = Reading(Places(), LANGUAGES)
    read_code(reading, text, language)
    return any(effect.kind == "code.opaque" for effect in reading.effects)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("text", GARBAGE)
def test_garbage_is_an_effect_in_every_language(language: str, text: str) -> None:
    assert is_opaque(language, text) or text in VALID.get(language, set())


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in ORDINARY.items() for text in texts])
def test_an_ordinary_program_is_read(language: str, text: str) -> None:
    assert not is_opaque(language, text)


@pytest.mark.parametrize("language", BRACKETED)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_program_with_a_bracket_too_many_is_an_effect(language: str, data: st.DataObject) -> None:
    program = data.draw(st.sampled_from(ORDINARY[language]))
    extra = data.draw(st.sampled_from(["(", ")", "[", "{", "}", "((", "){"]))
    before = data.draw(st.booleans())
    assert is_opaque(language, f"{extra}\n{program}" if before else f"{program}\n{extra}")


@pytest.mark.parametrize("language", [name for name in BRACKETED if name not in ("haskell", "ocaml", "fsharp")])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_operators_without_values_are_an_effect(language: str, data: st.DataObject) -> None:
    operators = data.draw(st.lists(st.sampled_from(["==", "!=", "<=", ">="]), min_size=2, max_size=5))
    assert is_opaque(language, " ".join(["x", *operators, "y"]))


@pytest.mark.parametrize("quote", ['"', "'", "`"])
@pytest.mark.parametrize("command", ["echo {}", "ls; echo a{}b; rm -rf build", "x={}"])
def test_shell_that_does_not_end_is_an_effect(command: str, quote: str) -> None:
    assert is_opaque("shell", command.format(quote))
