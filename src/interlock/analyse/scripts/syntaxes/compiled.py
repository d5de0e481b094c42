"""Compiled languages: C and C++, .NET, the JVM, Go, Rust, Swift, Dart, Haskell, OCaml, Nim, Crystal, D, V, Zig."""

from interlock.analyse.scripts.compiled.notation import Notation
from interlock.analyse.scripts.syntax import Quote

_CHARACTER = r"'(?:\\[^'\n]{1,9}|[^'\\\n])'"
_BLOCK = {"/*": "*/"}
_DOLLAR = r"\\.|(?P<code>\$\{)|\$(?P<name>\w+)"
_TRIPLE = {'"""': Quote('"""', "")}
_HASHES = ("#", "##", "###")

C = Notation(
    "c",
    prefixes=frozenset({"&&"}),
    strays="`$",
    side_by_side=3,
    comments=("//",),
    blocks=_BLOCK,
    characters=_CHARACTER,
    quotes={
        '"': Quote('"'),
        **{
            f"{mark}{delimiter}(": Quote(f'){delimiter}"', "")
            for mark in ('R"', 'LR"', 'u8R"')
            for delimiter in ("", "_", "EOF", "x", "raw")
        },
    },
    members=(".", "->", "::"),
    juxtaposed=False,
    modules=True,
    directives=True,
    initialised=True,
    noise=frozenset("const unsigned signed static struct volatile inline extern constexpr register auto".split()),
    environment=frozenset({"environ"}),
    inputs=frozenset({"argv"}),
)

CSHARP = Notation(
    "csharp",
    strays="'`",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    characters=_CHARACTER,
    quotes={
        '@"': Quote('"', "double"),
        '$@"': Quote('"', "double", fills=True),
        '@$"': Quote('"', "double", fills=True),
        '$"""': Quote('"""', "", fills=True),
        '$"': Quote('"', fills=True),
        **_TRIPLE,
        '"': Quote('"'),
    },
    members=(".", "?.", "::"),
    initialised=True,
    fills=r"\\.|\{\{|(?P<code>\{)",
    noise=frozenset("readonly ref out await async using in params required".split()),
    inputs=frozenset({"args", "Args"}),
)

FSHARP = Notation(
    "fsharp",
    comments=("//", "#!"),
    blocks={"(*": "*)"},
    nests=True,
    characters=_CHARACTER,
    quotes={
        '@"': Quote('"', "double"),
        '$"': Quote('"', fills=True),
        **_TRIPLE,
        '"': Quote('"'),
    },
    joins=frozenset({"+", "^"}),
    libraries=("csharp",),
    applied=True,
    bare=True,
    lines=True,
    fills=r"\\.|\{\{|(?P<code>\{)",
    noise=frozenset("mutable inline rec use".split()),
    declarations=frozenset({"let"}),
    inputs=frozenset({"argv", "fsi.CommandLineArgs"}),
)

GO = Notation(
    "go",
    strays="'#$@?\\",
    side_by_side=2,
    comments=("//",),
    blocks=_BLOCK,
    characters=_CHARACTER,
    quotes={'"': Quote('"'), "`": Quote("`", "")},
    noise=frozenset({"defer", "go"}),
    inputs=frozenset({"os.Args"}),
)

V = Notation(
    "v",
    strays="\\",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    quotes={
        '"': Quote('"', fills=True),
        "'": Quote("'", fills=True),
        "r'": Quote("'", ""),
        'r"': Quote('"', ""),
        "`": Quote("`"),
    },
    fills=_DOLLAR,
    modules=True,
    noise=frozenset({"mut", "defer", "go", "spawn"}),
    definers=frozenset({"fn"}),
    inputs=frozenset({"os.args"}),
)

RUST = Notation(
    "rust",
    prefixes=frozenset({"||", "&&"}),
    strays="`\\",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    nests=True,
    characters=rf"b?{_CHARACTER}",
    quotes={
        '"': Quote('"'),
        'b"': Quote('"'),
        'c"': Quote('"'),
        'r"': Quote('"', ""),
        'br"': Quote('"', ""),
        **{f'r{hashes}"': Quote(f'"{hashes}', "") for hashes in _HASHES},
    },
    members=(".", "::"),
    modules=True,
    macros=True,
    noise=frozenset("mut ref move unsafe dyn pub box async await extern impl".split()),
    declarations=frozenset({"let", "const", "static"}),
    definers=frozenset({"fn"}),
)

JAVA = Notation(
    "java",
    strays="'#`\\",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    characters=_CHARACTER,
    quotes={**_TRIPLE, '"': Quote('"')},
    members=(".", "::"),
    initialised=True,
    noise=frozenset("final synchronized volatile transient".split()),
    inputs=frozenset({"args"}),
)

KOTLIN = Notation(
    "kotlin",
    strays="'#\\",
    comments=("//", "#!"),
    blocks=_BLOCK,
    nests=True,
    characters=_CHARACTER,
    quotes={'"""': Quote('"""', "", fills=True), '"': Quote('"', fills=True), "`": Quote("`", "")},
    members=(".", "?.", "::"),
    libraries=("java",),
    modules=True,
    fills=_DOLLAR,
    lines=True,
    noise=frozenset("lateinit suspend override open inline".split()),
    declarations=frozenset({"val", "var"}),
    definers=frozenset({"fun"}),
    inputs=frozenset({"args"}),
)

