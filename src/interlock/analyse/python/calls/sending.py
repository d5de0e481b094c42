"""Calls that carry local content away: by the verb in their name, their content, and the addresses in the text.

Most clients keep the address of the other side in an object. It is not followed from call to call: the addresses that
stand in the text are the ones that a client can have been given.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from interlock.analyse.addresses.destinations import (
    ACCOUNT,
    CARRIED,
    ELSEWHERE,
    address_of,
    destination_flags,
    is_public_host,
)
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE
from interlock.analyse.payloads.verbs import words_of
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.marks import marks_of
from interlock.analyse.python.evaluation.values import Choice, Instance, Ref, Unknown, as_text
from interlock.analyse.shell.output.local_content import path_marks
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Senders
from interlock.knowledge.table_types.method_words import MethodWords
from interlock.patterns import late

_WORDS = read_table("method-words", MethodWords)

_MODULES = frozenset(read_table("senders", Senders).modules) | {"openai", "anthropic", "litellm"}
#: Words in the names of functions that send what they are given, in whatever library.
_SENDING = _WORDS.sending
#: The same words mean other things too, so that only the clients of other machines count.
_GENERAL = _WORDS.sending_of_clients
_ATTACHING = frozenset({"attach", "attachment", "attachments"})
_KNOWN = _SENDING | _GENERAL | _ATTACHING | {"create", "remote", "set", "setopt"}
_SENT = frozenset(
    "secret environment host_facts screen clipboard keys recording carried personal records workspace dump".split()
)
_COPY = frozenset({"copy"})
_LITERAL = late(r"""["']((?:[a-zA-Z][\w+.-]*://|[\w.+-]+@)?[\w\[][^\s"'\\]{2,300})["']""")
#: Imports of a text that begins with a new line. Each pattern begins with a letter of its own, so that it is quick.
_IMPORTS = (late(r"import[ \t]+([\w.]+)"), late(r",[ \t]+([\w.]+)"), late(r"\n[ \t]*from[ \t]+([\w.]+)"))
_PATH = late(r"^(?:[~/]|\.{1,2}/|[A-Za-z]:\\)|^[\w./ -]+\.\w{1,8}$")
_MAIL = late(r"[\w.+-]+@((?:[\w-]+\.)+[A-Za-z]{2,})")
_PATHS = frozenset("file files path folder filename file_path folder_path local_path path_or_fileobj document".split())
MAX_TEXT = 65_536


def content_marks(call: PythonCall, *, paths: bool = True) -> frozenset[str]:
    """Return the marks of the local content that a call is given, files that it names included."""
    marks = marks_of(call.reading, *call.values) & _SENT
    for name, value in call.keywords.items():
        if paths and isinstance(value, str) and name in _PATHS and "://" not in value:
            marks |= path_marks(call.reading, value, call.site.cwd)
    for value in call.values:
        if isinstance(value, Instance) and value.kind == "file":
            marks |= path_marks(call.reading, value.text, call.site.cwd)
        elif paths and isinstance(value, (str, Instance)) and _PATH.match(text := as_text(value)) and "://" not in text:
            marks |= path_marks(call.reading, text, call.site.cwd)
    return marks


@lru_cache(maxsize=4096)
def may_send(name: str) -> bool:
    """Whether the name of a function has a word in it by which functions send what they are given."""
    return not words_of(name.rpartition(".")[2]).isdisjoint(_KNOWN) or "publish" in name


def send_content(call: PythonCall) -> bool:
    """Report an unlisted call that sends local content; return whether it does."""
    if not may_send(call.name):
        return False
    words = words_of(call.method)
    if call.method not in _REMOTE_METHODS and "setopt" not in words and _carries_nothing(call, words):
        return False
    modules = find_imported_modules(call)
    if words & _ATTACHING:
        marks = content_marks(call)
        if CARRIED in marks:
            call.reading.attached |= marks
        return False
    if not modules & _MODULES:
        return False
    if call.method in _REMOTE_METHODS:
        return _push_repository(call, modules)
    if "setopt" in words:
        return _set_curl_option(call)
    if "create" in words:
        return _prompt_model(call, modules) or _send_message(call, modules)
    names_files = not words.isdisjoint(_SENDING) or not words.isdisjoint(_FILES)
    marks = content_marks(call, paths=names_files)
    if marks.isdisjoint(_LEAVING):
        return False
    report_send(call, marks)
    return True


def _carries_nothing(call: PythonCall, words: frozenset[str]) -> bool:
    """Whether nothing that a call is given has marks, is an open file, or may be the name of one."""
    if call.reading.taints:
        return False
    kinds = set(map(type, call.values))
    return Instance not in kinds and (str not in kinds or _NAMING_FILES.isdisjoint(words))


#: Methods that make a remote of a repository, or push to one.
_REMOTE_METHODS = frozenset({"create_remote", "set_url", "push"})
#: Marks of content that is reported when a client of another machine is given it.
_LEAVING = frozenset({CARRIED, "environment"})
_BODIES = ("HTTPPOST", "POSTFIELDS", "COPYPOSTFIELDS", "READDATA", "READFUNCTION", "INFILE", "MIMEPOST")


def _set_curl_option(call: PythonCall) -> bool:
    """Report the body of a request that pycurl sends: a form with files in it, a text, an open file."""
    option = call.arguments[0] if call.arguments else None
    if not isinstance(option, (Ref, Unknown)) or not option.name.endswith(_BODIES):
        return False
    marks, left = marks_of(call.reading, *call.values) & _SENT, list(call.arguments[1:])
    while left:
        value = left.pop()
        if isinstance(value, Choice):
            left.append(value.values)
        elif isinstance(value, (list, tuple)):
            left += list(value)[:64]
        elif isinstance(value, Instance) or (isinstance(value, str) and _PATH.match(value)):
            marks |= path_marks(call.reading, as_text(value), call.site.cwd)
    if CARRIED in marks:
        report_send(call, marks)
    return CARRIED in marks


#: Libraries whose clients hand a prompt to a model.
_MODELS = frozenset("openai anthropic litellm cohere mistralai groq together langchain_openai".split())


def _prompt_model(call: PythonCall, modules: frozenset[str]) -> bool:
    """Report a prompt with local content in it, if the text gives the address of a provider that is not usual."""
    marks = marks_of(call.reading, *call.values) & _SENT
    if modules.isdisjoint(_MODELS) or CARRIED not in marks or not _peer(call):
        return False
    report_send(call, marks)
    return True


def _send_message(call: PythonCall, modules: frozenset[str]) -> bool:
    """Report a message by a sending service whose recipients or text come from a file."""
    marks = marks_of(call.reading, *call.values) & _SENT
    if modules.isdisjoint(_SERVICES) or CARRIED not in marks:
        return False
    call.reading.emit("message.send", call.site, call.name or call.method, marks | {ELSEWHERE})
    return True


#: Services that send messages to people outside.
_SERVICES = frozenset("twilio vonage sendgrid mailjet_rest messagebird plivo sinch resend postmarker tweepy".split())
_FILES = frozenset({"put", "file", "files", "document", "photo", "video", "audio", "media"})
#: Words in the names of functions whose arguments may name files.
_NAMING_FILES = _SENDING | _FILES | _ATTACHING


def report_send(call: PythonCall, marks: frozenset[str], kind: str = "net.send") -> None:
    """Report a send of content to the address that stands in the text, or into an account at a service."""
    address = _peer(call)
    if address:
        call.reading.url(kind, call.site, address, marks | _COPY)
    else:
        call.reading.emit(kind, call.site, call.name or call.method, marks | _COPY | {ACCOUNT})


def mail_flags(call: PythonCall) -> frozenset[str]:
    """Return the flags of a message: what is attached to it or stands in it, and whether it goes outside."""
    marks = (marks_of(call.reading, *call.values) | call.reading.attached) & _SENT
    if CARRIED not in marks:
        return NONE
    text = call.host.state.text
    outside = any(is_public_host(found[1]) for found in _MAIL.finditer(text[:MAX_TEXT])) or _peer(call)
    return marks | {ELSEWHERE} if outside else marks


def base_address(call: PythonCall, url: str) -> str:
    """Return the address that a path without a host is relative to, if one stands in the text, else nothing."""
    return _peer(call) if url.startswith("/") and not url.startswith("//") else ""


def _peer(call: PythonCall) -> str:
    """Return the address in the text that content may go to: a public one first."""
    found = _addresses(call)
    trusted = call.reading.trusted
    return next((one for one in found if ELSEWHERE in destination_flags("net.send", one, NONE, trusted)), "") or (
        found[0] if found else ""
    )


def _addresses(call: PythonCall) -> list[str]:
    """Return the addresses that stand in the text as texts of their own."""
    state = call.host.state
    if state.addresses is None:
        state.addresses = [
            address for found in _LITERAL.finditer(state.text[:MAX_TEXT]) if (address := _address(found[1]))
        ]
    return state.addresses


def _address(text: str) -> str:
    """Return the address in a literal: a URL, `user@host`, `host:port`, an IP address or a host."""
    if "://" in text:
        return address_of(text)
    if "/" in text.partition(":")[0]:
        return ""
    if text in ("localhost", "127.0.0.1", "::1"):
        return f"tcp://{text}"
    bare = text.rpartition("@")[2]
    host, _, port = bare.partition(":")
    if is_public_host(host) and (not port or port.isdigit()):
        return f"tcp://{bare}"
    near = "." in host and host.endswith((".internal", ".local", ".lan", ".test", ".localhost"))
    return f"tcp://{bare}" if near or (host in ("localhost", "127.0.0.1") and port.isdigit()) else ""


def find_imported_modules(call: PythonCall) -> frozenset[str]:
    """Return the modules that the text imports, each with the packages that it lies in."""
    state = call.host.state
    if state.modules is None:
        text = "\n" + state.text[:MAX_TEXT]
        found = {name for pattern in _IMPORTS for name in pattern.findall(text)}
        for name in [name for name in found if "." in name]:
            while name:
                found.add(name)
                name = name.rpartition(".")[0]
        state.modules = frozenset(found)
    return state.modules


def _push_repository(call: PythonCall, modules: frozenset[str]) -> bool:
    """Report a push of a repository by GitPython or pygit2 to a remote that the text makes."""
    if modules.isdisjoint(("git", "pygit2", "dulwich")):
        return False
    if call.method != "push":
        texts = [value for value in call.values if isinstance(value, str)]
        if texts and HOLE not in texts[-1]:
            call.reading.remotes[texts[0]] = texts[-1]
        return False
    trusted = call.reading.trusted
    strange = any(
        ELSEWHERE in destination_flags("net.send", address_of(url) or url, NONE, trusted)
        or name not in ("origin", "upstream")
        for name, url in call.reading.remotes.items()
    )
    call.reading.emit("vcs.push", call.site, "push", frozenset({"stranger"}) if strange else NONE)
    return True


def header_marks(call: PythonCall, value: Any) -> frozenset[str]:
    """Return the marks of headers, except for those that carry credentials by design."""
    if not isinstance(value, dict):
        return marks_of(call.reading, value)
    others = [one for key, one in value.items() if not _SIGNING.search(as_text(key))]
    return marks_of(call.reading, *others) | (
        marks_of(call.reading, value) - {"secret", CARRIED, "personal", "records"}
    )


_SIGNING = late(r"(?i)authorization|token|api-?key|auth|secret|signature")
