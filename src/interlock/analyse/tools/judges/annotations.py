"""Changes of annotations only: descriptions, notes, labels and metadata, on which nothing depends.

Every argument has to be an annotation or an identifier. Any other argument makes the call an ordinary
change, so that a payment with a note is still a payment.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.key_objects import object_of_key
from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.service_addresses import is_service_address
from interlock.analyse.tools.switches import gives_high_role
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords
from interlock.payload import plain_key

_WORDS = read_table("tool-records", RecordWords)

#: Last words of keys of what people note about a thing, and of what it is sorted by.
_NOTES = VALUES["noted"]
_SORTING = VALUES["labelled"]
_WHEREABOUTS = VALUES["whereabouts"]
_SHOWN = VALUES["shown"]
_WISHED = VALUES["wished"]
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
#: Verbs that do so where their object is an annotation: `set_note`, `add_tag`, `change_description`.
_WRITING = _WORDS.editing_verbs | _WORDS.note_writing_verbs
_WRAPPING = VALUES["around_fields"]
#: Keys of what a thing belongs to.
_AROUND = VALUES["around_things"]
#: Ends of keys of lists of notes: `rule_descriptions: [{"rule_id": …, "description": …}]`.
_SEVERAL_NOTES = ("descriptions", "comments", "notes")
#: Keys around notes of any name: `notes: {"order_no": "A-17"}`.
_OPEN_NOTES = frozenset({"note", "notes"})
_METHODS = frozenset({"PATCH", "PUT"})
_FIELD_KEYS = frozenset({"path", "field", "attribute", "property"})


#: Words of switches for notifications of a change.
_TELLING = frozenset({"notify", "notifications", "silent"})


def only_annotates(kind: str, call: JudgedCall) -> bool:
    """Whether a call only changes annotations: `update_payment {"id": 1, "metadata": {"season": "2025"}}`."""
    if kind not in _QUIET or not _flags_of_call(call).isdisjoint(GRAVE | {"lowered", "binding"}):
        return False
    named = _is_named_after_annotation(kind, call)
    if kind == "access.grant" and any(_concerns_holder(one, kind, call) for one in call.arguments):
        return False
    if call.has("hazard") and not named:
        return False
    if call.meaning.said not in (_WRITING if named else _WORDS.editing_verbs):
        return False
    given = [one for one in call.arguments if one.value is not None or len(one.keys) > 1]
    notes = [one for one in given if _is_annotation(one, kind, call) or (named and _is_text(one, call))]
    return bool(notes) and all(one in notes or identifies(one, call) for one in given)


def _flags_of_call(call: JudgedCall) -> frozenset[str]:
    """Return the flags that the arguments give a call, without those that every call of a described tool has."""
    if "admin" in call.flags and not any(map(gives_high_role, call.arguments)):
        return call.flags - {"admin"}
    return call.flags


def _concerns_holder(one: Argument, kind: str, call: JudgedCall) -> bool:
    """Whether an argument says who gets a right, or which right. Text in a note does not."""
    return not one.roles.isdisjoint(_HOLDERS) and not _is_annotation(one, kind, call) and not _is_service(one)


def _is_service(one: Argument) -> bool:
    """Whether an argument is the address of the service itself."""
    return (
        isinstance(one.value, str)
        and "://" in one.value
        and len(one.keys) == 1
        and is_service_address(one.key, one.text)
    )


def _is_named_after_annotation(kind: str, call: JudgedCall) -> bool:
    """Whether a name says that an annotation is written: `update_key_description`, `orders.tag`, `log_gate_fault`."""
    words = call.meaning.words
    if kind == "device.operate" and (call.meaning.said == "log" or words[-2:] == ("log", "entry")):
        return True
    named = {words[0], words[-1], *_after(call.meaning.said, words)} if words else set()
    return not named.isdisjoint(_NOTES) or (not named.isdisjoint(_SORTING) and not _labels_decide(kind, call))


def _after(said: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the word after the verb of a name: `server_set_label` sets a label."""
    at = words.index(said) + 1 if said in words else len(words)
    return words[at : at + 1]


def _is_annotation(one: Argument, kind: str, call: JudgedCall) -> bool:
    """Whether an argument is an annotation of the thing itself or stands in one, and nothing depends on it."""
    for key in one.keys[:-1]:
        last = key.rpartition("_")[2]
        if last in _SORTING:
            return _only_sorts(last, kind, call)
        if key in _OPEN_NOTES:
            return True
        if not _wraps(key, call):
            return False
    last = one.key.partition("_for_")[0].rpartition("_")[2]
    if last in _SORTING:
        return _only_sorts(last, kind, call)
    if last in _NOTES or _is_new_name(one, kind, call):
        return True
    if kind in _PERSONAL:
        return kind == "account.change" and _describes_person(one, last)
    return one.key in _SHOWN or one.key in _WISHED


def _is_new_name(one: Argument, kind: str, call: JudgedCall) -> bool:
    """Whether a thing gets another name that an identifier of its own tells from others, and only people read names."""
    if one.key not in _NEW_NAMES or kind not in _RENAMED or not call.words(_WORDS.found_by_id):
        return False
    return any(_is_opaque(other) and identifies(other, call) for other in call.arguments)


