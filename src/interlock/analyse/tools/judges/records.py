"""Records that are changed or deleted: one ordinary record is routine; many, for good, or a weighty field is not."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import GRAVE, JudgedCall
from interlock.analyse.tools.sensitive import MAX_NAME, PERSONAL, SECRET, is_weighty_document
from interlock.analyse.tools.switches import is_true
from interlock.patterns import late

#: Records that people make and throw away all day.
_SMALL = frozenset(
    (
        "comment comments draft drafts label labels reaction reactions reminder reminders bookmark tag tags note "
        "notes row rows cell cells task tasks subtask todo todos event timer alarm_clock item cart memory entity "
        "relation filter view cache caches clipboard"
    ).split()
)
#: Words of fields on which somebody's money or health depends.
_WEIGHTY = frozenset(
    (
        "salary pay payrate wage bonus compensation iban bank routing diagnosis diagnoses medication medications "
        "allergy allergies dosage dose ssn tax payout"
    ).split()
)
#: Words of labels and rules that keep something from being deleted or shown.
_KEEPING = frozenset("retention hold holds legal sensitivity compliance confidentiality classification audit".split())
#: Words of what is put beside a document without changing it.
_BESIDE = frozenset("comment comments label labels tag tags note notes reaction view bookmark".split())
#: Words of keys that name a document or a part of it.
_PLACES = frozenset("document spreadsheet sheet range file path title page workbook table folder documentid".split())
_BRANCHES = "branch branches pull pr request worktree ref refs".split()
_HOLDERS = "folder folders directory dir bucket buckets list lists collection label labels tag tags group".split()
_SPARE = "image images volume volumes network networks variable variables component components asset assets".split()
#: Switches by which only what is not needed any more is deleted.
_ONLY_IF = {
    **dict.fromkeys(("only_if_merged", "if_merged", "only_merged", "merged_only"), frozenset(_BRANCHES)),
    **dict.fromkeys(("only_if_empty", "if_empty"), frozenset(_HOLDERS)),
    "only_if_unused": frozenset((*_BRANCHES, *_HOLDERS, *_SPARE)),
}
_CONDITIONS = frozenset({"where", "filter", "criteria", "condition", "where_clause"})
_COMPARING = late(r"(?i) (?:ne|gt|lt|ge|le|like|not|is not|in|contains) |!=|<>|[<>]=?")
_ONE = late(r"(?i)\b(?:\w*id|key|number|uuid|email|slug) ?(?:eq|==?|:) ?['\"\w]")
_FIELD_KEYS = frozenset({"field", "column", "attribute", "property", "key", "option", "setting"})


#: Notes of agents: one note that all of them read is still one.
_MEMORY = frozenset({"memory", "memories"})


def is_routine_change(call: JudgedCall) -> bool:
    """Whether one ordinary record is changed."""
    if call.has("binding") and not call.thing:
        return False
    if call.has("many") and not call.words(_MEMORY):
        return False
    if call.has("health", "official", "final", "bank_account", "holds_key", "public", "elsewhere", "lowered"):
        return False
    if call.has("luring") and call.has("company", "outside", "deceptive", "public"):
        return False
    if any(is_weighty(one) for one in call.arguments):
        return False
    if call.meaning.verb == "change" and not call.words(_BESIDE) and any(map(_is_weighty_place, call.arguments)):
        return False
    if any(_is_broad(one) for one in call.arguments):
        return False
    if call.has("confidential") and any(one.key in ("public", "is_public") and is_true(one) for one in call.arguments):
        return False  # a reply that its reader can see
    return not (call.has("confidential", "sensitive") and call.has("outside"))


def _is_broad(one: Argument) -> bool:
    """Whether a condition selects what is changed without naming one thing: `status ne 'closed'`."""
    if one.key not in _CONDITIONS or not isinstance(one.value, str) or len(one.value) > 400:
        return False
    return _COMPARING.search(one.value) is not None and _ONE.search(one.value) is None


def is_weighty(one: Argument) -> bool:
    """Whether an argument sets something on which somebody's money or health depends."""
    if one.key in _FIELD_KEYS and isinstance(one.value, str):
        plain = one.low.replace(" ", "_")
        return plain in PERSONAL or plain in SECRET
    return not one.words.isdisjoint(_WEIGHTY) and one.value not in (None, "", (), False)


def _is_weighty_place(one: Argument) -> bool:
    """Whether an argument names the document that is changed, and it is one by which people are paid or bound."""
    if one.words.isdisjoint(_PLACES) or not isinstance(one.value, str) or len(one.value) > MAX_NAME:
        return False
    return is_weighty_document(one.value)


def is_routine_deletion(call: JudgedCall) -> bool:
    """Whether something small is deleted that is easily made again, or that is not needed any more."""
    if not call.flags.isdisjoint(GRAVE):
        return False
    if any(_is_left_over(one, call) for one in call.arguments) or _cancels_run(call):
        return True
    if call.meaning.said == "trash" and not call.has("sensitive", "confidential", "official"):
        return True  # it can be taken out again
    return call.words(_SMALL) and not call.words(_KEEPING)


def _cancels_run(call: JudgedCall) -> bool:
    """Whether a run of checks or builds is cancelled, which can be started again, and nothing else is done."""
    if call.meaning.said != "cancel" or not any(one.key in _RUNS for one in call.arguments):
        return False
    return all(one.key in _RUNS or one.key in _BESIDE_RUNS for one in call.arguments)


_RUNS = frozenset("run_id run_ids pipeline_id pipeline_ids build_id workflow_run_id build_number".split())
_BESIDE_RUNS = frozenset(
    "action op operation cmd command method owner repo repository project project_id org note reason comment".split()
)


def _is_left_over(one: Argument, call: JudgedCall) -> bool:
    """Whether a switch spares what is needed, and is one for things such as this: branches can be merged."""
    return one.value is True and one.is_own and call.words(_ONLY_IF.get(one.key, frozenset()))
