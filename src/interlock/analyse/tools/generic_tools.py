"""Tools whose names only say that something is run, called, sent or asked.

The effect of a call then follows from the operation in its arguments, not from the name.
"""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.tools.browser_actions import is_page_operation
from interlock.analyse.tools.chosen_operations import (
    is_grave_noun,
)
from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.program_names import program_of, whole_program
from interlock.analyse.tools.restrictions import SETTING
from interlock.analyse.tools.vocabulary import NOUNS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords

_WORDS = read_table("tool-names", ToolNameWords)


@lru_cache(maxsize=4096)
def is_generic(tool_name: str) -> bool:
    """Whether the name of a tool only says that something is run, called, sent or asked.

    >>> [is_generic(name) for name in ("http_request", "run_sql_query", "run_payroll", "create_refund_request")]
    [True, True, False, False]
    """
    program = program_of(tool_name)
    named = meaning_of(tool_name, "").words
    if "proxy" in named and meaning_of(tool_name, "").verb == "change":
        return False  # where everything else goes
    if whole_program(tool_name):
        return True  # `cosign {"command": "verify"}`
    if is_page_operation(named):
        return True  # what is pressed or filled in tells what happens
    words = [word for word in named if word not in _WORDS.transport_words and word != program]
    if not _WORDS.request_words.isdisjoint(named) and set(words) <= _WORDS.method_words:
        return True
    core = meaning_of("_".join(words), "")
    if named and named[-1] in _WORDS.managing_words and (core.said in NOUNS or not core.verb):
        return True  # `backup_manager` does what its operation says
    if not _WORDS.performed_words.isdisjoint(named) and core.verb in ("", "run", "make"):
        return True  # `apply_robot_operation` does what the operation is called
    if core.verb == "read":
        return not core.things or core.things[0].read in ("", "tool.read")
    if core.verb in ("", "run"):
        return not core.things
    if core.verb == "change" and core.said not in SETTING and _is_infrastructure(tool_name):
        return False  # `resize_server`
    return not core.things and core.verb in ("make", "send", "change", "publish") and len(words) == 1


def _is_infrastructure(tool_name: str) -> bool:
    return any(thing.name == "infrastructure" for thing in meaning_of(tool_name, "").things)


def has_no_meaning(tool_name: str) -> bool:
    """Whether a name has neither a verb nor an object."""
    managed = not _WORDS.managing_words.isdisjoint(meaning_of(tool_name, "").words[-1:])
    return is_generic(tool_name) and not managed and not is_grave_noun(tool_name)
