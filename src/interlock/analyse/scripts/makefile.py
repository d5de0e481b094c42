"""A makefile taken apart: its variables, its rules, and what a text is once variables and functions are filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from tree_sitter import Node

from interlock.analyse.grammars import parse
from interlock.patterns import late

MAX_DEPTH = 16
MAX_TEXT = 65_536
MAX_RULES = 2_000
_REFERENCE = late(r"\$(?:\$|[({]|([^\s({]))")
_NAME = late(r"[\w.%@<^?*+-]+$")
_CALL = late(r"([a-z][a-z-]*)[ \t]+(.*)$", re.DOTALL)
_PREFIX = late(r"(?m)^[ ]*\.RECIPEPREFIX[ \t]*[:?]*=[ \t]*(\S?).*$")
#: Variables that are set for the programs which recipes start.
_EXPORT = late(r"(?m)^ *export[ \t]+(\w+)[ \t]*(?:::?:?|\+|\?)?=")
_MODIFIER = late(r"(?m)^((?!\t)[^\n#=]*?:[ \t]*|[ ]*)(?:private|override)[ \t]+(?=[\w.]+[ \t]*[:?+!]*=)")
#: Functions that the grammar does not know, and others as long that it does.
_OLDER = {"let": "and", "guile": "value", "intcmp": "filter"}
_NEWER = late(r"(\$[({])(let|guile|intcmp)(?=\s)")
_SUFFIXES = late(r"\.(\w+)\.(\w+)")
_LOAD = late(r"(?m)^[ ]*-?load[ \t]+(?![:?+!]*=)([^\n:=#]+)$")
_TAB_LINE = late(r"(?m)^\t(.*(?:\\\n.*)*)")
_SPECIAL = frozenset(".PHONY .SUFFIXES .DEFAULT_GOAL .SILENT .IGNORE .PRECIOUS .ONESHELL .POSIX .SECONDARY".split())


#: A function: the makefile, its arguments as they are written, automatic variables, and how deep it stands.
MakeFunction = Callable[["Makefile", str, "dict[str, str] | None", int], str]


class MakeRule(NamedTuple):
    """Targets, what they are made from, and the lines that make them."""

    targets: tuple[str, ...]
    needs: tuple[str, ...]
    recipe: tuple[str, ...]


#: Variables that make itself knows, unless the makefile sets them.
_BUILT_IN = {
    name: (text, True)
    for name, text in {
        "AR": "ar",
        "AS": "as",
        "CC": "cc",
        "CPP": "cc -E",
        "CXX": "g++",
        "FC": "f77",
        "LD": "ld",
        "RM": "rm -f",
    }.items()
}


class Makefile:
    """The variables and rules of makefiles that are read together."""

    __slots__ = (
        "_depth",
        "_functions",
        "_include",
        "_spend",
        "broken",
        "exported",
        "fixed",
        "loaded",
        "oneshell",
        "rules",
        "run",
        "variables",
    )

    def __init__(
        self,
        run: Callable[[str], str],
        include: Callable[[str], str | None],
        spend: Callable[[int], None],
        functions: Mapping[str, MakeFunction],
    ) -> None:
        self.variables: dict[str, tuple[str, bool]] = {"MAKE": ("make", True)}  # the text, and whether it is final
        self.fixed: set[str] = set()  # variables that the command line has set
        self.exported: dict[str, None] = {}  # names of variables that recipes are run with
        self.rules: list[MakeRule] = []
        self.loaded: list[str] = []  # libraries that `load` names
        self.oneshell = self.broken = False
        self.run, self._include, self._spend, self._functions = run, include, spend, functions
        self._depth = 0

    def read(self, text: str) -> None:
        """Take a text in. Both branches of a condition count."""
        if self._depth >= MAX_DEPTH:
            self.broken = True
            return
        self._depth += 1
        try:
            text = self._respell(text.replace("\r\n", "\n") + "\n")
            root = parse("make", _NEWER.sub(lambda found: found[1] + _OLDER[found[2]], text))
            self._walk(root, text)
            if root.has_error:
                self.broken = True
                lines = tuple(found[1] for found in _TAB_LINE.finditer(text))
                self.rules.append(MakeRule((), (), lines))
                self.expand("\n".join(re.findall(r"\$[({](?:shell|eval)\b.*", text)))
        finally:
            self._depth -= 1

    def _respell(self, text: str) -> str:
        """Return a text as the grammar takes it: recipes behind a tab, no words that only say who sees a name."""
        self.exported |= dict.fromkeys(found[1] for found in _EXPORT.finditer(text))
        for found in _LOAD.finditer(text):
            self.loaded += self.expand(found[1]).split()
        text = _LOAD.sub("", text) if self.loaded else text
        text = _MODIFIER.sub(r"\1", text)
        return _use_tabs(text) if ".RECIPEPREFIX" in text else text

    def _walk(self, root: Node, text: str) -> None:
        left = [root]
        while left and len(self.rules) < MAX_RULES:
            node = left.pop()
            handler = _HANDLERS.get(node.type)
            if handler is not None:
                handler(self, node, text)
            else:
                left += reversed(node.named_children)

    # statements

    def _assignment(self, node: Node, text: str) -> None:
        line = text[node.start_byte : node.end_byte]
        found = re.search(r"(::?:?|\?|\+|!)?=", line)
        if found is None:
            return
        name = self.expand(line[: found.start()].rpartition(":")[2].strip().rpartition(" ")[2])
        value, operator = line[found.end() :].strip().replace("\\\n", " "), found[1] or ""
        if operator == "!":
            value = self.run(self.expand(value))
        self.set(name, value, operator)

    def set(self, name: str, value: str, operator: str = "") -> None:
        """Set a variable as an operator says: `:` at once, `?` if it is not set, `+` behind what it holds."""
        before = self.variables.get(name)
        if name in self.fixed or (operator == "?" and before is not None):
            self.expand(value)
            return
        final = operator in (":", "::", ":::", "!")
        plain = self.expand(value) if operator != "!" else value  # a function in it may run something
        if operator == "+" and before is not None:
            final = before[1]
            value, plain = f"{before[0]} {value}", f"{before[0]} {plain}"
        self.variables[name] = ((plain if final else value)[:MAX_TEXT], final)
        if name in _OPTIONS and "--eval" in plain:
            self.read(_unescape(plain.partition("--eval")[2].lstrip("= ")))

    def _define(self, node: Node, text: str) -> None:
        name = next((text[one.start_byte : one.end_byte] for one in node.named_children if one.type == "word"), "")
        body = next((text[one.start_byte : one.end_byte] for one in node.named_children if one.type == "raw_text"), "")
        self.variables[name] = (body.rstrip("\n")[:MAX_TEXT], False)

    def _rule(self, node: Node, text: str) -> None:
        targets = needs = ""
        lines: list[str] = []
        for child in node.named_children:
            body = text[child.start_byte : child.end_byte]
            if child.type == "targets":
                targets = body
            elif child.type in ("prerequisites", "pattern_list", "list"):
                needs += f" {body}"
            elif child.type == "recipe":
                lines = [
                    text[line.start_byte : line.end_byte] for line in child.named_children if line.type == "recipe_line"
                ]
            elif child.type.endswith("assignment"):
                self._assignment(child, text)
        names = tuple(self.expand(targets).split())
        if ".ONESHELL" in names:
            self.oneshell = True
        self.rules.append(MakeRule(names, tuple(self.expand(needs.replace("|", " ")).split()), tuple(lines)))

    def _read_include(self, node: Node, text: str) -> None:
        for child in node.named_children:
            for name in self.expand(text[child.start_byte : child.end_byte]).split():
                known = self._include(name)
                if known is not None:
                    self.read(known)

    def _function(self, node: Node, text: str) -> None:
        result = self.expand(text[node.start_byte : node.end_byte])
        if result.strip() and "\n" in result:
            self.read(result)

    # texts

    def expand(self, text: str, automatic: dict[str, str] | None = None, depth: int = 0) -> str:
        """Return a text with variables and functions filled in; a variable that is not known is the environment's."""
        if "$" not in text or depth > MAX_DEPTH:
            return text[:MAX_TEXT]
        parts, at, size = [], 0, 0
        while size < MAX_TEXT and (found := _REFERENCE.search(text, at)):
            self._spend(1)
            parts.append(text[at : found.start()])
            at = found.end()
            if found[0] == "$$":
                parts.append("$")
            elif found[1]:
                parts.append(self._value(found[1], automatic, depth))
            else:
                end = _closing_bracket(text, at, found[0][1])
                parts.append(self._reference(text[at:end], automatic, depth))
                at = end + 1
            size += len(parts[-1])
        return "".join([*parts, text[at:]])[:MAX_TEXT]

    def _reference(self, inner: str, automatic: dict[str, str] | None, depth: int) -> str:
        called = _CALL.match(inner)
        if called and called[1] in self._functions:
            return self._functions[called[1]](self, called[2], automatic, depth + 1)
        name, colon, change = inner.partition(":")
        if colon and "=" in change:
            old, _, new = change.partition("=")
            words = self._value(self.expand(name, automatic, depth + 1), automatic, depth).split()
            return " ".join(substitute(word, old, new) for word in words)
        return self._value(self.expand(inner, automatic, depth + 1), automatic, depth)

    def _value(self, name: str, automatic: dict[str, str] | None, depth: int) -> str:
        if automatic and name in automatic:
            return automatic[name]
        if automatic and len(name) == 2 and name[0] in automatic and name[1] in "DF":
            head, _, last = automatic[name[0]].rpartition("/")
            return last if name[1] == "F" else head or "."
        known = self.variables.get(name) or _BUILT_IN.get(name)
        if known is None:
            return "${" + name + "}" if _NAME.match(name) and name.isidentifier() else ""
        return known[0] if known[1] else self.expand(known[0], automatic, depth + 1)

    # what is made

    def needed_rules(self, goals: list[str]) -> Iterator[tuple[MakeRule, str]]:
        """Return the rules that goals need, with the target that each is wanted for; all of them for one unknown."""
        plain = [rule for rule in self.rules if rule.targets and rule.targets[0] not in _SPECIAL]
        loose = [rule for rule in self.rules if not rule.targets]
        last = [(rule, "${target}") for rule in plain if ".DEFAULT" in rule.targets]  # for what no rule makes
        default = self.variables.get(".DEFAULT_GOAL", ("", True))[0]
        first = next(
            (rule.targets[0] for rule in plain if rule.targets[0][:1] != "." and "%" not in rule.targets[0]), ""
        )
        left, done = goals or [default or first], set[str]()
        found: list[tuple[MakeRule, str]] = []
        while left:
            goal = left.pop()
            if goal in done or len(done) > MAX_RULES:
                continue
            done.add(goal)
            making = [rule for rule in plain if any(_matches(target, goal) for target in rule.targets)]
            found += [(rule, goal) for rule in making]
            left += [need for rule in making for need in rule.needs]
        if not found or any("$" in goal or "*" in goal for goal in done) or loose:
            found = [(rule, rule.targets[0] if rule.targets else "") for rule in [*plain, *loose]]
        yield from found
        yield from (one for one in last if one not in found)

    def lines(self, rule: MakeRule, goal: str) -> list[str]:
        """Return the shell texts that a rule runs to make a target."""
        stem = next((_stem(target, goal) for target in rule.targets if "%" in target), "")
        needs = [need.replace("%", stem) for need in rule.needs]
        automatic = {"@": goal, "<": needs[0] if needs else "", "^": " ".join(needs), "?": " ".join(needs), "*": stem}
        automatic["+"] = automatic["^"]
        texts = [self.expand(line.replace("\\\n\t", "\\\n"), automatic).lstrip(" \t@+-") for line in rule.recipe]
        texts = [re.sub(r"(?m)^\t?[@+-]+", "", text) for text in texts]
        return ["\n".join(texts)] if self.oneshell else texts


