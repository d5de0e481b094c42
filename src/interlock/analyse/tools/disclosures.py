"""Data sent to outsiders and foreign hosts, by the arguments of a call, whatever the name of the tool."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.files.traits import traits
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.judges.messages import is_routine_message
from interlock.analyse.tools.people import is_outside, mail_addresses_in
from interlock.analyse.tools.switches import is_true
from interlock.analyse.tools.vocabulary import DRAFTS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-audiences", AudienceWords)

_LOOSE = frozenset({"", "run", "make", "change"})
_DESTINATION = frozenset({"destination"})
_DROPPING = frozenset({"drop", "collector"})
_BARE = late(r"https?://\d{1,3}(?:\.\d{1,3}){3}\b")
_NEAR = frozenset({"local", "private", "usual"})


def is_grave_message(call: JudgedCall) -> bool:
    """Whether a call has recipients and a text, as a message has, and not an ordinary one."""
    if (
        call.meaning.verb not in _LOOSE
        or not call.keyed(_WORDS.recipient_keys)
        or call.words(DRAFTS)
        or (call.thing is not None and call.thing.name == "meeting")
    ):
        return False
    sent = any(one.key in _WORDS.recipient_keys and one.text for one in call.arguments)
    if not sent or not any(one.key in _WORDS.message_keys and isinstance(one.value, str) for one in call.arguments):
        return False
    return not is_routine_message(call)


def gives_outsider(call: JudgedCall) -> bool:
    """Whether a person outside gets something: `invite: "coach@gmail.com"`."""
    return call.keyed(_WORDS.getting_words) and any(map(_gets_outside, call.arguments))


def _gets_outside(one: Argument) -> bool:
    if one.words.isdisjoint(_WORDS.getting_words) or not isinstance(one.value, str):
        return False
    return any(is_outside(mailbox, domain) for mailbox, domain in mail_addresses_in(one.text))


def shows_outsiders(call: JudgedCall) -> bool:
    """Whether a switch lets people outside see something: `visible_to_clients: true`."""
    return call.keyed(_WORDS.shown_words) and any(map(_is_shown_outside, call.arguments))


def _is_shown_outside(one: Argument) -> bool:
    return (
        is_true(one)
        and not one.words.isdisjoint(_WORDS.shown_words)
        and not one.words.isdisjoint(_WORDS.outsider_words)
    )


def delivers(one: Argument) -> bool:
    """Whether the result of a call goes to an address or a place on the web."""
    if not isinstance(one.value, str) or ("://" not in one.text and "@" not in one.text):
        return False
    if is_url(one.text) and not _DROPPING.isdisjoint(host_flags(one.text)):
        return True
    if not one.words.isdisjoint(_WORDS.result_words) and is_url(one.text):
        return _leaves(one.text)
    words = one.words if _WORDS.delivery_keys.isdisjoint(one.keys[:-1]) else one.words | _DESTINATION
    if words.isdisjoint(VALUES["delivering"]):
        return False
    if words.isdisjoint(_WORDS.destination_words):
        return False
    return bool(mail_addresses_in(one.text)) or (
        is_url(one.text) and (not one.text.startswith(_WORDS.bucket_schemes) or _leaves(one.text))
    )


def _leaves(url: str) -> bool:
    """Whether a place for results is a stranger's: an ordinary host of the web, or a bucket that is named so."""
    if url.startswith(_WORDS.bucket_schemes):
        return not _WORDS.others_words.isdisjoint(split_words(url.partition("://")[2].partition("/")[0]))
    return url.startswith(_WORDS.sending_schemes) and _NEAR.isdisjoint(host_flags(url))


def fills_web_root(call: JudgedCall) -> bool:
    """Whether data is put into a folder that a web server shows to everyone: `/var/www/html/backup.sql`."""
    return call.keyed(_OUTPUTS) and any(map(_is_in_web_root, call.arguments))


def _is_in_web_root(one: Argument) -> bool:
    if one.words.isdisjoint(_OUTPUTS) or not isinstance(one.value, str) or len(one.value) > MAX_PATH:
        return False
    return _WEB_ROOT.search(one.low) is not None and one.low.endswith(_WORDS.data_endings)


_OUTPUTS = _WORDS.result_words | _WORDS.output_keys
_WEB_ROOT = late(f"(?:^|/)(?:{'|'.join(_WORDS.web_roots)})(?:/|$)")
MAX_PATH = 400


def uses_foreign_service(call: JudgedCall) -> bool:
    """Whether sensitive content is processed by a foreign host: `engine: "https://…"`."""
    if not call.keyed(_WORDS.processor_keys):
        return False
    private = call.has("sensitive", "confidential", "health")
    return any(
        not _WORDS.processor_keys.isdisjoint(one.keys) and is_strange_host(one) and (private or _BARE.match(one.value))
        for one in call.arguments
    )


def is_strange_host(one: Argument) -> bool:
    """Whether an argument is the address of a host on the web that is neither local nor well known."""
    return isinstance(one.value, str) and is_url(one.value) and _NEAR.isdisjoint(host_flags(one.value))


def sends_secret_file(call: JudgedCall) -> bool:
    """Whether a file with keys is sent: `upload_file {"local_path": "~/.aws/credentials"}`."""
    if call.meaning.verb not in _AWAY and not call.words(_UPLOADING):
        return False
    return any(
        isinstance(one.value, str) and _LOCAL_PATH.match(one.value) is not None and "secret" in traits(one.value)
        for one in call.arguments
    )


_AWAY = frozenset({"send", "publish", "share", "export"})
_UPLOADING = frozenset({"upload", "attach", "put", "post"})
_LOCAL_PATH = late(r"(?:~|/home/[^/]+|/Users/[^/]+|/root)/\S{1,200}$")


def displays_confidential(call: JudgedCall) -> bool:
    """Whether a public screen or loudspeaker presents confidential content."""
    return call.words(_WORDS.displays) and call.has("confidential", "holds_key", "exposing")
