"""JavaScript and TypeScript, in Node, Deno, Bun and the shells of databases."""

from interlock.analyse.scripts.syntax import Syntax

JAVASCRIPT = Syntax(
    "javascript",
    inputs=frozenset({"argv", "process.argv", "process.stdin", "Deno.args", "Bun.argv"}),
    environment=frozenset({"process.env", "Deno.env", "Bun.env"}),
)
