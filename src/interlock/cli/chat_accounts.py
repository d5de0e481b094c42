"""`interlock notify link`, `unlink` and `accounts`: the chat accounts of people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from interlock.audit.identity import user_name
from interlock.cli.local_time import full_time
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.config.channels import ChannelSettings
from interlock.errors import InterlockError, nearest
from interlock.sanitise import plain
from interlock.server.notify.channels_in_force import ChannelsInForce
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.link_codes import COMMANDS, LinkCodes, show_code
from interlock.show import columns, console, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def link(store: Store, channel: str, person: str | None, member: str | None) -> int:
    """Print a code that links an account, or link it at once."""
    require_person("notify link")
    name = person or user_name()
    with open_store(store.store, store.config) as found:
        chat = _find_chat(found, channel)
        if member is not None:
            account = ChatAccounts(found.journal).set(chat.name, member, name, user_name())
            print(f"{plain(account.person)} answers as `{account.member}` in `{chat.name}` now")
            return 0
        code = LinkCodes(found.journal).create(chat.name, name)
    print(COMMANDS[chat.kind].format(code=show_code(code)))
    message = f"send this to the bot of `{chat.name}` within 10 minutes, from the account of {plain(name)}"
    print(f"{message}; it works once, and the account that sends it can answer as {plain(name)}", file=sys.stderr)
    return 0


def unlink(store: Store, channel: str, person: str | None) -> int:
    """Unlink a person's account."""
    name = person or user_name()
    with open_store(store.store, store.config) as found:
        chat = _find_chat(found, channel)
        ChatAccounts(found.journal).unlink(chat.name, name, user_name())
    print(f"{plain(name)} no longer has an account in `{chat.name}`")
    return 0


def show(store: Store, *, as_json: bool) -> int:
    """Print the linked accounts."""
    with open_store(store.store, store.config) as found:
        accounts = ChatAccounts(found.journal).list()
    if as_json:
        print_json_lines(accounts)
        return 0
    if not accounts:
        print("no chat accounts are linked; `interlock notify link CHANNEL` links yours")
        return 0
    table = columns("person", "channel", "account", "linked", "by")
    for one in accounts:
        table.add_row(plain(one.person), one.channel, one.member, full_time(one.linked_at), plain(one.linked_by))
    console().print(table)
    return 0


def _find_chat(found: OpenStore, text: str) -> ChannelSettings:
    """Return the chat with a name, or the only one of a kind; raise if there is none."""
    in_force = ChannelsInForce(found.journal, lambda: found.config.channels)()
    chats = {name: one for name, one in in_force.items() if one.kind in COMMANDS}
    if text in chats:
        return chats[text]
    of_kind = [one for one in chats.values() if one.kind == text]
    if len(of_kind) == 1:
        return of_kind[0]
    if not chats:
        raise InterlockError("no Slack or Telegram channel is configured; add `[channels.NAME]` to `interlock.toml`")
    raise InterlockError(f"there is no chat `{plain(text)[:40]}`{nearest(text, chats)}")
