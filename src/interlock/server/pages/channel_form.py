"""The form of a channel: the fields of each kind, and what a browser sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from interlock.config.channels import CHANNEL_KINDS
from interlock.server.administration.channel_changes import ChannelInput, split_values
from interlock.server.pages.confirmation import field
from interlock.server.pages.formatting import as_sentence


class ChannelField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the form: its key, its label, an example, and a hint."""

    key: str
    label: str
    example: str
    hint: str
    required: bool = True
    secret: bool = True


class ChannelForm(msgspec.Struct, frozen=True, kw_only=True):
    """The form of one kind of channel: its title, what it is for, and its fields."""

    title: str
    about: str
    fields: tuple[ChannelField, ...]


def _api_url(example: str) -> ChannelField:
    hint = "Only if you run your own. Hosts on your internal network must be listed in `server.webhooks_inside`."
    return ChannelField(key="api_url", label="API address", example=example, hint=hint, required=False, secret=False)


FORMS = {
    "slack": ChannelForm(
        title="Slack",
        about="People get a message with buttons, and answer requests in Slack.",
        fields=(
            ChannelField(
                key="token", label="Bot token", example="xoxb-…", hint="Under OAuth & Permissions of your Slack app."
            ),
            ChannelField(
                key="signing_secret",
                label="Signing secret",
                example="8f742231b10e…",
                hint="Under Basic Information of your Slack app. It proves that answers come from Slack.",
            ),
            _api_url("https://slack.com/api"),
        ),
    ),
    "telegram": ChannelForm(
        title="Telegram",
        about="People get a message with buttons from your bot. No port has to be open.",
        fields=(
            ChannelField(key="token", label="Bot token", example="123456:ABC-DEF…", hint="From @BotFather."),
            _api_url("https://api.telegram.org"),
        ),
    ),
    "apprise": ChannelForm(
        title="E-mail and others",
        about="E-mail, Teams, Discord, ntfy, Pushover and others, with a link to the request.",
        fields=(
            ChannelField(
                key="url",
                label="Apprise URL",
                example="mailtos://user:password@smtp.example.com?to={recipient}",
                hint="`{recipient}` stands for the address of each person. Without a URL, people enter a whole one.",
                required=False,
            ),
        ),
    ),
}


def read_channel(form: Any, name: str, kind: str) -> ChannelInput:
    """Return the channel that a browser sent. Fields that are empty are left out."""
    fields = FORMS[kind].fields if kind in CHANNEL_KINDS else ()
    values = {one.key: value for one in fields if (value := field(form, one.key))}
    settings, secrets = split_values(kind, values)
    return ChannelInput(name=name, kind=kind, settings=settings, secrets=secrets)


def name_fields(errors: Iterable[tuple[str, str]], kind: str) -> dict[str, str]:
    """Return what is wrong with each field, in which the fields have the names that the form shows."""
    fields = FORMS[kind].fields if kind in FORMS else ()
    labels = {f"`{one.key}`": one.label for one in fields}
    found = {}
    for key, message in errors:
        for name, label in labels.items():
            message = message.replace(name, label)
        found[key] = as_sentence(message)
    return found
