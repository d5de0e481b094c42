"""Cmdlets without a description: what their approved verb, their noun and their parameters say."""

from __future__ import annotations

from typing import Any

from interlock.analyse.flow import NONE
from interlock.analyse.powershell.binding import CmdletArgument
from interlock.analyse.powershell.files import touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.values import ScriptBlock, text_of, texts_of
from interlock.analyse.secrets.keys import names_a_key
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.options import CmdletVerbs
from interlock.patterns import late

_WORDS = read_table("cmdlet-verbs", CmdletVerbs)

#: How the nouns of a cloud's modules begin.
_CLOUD = late(rf"(?:{'|'.join(_WORDS.cloud_nouns)})[a-z0-9]*")
#: How the nouns begin of what an organisation shares: its directory, mail, sites, policies, names, clusters, databases.
_SHARED = late(rf"(?:{'|'.join(_WORDS.shared_nouns)})[a-z0-9]*")
_SECRET = late(rf".*(?:{'|'.join(_WORDS.secret_nouns)}).*")
_PATH = late(r"(?:[A-Za-z]:|\.{1,2}|~)?[\\/].*|[A-Za-z]:")


def read_by_verb(call: Invocation, name: str) -> Any:
    """Read a cmdlet by its verb; what it is given still counts."""
    verb, _, noun = name.partition("-")
    switches = {
        argument.parameter.lower() for argument in call.arguments if argument.parameter and not _is_off(argument)
    }
    if "whatif" in switches:
        call.state.reading.emit("system.read", call.site, name)
        return None
    for argument in call.arguments:
        if isinstance(argument.value, ScriptBlock):
            call.reader.run_block(argument.value, [], call.given)
    flags = NONE
    if verb in _WORDS.destroying and verb != "stop":
        unasked = "force" in switches or any(_is_unconfirmed(argument) for argument in call.arguments)
        everything = any(text_of(argument.value) == "*" for argument in call.arguments)
        flags = frozenset({"destroys", "unattended"}) if unasked or everything else frozenset({"destroys"})
    kind = _kind(verb, noun)
    if kind == "secret.read":
        flags |= {"secret"}
    named = next((text_of(argument.value) for argument in call.arguments if argument.value is not None), "")
    call.state.reading.emit(kind, call.site, name if kind in ("process.run", "system.read") else named or name, flags)
    if kind != "system.read":
        _touch_paths(call)
    marks = call.marks() | ({"secret"} if kind == "secret.read" else NONE)
    return call.state.result(name, marks)


def _kind(verb: str, noun: str) -> str:
    if verb in ("get", "read", "export") and (_SECRET.fullmatch(noun) or names_a_key(noun)):
        return "secret.read"
    cloud = _CLOUD.fullmatch(noun) is not None
    if verb in _WORDS.reading:
        return "infra.read" if cloud else "system.read"
    if cloud or _SHARED.fullmatch(noun):
        return "infra.destroy" if verb in _WORDS.destroying else "infra.change"
    return "process.run"


def _is_off(argument: CmdletArgument) -> bool:
    return argument.attached and argument.value is False


def _is_unconfirmed(argument: CmdletArgument) -> bool:
    return argument.parameter.lower() in ("confirm", "force") and (
        _is_off(argument) if argument.parameter.lower() == "confirm" else True
    )


def _touch_paths(call: Invocation) -> None:
    """Read the paths that a cmdlet is given: without a description, it is taken to read them."""
    for argument in call.arguments:
        for text in texts_of(argument.value) if not isinstance(argument.value, ScriptBlock) else ():
            if _PATH.fullmatch(text) and len(text) < 400:
                call.state.reading.call += 1
                touch(call.state, "fs.read", text, call.site)
