"""`interlock groups` and `interlock identities`: groups of people, and their accounts at sign-in providers."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Flag, RecordNumber, Store

group = App(name="groups", help="Manage groups of people, for policies that require approval by a member of one.")
identities = App(name="identities", help="Link accounts at sign-in providers to people.")


@group.default
@group.command(name="list")
def groups_list(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the groups and their members.

    Parameters
    ----------
    json
        Write one JSON object per line.
    """
    from interlock.cli import groups as command

    return command.list_groups(store, as_json=json)


@group.command(name="create")
def groups_create(name: str, *, store: Store = USUAL) -> int:
    """Create an empty group.

    Parameters
    ----------
    name
        Its name; policies write it with an `@` in front.
    """
    from interlock.cli import groups as command

    return command.create(store, name)


@group.command(name="add")
def groups_add(name: str, person: str, *, store: Store = USUAL) -> int:
    """Add a person to a group.

    Parameters
    ----------
    name
        The group.
    person
        The person.
    """
    from interlock.cli import groups as command

    return command.add(store, name, person)


@group.command(name="remove")
def groups_remove(name: str, person: str, *, store: Store = USUAL) -> int:
    """Remove a person from a group. They can no longer answer requests that require it.

    Parameters
    ----------
    name
        The group.
    person
        The person.
    """
    from interlock.cli import groups as command

    return command.remove(store, name, person)


@group.command(name="delete")
def groups_delete(name: str, *, store: Store = USUAL) -> int:
    """Delete a group. Its versions stay, and can be restored.

    Parameters
    ----------
    name
        The group.
    """
    from interlock.cli import groups as command

    return command.delete(store, name)


@group.command(name="history")
def groups_history(name: str, *, json: Flag = False, store: Store = USUAL) -> int:
    """List the versions of a group, newest first.

    Parameters
    ----------
    name
        The group; it may be deleted.
    json
        Write one JSON object per line.
    """
    from interlock.cli import groups as command

    return command.history(store, name, as_json=json)


@group.command(name="restore")
def groups_restore(name: str, version: RecordNumber, *, store: Store = USUAL) -> int:
    """Give a group the members of an earlier version.

    Parameters
    ----------
    name
        The group; it may be deleted.
    version
        The number of the version in `interlock groups history`.
    """
    from interlock.cli import groups as command

    return command.restore(store, name, version)


@identities.default
@identities.command(name="list")
def identities_list(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the linked accounts.

    Parameters
    ----------
    json
        Write one JSON object per line.
    """
    from interlock.cli import groups as command

    return command.list_identities(store, as_json=json)


@identities.command(name="link")
def identities_link(person: str, *, provider: str, subject: str, store: Store = USUAL) -> int:
    """Link an account at a provider to a person, who can then sign in with it.

    Parameters
    ----------
    person
        The person.
    provider
        The provider's name in `[sign_in.oidc.NAME]`.
    subject
        The account's `sub`. The record of the rejected sign-in has it: `interlock audit show --kind session`.
    """
    from interlock.cli import groups as command

    return command.link(store, person, provider, subject)


@identities.command(name="unlink")
def identities_unlink(identity: str, *, store: Store = USUAL) -> int:
    """Unlink an account, so that it can no longer sign in.

    Parameters
    ----------
    identity
        Its id in `interlock identities`.
    """
    from interlock.cli import groups as command

    return command.unlink(store, identity)
