"""The target of a call, described for the approver: recipients, attachments, documents, roles, amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.people import outside_names, own_domains
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import SummaryKeys
from interlock.sanitise import clean

_WORDS = read_table("tool-summaries", SummaryKeys)
#: Keys that name a target → their rank: the first of them names it.
_TARGETS = {key: rank for rank, key in enumerate(_WORDS.target_keys)}
_RELEASES = {key: rank for rank, key in enumerate(_WORDS.release_keys)}
MAX_PART = 60
MAX_TARGET = 200
MAX_NAME = 120
_AUDIENCES = frozenset(
    "message.send document.share data.export access.grant appointment.make automation.install".split()
)


def name_target(kind: str, call: JudgedCall, tool: str) -> str:
    """Return the target of a call, such as `Salaries 2025 → press@example.org (outside)`."""
    about = _find_name(call, _RELEASES if kind == "deploy.release" else _TARGETS) or clean(tool)
    parts = [about]
    if kind in _AUDIENCES:
        reached = outside_names(
            [one.text for one in call.of_role("recipient")], own_domains(call.arguments), call.organisation
        )
        if reached and reached[0] == about:
            parts = [f"{_some(reached)} (outside)"]
        elif reached:
            parts.append(f"→ {_some(reached)} (outside)")
        files = [one.text for one in call.of_role("attachment") if isinstance(one.value, str) and one.text]
        if kind == "message.send" and files:
            parts.append(f"with {_some(files)}")
    if kind == "access.grant":
        roles = [one.text for one in call.of_role("role") if isinstance(one.value, (str, int)) and one.text != about]
        parts += [f"as {_some(roles)}"] if roles else []
    if kind == "order.place":
        amounts = [one.text for one in call.of_role("amount") if one.text]
        parts += [f"for {_some(amounts[:1])}"] if amounts else []
    return " ".join(parts)[:MAX_TARGET]


def _find_name(call: JudgedCall, ranks: Mapping[str, int]) -> str:
    """Return the first short text under a key that names a target."""
    named = [one for one in reversed(call.arguments) if one.key in ranks]
    texts = {one.key: one.text for one in named if isinstance(one.value, (str, int)) and type(one.value) is not bool}
    found = min([(ranks[key], text) for key, text in texts.items() if 0 < len(text) < MAX_NAME], default=(0, ""))
    return clean(found[1])


def _some(texts: Iterable[str]) -> str:
    """Return the first text, and the number of further ones."""
    first, *rest = dict.fromkeys(clean(text)[:MAX_PART] for text in texts)
    return f"{first} and {len(rest)} more" if rest else first
