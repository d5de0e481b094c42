"""What leaves by the arguments of a call, whatever the tool is called: to people outside, and to hosts of strangers."""

from __future__ import annotations

from interlock.analyse.hosts import host_flags, is_url
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.judges.messages import is_routine_message
from interlock.analyse.tools.people import addresses_in, is_outside
from interlock.analyse.tools.switches import is_true
from interlock.analyse.tools.words import DRAFTS

#: Keys of those to whom a message is sent, and of its text.
_TO = frozenset(
    (
        "to cc bcc recipient recipients mail_to email_to send_to rcpt rcpts to_list touser to_user to_users an aan para "
        "till destinatario destinatarios destinataire destinataires destinatari empfaenger empfänger ontvanger "
        "ontvangers odbiorca odbiorcy"
    ).split()
)
_TEXTS = frozenset(
    (
        "body text message html subject content say tekst onderwerp bericht corps objet texte cuerpo asunto texto "
        "mensaje nachricht betreff inhalt mensagem corpo assunto testo oggetto messaggio wiadomosc temat rubrik"
    ).split()
)
_LOOSE = frozenset({"", "run", "make", "change"})
#: Words of keys of people who get something to see or to keep.
_GETTING = frozenset(
    "share invite invited give transfer member viewer editor follower collaborator delegate heir successor".split()
)
#: Keys of what works on a text or a file somewhere else.
_PROCESSORS = frozenset(
    "engine backend provider server processor via using converter api base_url service model_url endpoint host".split()
)
#: Words of switches that let people outside see something.
_SHOWN = frozenset("visible share shared show expose open publish".split())
_OUTSIDERS = frozenset("clients client customers customer guests guest partners external outsiders vendors".split())
#: Words of tools whose text people see who pass by.
_DISPLAYS = frozenset("display screen signage lobby billboard speaker loudspeaker tts intercom kiosk".split())
_DROPPING = frozenset({"drop", "collector"})
_NEAR = frozenset({"local", "private", "usual"})


def is_grave_message(call: Call) -> bool:
    """Whether a call has recipients and a text, as a message has, and not an ordinary one."""
    if call.meaning.verb not in _LOOSE or call.words(DRAFTS) or (call.thing is not None and call.thing.name == "meeting"):
        return False
    sent = any(one.key in _TO and one.text for one in call.arguments)
    if not sent or not any(one.key in _TEXTS and isinstance(one.value, str) for one in call.arguments):
        return False
    return not is_routine_message(call)


def gives_outsider(one: Argument) -> bool:
    """Whether somebody outside gets something: `invite: "coach@gmail.com"`."""
    if one.words.isdisjoint(_GETTING) or not isinstance(one.value, str):
        return False
    return any(is_outside(mailbox, domain) for mailbox, domain in addresses_in(one.text))


def shows_outsiders(one: Argument) -> bool:
    """Whether a switch lets people outside see something: `visible_to_clients: true`."""
    return is_true(one) and not one.words.isdisjoint(_SHOWN) and not one.words.isdisjoint(_OUTSIDERS)


def delivers(one: Argument) -> bool:
    """Whether the result of a call goes to an address or a place on the web."""
    if not isinstance(one.value, str):
        return False
    if is_url(one.text) and not _DROPPING.isdisjoint(host_flags(one.text)):
        return True
    if one.words.isdisjoint(VALUES["delivering"]):
        return False
    if one.words.isdisjoint(("to", "destination", "webhook", "callback", "url", "sink")):
        return False
    return bool(addresses_in(one.text)) or is_url(one.text)


def hands_over(call: Call) -> bool:
    """Whether something that is not for everyone is worked on by a host of strangers: `engine: "https://…"`."""
    if not call.has("sensitive", "confidential", "health"):
        return False
    return any(one.key in _PROCESSORS and is_strange_host(one) for one in call.arguments)


def is_strange_host(one: Argument) -> bool:
    """Whether an argument is the address of a host on the web that is neither near nor well known."""
    return isinstance(one.value, str) and is_url(one.value) and _NEAR.isdisjoint(host_flags(one.value))


def displays_matter(call: Call) -> bool:
    """Whether a screen or a loudspeaker tells people who pass by what is for nobody else."""
    return call.words(_DISPLAYS) and call.has("confidential", "holds_key", "exposing")