SCALA = Notation(
    "scala",
    strays="\\",
    comments=("//", "#!"),
    blocks=_BLOCK,
    nests=True,
    characters=_CHARACTER,
    quotes={
        **{f'{mark}"""': Quote('"""', "", fills=True) for mark in ("s", "f", "raw", "sql")},
        **{f'{mark}"': Quote('"', fills=True) for mark in ("s", "f", "raw")},
        **_TRIPLE,
        '"': Quote('"'),
    },
    libraries=("java",),
    modules=True,
    fills=_DOLLAR,
    lines=True,
    noise=frozenset("lazy implicit override sealed given using".split()),
    declarations=frozenset({"val", "var"}),
    inputs=frozenset({"args"}),
)

SWIFT = Notation(
    "swift",
    strays="'",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    nests=True,
    quotes={
        '"""': Quote('"""', fills=True),
        '"': Quote('"', fills=True),
        **{f'{hashes}"': Quote(f'"{hashes}', "") for hashes in _HASHES},
    },
    members=(".", "?."),
    fills=r"(?P<code>\\\()|\\.",
    labels=True,
    lines=True,
    noise=frozenset("inout await async weak lazy override".split()),
    declarations=frozenset({"let", "var"}),
    inputs=frozenset({"CommandLine.arguments"}),
)

DART = Notation(
    "dart",
    strays="`\\",
    side_by_side=2,
    comments=("//", "#!"),
    blocks=_BLOCK,
    nests=True,
    quotes={
        "r'": Quote("'", ""),
        'r"': Quote('"', ""),
        "'''": Quote("'''", fills=True),
        '"""': Quote('"""', fills=True),
        "'": Quote("'", fills=True),
        '"': Quote('"', fills=True),
    },
    members=(".", "?.", ".."),
    modules=True,
    fills=_DOLLAR,
    noise=frozenset("final const late await async static".split()),
    declarations=frozenset(),
    environment=frozenset({"Platform.environment"}),
    inputs=frozenset({"args", "arguments"}),
)

HASKELL = Notation(
    "haskell",
    comments=("--", "#!"),
    blocks={"{-": "-}"},
    nests=True,
    characters=_CHARACTER,
    quotes={'"': Quote('"')},
    joins=frozenset({"++", "<>", "</>"}),
    word=r"[A-Za-z_][\w']*",
    modules=True,
    applied=True,
    bare=True,
    lines=True,
    definers=frozenset(),
)

OCAML = Notation(
    "ocaml",
    strays="\\",
    comments=("#!",),
    blocks={"(*": "*)"},
    nests=True,
    characters=_CHARACTER,
    quotes={'"': Quote('"'), "{|": Quote("|}", "")},
    joins=frozenset({"^"}),
    word=r"[A-Za-z_][\w']*",
    modules=True,
    applied=True,
    bare=True,
    noise=frozenset({"rec", "mutable"}),
    declarations=frozenset({"let"}),
    definers=frozenset(),
    environment=frozenset(),
)

NIM = Notation(
    "nim",
    comments=("#",),
    blocks={"#[": "]#"},
    nests=True,
    characters=_CHARACTER,
    quotes={
        'fmt"': Quote('"', fills=True),
        '&"': Quote('"', fills=True),
        'r"': Quote('"', "double"),
        **_TRIPLE,
        '"': Quote('"'),
    },
    joins=frozenset({"&", "/", "+"}),
    fills=r"\\.|\{\{|(?P<code>\{)",
    modules=True,
    bare=True,
    lines=True,
    noise=frozenset({"discard"}),
    declarations=frozenset({"let", "var", "const"}),
    definers=frozenset({"proc", "func", "template"}),
)

CRYSTAL = Notation(
    "crystal",
    comments=("#",),
    characters=_CHARACTER,
    quotes={
        '"': Quote('"', fills=True),
        "`": Quote("`", fills=True, runs=True),
        "%(": Quote(")", fills=True),
        "%q(": Quote(")", ""),
        "%x(": Quote(")", fills=True, runs=True),
    },
    members=(".", "::"),
    fills=r"\\.|(?P<code>#\{)",
    modules=False,
    bare=True,
    lines=True,
    word=r"[A-Za-z_@]\w*[?!]?",
    environment=frozenset({"ENV"}),
    inputs=frozenset({"ARGV"}),
)

D = Notation(
    "d",
    strays="'\\",
    side_by_side=2,
    comments=("//", "#!"),
    blocks={**_BLOCK, "/+": "+/"},
    characters=_CHARACTER,
    quotes={'"': Quote('"'), "`": Quote("`", ""), 'r"': Quote('"', ""), "q{": Quote("}", "")},
    joins=frozenset({"~", "+"}),
    modules=True,
    initialised=False,
    noise=frozenset("auto const immutable static shared".split()),
    inputs=frozenset({"args"}),
)

ZIG = Notation(
    "zig",
    strays="'#`$",
    side_by_side=2,
    comments=("//",),
    characters=_CHARACTER,
    quotes={'"': Quote('"'), "\\\\": Quote("\n", "")},
    joins=frozenset({"++"}),
    modules=True,
    noise=frozenset("comptime pub inline".split()),
    declarations=frozenset({"const", "var"}),
    definers=frozenset({"fn"}),
)

COMPILED = (C, CSHARP, CRYSTAL, D, DART, FSHARP, GO, HASKELL, JAVA, KOTLIN, NIM, OCAML, RUST, SCALA, SWIFT, V, ZIG)