def _unescape(text: str) -> str:
    """Return the first word of a text, in which a backslash makes a space a part of it."""
    found = re.match(r"(?:\\.|\S)*", text, re.DOTALL)
    return re.sub(r"\\(.)", r"\1", found[0]) if found else ""


#: Variables that hold options of make itself.
_OPTIONS = frozenset({"GNUMAKEFLAGS", "MAKEFLAGS"})


def _use_tabs(text: str) -> str:
    """Return a text whose recipes stand behind a tab, whichever sign it sets for that."""
    lines, sign = [], "\t"
    for line in text.split("\n"):
        found = _PREFIX.match(line)
        if found is not None:
            sign = found[1] or "\t"
        elif sign != "\t" and line.startswith(sign):
            line = "\t" + line[1:]
        lines.append(line if found is None else "")
    return "\n".join(lines)


def _matches(target: str, goal: str) -> bool:
    if "%" not in target:
        suffixes = _SUFFIXES.fullmatch(target)
        return target == goal or (suffixes is not None and goal.endswith(f".{suffixes[2]}"))
    return fnmatchcase(goal, re.sub(r"([*?\[])", r"[\1]", target).replace("%", "*"))


def _stem(target: str, goal: str) -> str:
    head, _, tail = target.partition("%")
    return goal[len(head) : len(goal) - len(tail)] if _matches(target, goal) else "${stem}"


def _closing_bracket(text: str, at: int, opened: str) -> int:
    """Return where a reference ends that began before `at`."""
    close, depth = {"(": ")", "{": "}"}[opened], 1
    for place in range(at, len(text)):
        depth += (text[place] == opened) - (text[place] == close)
        if not depth:
            return place
    return len(text)


def substitute(word: str, old: str, new: str) -> str:
    """Return a word with its ending, or what a `%` stands for, put into another."""
    if "%" in old:
        stem = _stem(old, word)
        return new.replace("%", stem) if stem != "${stem}" else word
    return word.removesuffix(old) + new if word.endswith(old) else word


_HANDLERS: dict[str, Callable[[Makefile, Node, str], None]] = {
    **dict.fromkeys(
        ("variable_assignment", "shell_assignment", "VPATH_assignment", "RECIPEPREFIX_assignment"), Makefile._assignment
    ),
    "define_directive": Makefile._define,
    "rule": Makefile._rule,
    "include_directive": Makefile._read_include,
    **dict.fromkeys(("function_call", "shell_function", "variable_reference"), Makefile._function),
}
