"""Infrastructure: servers, stores, clusters, networks, and what is released to them."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.narrowing import SETTING
from interlock.knowledge.tool_names import split_words

#: Keys of what something is called, told or sorted by, on which nothing depends.
_TOLD = frozenset(
    "label labels tag tags description display_name displayname title annotations note notes comment metadata "
    "owner_label add_tags new_tags tag_list".split()
)
#: Last words of keys that only say which thing is meant.
_NAMING = frozenset(
    "id ids name names arn project projects region zone location dataset bucket table instance cluster database "
    "service app site resource namespace org organization account workspace environment env repo repository type "
    "uid slug key".split()
)
#: Keys that name the thing that is changed.
_NAMED = frozenset(
    "name id bucket bucket_name dataset dataset_id table table_name container container_name container_id instance "
    "instance_name resource resource_id resource_group group volume volume_name image stack stack_name function "
    "target function_name queue queue_name topic topic_name site_name index index_name collection cluster_name "
    "branch".split()
)
#: Those among them that stand beside other things too, or say where they belong.
_BESIDE = frozenset("topic topic_name image branch group index index_name queue queue_name function".split())
_ENDINGS = frozenset("id ids name names arn arns".split())
_RUNNING = frozenset("run trigger start dispatch execute launch rerun retry restart build queue kick invoke".split())
_TRIED = VALUES["practice"] | frozenset(
    "drill copy clone rehearsal exercise poc spike throwaway ephemeral disposable experiment experimental lab labs "
    "sample tutorial workshop".split()
)
#: Verbs that set what the arguments say and do nothing besides; `failover` does, whatever stands beside it.
_DESCRIBING = SETTING | frozenset("tag untag label relabel annotate mark".split())
_SAFE_ON = frozenset("private encrypted encryption protection versioning backup backups logging monitoring mfa".split())
_COPIES = frozenset({"snapshot", "snapshots", "backup", "backups"})
_KEEPING = frozenset({"create", "take", "make", "enable", "start", "schedule", "trigger"})
_RESTORING = frozenset("restore restores restoration recover import clone".split())
_SHORT = 86_400  # seconds in which a link is used
_UNITS = {"minutes": 60, "minute": 60, "mins": 60, "hours": 3_600, "hour": 3_600, "days": 86_400, "day": 86_400}
_LASTING = (
    frozenset("expires expiry expiration ttl valid validity duration lifetime in seconds".split()) | _UNITS.keys()
)
_WRITING = frozenset("write put delete create add update rw racwdl full owner all post upload".split())


def is_routine_infrastructure(call: JudgedCall) -> bool:
    """Whether a change only describes something, protects it, or is about something that is there to be tried."""
    if call.has("public", "admin", "elsewhere", "holds_key", "lowered"):
        return False
    if call.thing and call.thing.name == "signed_link":
        return _is_short_link(call)
    if call.thing and call.thing.name == "migration":
        return not call.has("live")
    if names_practice(call) or runs_checks(call):
        return True
    if call.words(_COPIES) and call.meaning.said in _KEEPING:
        return not call.has("outside", "many")
    if call.thing and call.words(_RESTORING) and any(_keeps(one) for one in call.arguments):
        return not call.has("many")
    if call.meaning.said not in _DESCRIBING or call.has("many"):
        return False
    set_here = [one for one in call.arguments if not _only_names(one)]
    protecting = call.words(_SAFE_ON)
    return bool(set_here) and all(
        _only_tells(one) or _protects(one) or (protecting and _turns_on(one)) for one in set_here
    )


def names_live(call: JudgedCall) -> bool:
    """Whether a release is said to reach its users: `where: "live site"`, `workflow: "deploy-production.yml"`."""
    return any(
        one.key in _WHERE and isinstance(one.value, str) and not _LIVE.isdisjoint(_words(one)) for one in call.arguments
    )


def runs_checks(call: JudgedCall) -> bool:
    """Whether the job that is started is named after checks or a build, and not after a release."""
    if call.meaning.verb != "run" and call.meaning.said not in _RUNNING:
        return False
    named = [_words(one) for one in call.arguments if one.key in JOB_KEYS and isinstance(one.value, str)]
    return bool(named) and all(_CHECKS & words and not (RELEASING | _LIVE) & words for words in named)


def _words(one: Argument) -> set[str]:
    return {word.lower() for word in split_words(one.text[:200])}


#: Keys of jobs that a tool starts, and the words of those that reach users.
JOB_KEYS = frozenset(
    "workflow workflow_id workflow_name workflow_file job job_name pipeline pipeline_name playbook".split()
)
RELEASING = frozenset("deploy release publish rollback promote destroy ship rollout teardown cutover".split())
_CHECKS = frozenset(
    "test tests unit lint check checks e2e integration typecheck coverage build docs format smoke ci verify".split()
)
_WHERE = JOB_KEYS | frozenset("where to target destination".split())
_LIVE = frozenset({"prod", "production", "live", "prd"})


def _turns_on(one: Argument) -> bool:
    return one.low in ("enabled", "on", "true", "active")


def _keeps(one: Argument) -> bool:
    """Whether something is restored next to what is there: `overwrite: false`, `as_new: true`."""
    if one.key in ("overwrite", "replace", "in_place", "force"):
        return one.value is False
    return one.key in ("as_new", "new_instance", "new_name", "new_database", "create_copy") and bool(one.value)


def names_practice(call: JudgedCall) -> bool:
    """Whether the name of the thing says that it is there to be tried: `pg-test`, `rg-sandbox-tom`."""
    if call.has("live"):
        return False
    named = [_words(one) for one in call.arguments if one.value not in (None, "", ()) and _names_thing(one, call)]
    if any(not VALUES["live"].isdisjoint(words) for words in named):
        return False
    return bool(named) and not any(_TRIED.isdisjoint(words) for words in named)


def _names_thing(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument names what is changed; an image or a branch does so only for tools that change one."""
    if call.words(_RESTORING) and any(other.key == "target" for other in call.arguments):
        return one.key == "target"  # what is restored is left as it is
    stem = words_of_key(one.key) - _ENDINGS
    if stem and not stem.isdisjoint((*call.meaning.words, *(word.rstrip("s") for word in call.meaning.words))):
        return one.key in _NAMED or stem == words_of_key(one.key) or not _ENDINGS.isdisjoint(one.words)
    return one.key in _NAMED and one.key not in _BESIDE


