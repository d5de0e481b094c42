"""Calls that only restrict something: protections turned on, access closed, rights removed.

A verb such as `set`, `update` or `patch` says nothing about the direction. What it sets does: if every argument either
identifies the thing or makes it safer, the call needs no approval.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.switches import SHORT_PASSWORD, SWITCH_KEYS, TRUE, gives_high_role
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-rights", RightWords)
#: Verbs that only set what the arguments say.
SETTING = _WORDS.setting_verbs
#: Of these, verbs that do something to an account whatever they are given.
SWITCHING = frozenset({"enable", "toggle"})
#: Verbs and nouns besides, with which a name says only that a protection or a right is set.
_OPEN = SETTING | _WORDS.named_settings
#: Verbs that put a protection in force.
_PROTECTING = frozenset({"activate", "arm", "lock", "protect"})
#: Effects whose direction depends on the arguments, and those with a recipient.
_DIRECTED = frozenset(
    (
        "access.grant security.lower infra.change cluster.change account.change document.share record.change "
        "device.operate"
    ).split()
)
_GIVING = frozenset({"access.grant", "document.share"})
_PEOPLE = frozenset({"recipient", "role", "person"})
#: Flags of calls that do more than close something.
_OPENING = frozenset("lowered public final holds_key bank_account deceptive instructions payout".split())
#: Values that turn something on, or off.
_ON = TRUE | _WORDS.on_values
_SWITCHED = _ON | _WORDS.off_values
_PERMITTING = VALUES["everyone_words"] | VALUES["permitting"]
#: Words by which a person is kept out of their own account.
_SHUTTING_OUT = frozenset({"lock", "locked", "block", "blocked"})
#: Last words of keys of identifiers, and roles of arguments that say more.
NAMING = _WORDS.naming_last_words
_SETTINGS = frozenset({"setting", "option", "feature", "flag"})
_BARE = frozenset({("enabled",), ("value",), ("state",), ("active",)})
MAX_NAME = 200
_TELLING = frozenset({"final", "count", "amount", "filter"})
#: Keys of the manner of a protection, and the manners that are strict.
_MANNERS = SWITCH_KEYS | _WORDS.manner_keys
_TLS = late(r"(?:tls_?)?v?1[._][23](?:_\d+)?")
#: Words of lists of those who must agree, and of what must be met.
_KEEPERS = frozenset({"reviewers", "approvers", "checks", "contexts"})
_OF_ROLES = frozenset({"role", "roles"})


def only_restricts(kind: str, call: JudgedCall) -> bool:
    """Whether a call sets something, and all that it sets makes something safer."""
    if kind not in _DIRECTED or not call.flags.isdisjoint(_OPENING):
        return False
    if call.meaning.said not in _OPEN and not (kind == "security.lower" and call.meaning.said in _PROTECTING):
        return False
    giving = kind in _GIVING
    if (giving and call.has("admin", "outside")) or (kind == "account.change" and call.meaning.said in SWITCHING):
        return False
    given = [one for one in call.arguments if not (one.value in (None, "") or _names_thing(one, giving=giving))]
    if any(one.key in _SETTINGS for one in call.arguments):
        given = [one for one in given if one.keys not in _BARE or one.low not in _SWITCHED]  # the setting has it too
    if kind == "account.change" and any(not one.words.isdisjoint(_SHUTTING_OUT) for one in given):
        return False
    guards = kind == "security.lower" and _WORDS.inverted_tools.isdisjoint(call.meaning.words)
    return bool(given) and all(narrows(one) or (guards and _is_strict_manner(one)) for one in given)


def _is_strict_manner(one: Argument) -> bool:
    """Whether an argument says that a protection is in force: `mode: Enforce`, `command: arm_away`."""
    return one.key in _MANNERS and one.low.replace("-", "_") in _WORDS.strict_manners


def _names_thing(one: Argument, *, giving: bool) -> bool:
    """Whether an argument only identifies the thing; a person who gets a right does not."""
    if isinstance(one.value, bool) or not one.roles.isdisjoint(_TELLING):
        return False
    if giving and not one.roles.isdisjoint(_PEOPLE):
        return False
    if isinstance(one.value, str) and _orders(one.low[:MAX_NAME]):
        return False  # `rule: "allow 0.0.0.0/0 22"`
    last = one.key.rpartition("_")[2]
    return last in NAMING or one.key in _SETTINGS or (last in _WORDS.saying_last_words and not giving)


def _orders(value: str) -> bool:
    """Whether a value is a rule, such as one that allows the whole internet, rather than a name."""
    return not _WORDS.ordering_words.isdisjoint(split_words(value)) or value.endswith("/0") or "/0 " in value


def narrows(one: Argument) -> bool:
    """Whether an argument makes something safer: `require_mfa: true`, `public: false`, `visibility: private`."""
    words = one.words
    if one.key in SWITCH_KEYS and len(one.keys) > 1:
        words = words | words_of_key(one.keys[-2])
    negated = not words.isdisjoint(VALUES["negation"])
    if one.low in _ON:
        if negated:
            return not words.isdisjoint(VALUES["everyone_words"])  # `ignore_public_acls: true`
        return not words.isdisjoint(VALUES["guarding"]) and _lets_nothing_happen(words)
    if one.low in _WORDS.off_values:
        opening = VALUES["guarding"] if negated else _PERMITTING
        return not words.isdisjoint(opening) or _is_right(one) or _enables_other(one)
    if type(one.value) in (int, float):
        return not negated and _is_strict(one, words)
    if one.value == ():
        return negated or _is_right(one)
    if "role" in one.roles and one.low in _WORDS.looking_roles:
        return True
    if _TLS.fullmatch(one.low) and not one.words.isdisjoint(("tls", "ssl", "version", "protocol")):
        return True
    return _lets_few_in(one) or any(not words_of_key(key).isdisjoint(_KEEPERS) for key in one.keys)


def _enables_other(one: Argument) -> bool:
    """Whether a switch enables something other than a protection: `enable_withdrawals`, `allow_force_pushes`."""
    first = one.key.partition("_")[0]
    return first in ("enable", "allow", "enables", "allows") and one.words.isdisjoint(VALUES["protection"])


def _is_strict(one: Argument, words: frozenset[str]) -> bool:
    """Whether a number is one of a strict protection: two reviewers, passwords of 14 letters, five attempts."""
    number = float(one.value)
    if "attempts" in words:
        return 0 < number <= MOST_ATTEMPTS
    if "length" in words:
        return number >= SHORT_PASSWORD
    if "version" in words and not words.isdisjoint(("tls", "ssl")):
        return number >= LEAST_TLS
    return number > 1 and not words.isdisjoint(VALUES["lasting"])


MOST_ATTEMPTS = 10
LEAST_TLS = 1.2


def _lets_nothing_happen(words: frozenset[str]) -> bool:
    """Whether a switch that is on permits nothing; `block_public_access` keeps the public out."""
    return words.isdisjoint(_PERMITTING) or not words.isdisjoint(("block", "prevent", "restrict"))


def _lets_few_in(one: Argument) -> bool:
    """Whether an argument limits who has access: `aclMode: private`."""
    if not isinstance(one.value, str) or ("visibility" not in one.roles and one.words.isdisjoint(_WORDS.who_words)):
        return False
    words = split_words(one.low)
    return not VALUES["few"].isdisjoint(words) and VALUES["everyone_words"].isdisjoint(words)


def removes_rights(call: JudgedCall) -> bool:
    """Whether a call sets rights, and takes all away that it names: `{"permissions": {"edit": false}}`."""
    said = call.meaning.said
    if call.meaning.verb != "remove" and said not in SETTING and said not in _WORDS.taking_verbs:
        return False
    if call.has("outside", "public") or (call.thing and call.thing.name == "secret") or call.words(_WORDS.owning_words):
        return False
    rights = [one for one in call.arguments if _is_right(one)]
    if not rights or not call.words(_OF_ROLES):  # `set_role_permissions {"role": …}` names whose rights they are
        rights += [one for one in call.arguments if one.key in _WORDS.right_keys and one not in rights]
    if not rights or not all(_is_taken(one) for one in rights):
        return False
    rest = [one for one in call.arguments if one not in rights]
    return not any(gives_high_role(one) or not one.words.isdisjoint(_WORDS.owning_words) for one in rest)


def _is_right(one: Argument) -> bool:
    """Whether an argument is one of the rights that somebody has."""
    return not _WORDS.right_holders.isdisjoint(one.keys)


def _is_taken(one: Argument) -> bool:
    removed = any(not words_of_key(key).isdisjoint(_WORDS.removing_words) for key in one.keys)
    return removed != (one.low in _WORDS.off_values or one.value == ())
