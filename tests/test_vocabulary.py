"""Kinds and flags are a closed vocabulary: every word that is used is known, and every word that is known is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from interlock import RULES, Level, Rule, effect
from interlock.analyse.action import analyse
from interlock.effects import BASES, CATEGORY_TITLES, KINDS
from interlock.flags import FLAGS, GROUPS, check_flags
from interlock.knowledge.catalogue import PROGRAMS, read_functions, read_table
from interlock.knowledge.command import Command, Program
from interlock.knowledge.table_types import TABLES
from interlock.model import Place
from interlock.rules.examples import action_of
from interlock.rules.vocabulary import page

ROOT = Path(__file__).parent.parent
ANALYSE = ROOT / "src" / "interlock" / "analyse"
PLACES = {place.value for place in Place}
FORM = re.compile("[a-z][a-z_]+")


def rule_flags() -> set[str]:
    """Return every flag that a rule names."""
    found: set[str] = set()
    for rule in RULES:
        found |= {flag for pattern in rule.patterns for flag in pattern.flags | pattern.without}
        found |= {*rule.firm.split(), *(key for key in rule.eased if key not in PLACES)}
    return found


def command_flags(command: Command) -> set[str]:
    """Return every flag in a program's description, and in those of its subcommands."""
    found = {*command.flags, *(flag for option in command.options.values() for flag in option.flags)}
    if isinstance(command, Program):
        listed = [*(call.flags for call in command.calls), *(value.flags for value in command.values)]
        found = found.union(*listed, *(one.flags for one in command.conditions))
    parts = [*command.commands.values(), *(part for part in (command.alone, command.otherwise) if part)]
    return found.union(*(command_flags(part) for part in parts))


def table_flags() -> set[str]:
    """Return every flag in the tables of names."""
    return {flag for name, kind in TABLES.items() for flag in read_table(name, kind).flags()}


def function_flags() -> set[str]:
    """Return every flag of the functions of all languages, and every flag that their results carry."""
    functions = [known for language in PROGRAMS.index.functions for known in read_functions(language).values()]
    return {flag for known in functions for flag in (*known.flags, *known.result.marks)}


# Calls that are given flags, or marks that become flags.
GIVEN = frozenset({"emit", "file", "url", "unread", "Flow", "result", "client"})
HOLDERS = frozenset({"flags", "marks", "found"})


@cache
def file_flags(path: Path) -> set[str]:
    """Return the words that the code of a file puts on effects."""
    return code_flags(path.read_text("utf-8"))


