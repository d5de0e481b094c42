"""Every kind of node of the grammars: what stands in it is read, wherever an expression may stand.

Each file in `kinds/` holds samples in which `HERE` marks where an expression may stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

from interlock import Action, Level
from interlock.analyse.grammars import _make_parser, parse
from interlock.analyse.scripts.trees import javascript, lua, perl, php, ruby
from interlock.analyse.scripts.trees.language import Language
from tests.reading import ENGINE, WHERE
from tests.scripts.test_forms import DANGER

FOLDER = Path(__file__).parent / "kinds"
HERE = re.compile(r"\bHERE\b")
LANGUAGES: dict[str, tuple[Language, str, str]] = {
    "javascript": (javascript.SCRIPT, "node", DANGER["node -e"]),
    "typescript": (javascript.TYPED, "deno run -", DANGER["node -e"]),
    "ruby": (ruby.SCRIPT, "ruby", DANGER["ruby -e"]),
    "php": (php.PAGE, "php", 'system("rm -rf /")'),
    "perl": (perl.SCRIPT, "perl", DANGER["perl -e"]),
    "lua": (lua.SCRIPT, "lua -", DANGER["lua -e"]),
}
#: Kinds that no sample has: types of TypeScript, and what the grammar has a name for but never gives or never parses.
WITHOUT: dict[str, frozenset[str]] = {
    "typescript": frozenset(
        {
            "adding_type_annotation",
            "existential_type",
            "flow_maybe_type",
            "opting_type_annotation",
            "optional_type",
            "rest_type",
        }
    ),
    "ruby": frozenset({"encoding", "file", "line"}),
    "php": frozenset({"operation", "sentinel_error"}),
    "perl": frozenset({"variable_group"}),
    "lua": frozenset({"implicit_variable_declaration"}),
}


def samples(language: str) -> list[str]:
    """Return the samples of a language."""
    names = ["javascript", "typescript"] if language == "typescript" else [language]
    texts = [(FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip("\n") for name in names]
    head = "<?php " if language == "php" else ""
    return [head + sample for text in texts for sample in re.split(r"\n----\n", text)]


def parse_sample(language: str, text: str) -> Node:
    """Return the tree of a sample, by the first grammar that takes it."""
    trees = [parse(grammar, text) for grammar in LANGUAGES[language][0].grammars]
    return next((tree for tree in trees if not tree.has_error), trees[0])


def fill(sample: str, at: int, danger: str) -> str:
    """Return a sample with something dangerous in one of its places, and a harmless call in the others."""
    count = iter(range(1_000))
    return HERE.sub(lambda _found: danger if next(count) == at else "f(1)", sample)


def nodes(root: Node) -> Iterator[Node]:
    """Yield the named nodes of a tree."""
    left = [root]
    while left:
        node = left.pop()
        yield node
        left += node.named_children


ALL = [(language, sample) for language in LANGUAGES for sample in samples(language)]


@pytest.mark.parametrize(("language", "sample"), ALL)
def test_what_stands_in_any_node_is_read(language: str, sample: str) -> None:
    _, program, danger = LANGUAGES[language]
    unread = []
    for at in range(len(HERE.findall(sample))):
        text = fill(sample, at, danger)
        decision = ENGINE.decide(Action.shell(f"{program} <<'QQ'\n{text}\nQQ", **WHERE))
        if decision.assessment.level is not Level.CRITICAL:
            unread.append((at, text))
    assert not unread


@pytest.mark.parametrize(("language", "sample"), ALL)
def test_the_samples_parse(language: str, sample: str) -> None:
    assert not parse_sample(language, fill(sample, -1, "")).has_error


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_samples_have_every_kind_of_node(language: str) -> None:
    found = {node.type for sample in samples(language) for node in nodes(parse_sample(language, fill(sample, -1, "")))}
    kinds = grammar_kinds(LANGUAGES[language][0].grammars[0])
    assert kinds - found == WITHOUT.get(language, frozenset())


@pytest.mark.parametrize("language", LANGUAGES)
def test_meanings_are_of_kinds_that_the_grammars_have(language: str) -> None:
    spoken = LANGUAGES[language][0]
    kinds = {kind for grammar in spoken.grammars for kind in grammar_kinds(grammar)}
    assert {*spoken.nodes, *spoken.targets, *spoken.functions, *spoken.runs} <= kinds


def grammar_kinds(grammar: str) -> set[str]:
    """Return the kinds of named nodes that a grammar has."""
    language = _make_parser(grammar).language
    assert language is not None
    numbers = range(language.node_kind_count)
    shown = [n for n in numbers if language.node_kind_is_named(n) and language.node_kind_is_visible(n)]
    return {kind for n in shown if (kind := language.node_kind_for_id(n)) is not None}
