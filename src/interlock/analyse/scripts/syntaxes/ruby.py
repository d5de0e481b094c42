"""Ruby, and Elixir, which is written much like it."""

from interlock.analyse.scripts.syntax import Quote, Syntax

RUBY = Syntax(
    "ruby",
    joins=frozenset({"+"}),
    inputs=frozenset({"ARGV", "_", "$_"}),
    environment=frozenset({"ENV"}),
)

_SIGILS = {
    f"~{letter}{opener}": Quote(closer, "c" if letter.islower() else "", fills=letter.islower())
    for letter in "csrwCSRW"
    for opener, closer in ('""', "''", "()", "[]", "{}", "<>", "||", "//")
}

ELIXIR = Syntax(
    "elixir",
    strays="`",
    comments=("#",),
    characters=r"\?(?:\\.|\S)",
    quotes={
        '"""': Quote('"""', fills=True),
        **_SIGILS,
        "'": Quote("'", fills=True),
        '"': Quote('"', fills=True),
    },
    joins=frozenset({"<>", "++"}),
    bare=True,
    lines=True,
    word=r"[A-Za-z_]\w*[?!]?",
    fills=r"\\.|(?P<code>#\{)",
)
