"""Tools that are known by their name alone, and output."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "tools",
    Rule(
        name="tool_declared_destructive",
        level=Level.HIGH,
        when=effect("tool.destroy", "annotated"),
        reason="The tool says of itself that it destroys something",
        reversible=False,
        match=['tool purge_cache {"id": 1} {"destructiveHint": true}'],
        no_match=['tool get_cache {"id": 1}'],
    ),
    Rule(
        name="tool_destroys",
        level=Level.MEDIUM,
        when=effect("tool.destroy"),
        reason="The tool's name says that it removes something",
        reversible=False,
        match=['tool delete_user {"id": 1}', "tool users.removeAll {}"],
        no_match=['tool get_user {"id": 1}', "tool monkey {}"],
    ),
    Rule(
        name="tool_changes",
        level=Level.LOW,
        when=effect("tool.change"),
        reason="The tool's name says that it changes something",
        match=['tool update_user {"id": 1}'],
        no_match=["tool list_users {}"],
    ),
    Rule(
        name="print_output",
        level=Level.SAFE,
        when=effect("out.print"),
        reason="Output display only",
        match=["$ echo hi", ">>> print('hello')", "$ printf '%s' x"],
        no_match=["$ ls", ">>> sprint()"],
    ),
)
