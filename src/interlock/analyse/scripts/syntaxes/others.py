"""R, Julia, Groovy and AppleScript."""

from interlock.analyse.scripts.syntax import Quote, Syntax

_RAW = {
    f"{letter}{quote}{dashes}{opener}": Quote(f"{closer}{dashes}{quote}", "")
    for letter in "rR"
    for quote in "'\""
    for dashes in ("", "-", "--", "---")
    for opener, closer in ("()", "[]", "{}")
}

R = Syntax(
    "r",
    definers=frozenset({"function"}),
    side_by_side=1,
    comments=("#",),
    quotes={"'": Quote("'"), '"': Quote('"'), "`": Quote("`", ""), **_RAW},
    members=("::", ":::", "$"),
    joins=frozenset(),
    lines=True,
    word=r"[A-Za-z_.][\w.]*",
    inputs=frozenset({"commandArgs"}),
)

JULIA = Syntax(
    "julia",
    side_by_side=2,
    comments=("#",),
    blocks={"#=": "=#"},
    nests=True,
    characters=r"'(?:\\[^\n]{1,9}?|[^'\\\n])'",
    quotes={'"""': Quote('"""', fills=True), '"': Quote('"', fills=True), "`": Quote("`", fills=True, runs=True)},
    joins=frozenset({"*"}),
    lines=True,
    fills=r"\\.|(?P<code>\$\()|\$(?P<name>\w+)",
    inputs=frozenset({"ARGS"}),
    environment=frozenset({"ENV"}),
)

GROOVY = Syntax(
    "groovy",
    strays="`#",
    comments=("//", "#!"),
    blocks={"/*": "*/"},
    regexes=r"/(?:\\/|[^/])++/",
    quotes={
        "$/": Quote("/$", ""),
        '"""': Quote('"""', fills=True),
        "'''": Quote("'''"),
        "'": Quote("'"),
        '"': Quote('"', fills=True),
    },
    members=(".", "?."),
    bare=True,
    lines=True,
    word=r"[A-Za-z_$][\w$]*",
    fills=r"\\.|(?P<code>\$\{)|\$(?P<name>\w+)",
    inputs=frozenset({"args"}),
)

APPLESCRIPT = Syntax(
    "applescript",
    strays="`\\;$@%~!?",
    comments=("--", "#"),
    blocks={"(*": "*)"},
    nests=True,
    quotes={'"': Quote('"')},
    members=(),
    joins=frozenset({"&"}),
    bare=True,
    lines=True,
    folds=True,
    definers=frozenset({"on"}),
    phrases=(
        "do shell script",
        "do script",
        "write text",
        "run script",
        "load script",
        "shut down",
        "log out",
        "empty trash",
        "administrator privileges",
        "hidden answer",
        "the clipboard",
        "key code",
        "display dialog",
        "display notification",
        "display alert",
    ),
)

OCTAVE = Syntax(
    "octave",
    comments=("%", "#"),
    unclear=r"[%#]\{",
    transposes=True,
    quotes={"'": Quote("'", "double"), '"': Quote('"')},
    joins=frozenset({"."}),
    strung=True,
    bare=True,
    lines=True,
)

ERLANG = Syntax(
    "erlang",
    strays="`&^@",
    side_by_side=1,
    comments=("%",),
    quotes={"'": Quote("'"), '"': Quote('"')},
    characters=r"\$(?:\\.|\S)",
    members=(":",),
    joins=frozenset({"++"}),
)
