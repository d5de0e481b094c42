"""Infrastructure: servers, stores, clusters, networks, and releases to them."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.restrictions import SETTING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-records", RecordWords)

_TRIED = VALUES["practice"] | _WORDS.trial_words
#: Verbs that set what the arguments say and do nothing besides; `failover` does, whatever stands beside it.
_DESCRIBING = SETTING | _WORDS.labelling_verbs
_COPIES = frozenset({"snapshot", "snapshots", "backup", "backups"})
_SHORT = 86_400  # seconds in which a link is used
_LASTING = _WORDS.lifetime_words | _WORDS.seconds.keys()


def is_routine_infrastructure(call: JudgedCall) -> bool:
    """Whether a change only describes or protects something, or concerns a test resource."""
    if call.has("public", "admin", "elsewhere", "holds_key", "lowered"):
        return False
    if call.thing and call.thing.name == "signed_link":
        return _is_short_link(call)
    if call.thing and call.thing.name == "migration":
        return not call.has("live")
    if is_test_resource(call) or runs_checks(call):
        return True
    if call.words(_COPIES) and call.meaning.said in _WORDS.copying_verbs:
        return not call.has("outside", "many")
    if call.thing and call.words(_WORDS.restoring_verbs) and any(_keeps(one) for one in call.arguments):
        return not call.has("many")
    if call.meaning.said not in _DESCRIBING or call.has("many"):
        return False
    set_here = [one for one in call.arguments if not _only_names(one)]
    protecting = call.words(_WORDS.safe_when_on)
    return bool(set_here) and all(
        _only_tells(one) or _protects(one) or (protecting and _turns_on(one)) for one in set_here
    )


def is_live_release(call: JudgedCall) -> bool:
    """Whether a release is said to reach its users: `where: "live site"`, `workflow: "deploy-production.yml"`."""
    return any(
        one.key in _WHERE and isinstance(one.value, str) and not _LIVE.isdisjoint(_words(one)) for one in call.arguments
    )


def runs_checks(call: JudgedCall) -> bool:
    """Whether the job that is started is named after checks or a build, and not after a release."""
    if call.meaning.verb != "run" and call.meaning.said not in _WORDS.job_verbs:
        return False
    named = [_words(one) for one in call.arguments if one.key in JOB_KEYS and isinstance(one.value, str)]
    if any(map(_releases, call.arguments)):
        return False
    return bool(named) and all(_WORDS.check_words & words and not (RELEASING | _LIVE) & words for words in named)


def starts_release(call: JudgedCall) -> bool:
    """Whether a pipeline is started that releases something, by its name, its stage or its variables."""
    if not call.words(_WORDS.pipeline_words) or (call.meaning.verb != "run" and call.meaning.said not in _STARTING):
        return False
    return any(map(_releases, call.arguments))


def _releases(one: Argument) -> bool:
    """Whether an argument of a pipeline makes it release something: `deploy: true`, `pattern: "deploy-prod"`."""
    if one.value is True or one.low in ("true", "yes", "1"):
        return not RELEASING.isdisjoint(one.words)
    if not isinstance(one.value, str) or len(one.text) > MAX_PLACE or one.key in _WORDS.unrelated_keys:
        return False
    words = _words(one)
    return not (RELEASING | _LIVE).isdisjoint(words) and VALUES["practice"].isdisjoint(words)


MAX_PLACE = 60
_STARTING = _WORDS.job_verbs | frozenset({"create", "play"})


def _words(one: Argument) -> set[str]:
    return {word.lower() for word in split_words(one.text[:200])}


#: Keys of jobs that a tool starts, and the words of those that reach users.
JOB_KEYS = _WORDS.job_keys
RELEASING = _WORDS.releasing_words
_WHERE = JOB_KEYS | frozenset("where to target destination".split())
_LIVE = frozenset({"prod", "production", "live", "prd"})


def _turns_on(one: Argument) -> bool:
    return one.low in ("enabled", "on", "true", "active")


def _keeps(one: Argument) -> bool:
    """Whether a restore keeps the existing data: `overwrite: false`, `as_new: true`."""
    if one.key in ("overwrite", "replace", "in_place", "force"):
        return one.value is False
    return one.key in _WORDS.beside_original and bool(one.value)


def is_test_resource(call: JudgedCall) -> bool:
    """Whether the thing is named as a test resource: `pg-test`, `rg-sandbox-tom`."""
    if call.has("live"):
        return False
    named = [_words(one) for one in call.arguments if one.value not in (None, "", ()) and _names_thing(one, call)]
    if any(not VALUES["live"].isdisjoint(words) for words in named):
        return False
    return bool(named) and not any(_TRIED.isdisjoint(words) for words in named)


def _names_thing(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument names the target of a change. An image or a branch is one only for tools that change it."""
    if call.words(_WORDS.restoring_verbs) and any(other.key == "target" for other in call.arguments):
        return one.key == "target"  # what is restored is left as it is
    stem = words_of_key(one.key) - _WORDS.name_endings
    if stem and not stem.isdisjoint((*call.meaning.words, *(word.rstrip("s") for word in call.meaning.words))):
        return (
            one.key in _WORDS.named_keys
            or stem == words_of_key(one.key)
            or not _WORDS.name_endings.isdisjoint(one.words)
        )
    return one.key in _WORDS.named_keys and one.key not in _WORDS.beside_keys


def _only_names(one: Argument) -> bool:
    return one.value in (None, "", ()) or (
        one.key.rpartition("_")[2] in _WORDS.naming_last_words and _WORDS.told_keys.isdisjoint(one.keys)
    )


def _only_tells(one: Argument) -> bool:
    return not _WORDS.told_keys.isdisjoint(one.keys)


def _protects(one: Argument) -> bool:
    """Whether a switch makes something safer: `public: false`, `versioning: true`."""
    if one.value is False:
        return "visibility" in one.roles
    return one.value is True and ("private" in one.roles or not one.words.isdisjoint(_WORDS.safe_when_on))


def _is_short_link(call: JudgedCall) -> bool:
    """Whether a link by which anybody can open something ends soon and only reads."""
    for one in call.arguments:
        words = {word.lower() for word in split_words(one.text)} if isinstance(one.value, str) else set()
        if ("role" in one.roles or one.key in ("method", "http_method", "operation")) and not _reads_only(one, words):
            return False
        if not one.words.isdisjoint(_LASTING):
            if isinstance(one.value, bool) or not isinstance(one.value, (int, float)):
                return False
            unit = next((_WORDS.seconds[word] for word in one.words if word in _WORDS.seconds), 1)
            if one.value * unit > _SHORT:
                return False
    return True


def _reads_only(one: Argument, words: set[str]) -> bool:
    if len(one.text) < 8 and one.key in ("permissions", "permission", "sp"):
        return set(one.text.lower()) <= set("rl") or one.text.lower() in ("read", "list")
    return _WORDS.link_rights.isdisjoint(words)
