"""The tables of lists of words: each list says what its words mean, has no word twice, and is used."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

import interlock
from interlock.errors import ConfigError
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.sources import read_table as read_source
from interlock.knowledge.table_types import TABLES, WordTable
from interlock.knowledge.table_types.machines import MachineNames
from interlock.knowledge.table_types.tool_calls import ToolObjects
from interlock.knowledge.values import VALUE_GROUPS

PACKAGE = Path(interlock.__file__).parent
SOURCES = {name: PACKAGE / "knowledge" / "tables" / f"{name}.toml" for name in TABLES}
WORD_TABLES = sorted(name for name in TABLES if issubclass(TABLES[name], WordTable))
CODE = "\n".join(file.read_text("utf-8") for file in PACKAGE.rglob("*.py"))
#: Lists of the names of objects, which stand in `tool-objects`.
OF_OBJECTS = (
    "tool-names devices",
    "tool-names named_in_code",
    "tool-names kept_records",
    "tool-names locked_software",
    "tool-names about_rights",
    "tool-names remote_devices",
    "tool-arguments grave_objects",
    "tool-arguments relied_on_objects",
    "tool-arguments device_objects",
    "tool-records relied_on_objects",
)


def test_there_are_tables_of_words() -> None:
    assert {"tool-names", "tool-arguments", "tool-rights"} <= set(WORD_TABLES)


@pytest.mark.parametrize("name", WORD_TABLES)
def test_a_comment_says_what_the_words_of_each_list_mean(name: str) -> None:
    lines = SOURCES[name].read_text("utf-8").splitlines()
    for key in TABLES[name].__struct_fields__:
        at = next(at for at, line in enumerate(lines) if line.startswith((f"{key} = ", f"[{key}]")))
        assert re.fullmatch(r"# .+\.", lines[at - 1]), key


@pytest.mark.parametrize("name", WORD_TABLES)
def test_no_list_has_a_word_twice(name: str) -> None:
    import tomllib

    for key, words in tomllib.loads(SOURCES[name].read_text("utf-8")).items():
        if isinstance(words, list):
            assert sorted(words) == sorted(set(words)), key


@pytest.mark.parametrize("name", WORD_TABLES)
def test_each_list_is_used_and_has_words(name: str) -> None:
    table = read_table(name, TABLES[name])
    for key, words in msgspec.structs.asdict(table).items():
        assert words, key
        assert re.search(rf"_(?:WORDS|REQUESTS)\.{key}\b", CODE), key


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_a_list_of_objects_names_objects(name: str) -> None:
    table, key = name.split()
    known = {thing.name for thing in read_table("tool-objects", ToolObjects).objects}
    assert getattr(read_table(table, TABLES[table]), key) <= known


def test_a_word_that_is_added_to_a_list_is_read() -> None:
    text = SOURCES["tool-names"].read_text("utf-8")
    before = read_source(text, "tables/tool-names.toml")
    after = read_source(text.replace("\nlooks = [", '\nlooks = ["peruse", ', 1), "tables/tool-names.toml")
    assert getattr(after, "looks") - getattr(before, "looks") == {"peruse"}  # noqa: B009 - a field of one table


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('loks = ["list"]', "unknown key `loks`; did you mean `looks`"),
        ("looks = [1]", "an item of `looks` must be a string"),
        ('looks = "list"', "`looks` must be a list"),
    ],
)
def test_a_mistake_in_a_list_is_named(line: str, message: str) -> None:
    text = re.sub(r"\nlooks = \[[^\]]*\]", f"\n{line}", SOURCES["tool-names"].read_text("utf-8"), count=1)
    with pytest.raises(ConfigError, match=re.escape(message)):
        read_source(text, "tables/tool-names.toml")


def test_the_phrase_of_a_firewall_names_the_remote_ports() -> None:
    ports = re.search(r"\(\?:(20\|[\d|]+)\)", PROGRAMS["ufw"].phrases[0].matches)
    assert ports is not None
    assert set(ports[1].split("|")) == set(read_table("machine-names", MachineNames).remote_ports)


def test_the_group_of_values_has_the_remote_ports() -> None:
    plain = {port for port in VALUE_GROUPS["remote_port"].values if not port.endswith("/*")}
    assert plain == set(read_table("machine-names", MachineNames).remote_ports)
