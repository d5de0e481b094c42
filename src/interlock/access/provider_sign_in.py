"""Sign in people whom a provider has authenticated: find or create them, and apply their groups, in one transaction."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

import msgspec

from interlock.access.groups import sync_members
from interlock.access.identities import Account, find_identity, has_identity, link_in
from interlock.access.keys import MAX_NAME, is_name
from interlock.access.people import ACTIVE, SHUT_OUT, WITHOUT_GROUP, add_in, change_in, find_in
from interlock.access.roles import Role
from interlock.access.sessions import LoginSessions
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.config.sign_in import OidcSettings
from interlock.sanitise import plain
from interlock.store.clock import now_in

#: The outcome of a rejected sign-in that an admin can allow by linking the account to a person.
NOT_LINKED = "account not linked"


class ProvidedPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person as a provider describes them, with verified claims only."""

    account: Account
    name: str
    groups: tuple[str, ...] = ()


class SignInResult(NamedTuple):
    """The secret of a new session; or why there is none, for the person to read."""

    secret: str = ""
    refusal: str = ""


class _RejectedSignIn(NamedTuple):
    outcome: str  # for the record
    message: str  # for the person


class ProviderSignIn:
    """Signs people in by the settings of one provider. `defined` are the roles of the configuration."""

    def __init__(
        self, journal: Journal, sessions: LoginSessions, settings: OidcSettings, defined: Container[str]
    ) -> None:
        self._journal, self._sessions, self._settings, self._defined = journal, sessions, settings, defined
        self._actor = f"oidc:{settings.name}"

    def sign_in(self, person: ProvidedPerson) -> SignInResult:
        """Start a session for a person, or return why they may not sign in."""
        return self._journal.commit(lambda transaction: self._sign_in(transaction, person))

    def _sign_in(self, transaction: Transaction, person: ProvidedPerson) -> SignInResult:
        found = self._find_person(transaction, person)
        if isinstance(found, str):
            self._sync_groups(transaction, found, person)
            refused = self._apply_role(transaction, found, person)
            if refused is None:
                seconds = self._settings.session_hours * 3_600
                return SignInResult(self._sessions.start_in(transaction, found, self._actor, seconds))
        else:
            refused = found
        record_refusal(transaction, person, refused.outcome)
        return SignInResult(refusal=refused.message)

    # identity

    def _find_person(self, transaction: Transaction, person: ProvidedPerson) -> str | _RejectedSignIn:
        """Return the name of the person that an account belongs to; link or create them if the settings allow it."""
        identity = find_identity(transaction, person.account)
        if identity is not None:
            return identity.person
        label, name = self._settings.label, plain(person.name)[:MAX_NAME]
        if not is_name(person.name) or not person.name.isascii():
            return _RejectedSignIn(
                "name not usable", f"{label} sent a name that cannot be used here; ask an admin to link your account"
            )
        if find_in(transaction, person.name) is not None:
            if not self._settings.link_existing or has_identity(transaction, person.name):
                message = f"`{name}` already exists and is not linked to this {label} account; ask an admin to link it"
                return _RejectedSignIn(NOT_LINKED, message)
            link_in(transaction, person.account, person.name, self._actor, "linked to the existing person of this name")
            return person.name
        return self._create(transaction, person)

    def _create(self, transaction: Transaction, person: ProvidedPerson) -> str | _RejectedSignIn:
        name = plain(person.name)
        if not self._settings.create:
            return _RejectedSignIn("unknown person", f"there is no account for `{name}`; ask an admin to add you")
        role, group = self._role_of(person)
        if role is None:
            return self._no_group(name)
        add_in(transaction, person.name, role, self._actor, self._reason(group) if group else "")
        link_in(transaction, person.account, person.name, self._actor, "linked to a new person")
        return person.name

    # role

    def _apply_role(self, transaction: Transaction, name: str, person: ProvidedPerson) -> _RejectedSignIn | None:
        """Give a person the role of their groups, or return why they may not sign in."""
        row = find_in(transaction, name)
        if row is None or row["state"] == SHUT_OUT:
            return _RejectedSignIn("suspended", "your account is suspended; ask an admin")
        role, group = self._role_of(person)
        if role is None:
            if row["state"] == ACTIVE:
                why = f"in no group with a role of {self._settings.issuer}"
                change_in(transaction, name, self._actor, why, {"state": WITHOUT_GROUP})
            return self._no_group(name)
        if self._settings.roles:
            changes: dict[str, str | None] = {"role": role.value, "state": ACTIVE}
            changes = {column: value for column, value in changes.items() if row[column] != value}
            if changes:
                change_in(transaction, name, self._actor, self._reason(group), changes)
        elif row["state"] != ACTIVE:
            return _RejectedSignIn("suspended", "your account is suspended; ask an admin")
        return None

    def _role_of(self, person: ProvidedPerson) -> tuple[Role | None, str]:
        """Return the highest role of a person's groups, and the group; without `roles`, everyone is a reviewer."""
        if not self._settings.roles:
            return Role.REVIEWER, ""
        given = {group: self._settings.roles[group] for group in person.groups if group in self._settings.roles}
        for role in (Role.ADMIN, Role.REVIEWER):
            for group, name in given.items():
                if name == role.value:
                    return role, group
        return None, ""

    def _reason(self, group: str) -> str:
        return f"role set by group `{plain(group)}` of {self._settings.issuer}"

    def _no_group(self, name: str) -> _RejectedSignIn:
        message = f"`{plain(name)}` is in no group of {self._settings.label} that has access; ask an admin"
        return _RejectedSignIn("in no group with a role", message)

    def _sync_groups(self, transaction: Transaction, name: str, person: ProvidedPerson) -> None:
        """Add the person to, or remove them from, the groups that this provider fills."""
        wanted: dict[str, bool] = {}
        for theirs, ours in self._settings.groups.items():
            if ours not in self._defined:
                wanted[ours] = wanted.get(ours, False) or theirs in person.groups
        sync_members(transaction, name, wanted, self._settings.name, self._actor)


def record_refusal(transaction: Transaction, person: ProvidedPerson, outcome: str) -> None:
    """Record that a person whom a provider has authenticated may not sign in."""
    at, name = now_in(transaction.connection).wall, plain(person.name)[:MAX_NAME]
    data = {**msgspec.to_builtins(person.account), "subject": plain(person.account.subject)}
    entry = Entry(kind="session.refused", at=at, actor=name or "unknown", name=name, outcome=outcome, data=data)
    transaction.append(entry)
