"""Documents that are shared, and data that leaves a service."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES
from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.words import REVEALING

_PEOPLE = frozenset(
    (
        "customer customers user users employee employees patient patients contact contacts subscriber subscribers "
        "member members cardholder cardholders student students client clients lead leads mailbox messages emails "
        "database table all everything guest guests candidate candidates applicant applicants donor donors voter "
        "voters staff people chat audience vault passenger passengers tenant tenants account accounts"
    ).split()
)
_SCOPES = frozenset({"scope", "visibility", "access", "link_scope", "link_access", "share_scope"})
_OWNING = frozenset("owner owners organizer fileorganizer admin administrator coowner".split())


def is_routine_share(call: Call) -> bool:
    """Whether a document that nobody minds is shared with a named person inside."""
    named = any(one.text for one in call.of_role("recipient"))
    if not named and not call.has("public", "outside", "many", "elsewhere", "holds_key"):
        return _shares_with_nobody_new(call)
    if call.has("public", "outside", "confidential", "sensitive", "many", "elsewhere", "holds_key", "health"):
        return False
    if any(not _OWNING.isdisjoint(one.text.lower().replace("-", "_").split("_")) for one in call.of_role("role")):
        return False
    return named


def _shares_with_nobody_new(call: Call) -> bool:
    """Whether a link is only for those who can see the document already."""
    scopes = [one.low for one in call.of_role("visibility") if one.key in _SCOPES]
    return bool(scopes) and all(scope in VALUES["withheld"] for scope in scopes)


def is_routine_export(call: Call) -> bool:
    """Whether figures leave a service that are not about people."""
    if call.has("confidential", "sensitive", "elsewhere", "outside", "many", "holds_key", "health", "official"):
        return False
    if call.meaning.said in REVEALING or (call.thing and call.thing.name in ("account", "person")):
        return False
    return not call.words(_PEOPLE)
