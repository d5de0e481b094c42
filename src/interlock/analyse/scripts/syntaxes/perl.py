"""Perl."""

from interlock.analyse.scripts.syntax import Syntax

PERL = Syntax(
    "perl",
    joins=frozenset({"."}),
    inputs=frozenset({"_", "F", "ARGV", "STDIN", "0", "&"}),
    environment=frozenset({"ENV"}),
)
