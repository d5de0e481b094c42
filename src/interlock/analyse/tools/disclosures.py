"""What leaves by the arguments of a call, whatever the tool is called: to people outside, and to hosts of strangers."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.files.traits import traits
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.judges.messages import is_routine_message
from interlock.analyse.tools.people import is_outside, mail_addresses_in
from interlock.analyse.tools.switches import is_true
from interlock.analyse.tools.words import DRAFTS
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

#: Keys of those to whom a message is sent, and of its text.
_TO = frozenset(
    (
        "to cc bcc recipient recipients mail_to email_to send_to rcpt rcpts to_list touser to_user to_users an aan "
        "para till destinatario destinatarios destinataire destinataires destinatari empfaenger empfänger ontvanger "
        "ontvangers odbiorca odbiorcy segment segments audience included_segments recipients_csv"
    ).split()
)
_TEXTS = frozenset(
    (
        "body text message html subject content say tekst onderwerp bericht corps objet texte cuerpo asunto texto "
        "mensaje nachricht betreff inhalt mensagem corpo assunto testo oggetto messaggio wiadomosc temat rubrik "
        "template template_id template_name campaign contents letter newsletter"
    ).split()
)
_LOOSE = frozenset({"", "run", "make", "change"})
#: Words of keys of people who get something to see or to keep.
_GETTING = frozenset(
    "share invite invited give transfer member viewer editor follower collaborator delegate heir successor".split()
)
#: Keys of what works on a text or a file somewhere else.
_PROCESSORS = frozenset(
    "engine backend provider server processor via using converter api base_url service model_url endpoint host "
    "service_url remote_url upload_url".split()
)
#: Words of switches that let people outside see something.
_SHOWN = frozenset("visible share shared show expose open publish".split())
_OUTSIDERS = frozenset("clients client customers customer guests guest partners external outsiders vendors".split())
#: Words of tools whose text people see who pass by.
_DISPLAYS = frozenset("display screen signage lobby billboard speaker loudspeaker tts intercom kiosk".split())
_DESTINATION = frozenset({"destination"})
#: Keys around the address to which results go: `output: {"email": …}`.
_DELIVERIES = frozenset("destination destinations output outputs delivery deliver export result results sink".split())
_DROPPING = frozenset({"drop", "collector"})
_BARE = late(r"https?://\d{1,3}(?:\.\d{1,3}){3}\b")
_NEAR = frozenset({"local", "private", "usual"})


def is_grave_message(call: JudgedCall) -> bool:
    """Whether a call has recipients and a text, as a message has, and not an ordinary one."""
    if (
        call.meaning.verb not in _LOOSE
        or call.words(DRAFTS)
        or (call.thing is not None and call.thing.name == "meeting")
    ):
        return False
    sent = any(one.key in _TO and one.text for one in call.arguments)
    if not sent or not any(one.key in _TEXTS and isinstance(one.value, str) for one in call.arguments):
        return False
    return not is_routine_message(call)


def gives_outsider(one: Argument) -> bool:
    """Whether somebody outside gets something: `invite: "coach@gmail.com"`."""
    if one.words.isdisjoint(_GETTING) or not isinstance(one.value, str):
        return False
    return any(is_outside(mailbox, domain) for mailbox, domain in mail_addresses_in(one.text))


def shows_outsiders(one: Argument) -> bool:
    """Whether a switch lets people outside see something: `visible_to_clients: true`."""
    return is_true(one) and not one.words.isdisjoint(_SHOWN) and not one.words.isdisjoint(_OUTSIDERS)


def delivers(one: Argument) -> bool:
    """Whether the result of a call goes to an address or a place on the web."""
    if not isinstance(one.value, str) or ("://" not in one.text and "@" not in one.text):
        return False
    if is_url(one.text) and not _DROPPING.isdisjoint(host_flags(one.text)):
        return True
    if not one.words.isdisjoint(_RESULTS) and is_url(one.text):
        return _leaves(one.text)
    words = one.words if _DELIVERIES.isdisjoint(one.keys[:-1]) else one.words | _DESTINATION
    if words.isdisjoint(VALUES["delivering"]):
        return False
    if words.isdisjoint(("to", "destination", "webhook", "callback", "url", "sink")):
        return False
    return bool(mail_addresses_in(one.text)) or (
        is_url(one.text) and (not one.text.startswith(_BUCKETS) or _leaves(one.text))
    )


def _leaves(url: str) -> bool:
    """Whether a place for results is a stranger's: an ordinary host of the web, or a bucket that is named so."""
    if url.startswith(_BUCKETS):
        return not _OTHERS.isdisjoint(split_words(url.partition("://")[2].partition("/")[0]))
    return url.startswith(_SENDING) and _NEAR.isdisjoint(host_flags(url))


def fills_web_root(one: Argument) -> bool:
    """Whether data is put into a folder that a web server shows to everyone: `/var/www/html/backup.sql`."""
    if one.words.isdisjoint(_OUTPUTS) or not isinstance(one.value, str) or len(one.value) > MAX_PATH:
        return False
    return _WEB_ROOT.search(one.low) is not None and one.low.endswith(_DATA)


_RESULTS = frozenset("output out save store dump target dest result results upload sink".split())
_OUTPUTS = _RESULTS | {"path", "file", "destination", "to", "ziel", "destino", "dst", "filename"}
_BUCKETS = ("s3://", "gs://", "az://", "abfs://", "abfss://", "wasb://", "wasbs://", "r2://", "b2://")
_SENDING = ("http://", "https://", "ftp://", "sftp://", "ftps://", "webdav://")
_OTHERS = frozenset("third party vendor vendors partner partners public personal external share shared drop".split())
_WEB_ROOT = late(r"(?:^|/)(?:var/www|srv/www|public_html|httpdocs|htdocs|wwwroot|nginx/html)(?:/|$)")
_DATA = (
    ".sql",
    ".dump",
    ".tgz",
    ".tar",
    ".gz",
    ".zip",
    ".7z",
    ".csv",
    ".json",
    ".xlsx",
    ".bak",
    ".db",
    ".sqlite",
    ".env",
)
MAX_PATH = 400


def hands_over(call: JudgedCall) -> bool:
    """Whether something that is not for everyone is worked on by a host of strangers: `engine: "https://…"`."""
    private = call.has("sensitive", "confidential", "health")
    return any(
        not _PROCESSORS.isdisjoint(one.keys) and is_strange_host(one) and (private or _BARE.match(one.value))
        for one in call.arguments
    )


def is_strange_host(one: Argument) -> bool:
    """Whether an argument is the address of a host on the web that is neither near nor well known."""
    return isinstance(one.value, str) and is_url(one.value) and _NEAR.isdisjoint(host_flags(one.value))


def sends_secret_file(call: JudgedCall) -> bool:
    """Whether a file with keys goes away: `upload_file {"local_path": "~/.aws/credentials"}`."""
    if call.meaning.verb not in _AWAY and not call.words(_UPLOADING):
        return False
    return any(
        isinstance(one.value, str) and _LOCAL_PATH.match(one.value) is not None and "secret" in traits(one.value)
        for one in call.arguments
    )


_AWAY = frozenset({"send", "publish", "share", "export"})
_UPLOADING = frozenset({"upload", "attach", "put", "post"})
_LOCAL_PATH = late(r"(?:~|/home/[^/]+|/Users/[^/]+|/root)/\S{1,200}$")


def displays_matter(call: JudgedCall) -> bool:
    """Whether a screen or a loudspeaker tells people who pass by what is for nobody else."""
    return call.words(_DISPLAYS) and call.has("confidential", "holds_key", "exposing")
