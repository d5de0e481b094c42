"""State that is shared while one Python text is walked, nested `exec` texts included."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.python.evaluation.values import Module, PythonFunction
from interlock.analyse.python.functions.summaries import Tracker
from interlock.analyse.python.functions.widening import precise_steps
from interlock.analyse.reading import Reading

MAX_CALLED = 6_000  # statements of functions that are followed from where they are called
MAX_ROUNDS = 4_096  # rounds of loops that are followed one by one


def has_any(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of some words stands in a text."""
    for word in words:  # noqa: SIM110 - `any` with a generator would take half as long again
        if word in text:
            return True
    return False


class PythonState:
    """What is known about the whole text so far."""

    __slots__ = (
        "addresses",
        "answered",
        "called",
        "created",
        "decoded",
        "defined",
        "discarded",
        "folder",
        "imported",
        "input_marks",
        "linked",
        "loops",
        "members",
        "mocked",
        "modules",
        "near",
        "patched",
        "patches",
        "pending",
        "precise_steps",
        "read",
        "repeating",
        "rounds",
        "said",
        "setup",
        "shipped_only",
        "shown",
        "small",
        "summaries",
        "tested",
        "text",
        "tracker",
        "words",
    )

    def __init__(self, reading: Reading, text: str) -> None:
        self.text = text
        self.input_marks: frozenset[str] | None = None  # of what is piped into the program
        self.words: dict[tuple[str, ...], bool] = {}  # whether one of some words stands in the text
        self.addresses: list[str] | None = None  # addresses that stand in the text, once they are asked for
        self.linked: dict[str, Module] = {}  # modules that this run wrote and that the text imports, by their paths
        self.modules: frozenset[str] | None = None  # modules that the text imports, once they are asked for
        self.decoded: set[str | bytes] = set()  # constants that came out of a decoder
        self.discarded: set[ast.AST] = set()  # calls of `compile` whose result nothing takes
        self.tracker = Tracker(reading, self.decoded)
        self.folder = ""  # the working folder, if the text has changed it
        self.imported = False  # whether the text is loaded as a module
        self.tested = False  # whether pytest loads the text, and its fixtures are what they are everywhere
        self.loops = 0  # loops around, of which nobody knows how often they go round
        self.answered = 0  # contexts around, in which a library answers requests in place of their hosts
        self.mocked = 0  # contexts around, in which a test stands in for services
        self.patched: list[str] = []  # dotted names that a test replaces while its context lasts
        self.near: set[str] = set()  # fields and libraries whose clients were led to this machine
        self.members: dict[str, Any] = {}  # what was put into other people's modules and objects
        self.patches = 0  # how often `members` was changed
        self.defined: list[PythonFunction] = []  # all functions of the text
        self.pending: list[PythonFunction] = []  # functions that nobody may have called yet
        self.read: set[ast.AST] = set()  # the bodies that were read
        self.small: dict[ast.AST, bool] = {}  # whether a body is small
        self.shown: dict[ast.AST, str] = {}  # what the syntax of calls tells about the secrets that they show
        self.created: set[str] = set()  # names of things that the text created in stores of this machine
        self.called = MAX_CALLED
        self.said = False  # whether it was said that not everything is followed
        self.rounds = MAX_ROUNDS
        self.repeating = 0  # loops within each other that are being followed round by round
        self.precise_steps = precise_steps(text)  # that are left; below zero, numbers are widened
        self.summaries: dict[ast.AST, tuple[int, Any]] | None = None  # what functions give, once all has run
        self.setup = False  # whether the text is what installs a package
        knowledge = reading.knowledge
        self.shipped_only = not knowledge.functions and not knowledge.added_functions  # no user described a function

    def release(self) -> None:
        """Break the cycles that functions are part of, so that the syntax tree is freed now, not by the collector."""
        self.tracker.forget()
        for function in self.defined:
            del function.node, function.scope, function.owner

    def has_words(self, words: tuple[str, ...]) -> bool:
        """Whether one of some words stands in the text; it is looked through once for each."""
        found = self.words.get(words)
        if found is None:
            found = self.words[words] = has_any(self.text, words)
        return found

    def may_repeat(self, rounds: int) -> bool:
        """Whether so many rounds of a loop may be followed one by one."""
        if rounds > self.rounds:
            return False
        self.rounds -= rounds
        return True
