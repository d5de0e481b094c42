"""Check the calls in descriptions of tools that must be stopped, or must not be."""

from __future__ import annotations

import json
from collections.abc import Iterator

from interlock.analyse.action import Surroundings
from interlock.analyse.examples import WHERE
from interlock.engine import Engine
from interlock.knowledge.tool import ToolFile
from interlock.model import Action


def find_misjudged_calls(described: ToolFile, around: Surroundings) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the calls whose verdict differs from the description, with their path in the file.

    Every call is judged under each name of the tool.
    """
    engine = Engine(around=around, second_opinion=False)  # which does not judge what is described
    for key, tool in described.tools.items():
        for verdict, calls in (("asks", tool.asks), ("passes", tool.passes)):
            said = "should be stopped" if verdict == "asks" else "should pass"
            for at, arguments in enumerate(calls):
                for name in (key, *tool.also):
                    called = f"mcp__{described.names[0]}__{name}" if described.names else name
                    decision = engine.decide(Action(tool_name=called, input_payload=arguments, **WHERE))
                    if decision.allowed is (verdict == "asks"):
                        yield ("tools", key, verdict, at), f"`{name} {json.dumps(arguments)}` {said}"
