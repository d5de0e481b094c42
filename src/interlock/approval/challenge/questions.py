"""Questions about an action, made from its own effects: whoever has read the prompt can answer them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from interlock.approval.challenge.foils import foils, nothings, shuffled
from interlock.approval.challenge.touched import Touch, middle_cut, touched
from interlock.approval.request import Approval
from interlock.effects import KINDS, READS
from interlock.levels import Level
from interlock.sanitise import plain

MIN_QUESTIONS = 2  # one alone is too easily guessed
MAX_QUESTIONS = 3
MAX_CHOICES = 4
#: How many touched things a prompt lists; nothing else is asked about.
MAX_LISTED = 12


class Question(msgspec.Struct, frozen=True):
    """A question with its choices. `right` is one of them, and nothing that an approver may see."""

    text: str
    choices: tuple[str, ...]
    right: str


class Asked(msgspec.Struct, frozen=True):
    """What is asked about some kinds of effect, and what is asked instead where all that is meant has a flag."""

    kinds: frozenset[str]
    text: str
    flag: str = ""
    instead: str = ""

    def about(self, touches: Sequence[Touch]) -> str:
        """Return the question about these things."""
        return self.instead if self.flag and all(self.flag in touch.flags for touch in touches) else self.text


def _asked(kinds: str, text: str, flag: str = "", instead: str = "") -> Asked:
    return Asked(frozenset(kinds.split()), text, flag, instead)


_OWN = (  # in the order of gravity
    _asked("disk.wipe", "Which disk would be overwritten?"),
    _asked("code.remote", "Where does the code come from that would be run?"),
    _asked("db.drop", "What would be dropped?", "table", "Which table would be dropped?"),
    _asked("fs.delete", "Which file would be deleted?", "recursive", "Which folder would be deleted?"),
    _asked("infra.destroy", "What would be destroyed?"),
    _asked("cluster.delete container.delete", "What would be deleted?"),
    _asked("net.send", "Where would the data be sent?"),
    _asked("message.send", "To whom would the message be sent?"),
    _asked("payment.send", "To which account would the money go?"),
    _asked("package.publish", "What would be published?"),
    _asked("vcs.push", "Where would it be pushed?"),
    _asked("vcs.rewrite vcs.discard", "Of what would the history or the changes be lost?"),
    _asked("defence.disable", "Which protection would be switched off?"),
    _asked("process.signal", "Which process would get the signal?"),
    _asked("service.change", "Which service would be changed?"),
    _asked("db.delete", "From which table would rows be deleted?"),
    _asked("db.alter db.write", "Which table would be changed?"),
    _asked("privilege.raise", "As which user would it run?"),
    _asked("package.install", "Which package would be installed?"),
    _asked("package.remove", "Which package would be removed?"),
    _asked("fs.mode", "Of what would the permissions be changed?"),
    _asked("fs.owner", "Of what would the owner be changed?"),
    _asked("fs.write fs.move", "Which file would be changed?"),
    _asked("secret.read", "Which secret would be read?"),
    _asked("net.connect net.fetch", "Which host would be reached?"),
    _asked("code.run", "Which file would be run?"),
    _asked("process.run process.spawn", "Which program would be run?"),
    _asked("tool.destroy tool.change tool.unknown", "Which tool would be called?"),
)
# Kinds whose resource is no name that a person would look for in a prompt.
_NAMELESS = frozenset(
    {"out.print", "fs.option", "code.opaque", "code.eval", "machine.halt", "machine.load", "machine.exhaust"}
)
_LEFT = frozenset(KINDS).difference(_NAMELESS, *(asked.kinds for asked in _OWN))
# The first two that fit are asked.
ASKED = (*_OWN, Asked(_LEFT - READS, "What would it act on?"), Asked(_LEFT & READS, "What would be read?"))

# Asked first, where several things would go.
COUNTED = (
    _asked("db.drop", "How many things would be dropped?", "table", "How many tables would be dropped?"),
    _asked("fs.delete", "How many files or folders does it name to delete?"),
)

CAN_BE_UNDONE = "Yes, it can be undone"
CANNOT_BE_UNDONE = "No, it cannot be undone"
UNDOES_ITSELF = "Interlock would undo it by itself"  # never true
TOOLS = ("Bash", "Write", "Read", "python", "sql")


def questions_for(approval: Approval) -> tuple[Question, ...]:
    """Return one to three questions; the same request always gives the same ones, in the same order."""
    found = [*_counts(approval), *_names(approval)][: MAX_QUESTIONS - 1]
    decision = approval.decision
    if decision.get("reversible") is False or (not found and "reversible" in decision):
        found.append(_undo(approval))
    if len(found) < MIN_QUESTIONS and ("level" in decision or not found):
        found.append(_level(approval))
    return tuple(found)


def _names(approval: Approval) -> Iterable[Question]:
    """Yield a question about each group of kinds that the action has."""
    listed = touched(approval.decision)[:MAX_LISTED]
    for asked in ASKED:
        meant = [touch for touch in listed if touch.kind in asked.kinds and answerable(touch)]
        if meant:
            wrong = foils(meant[0], approval, touched(approval.decision))
            yield question(approval, asked.about(meant[:1]), meant[0].host, wrong, nothings(meant[0]))


def answerable(touch: Touch) -> bool:
    """Whether there is a name to ask for; `host` is how a container says that it leaves itself."""
    return bool(touch.name.strip()) and (touch.type, touch.name) != ("user", "host")


def _counts(approval: Approval) -> Iterable[Question]:
    """Yield how many things would go, where there are several and each is told by name."""
    for asked in COUNTED:
        meant = [touch for touch in touched(approval.decision) if touch.kind in asked.kinds]
        count = len(meant)
        if 2 <= count <= MAX_LISTED and not any(set(touch.name) & set("*?[{$") or not touch.name for touch in meant):
            yield question(approval, asked.about(meant), str(count), [str(count + more) for more in (1, -1, 2)])


def _undo(approval: Approval) -> Question:
    answers = [CAN_BE_UNDONE, CANNOT_BE_UNDONE]
    right = CAN_BE_UNDONE if approval.decision["reversible"] else CANNOT_BE_UNDONE
    return question(approval, "Can this be undone?", right, [*answers, UNDOES_ITSELF])


def _level(approval: Approval) -> Question:
    """Return the question that always fits: how risky, or if even that is not said, which tool."""
    levels = [level.value for level in Level]
    level = str(approval.decision.get("level") or "")
    if level in levels:
        near = sorted(levels, key=lambda other: abs(levels.index(other) - levels.index(level)))
        return question(approval, "How risky is this, as Interlock sees it?", level, near)
    tool = str(approval.action.get("toolName") or "a tool without a name")
    return question(approval, "Which tool would be used?", tool, TOOLS)


def question(approval: Approval, text: str, right: str, wrong: Iterable[str], padding: Sequence[str] = ()) -> Question:
    """Return a question whose choices stand in an order that only the request decides."""
    shown = middle_cut(plain(right))
    others = [choice for choice in dict.fromkeys(middle_cut(plain(name)) for name in wrong) if _differs(choice, shown)]
    others += [choice for choice in padding if _differs(choice, shown)][: max(0, 2 - len(others))]
    choices = [shown, *others[: MAX_CHOICES - 1]]
    return Question(text, tuple(sorted(choices, key=lambda choice: shuffled(approval, text + choice))), shown)


def _differs(choice: str, right: str) -> bool:
    return bool(choice.strip()) and choice.strip().casefold() != right.strip().casefold()
