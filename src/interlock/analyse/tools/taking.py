"""Calls that take a right away: a share that ends, a role that is removed, a token that is revoked.

The right, whose it was and what it was for are named by the arguments, and the higher the right, the better that it
goes. People, accounts and protections are not rights: who removes them takes something from others.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.choices import LEADING
from interlock.analyse.tools.name import Meaning
from interlock.analyse.tools.selection import is_listed
from interlock.analyse.tools.switches import is_true
from interlock.analyse.tools.words import stem
from interlock.knowledge.tool_names import split_words
from interlock.model import Action

#: Verbs that take a right from somebody, and those that remove anything.
_TAKING = frozenset("revoke unassign unshare detach withdraw unbind uninvite disinvite strip deauthorize".split())
_REMOVING = frozenset("remove delete rm drop expire end unpublish".split())
#: Words of rights, and of what opens something and can be taken back.
_RIGHTS = frozenset(
    (
        "permission permissions binding bindings grant grants role roles iam acl access assignment assignments share "
        "shares sharing link links collaborator collaborators collaboration collaborations collab admins owners "
        "delegate delegates delegation guest guests ingress invitation invitations invite invites membership "
        "memberships cardholders badge"
    ).split()
)
_CREDENTIALS = frozenset("token tokens session sessions key keys credential credentials badge passkey".split())
#: Words of what protects something or is somebody, which is no right.
_OTHERS = frozenset(
    (
        "restriction restrictions protection protections rule rules retention log logs audit user users account "
        "accounts mfa 2fa factor lock locks hold holds policy policies org organization organisation team workspace "
        "member members subscriber certificate certificates alert alerts monitor backup backups firewall deny "
        "message messages channel page pages symbolic hard sym drive database table provider connection owner"
    ).split()
)
_DETACHED = frozenset({"policy", "policies", "user", "users", "member", "members", "owner"})
#: Words of keys by which a call does more than take something away.
_MORE = frozenset(
    "add adds grant grants new transfer wipe purge force delete_data erase replace replacement reassign give".split()
)
_KEYS = LEADING | {"mode", "operation_type", "do", "op_type", "change"}
MAX_VERB = 40
_MANY = frozenset("all every everyone everybody bulk mass batch".split())
_EVERYBODY = VALUES["company"] | VALUES["all"] - {"true"}


def takes_away(action: Action, meaning: Meaning, arguments: Sequence[Argument], told: str) -> bool:
    """Whether a call takes rights away and does nothing else. `told` is the description of the tool."""
    words = frozenset(meaning.words)
    verb = _verb_of(action, meaning, arguments, told)
    if verb in _TAKING:
        named = words & (_RIGHTS | _CREDENTIALS)
        barred = _OTHERS - _DETACHED
    elif verb in _REMOVING:
        named, barred = words & _RIGHTS, _OTHERS
    else:
        return False
    if not named or not words.isdisjoint(barred) or not words.isdisjoint(_MANY):
        return False
    if named <= _CREDENTIALS and any(one.low in _EVERYBODY for one in arguments):
        return False  # nobody is signed in any more
    return len(arguments) > 0 and not any(map(_does_more, arguments))


def _verb_of(action: Action, meaning: Meaning, arguments: Sequence[Argument], told: str) -> str:
    """Return the verb of a call: that of its name, or the one that an argument selects and the tool lists."""
    selecting = [one for one in arguments if one.key in _KEYS and one.is_own and isinstance(one.value, str)]
    if not selecting:
        return meaning.said
    words = split_words(selecting[0].low[:MAX_VERB])
    verb = stem(words[0].lower()) if words and len(selecting) == 1 else ""
    return verb if verb == meaning.said or (verb and is_listed(selecting[0], action, told)) else ""


def _does_more(one: Argument) -> bool:
    """Whether an argument does something besides: `wipe_data: true`, `transfer_to: …`."""
    if one.value in (None, False, "", ()):
        return False
    return ("final" in one.roles and is_true(one)) or not one.words.isdisjoint(_MORE)
