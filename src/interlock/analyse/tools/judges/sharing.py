"""Documents that are shared, and data that leaves a service."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.switches import FALSE, is_true
from interlock.analyse.tools.words import REVEALING
from interlock.knowledge.tool_names import split_words

_PEOPLE = frozenset(
    (
        "customer customers user users employee employees patient patients contact contacts subscriber subscribers "
        "member members cardholder cardholders student students client clients lead leads mailbox messages emails "
        "database table all everything guest guests candidate candidates applicant applicants donor donors voter "
        "voters staff people chat audience vault passenger passengers tenant tenants account accounts dms "
        "conversations inbox transcripts"
    ).split()
)
_SCOPES = frozenset({"scope", "visibility", "access", "link_scope", "link_access", "share_scope"})
_OWNING = frozenset("owner owners organizer fileorganizer admin administrator coowner".split())


#: Verbs by which a document is shared no longer.
_ENDING = frozenset("revoke unshare withdraw retract retirar quitar revocar revoquer rimuovere intrekken".split())
_GROUPS = frozenset("groups group teams team with_groups share_with_groups department departments".split())


def is_routine_share(call: JudgedCall) -> bool:
    """Whether a document that nobody minds is shared with a named person inside."""
    if _gives_nothing(call):
        return True
    if call.meaning.said in _ENDING:
        return not call.has("public", "admin")
    named = any(one.text for one in call.of_role("recipient")) or any(
        one.key in _GROUPS and one.text for one in call.arguments
    )
    if not named and not call.has("public", "outside", "many", "elsewhere", "holds_key"):
        return _shares_with_nobody_new(call)
    if call.has("public", "outside", "confidential", "sensitive", "many", "elsewhere", "holds_key", "health"):
        return False
    if any(not _OWNING.isdisjoint(one.text.lower().replace("-", "_").split("_")) for one in call.of_role("role")):
        return False
    return named


def _gives_nothing(call: JudgedCall) -> bool:
    """Whether everything that is given is nothing: `grant: {"students": "none", "fields": []}`."""
    given = [one for one in call.arguments if one.keys and one.keys[0] in _GIVING]
    return bool(given) and all(one.value == () or one.low in FALSE for one in given) and not call.has("public")


_GIVING = frozenset("grant grants share sharing permissions".split())


def _shares_with_nobody_new(call: JudgedCall) -> bool:
    """Whether a link is only for those who can see the document already."""
    scopes = [one.low for one in call.of_role("visibility") if one.key in _SCOPES]
    return bool(scopes) and all(scope in VALUES["withheld"] for scope in scopes)


def is_routine_export(call: JudgedCall) -> bool:
    """Whether figures leave a service that are not about people."""
    if call.has("elsewhere", "outside", "holds_key"):
        return False
    if call.words(_DUMPING) and any(one.key in _STRUCTURE_ONLY and is_true(one) for one in call.arguments):
        return True
    if call.has("confidential", "sensitive", "many", "health", "official"):
        return False
    if call.meaning.said in REVEALING or (call.thing and call.thing.name in ("account", "person")):
        return False
    return not call.words(_PEOPLE) and not any(_names_people(one) for one in call.arguments)


def _names_people(one: Argument) -> bool:
    """Whether an argument says that what leaves a service is about people: `objects: ["contacts"]`."""
    if one.key not in _WHAT or not isinstance(one.value, str) or len(one.value) > MAX_NAME:
        return False
    return not _CROWDS.isdisjoint(split_words(one.value))


#: Switches by which only the structure of data leaves a service.
_STRUCTURE_ONLY = frozenset("schema_only structure_only ddl_only no_data metadata_only without_data".split())
_DUMPING = frozenset(
    "dump mysqldump pgdump schema schemas ddl structure database databases db table tables sql pg postgres mysql "
    "model models collection".split()
)
#: Keys of what leaves a service.
_WHAT = frozenset(
    (
        "object objects table tables entity entities resource resources dataset collection collections model models "
        "include includes what types records sources lists report sheet index form survey data_type data_types"
    ).split()
)
_CROWDS = frozenset(
    (
        "customers users employees patients contacts subscribers members cardholders students clients leads guests "
        "candidates applicants donors voters passengers tenants conversations dms chats transcripts"
    ).split()
)
MAX_NAME = 100
