"""Content that is published."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES
from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.switches import is_true

_VISIBILITY = frozenset("visibility privacy privacy_status privacystatus privacy_level audience access".split())


def is_withheld(call: Call) -> bool:
    """Whether nobody else can see something: `privacy_status: private`, `private: true`."""
    told = False
    for one in call.arguments:
        low = one.low
        if one.key in _VISIBILITY and isinstance(one.value, str):
            if low not in VALUES["withheld"]:
                return False
            told = True
        elif one.key in ("private", "is_private"):
            told = told or is_true(one)
    return told


def is_routine_publication(call: Call) -> bool:
    """Whether what is written stays with its author."""
    return not call.has("public") and is_withheld(call)
