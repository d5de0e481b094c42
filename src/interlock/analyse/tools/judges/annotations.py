"""Changes of nothing but annotations: descriptions, notes, labels and metadata, on which nothing depends.

Every argument has to be an annotation or say which thing is meant. One more of another sort makes the call an ordinary
change, so that a note beside a payment leaves it a payment.
"""

from __future__ import annotations

from interlock.analyse.tools.argument_meanings import thing_of_key
from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.analyse.tools.judges.call import GRAVE, JudgedCall
from interlock.analyse.tools.name import meaning_of
from interlock.analyse.tools.phrases import operation_meaning

#: Last words of keys of what people note about a thing, and of what it is sorted by.
_NOTES = VALUES["noted"]
_SORTING = VALUES["labelled"]
_WHEREABOUTS = VALUES["whereabouts"]
_SHOWN = VALUES["shown"]
#: Effects on what belongs to people, who are known by their names.
_PERSONAL = frozenset({"account.change", "access.grant", "payment.send", "contract.sign"})
#: Effects of which an annotation can be all that changes.
_QUIET = frozenset(
    (
        "payment.send order.place contract.sign account.change access.grant infra.change record.change "
        "automation.install security.lower device.operate"
    ).split()
)
#: Roles of arguments that say who gets a right, or which.
_HOLDERS = frozenset({"person", "recipient", "role", "room"})
#: Effects of things whose labels decide who may do what; a tag of a machine is one of its registers.
_LABELS_DECIDE = frozenset({"access.grant", "security.lower", "automation.install", "device.operate"})
#: Effects of things whose metadata can be code that runs.
_RUNNING = frozenset({"infra.change"})
_METADATA = frozenset({"metadata", "meta", "annotations", "annotation"})
#: Verbs that change what the arguments name and nothing besides.
_EDITING = frozenset("update patch edit modify annotate tag untag label relabel comment note".split())
#: Verbs that do so where their object is an annotation: `set_note`, `add_tag`, `change_description`.
_WRITING = _EDITING | frozenset("set put change add append write save replace create correct log".split())
#: Keys of the text of an annotation, in calls that are named after one.
_TEXTS = frozenset("text value content body key name title author by page".split())
_WRAPPING = VALUES["around_fields"]
#: Last words of keys that say which thing is meant, after words for that thing.
_IDENTIFYING = frozenset("id ids arn arns sid gid uid uuid key ref number no name identifier slug urn".split())
#: Keys of what a thing belongs to.
_AROUND = VALUES["around_things"]
#: Ends of keys of lists of notes: `rule_descriptions: [{"rule_id": …, "description": …}]`.
_SEVERAL_NOTES = ("descriptions", "comments", "notes")
_METHODS = frozenset({"PATCH", "PUT"})
_OPERATION_KEYS = frozenset("op operation action do cmd command method verb mode".split())
_TYPE_KEYS = frozenset("resource object entity resource_type object_type entity_type record_type".split())
#: Types of records in the domain name system, by which one of them is meant.
_RECORD_TYPES = frozenset("a aaaa cname txt mx ns srv caa ptr".split())
_FIELD_KEYS = frozenset({"path", "field", "attribute", "property"})
_ADDRESS_KEYS = frozenset("url uri path endpoint route".split())


def only_annotates(kind: str, call: JudgedCall) -> bool:
    """Whether a call changes nothing but annotations: `update_payment {"id": 1, "metadata": {"season": "2025"}}`."""
    if kind not in _QUIET or not call.flags.isdisjoint(GRAVE | {"lowered", "binding"}):
        return False
    if kind == "access.grant" and any(not one.roles.isdisjoint(_HOLDERS) for one in call.arguments):
        return False
    named = _is_named_after_annotation(kind, call)
    if call.has("hazard") and not named:
        return False
    if call.meaning.said not in (_WRITING if named else _EDITING):
        return False
    given = [one for one in call.arguments if one.value is not None or len(one.keys) > 1]
    notes = [one for one in given if _is_annotation(one, kind, call) or (named and _is_text(one, call))]
    return bool(notes) and all(one in notes or identifies(one, call) for one in given)


