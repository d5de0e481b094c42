"""Orgs of Salesforce that a run creates for a trial: what it changes in them is lost to nobody."""

from __future__ import annotations

import msgspec

from interlock.analyse.files.created_files import find_made_outside, find_spoiled, trial_org_name
from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import Reading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.stores.scratch_names import REAL
from interlock.effects import KINDS
from interlock.knowledge.arguments import find_values
from interlock.model import Resource
from interlock.patterns import late

_CHANGES = frozenset({"infra.change", "infra.destroy", "deploy.release"})
_CREATES = (("org", "create", "scratch"), ("force", "org", "create"))
_SHAPES = frozenset({"type=sandbox", "sandbox"})
_ALIASES = frozenset({"-a", "--alias", "--setalias"})
_TARGETS = frozenset({"-o", "--target-org", "-u", "--targetusername", "--target-username"})
_WORDS = late(r"[a-z]+")
_LOCAL = frozenset({"local"})


def mark_trial_orgs(call: ShellCall, first: int) -> None:
    """Mark changes since `first` that stay in an org that this run created, or that create one."""
    reading = call.scope.reading
    words = [part for word in call.words[1:5] for part in word.split(":")]
    created = any(tuple(words[: len(start)]) == start for start in _CREATES)
    alias = _value(call.words, _ALIASES if created else _TARGETS)
    if HOLE in alias or not REAL.isdisjoint(_WORDS.findall(alias.lower())):
        return
    if created:
        if any(word.lower() in _SHAPES for word in call.words):
            return  # a copy of what is in use
    elif not alias or not _is_created(reading, trial_org_name(alias)):
        return
    for at in range(first, len(reading.effects)):
        effect = reading.effects[at]
        if effect.kind in _CHANGES and effect.via == call.scope.via:
            name = trial_org_name(alias) if created and alias else " ".join(call.words[:4])
            resource = Resource(KINDS["local.change"].resource, name)
            reading.effects[at] = msgspec.structs.replace(
                effect, kind="local.change", resource=resource, flags=effect.flags | _LOCAL
            )


def _is_created(reading: Reading, name: str) -> bool:
    """Whether this run created an org, and its alias leads to no other one since."""
    made = reading.made | find_made_outside(reading.effects)
    return name in made and name not in find_spoiled(made, reading.effects)


def _value(words: list[str], names: frozenset[str]) -> str:
    """Return the last value of the options by these names, or an empty text."""
    return "".join([value for _, value in find_values(words, names)][-1:])
