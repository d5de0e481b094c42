"""`interlock notify link`, `unlink` and `accounts`: the chat accounts of people."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Flag, Store


def register(group: App) -> None:
    """Add the commands to `interlock notify`."""
    group.command(link, name="link")
    group.command(unlink, name="unlink")
    group.command(accounts, name="accounts")


def link(channel: str, *, person: str | None = None, member: str | None = None, store: Store = USUAL) -> int:
    """Link a chat account to a person, who can then answer requests in that chat.

    Prints a code to send to the bot within ten minutes; it works once. Needs a terminal.
    Examples: `interlock notify link slack`, `interlock notify link ops --person ann --member U012AB3CD`.

    Parameters
    ----------
    channel
        The name of the channel in the configuration, or its kind if there is only one.
    person
        The person; by default you.
    member
        Link this account without a code: a Slack member id or a Telegram user id.
    """
    from interlock.cli import chat_accounts as command

    return command.link(store, channel, person, member)


def unlink(channel: str, *, person: str | None = None, store: Store = USUAL) -> int:
    """Unlink a person's chat account: nothing is sent there any more, and it cannot answer.

    Parameters
    ----------
    channel
        The name of the channel in the configuration, or its kind if there is only one.
    person
        The person; by default you.
    """
    from interlock.cli import chat_accounts as command

    return command.unlink(store, channel, person)


def accounts(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the linked chat accounts.

    Parameters
    ----------
    json
        Write one JSON object per line.
    """
    from interlock.cli import chat_accounts as command

    return command.show(store, as_json=json)