def _is_named_after_annotation(kind: str, call: JudgedCall) -> bool:
    """Whether a name says that an annotation is written: `update_key_description`, `orders.tag`, `log_gate_fault`."""
    words = call.meaning.words
    if kind == "device.operate" and (call.meaning.said == "log" or words[-2:] == ("log", "entry")):
        return True
    last = words[-1] if words else ""
    return last in _NOTES or (last in _SORTING and kind not in _LABELS_DECIDE)


def _is_annotation(one: Argument, kind: str, call: JudgedCall) -> bool:
    """Whether an argument is an annotation of the thing itself or stands in one, and nothing depends on it."""
    for key in one.keys[:-1]:
        if key in _SORTING:
            return _only_sorts(key, kind)
        if not _wraps(key, call):
            return False
    last = one.key.rpartition("_")[2]
    if last in _SORTING:
        return _only_sorts(last, kind)
    if kind in _PERSONAL:
        return last in _NOTES or (kind == "account.change" and not _WHEREABOUTS.isdisjoint(one.keys))
    return last in _NOTES or one.key in _SHOWN


def _only_sorts(key: str, kind: str) -> bool:
    """Whether nothing depends on the labels of a thing; start-up code stands in the metadata of machines."""
    return kind not in _LABELS_DECIDE and not (key in _METADATA and kind in _RUNNING)


def _is_text(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument is the text of the annotation that a call is named after."""
    return one.key in _TEXTS and all(_wraps(key, call) for key in one.keys[:-1])


def _wraps(key: str, call: JudgedCall) -> bool:
    """Whether a key stands around the fields that a call sets."""
    return key in _WRAPPING or key in _WHEREABOUTS or key.endswith(_SEVERAL_NOTES) or _is_thing(key, call)


def identifies(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument says which thing is meant, or that it is updated."""
    if not all(_wraps(key, call) for key in one.keys[:-1]):
        return "headers" in one.keys[:-1] and call.requested
    if call.requested and _is_part_of_request(one):
        return True
    if one.key in _OPERATION_KEYS:
        return isinstance(one.value, str) and operation_meaning(one.value.strip()).said in _WRITING
    if one.key in _FIELD_KEYS and isinstance(one.value, str):
        last = one.low.rpartition("/")[2]
        return last in _NOTES or last in _SORTING
    if one.key == "type":
        return one.low in _RECORD_TYPES
    if one.key in _TYPE_KEYS or one.key in _AROUND:
        return isinstance(one.value, (str, int)) and not isinstance(one.value, bool)
    return _names_thing(one, call)


def _is_part_of_request(one: Argument) -> bool:
    """Whether an argument is the method of a request that updates something, or its address."""
    if one.text.strip().upper() in _METHODS:
        return True
    return one.key in _ADDRESS_KEYS and isinstance(one.value, str) and "?" not in one.value


def _names_thing(one: Argument, call: JudgedCall) -> bool:
    """Whether a key is that of the thing that is changed, or of its identifier; a payee is more than that."""
    stem, _, last = one.key.rpartition("_")
    if last in _IDENTIFYING and one.key != "name":
        return not stem or stem in _AROUND or _is_thing(stem, call)
    return _is_thing(one.key, call) and thing_of_key(one.key) is None and isinstance(one.value, (str, int))


def _is_thing(key: str, call: JudgedCall) -> bool:
    """Whether a key names the thing that the call is about."""
    said = {*call.meaning.words, *(word.removesuffix("s") for word in call.meaning.words)}
    if words_of_key(key) <= said:
        return True
    named = meaning_of(key, "").things
    return bool(call.thing and named and named[0] is call.thing and not call.thing.service)
