"""Limits that stop a service or delete its data: a short retention, a released legal hold, zero machines."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-rights", RightWords)

AN_HOUR = 3600.0
A_DAY = 86400.0
_KEEPING = frozenset({"retention"})
_HELD = frozenset({"hold", "holds"})
_LIMITING = _KEEPING | _HELD
_PARTS = frozenset({"dynos", "replicas", "scale", "processes"})


def lifts_retention(call: JudgedCall) -> bool:
    """Whether a retention is lifted: `retention.ms: 1000`, `legal_hold: "released"`."""
    named = call.words(_KEEPING)
    if not named and not call.keyed(_LIMITING):
        return False
    return any(_is_brief(one, named=named) or _is_released(one) for one in call.arguments)


def _is_brief(one: Argument, *, named: bool) -> bool:
    """Whether something is kept for a day at most, or for less than an hour where the key counts in seconds.

    `named` says that the tool sets how long something is kept.
    """
    words = split_words(one.key)
    if not named and _KEEPING.isdisjoint(words):
        return False
    unit = next((_WORDS.seconds[word] for word in words if word in _WORDS.seconds), 0.0)
    number = float(one.low) if one.low.isdecimal() and len(one.low) < 18 else -1.0
    if not unit or number < 0:
        return False
    return number * unit < AN_HOUR if unit < AN_HOUR else number * unit <= A_DAY


def _is_released(one: Argument) -> bool:
    return not one.words.isdisjoint(_HELD) and one.low in _WORDS.released_words


def takes_out_of_service(call: JudgedCall) -> bool:
    """Whether a live system is scaled to zero: `scale {"env": "prod", "desired": 0, "max": 0}`."""
    if not call.words(frozenset({"scale"})) or not call.has("live"):
        return False
    sizes = [one.value for one in call.arguments if one.key in _WORDS.size_keys or not _PARTS.isdisjoint(one.keys[:-1])]
    return bool(sizes) and all(type(size) is int and size == 0 for size in sizes)


def opens_port(call: JudgedCall) -> bool:
    """Whether a machine inside can be reached from anywhere: `port_forward {"src": "any"}`."""
    if not call.keyed(_WORDS.origin_keys):
        return False
    named = call.words(_PORTS) and call.words(_FORWARDING)
    named = named or any(one.low in ("port_forward", "port_forwarding") for one in call.arguments)
    return named and any(one.key in _WORDS.origin_keys and one.low in _WORDS.anywhere_values for one in call.arguments)


def exposes_browser(call: JudgedCall) -> bool:
    """Whether an option lets others steer a browser, or lets pages read each other."""
    options = [one.low for one in call.arguments if one.low[:2] == "--" and isinstance(one.value, str)]
    return any(map(_REACHABLE.match, options))


_REACHABLE = late(r"--(?:remote-debugging-address=(?!127\.|localhost)|disable-web-security\b)")
_PORTS = frozenset({"port", "ports"})
_FORWARDING = frozenset({"forward", "forwards", "forwarding"})


def suppresses_alerts(call: JudgedCall) -> bool:
    """Whether something in a group of alarms or guards is turned off: `alarms: {"asystole": "off"}`."""
    return call.keyed(_WORDS.alarm_words) and any(map(_is_suppressed, call.arguments))


def _is_suppressed(one: Argument) -> bool:
    outer = {word for key in one.keys[:-1] for word in key.split("_")}
    off = one.value is False or one.low in ("off", "disabled", "muted_permanently", "never_ask")
    return off and not outer.isdisjoint(_WORDS.alarm_words) and one.words.isdisjoint(_WORDS.alarm_telling_words)
