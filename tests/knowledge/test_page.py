"""The descriptions on the page about knowledge load, and their examples hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.analyse.action import Surroundings
from interlock.analyse.examples import count_examples, find_broken_examples
from interlock.knowledge.cmdlet import CMDLET_ROLES, Cmdlet, CmdletFile
from interlock.knowledge.command import Client, ClientCall, Command, Example, Option, OptionValue, Phrase, Program, When
from interlock.knowledge.extension import Extension, KnowledgeFile
from interlock.knowledge.function import CallResult, Function, FunctionExample, FunctionFile
from interlock.knowledge.function_words import FUNCTION_LANGUAGES, FUNCTION_ROLES
from interlock.knowledge.roles import ROLES
from interlock.knowledge.sources import read_description
from interlock.knowledge.tool import Tool, ToolExample, ToolFile
from interlock.knowledge.values import VALUE_GROUPS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "knowledge.md").read_text("utf-8")
BLOCKS = re.findall(r"^```text\n((?:names|service|language|docs) = .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", BLOCKS, ids=lambda text: str(text.split(chr(10))[0]))
def test_a_description_on_the_page_holds(text: str) -> None:
    content = read_description(text, "knowledge.md")
    around = Surroundings(knowledge=Extension([KnowledgeFile("knowledge.md", content, own=True)]))
    assert [str(broken) for broken in find_broken_examples(content, around)] == []
    assert count_examples(content)


def test_the_page_has_the_worked_example() -> None:
    assert len(BLOCKS) == 5


def test_every_key_is_on_the_page() -> None:
    keys = {*Program.__struct_fields__, *Command.__struct_fields__, *Option.__struct_fields__}
    functions = (Function, FunctionFile, FunctionExample, CallResult, Cmdlet, CmdletFile)
    for kind in (Client, ClientCall, Example, OptionValue, When, Phrase, *functions, Tool, ToolExample, ToolFile):
        keys |= {*kind.__struct_encode_fields__}
    assert [key for key in sorted(keys) if not re.search(rf"[`\[]{key}[`.\]]|^{key} =", PAGE, re.MULTILINE)] == []
    assert [word for word in (*FUNCTION_LANGUAGES, *FUNCTION_ROLES, *CMDLET_ROLES) if f"`{word}`" not in PAGE] == []
    assert [role for role in ROLES if f"`{role}`" not in PAGE] == []
    assert [group for group in VALUE_GROUPS if f"`{group}`" not in PAGE] == []
