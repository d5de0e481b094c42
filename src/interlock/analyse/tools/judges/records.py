"""Changed or deleted records. One ordinary record is routine; many, permanent changes or important fields are not."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.judges.infrastructure import starts_release
from interlock.analyse.tools.sensitive_content import MAX_NAME, PERSONAL, SECRET, is_weighty_document
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords
from interlock.patterns import late

_WORDS = read_table("tool-records", RecordWords)

#: Switches by which only what is not needed any more is deleted.
_ONLY_IF = {
    **dict.fromkeys(_WORDS.only_if_merged, _WORDS.branches),
    **dict.fromkeys(_WORDS.only_if_empty, _WORDS.holders),
    **dict.fromkeys(_WORDS.only_if_unused, _WORDS.branches | _WORDS.holders | _WORDS.spare_parts),
}
_COMPARING = late(r"(?i) (?:ne|gt|lt|ge|le|like|not|is not|in|contains) |!=|<>|[<>]=?")
_ONE = late(rf"""(?i)\b(?:{"|".join(_WORDS.single_columns)}) ?(?:eq|==?|:) ?['\"\w]""")


#: Notes of agents: one note that all of them read is still one.
_MEMORY = frozenset({"memory", "memories"})


def is_routine_change(call: JudgedCall) -> bool:
    """Whether one ordinary record is changed."""
    if call.has("binding") and not call.thing:
        return False
    if (call.has("many") and not call.words(_MEMORY)) or starts_release(call):
        return False
    if call.has("health", "official", "final", "bank_account", "holds_key", "public", "elsewhere", "lowered"):
        return False
    if call.has("luring") and call.has("company", "outside", "deceptive", "public"):
        return False
    if any(is_weighty(one) for one in call.arguments):
        return False
    if (
        call.meaning.verb == "change"
        and not call.words(_WORDS.beside_documents)
        and any(map(_is_weighty_place, call.arguments))
    ):
        return False
    if any(_is_broad(one) for one in call.arguments):
        return False
    if call.has("confidential") and any(one.key in ("public", "is_public") and is_true(one) for one in call.arguments):
        return False  # a reply that its reader can see
    return not (call.has("confidential", "sensitive") and call.has("outside"))


def _is_broad(one: Argument) -> bool:
    """Whether a condition selects many records, not a named one: `status ne 'closed'`."""
    if one.key not in _WORDS.condition_keys or not isinstance(one.value, str) or len(one.value) > 400:
        return False
    return _COMPARING.search(one.value) is not None and _ONE.search(one.value) is None


def is_weighty(one: Argument) -> bool:
    """Whether an argument sets a value that affects a person's money or health."""
    if one.key in _WORDS.field_keys and isinstance(one.value, str):
        plain = one.low.replace(" ", "_")
        return plain in PERSONAL or plain in SECRET
    return not one.words.isdisjoint(_WORDS.weighty_fields) and one.value not in (None, "", (), False)


def _is_weighty_place(one: Argument) -> bool:
    """Whether an argument names the document that is changed, and it is one by which people are paid or bound."""
    if one.words.isdisjoint(_WORDS.document_words) or not isinstance(one.value, str) or len(one.value) > MAX_NAME:
        return False
    return is_weighty_document(one.value)


def is_routine_deletion(call: JudgedCall) -> bool:
    """Whether something small is deleted that is easy to recreate or no longer needed."""
    if not call.flags.isdisjoint(GRAVE):
        return False
    if any(_is_left_over(one, call) for one in call.arguments) or _cancels_run(call):
        return True
    if call.meaning.said == "trash" and not call.has("sensitive", "confidential", "official"):
        return True  # it can be taken out again
    return call.words(_WORDS.small_records) and not call.words(_WORDS.keeping_words)


def _cancels_run(call: JudgedCall) -> bool:
    """Whether a run of checks or builds is cancelled, which can be started again, and nothing else is done."""
    if call.meaning.said != "cancel" or not any(one.key in _WORDS.run_keys for one in call.arguments):
        return False
    return all(one.key in _WORDS.run_keys or one.key in _WORDS.beside_runs for one in call.arguments)


def _is_left_over(one: Argument, call: JudgedCall) -> bool:
    """Whether a switch limits a deletion to unused things, and fits their kind: a branch can be merged."""
    return one.value is True and one.is_own and call.words(_ONLY_IF.get(one.key, frozenset()))
