"""Quiz questions about an action, made from its effects; a person who has read the prompt can answer them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from interlock.approval.challenge.arguments import quiz_arguments
from interlock.approval.challenge.distractors import fallback_distractors, make_distractors, shuffle_key
from interlock.approval.challenge.targets import ActionTarget, list_targets, truncate_middle
from interlock.approval.request import Approval
from interlock.effects import KINDS, READS
from interlock.levels import Level
from interlock.sanitise import plain

MIN_QUESTIONS = 2  # a single question is too easy to guess
MAX_QUESTIONS = 3
MAX_CHOICES = 4
#: How many targets a prompt lists; only those are asked about.
MAX_LISTED = 12


class QuizQuestion(msgspec.Struct, frozen=True):
    """A question with its choices. `right` is the right one, which is never sent to an approver."""

    text: str
    choices: tuple[str, ...]
    right: str


class QuestionTemplate(msgspec.Struct, frozen=True):
    """The question about some kinds of effect, and another one (`instead`) if all targets have a flag."""

    kinds: frozenset[str]
    text: str
    flag: str = ""
    instead: str = ""

    def text_for(self, targets: Sequence[ActionTarget]) -> str:
        """Return the question about these targets."""
        return self.instead if self.flag and all(self.flag in target.flags for target in targets) else self.text


def _template(kinds: str, text: str, flag: str = "", instead: str = "") -> QuestionTemplate:
    return QuestionTemplate(frozenset(kinds.split()), text, flag, instead)


_SPECIFIC = (  # the most serious first
    _template("disk.wipe", "Which disk would be overwritten?"),
    _template("code.remote", "Where does the code come from that would be run?"),
    _template("db.drop", "What would be dropped?", "table", "Which table would be dropped?"),
    _template("fs.delete", "Which file would be deleted?", "recursive", "Which folder would be deleted?"),
    _template("infra.destroy", "What would be destroyed?"),
    _template("cluster.delete container.delete", "What would be deleted?"),
    _template("net.send", "Where would the data be sent?"),
    _template("message.send", "Who would the message be sent to?"),
    _template("payment.send", "Which account would the money go to?"),
    _template("order.place", "What would be ordered or repriced?"),
    _template("content.publish", "What would be published?"),
    _template("document.share", "What would be shared, and with whom?"),
    _template("data.export", "What would be exported?"),
    _template("record.delete", "Which record would be deleted?"),
    _template("account.change", "Which account would be changed?"),
    _template("access.grant", "Who would get access?"),
    _template("security.lower", "Which protection would be weakened?"),
    _template("device.operate", "Which device would be operated?"),
    _template("contract.sign", "Which document would become binding?"),
    _template("automation.install", "What would be set up to act later?"),
    _template("package.publish", "What would be published?"),
    _template("vcs.push", "Where would it be pushed?"),
    _template("vcs.rewrite vcs.discard", "What would lose its history or changes?"),
    _template("defence.disable", "Which protection would be switched off?"),
    _template("process.signal", "Which process would get the signal?"),
    _template("service.change", "Which service would be changed?"),
    _template("db.delete", "From which table would rows be deleted?"),
    _template("db.alter db.write", "Which table would be changed?"),
    _template("privilege.raise", "Which user would it run as?"),
    _template("deploy.release", "Where would it be released?"),
    _template("package.install", "Which package would be installed?"),
    _template("package.remove", "Which package would be removed?"),
    _template("fs.mode", "What would have its permissions changed?"),
    _template("fs.owner", "What would have its owner changed?"),
    _template("fs.write fs.move", "Which file would be changed?"),
    _template("secret.read", "Which secret would be read?"),
    _template("net.connect net.fetch", "Which host would be reached?"),
    _template("code.run", "Which file would be run?"),
    _template("process.run process.spawn", "Which program would be run?"),
    _template("tool.destroy tool.change tool.unknown", "Which tool would be called?"),
)
# Kinds whose resource is not a name that a prompt shows.
_NAMELESS = frozenset(
    {"out.print", "fs.option", "code.opaque", "code.eval", "machine.halt", "machine.load", "machine.exhaust"}
)
_OTHER = frozenset(KINDS).difference(_NAMELESS, *(template.kinds for template in _SPECIFIC))
# In order of preference; the first two that fit are asked.
TEMPLATES = (
    *_SPECIFIC,
    QuestionTemplate(_OTHER - READS, "What would it act on?"),
    QuestionTemplate(_OTHER & READS, "What would be read?"),
)

# Asked first, if there are several targets.
COUNT_TEMPLATES = (
    _template("db.drop", "How many things would be dropped?", "table", "How many tables would be dropped?"),
    _template("fs.delete", "How many files or folders does it name to delete?"),
)

CAN_BE_UNDONE = "Yes, it can be undone"
CANNOT_BE_UNDONE = "No, it cannot be undone"
UNDOES_ITSELF = "Interlock would undo it by itself"  # never right
TOOLS = ("Bash", "Write", "Read", "python", "sql")


def questions_for(approval: Approval, attempt: int = 0) -> tuple[QuizQuestion, ...]:
    """Return one to three questions, always the same ones for an attempt at a request."""
    asked = [*_count_questions(approval), *_argument_questions(approval), *_name_questions(approval)]
    found = list({question.text: question for question in reversed(asked)}.values())[::-1]  # each text once
    start = attempt * (MAX_QUESTIONS - 1) % len(found) if found else 0
    found = [*found[start:], *found[:start]][: MAX_QUESTIONS - 1]
    decision = approval.decision
    if decision.get("reversible") is False or (not found and "reversible" in decision):
        found.append(_undo_question(approval))
    if len(found) < MIN_QUESTIONS and ("level" in decision or not found):
        found.append(_level_question(approval))
    return tuple(_reorder(approval, question, attempt) for question in found)


def _reorder(approval: Approval, question: QuizQuestion, attempt: int) -> QuizQuestion:
    """Return a question with its choices in another order for each further attempt."""
    if not attempt:
        return question
    choices = sorted(question.choices, key=lambda choice: shuffle_key(approval, f"{attempt} {question.text}{choice}"))
    return msgspec.structs.replace(question, choices=tuple(choices))


def _name_questions(approval: Approval) -> Iterable[QuizQuestion]:
    """Yield a question for each template that fits: which target is affected?"""
    listed = list_targets(approval)[:MAX_LISTED]
    for template in TEMPLATES:
        targets = [target for target in listed if target.kind in template.kinds and is_answerable(target)]
        if targets:
            wrong = make_distractors(targets[0], approval, list_targets(approval))
            text, padding = template.text_for(targets[:1]), fallback_distractors(targets[0])
            yield make_question(approval, text, targets[0].host, wrong, padding)


def _argument_questions(approval: Approval) -> Iterable[QuizQuestion]:
    """Yield questions about the arguments of a tool call without a named target."""
    if any(target.is_unnamed_tool_target for target in list_targets(approval)):
        for argument in quiz_arguments(approval):
            yield make_question(approval, argument.question, argument.value, argument.wrong)


def is_answerable(target: ActionTarget) -> bool:
    """Whether a target has a name to ask for; user `host` means that a container runs as its host."""
    return bool(target.name.strip()) and (target.type, target.name) != ("user", "host")


def _count_questions(approval: Approval) -> Iterable[QuizQuestion]:
    """Yield a question about the number of targets, if there are several and each has a name without wildcards."""
    for template in COUNT_TEMPLATES:
        targets = [target for target in list_targets(approval) if target.kind in template.kinds]
        count = len(targets)
        if 2 <= count <= MAX_LISTED and all(_is_one_name(target.name) for target in targets):
            wrong = [str(count + more) for more in (1, -1, 2)]
            yield make_question(approval, template.text_for(targets), str(count), wrong)


def _is_one_name(name: str) -> bool:
    return bool(name) and not set(name) & set("*?[{$")


def _undo_question(approval: Approval) -> QuizQuestion:
    answers = [CAN_BE_UNDONE, CANNOT_BE_UNDONE]
    right = CAN_BE_UNDONE if approval.decision["reversible"] else CANNOT_BE_UNDONE
    return make_question(approval, "Can this be undone?", right, [*answers, UNDOES_ITSELF])


def _level_question(approval: Approval) -> QuizQuestion:
    """Return the question that always fits: how risky it is, or without a level, which tool would be used."""
    levels = [level.value for level in Level]
    level = str(approval.decision.get("level") or "")
    if level in levels:
        near = sorted(levels, key=lambda other: abs(levels.index(other) - levels.index(level)))
        return make_question(approval, "How does Interlock rate the risk of this action?", level, near)
    tool = str(approval.action.get("toolName") or "an unnamed tool")
    return make_question(approval, "Which tool would be used?", tool, TOOLS)


def make_question(
    approval: Approval, text: str, right: str, wrong: Iterable[str], padding: Sequence[str] = ()
) -> QuizQuestion:
    """Return a question with its choices, in an order that depends on the request only."""
    shown = truncate_middle(plain(right))
    others = [
        choice for choice in dict.fromkeys(truncate_middle(plain(name)) for name in wrong) if _differs(choice, shown)
    ]
    others += [choice for choice in padding if _differs(choice, shown)][: max(0, 2 - len(others))]
    choices = [shown, *others[: MAX_CHOICES - 1]]
    return QuizQuestion(text, tuple(sorted(choices, key=lambda choice: shuffle_key(approval, text + choice))), shown)


def _differs(choice: str, right: str) -> bool:
    return bool(choice.strip()) and choice.strip().casefold() != right.strip().casefold()