def _is_opaque(one: Argument) -> bool:
    """Whether an argument is an identifier that a service has made up."""
    named = one.key.rpartition("_")[2] in ("id", "uuid", "arn")
    return named and (type(one.value) is int or (isinstance(one.value, str) and any(map(str.isdecimal, one.value))))


#: Keys of new names, effects on things that have one, and words of things that are found by their identifiers.
_NEW_NAMES = frozenset({"name", "new_name", "title", "display_title"})
_RENAMED = frozenset({"infra.change", "access.grant", "automation.install"})


def _describes_person(one: Argument, last: str) -> bool:
    """Whether a field describes a person, such as their office or salutation, and is not used to sign in."""
    return one.key in _WISHED or last in _WHEREABOUTS or not _WHEREABOUTS.isdisjoint(one.keys)


def _only_sorts(key: str, kind: str, call: JudgedCall) -> bool:
    """Whether nothing depends on the labels of a thing; start-up code stands in the metadata of machines."""
    return not _labels_decide(kind, call) and not (key in _METADATA and kind in _RUNNING)


def _labels_decide(kind: str, call: JudgedCall) -> bool:
    """Whether labels decide who may do what; those of a secret say who looks after it."""
    return kind in _LABELS_DECIDE and not (
        kind == "access.grant" and call.thing is not None and call.thing.name == "secret"
    )


def _is_text(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument is the text of the annotation that a call is named after."""
    return one.key in _WORDS.note_text_keys and all(_wraps(key, call) for key in one.keys[:-1])


def _wraps(key: str, call: JudgedCall) -> bool:
    """Whether a key stands around the fields that a call sets."""
    return key in _WRAPPING or key in _WHEREABOUTS or key.endswith(_SEVERAL_NOTES) or _is_thing(key, call)


def identifies(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument identifies the thing, or says that it is updated."""
    if one.keys[0] in _WORDS.selecting_keys and len(one.keys) > 1:
        return one.key.rpartition("_")[2] in _WORDS.single_keys and isinstance(one.value, (str, int))
    if not all(_wraps(key, call) for key in one.keys[:-1]):
        return "headers" in one.keys[:-1] and call.requested
    if one.key in _WORDS.reason_keys or (isinstance(one.value, bool) and not one.words.isdisjoint(_TELLING)):
        return True
    if len(one.keys) == 1 and (_is_service(one) or (one.key in _WORDS.sign_in_keys and _has_wrapped_fields(call))):
        return True
    if call.requested and _is_part_of_request(one):
        return True
    if one.key in _WORDS.operation_keys:
        return isinstance(one.value, str) and operation_meaning(one.value.strip()).said in _WRITING
    if one.key in _FIELD_KEYS and isinstance(one.value, str) and not _is_kept_at(one, call):
        field = plain_key(one.text.rpartition("/")[2])
        return field in _NOTES or field in _SORTING or field in _WISHED
    if one.key == "type":
        return one.low in _WORDS.dns_record_types
    if one.key in _WORDS.type_keys or one.key in _AROUND:
        return isinstance(one.value, (str, int)) and not isinstance(one.value, bool)
    return _names_thing(one, call)


def _is_part_of_request(one: Argument) -> bool:
    """Whether an argument is the method of a request that updates something, or its address."""
    if one.text.strip().upper() in _METHODS or (one.key in _WORDS.reaching_keys and len(one.keys) == 1):
        return True
    return one.key in _WORDS.address_keys and isinstance(one.value, str) and "?" not in one.value


def _names_thing(one: Argument, call: JudgedCall) -> bool:
    """Whether a key is that of the thing that is changed, or of its identifier; a payee is more than that."""
    stem, _, last = one.key.rpartition("_")
    if _is_kept_at(one, call):
        return True
    if last in _WORDS.identifying_last_words and one.key not in ("name", "path"):
        return not stem or stem in _AROUND or _is_thing(stem, call)
    return _is_thing(one.key, call) and object_of_key(one.key) is None and isinstance(one.value, (str, int))


def _is_kept_at(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument is the location of the secret that a call is about."""
    return (
        one.key in _WORDS.secret_place_keys
        and len(one.keys) == 1
        and call.thing is not None
        and call.thing.name == "secret"
    )


def _has_wrapped_fields(call: JudgedCall) -> bool:
    """Whether the fields that a call sets are inside a wrapper, so that the keys beside it identify their owner."""
    fields = [one for one in call.arguments if len(one.keys) > 1 and one.keys[0] in _WRAPPING]
    return bool(fields) and not any(one.key in _WORDS.sign_in_keys for one in fields)


def _is_thing(key: str, call: JudgedCall) -> bool:
    """Whether a key names the thing that the call is about."""
    said = {*call.meaning.words, *(word.removesuffix("s") for word in call.meaning.words)}
    if words_of_key(key) <= said or key.replace("_", "") in said:
        return True
    if not _SYNONYMS.get(key, frozenset()).isdisjoint(said):
        return True
    named = meaning_of(key, "").things
    return bool(call.thing and named and named[0] is call.thing and not call.thing.service)


#: Words of keys for things that are called otherwise in names of tools.
_SYNONYMS = {key: frozenset(words) for key, words in _WORDS.synonyms.items()}
