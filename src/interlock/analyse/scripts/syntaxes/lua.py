"""Lua."""

from interlock.analyse.scripts.syntax import Syntax

LUA = Syntax(
    "lua",
    joins=frozenset({".."}),
    inputs=frozenset({"arg"}),
)