def code_flags(source: str) -> set[str]:
    """Return the words that code puts on effects: in sets that it gives to a call, or adds to flags and marks."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in GIVEN:
                values = [*node.args, *(keyword.value for keyword in node.keywords)]
                found.update(word for value in values for word in set_words(value, constants))
            elif called in ("add", "discard") and name_of(node.func) in HOLDERS:
                found.update(word for value in node.args for word in constant_words(value))
        elif isinstance(node, ast.AugAssign | ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(name_of(target) in {"flags", "marks"} for target in targets):
                found.update(set_words(node.value, constants))
        elif isinstance(node, ast.Return) and node.value is not None:
            found.update(set_words(node.value, {}))
        elif isinstance(node, ast.Compare) and any(name_of(side) in {"flags", "marks"} for side in node.comparators):
            found.update(constant_words(node.left))
    return found


def name_of(node: ast.AST) -> str:
    """Return the name that an expression ends in, and of a method its object's: `parsed.flags.add` is `flags`."""
    if isinstance(node, ast.Attribute) and node.attr in ("add", "discard"):
        return name_of(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def set_words(node: ast.AST, constants: dict[str, ast.expr]) -> Iterator[str]:
    """Return the words of the sets in an expression, those behind names of constants too, but not of what it tests."""
    if isinstance(node, ast.Set):
        yield from (word for element in node.elts for word in constant_words(element))
    elif isinstance(node, ast.Name) and node.id in constants:
        value = constants[node.id]
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "frozenset":
            yield from (word for each in value.args for word in set_words(each, {}))
    tested = node.test if isinstance(node, ast.IfExp) else None
    for inner in ast.iter_child_nodes(node):
        if inner is not tested and not isinstance(inner, ast.Compare):
            yield from set_words(inner, constants)


def constant_words(node: ast.AST) -> Iterator[str]:
    """Return a text that has the form of a flag; the flags of a `sed` command, for one, are single letters."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and FORM.fullmatch(node.value):
        yield node.value


SOURCES = sorted(ANALYSE.rglob("*.py"))


def unknown(words: set[str]) -> list[str]:
    return sorted(words - FLAGS.keys())


def test_flags_in_rules_are_known() -> None:
    assert rule_flags()
    assert unknown(rule_flags()) == []


def test_flags_of_programs_are_known() -> None:
    found = {name: unknown(command_flags(program)) for name, program in PROGRAMS.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_flags_in_tables_are_known() -> None:
    assert unknown(table_flags()) == []
    assert unknown(function_flags()) == []


def test_flags_in_code_are_known() -> None:
    found = {path.relative_to(ANALYSE).as_posix(): unknown(file_flags(path)) for path in SOURCES}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "source",
    [
        "reading.emit('fs.read', site, name, frozenset({'secret', 'odd_word'}))",
        "reading.unread('x', site, flags=frozenset({'odd_word'}))",
        "_ODD = frozenset({'odd_word'})\nreading.file('fs.read', site, path, flags | _ODD)",
        "flags.add('odd_word')",
        "parsed.flags.discard('odd_word')",
        "flags |= {'odd_word'}",
        "marks = marks | {'odd_word'} if known in _WORDS else marks",
        "def flags_of(url):\n    return frozenset({'odd_word'}) if url else frozenset()",
        "sends = 'odd_word' in found.flags",
    ],
)
def test_an_unknown_flag_in_code_is_found(source: str) -> None:
    assert unknown(code_flags(source)) == ["odd_word"]


def test_effects_of_every_example_have_known_flags() -> None:
    examples = dict.fromkeys(example for rule in RULES for example in (*rule.match, *rule.no_match))
    analyses = [analyse(action_of(example)) for example in examples]
    seen = {flag for found in analyses for each in (*found.effects, *found.written) for flag in each.flags}
    assert len(seen) > len(FLAGS) / 2
    assert unknown(seen) == []


@pytest.mark.parametrize("statement", ["DROP SYNONYM x", "DROP ODDITY x", "DROP TABLESPACE x", "DROP FOREIGN TABLE x"])
def test_the_text_of_an_action_makes_no_flag(statement: str) -> None:
    found = analyse(action_of(f"sql> {statement}")).effects
    assert found
    assert unknown({flag for each in found for flag in each.flags}) == []


def test_no_flag_is_known_in_vain() -> None:
    used = rule_flags() | table_flags() | function_flags()
    used = used.union(*map(file_flags, SOURCES), *(command_flags(program) for program in PROGRAMS.values()))
    assert sorted(FLAGS.keys() - used) == []


def test_every_word_has_a_sentence() -> None:
    said = {**FLAGS, **{name: kind.says for name, kind in KINDS.items()}}
    assert [word for word, says in said.items() if not re.fullmatch(r"[A-Z].+[^.]\.", says)] == []
    assert len(set(said.values())) == len(said), "two words that say the same are one too many"


def test_groups_are_in_order_and_name_a_flag_once() -> None:
    assert [heading for heading, group in GROUPS.items() if list(group) != sorted(group)] == []
    assert sum(map(len, GROUPS.values())) == len(FLAGS)


def test_categories_are_those_that_score() -> None:
    assert {kind.category for kind in KINDS.values()} == BASES.keys() == CATEGORY_TITLES.keys()


def test_the_page_is_up_to_date() -> None:
    committed = ROOT / "docs" / "vocabulary.md"
    assert committed.read_text("utf-8") == page(), "run `make docs`"


def test_an_unknown_flag_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"unknown flag `recursiv`; did you mean `recursive`\?"):
        effect("fs.delete", "recursiv")
    with pytest.raises(ValueError, match=r"unknown flag `secrt`; did you mean `secret`\?"):
        effect("fs.read", without="names secrt")
    with pytest.raises(ValueError, match=r"unknown flag `qqqqqqqq`; docs/vocabulary\.md lists them"):
        check_flags(["qqqqqqqq"])


@pytest.mark.parametrize("words", [{"eased": {"loopbak": Level.LOW}}, {"firm": "git_internal loopbak"}])
def test_a_rule_cannot_be_eased_by_an_unknown_flag(words: dict[str, object]) -> None:
    when = effect("net.connect")
    Rule(name="x", level=Level.HIGH, when=when, reason="X", eased={"loopback": Level.LOW, "workspace": Level.LOW})
    with pytest.raises(ValueError, match=r"unknown flag `loopbak`; did you mean `loopback`\?"):
        Rule(name="x", level=Level.HIGH, when=when, reason="X", **words)  # type: ignore[arg-type]
