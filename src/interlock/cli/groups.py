"""`interlock groups` and `interlock identities`: groups of people, and their accounts at sign-in providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.access.group_history import list_versions
from interlock.access.groups import Groups
from interlock.access.identities import Account, Identities
from interlock.access.people import People
from interlock.audit.identity import user_name
from interlock.cli.local_time import full_time
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.errors import InterlockError, nearest
from interlock.sanitise import plain
from interlock.show import columns, console, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def _groups(found: OpenStore) -> Groups:
    return Groups(found.journal, found.config.roles)


def list_groups(store: Store, *, as_json: bool) -> int:
    """Print the groups and their members."""
    with open_store(store.store, store.config) as found:
        groups, defined = _groups(found).list(), found.config.roles
    if as_json:
        print_json_lines(groups)
        return 0
    if not groups:
        print("no groups yet; `interlock groups create NAME` creates one")
        return 0
    table = columns("group", "members", "created", "by")
    for group in groups:
        note = " (overridden by `[roles]`)" if group.name in defined else ""
        members = ", ".join(map(plain, group.names)) or "–"
        table.add_row(plain(group.name) + note, members, full_time(group.created_at), plain(group.created_by))
    console().print(table)
    return 0


def create(store: Store, name: str) -> int:
    """Create a group."""
    require_person("groups create")
    with open_store(store.store, store.config, make=True) as found:
        group = _groups(found).create(name, user_name())
    print(f'group `{plain(group.name)}` exists now; a policy requires a member of it with `who = ["@{plain(name)}"]`')
    return 0


def add(store: Store, name: str, member: str) -> int:
    """Add a person to a group."""
    require_person("groups add")
    with open_store(store.store, store.config) as found:
        group = _groups(found).add(name, member, user_name())
        known = any(person.name == member for person in People(found.journal).list())
    print(f"`{plain(member)}` is in `{plain(group.name)}` now")
    if not known:
        print(f"note: there is no person `{plain(member)}` yet; `interlock people add` adds one")
    return 0


def remove(store: Store, name: str, member: str) -> int:
    """Remove a person from a group."""
    require_person("groups remove")
    with open_store(store.store, store.config) as found:
        group = _groups(found).remove(name, member, user_name())
    undo = f"`interlock groups history {plain(name)}` lists the versions to restore"
    print(f"`{plain(member)}` is no longer in `{plain(group.name)}`; {undo}")
    return 0


def delete(store: Store, name: str) -> int:
    """Delete a group."""
    require_person("groups delete")
    with open_store(store.store, store.config) as found:
        _groups(found).delete(name, user_name())
    print(f"group `{plain(name)}` is deleted; `interlock groups history {plain(name)}` lists the versions to restore")
    return 0


def history(store: Store, name: str, *, as_json: bool) -> int:
    """Print the versions of a group."""
    with open_store(store.store, store.config) as found:
        versions = list_versions(found.database, name)
    if not versions:
        raise InterlockError(f"there is no group `{plain(name)[:80]}`; `interlock groups` lists them")
    if as_json:
        print_json_lines(versions)
        return 0
    table = columns("version", "change", "members", "when", "by")
    for one in versions:
        members = ", ".join(plain(member.name) for member in one.members) or "–"
        table.add_row(str(one.version), plain(one.change), members, full_time(one.at), plain(one.actor))
    console().print(table)
    print(f"`interlock groups restore {plain(name)} VERSION` restores one")
    return 0


def restore(store: Store, name: str, version: int) -> int:
    """Restore a version of a group."""
    require_person("groups restore")
    with open_store(store.store, store.config) as found:
        group = _groups(found).restore(name, version, user_name())
    print(f"`{plain(group.name)}` has these members again: {', '.join(map(plain, group.names)) or 'none'}")
    return 0


def list_identities(store: Store, *, as_json: bool) -> int:
    """Print the linked accounts."""
    with open_store(store.store, store.config) as found:
        linked = Identities(found.journal).list()
    if as_json:
        print_json_lines(linked)
        return 0
    if not linked:
        print("no accounts are linked yet; people are linked when they first sign in with a provider")
        return 0
    table = columns("id", "person", "issuer", "subject", "linked", "by")
    for one in linked:
        texts = one.identity_id, one.person, one.issuer, one.subject, full_time(one.linked_at), one.linked_by
        table.add_row(*map(plain, texts))
    console().print(table)
    return 0


def link(store: Store, person: str, provider: str, subject: str) -> int:
    """Link an account at a provider to a person."""
    require_person("identities link")
    with open_store(store.store, store.config) as found:
        known = found.config.sign_in.oidc if found.config.sign_in is not None else {}
        if provider not in known:
            hint = nearest(provider, known) if known else "; add `[sign_in.oidc.NAME]` to the configuration"
            raise InterlockError(f"there is no provider `{plain(provider)[:40]}`{hint}")
        account = Account(issuer=known[provider].issuer, subject=subject, provider=provider)
        identity = Identities(found.journal).link(account, person, user_name())
    print(f"that {plain(provider)} account now signs in as `{plain(identity.person)}`")
    return 0


def unlink(store: Store, identity_id: str) -> int:
    """Unlink an account."""
    require_person("identities unlink")
    with open_store(store.store, store.config) as found:
        identity = Identities(found.journal).unlink(identity_id, user_name())
    print(f"the account is no longer linked to `{plain(identity.person)}`")
    return 0