def _only_names(one: Argument) -> bool:
    return one.value in (None, "", ()) or (one.key.rpartition("_")[2] in _NAMING and _TOLD.isdisjoint(one.keys))


def _only_tells(one: Argument) -> bool:
    return not _TOLD.isdisjoint(one.keys)


def _protects(one: Argument) -> bool:
    """Whether a switch makes something safer: `public: false`, `versioning: true`."""
    if one.value is False:
        return "visibility" in one.roles
    return one.value is True and ("private" in one.roles or not one.words.isdisjoint(_SAFE_ON))


def _is_short_link(call: JudgedCall) -> bool:
    """Whether a link by which anybody can open something ends soon and only reads."""
    for one in call.arguments:
        words = {word.lower() for word in split_words(one.text)} if isinstance(one.value, str) else set()
        if ("role" in one.roles or one.key in ("method", "http_method", "operation")) and not _reads_only(one, words):
            return False
        if not one.words.isdisjoint(_LASTING):
            if isinstance(one.value, bool) or not isinstance(one.value, (int, float)):
                return False
            unit = next((_UNITS[word] for word in one.words if word in _UNITS), 1)
            if one.value * unit > _SHORT:
                return False
    return True


def _reads_only(one: Argument, words: set[str]) -> bool:
    if len(one.text) < 8 and one.key in ("permissions", "permission", "sp"):
        return set(one.text.lower()) <= set("rl") or one.text.lower() in ("read", "list")
    return _WRITING.isdisjoint(words)
