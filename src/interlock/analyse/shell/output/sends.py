"""Programs that carry local content away: what they take, and where it goes, by `knowledge/tables/senders.toml`."""

from __future__ import annotations

from itertools import pairwise

from interlock.analyse.addresses.destinations import (
    ACCOUNT,
    CARRIED,
    ELSEWHERE,
    address_of,
    has_file_ending,
    is_below,
    is_public_host,
)
from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.output.local_content import find_carried_mark, input_marks, path_marks
from interlock.knowledge.arguments import find_values
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.commands import Hosts, SenderPrograms, Senders
from interlock.patterns import late

_TABLE = read_table("senders", Senders)


def _by_program() -> dict[str, list[SenderPrograms]]:
    found: dict[str, list[SenderPrograms]] = {}
    for sender in _TABLE.senders:
        for program in sender.programs:
            found.setdefault(program, []).append(sender)
    return found


SENDERS = _by_program()
_STORES = frozenset(read_table("hosts", Hosts).stores)
_VERBS = frozenset(_TABLE.sending_verbs)
_FETCHING = frozenset(_TABLE.fetching_verbs)
_HARMLESS = frozenset(_TABLE.harmless_options)
_COPY = frozenset({"copy"})
_CARRIED = frozenset({CARRIED})
#: Options whose value is the name of a file, whatever it looks like.
_FILE_OPTIONS = frozenset(_TABLE.file_options)
_PARTS = late(r"[\s:._/-]+")


def read_sends(call: ShellCall, senders: list[SenderPrograms], first: int) -> None:
    """Report what a listed program sends, after its other effects from `first` on."""
    if not _HARMLESS.isdisjoint(call.words) and not (call.words.count("-h") and len(call.words) > 3):
        return
    operands = _operands(call)
    if len(operands) > MIN_REMOTE:
        _record_remote(call, operands)
    named = f" {' '.join(operands[:8])} "
    for sender in senders:
        if sender.commands and not _names_command(named, sender):
            continue
        if sender.store in _MESSAGES:
            _mark_message(call, sender, first)
            if sender.store == "mail":
                continue
        content = _content_of(call, sender)
        if CARRIED in content:
            _report(call, sender, content)
            return


def _operands(call: ShellCall) -> list[str]:
    """Return the words that are not options."""
    return [
        word
        for before, word in pairwise(call.words)
        if (word[:1] != "-" or word == "-") and not (before[:2] == "--" and _AMOUNT.fullmatch(word))
    ]


_AMOUNT = late(r"\d+(?:\.\d+)?(?:[kKmMgGtT]i?[bB]?|[smhd]|ms|%)?")


def _names_command(text: str, sender: SenderPrograms) -> bool:
    """Whether one of the subcommands that send stands among the first words, which have spaces around them."""
    return any(command in text and f" {command} " in text for command in sender.commands)


def _values_of(call: ShellCall, options: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the values of options, each with the name of its option; those of short ones may be attached."""
    words = call.words[1:]
    attached = [word for word in words if word[:1] == "-" and word[1:2] not in ("", "-") and word[:2] in options]
    attached = [word for word in attached if len(word) > 2 and word.partition("=")[0] not in options]
    return [*find_values(words, options), *((word[:2], word[2:]) for word in attached)]


def _target_of(call: ShellCall, sender: SenderPrograms) -> tuple[str, str]:
    """Return the word that names the target, and its address as a URL if it has one."""
    for _, value in _values_of(call, sender.options):
        address = _address(value) or _address(value.partition("=")[2])
        if address:
            return value, address
    for name in sender.variables:
        value = call.scope.value(name) if name in call.scope.variables else ""
        if _address(value):
            return value, _address(value)
    operands = _operands(call) if sender.operands else []
    if sender.operands in ("last", "name"):
        operands = operands[-1:]
    if sender.store == "image":
        return _image_target(operands)
    for operand in operands:
        address = _find_added_remote(call, operand) or _address(operand)
        if address:
            return operand, address
    named = sender.operands == "name" and operands and operands[0][:1] not in ("/", ".", "~", "-")
    return (operands[0], f"account:{operands[0]}") if named else ("", "")


def _find_added_remote(call: ShellCall, operand: str) -> str:
    """Return the address of a remote of the program that this action has set up: `tmp:in`, `tmp/in`."""
    remotes = call.scope.reading.remotes
    return remotes.get(f"{call.program} {operand.replace('/', ':').partition(':')[0]}", "") if remotes else ""


_SETUPS = frozenset({("config", "create"), ("alias", "set"), ("remote", "add")})
MIN_REMOTE = 3  # words that set up a remote: two for the command, and its name


def _record_remote(call: ShellCall, words: list[str]) -> None:
    """Remember a remote that the program is set up with: `rclone config create`, `mc alias set`."""
    at = 2 if tuple(words[:2]) in _SETUPS else 0
    if at and len(words) > at + 1:
        for word in words[at + 1 :]:
            address = _address(word) or _address(word.partition("=")[2])
            if address and not address.startswith("account:"):
                call.scope.reading.remotes[f"{call.program} {words[at]}"] = address
                return


def _address(text: str) -> str:
    """Return the address in a value, where a public host alone counts as one."""
    return address_of(text) or (f"tcp://{text.rpartition('@')[2]}" if text and is_public_host(text) else "")


def _image_target(operands: list[str]) -> tuple[str, str]:
    """Return the registry of an image that is named in full."""
    for operand in reversed(operands):
        registry, slash, _ = operand.removeprefix("oci://").removeprefix("docker://").partition("/")
        if slash and ("." in registry or ":" in registry) and registry.strip("."):
            return operand, f"https://{registry}/"
    return "", ""


def _content_of(call: ShellCall, sender: SenderPrograms) -> frozenset[str]:
    """Return the marks of the local content that a call takes: `carried`, and where it comes from."""
    reading = call.scope.reading
    marks = input_marks(call.stdin, reading) | find_carried_mark(call.words, reading)
    for name, value in _values_of(call, sender.carries) if sender.carries else ():
        text = name == "--body" and sender.store == "message"  # elsewhere it names a file
        marks |= _value_marks(call, "" if text else name, value)
    if sender.content == "always":
        return marks | _CARRIED
    if sender.content in ("files", "paths"):
        target = _target_of(call, sender)[0]
        others = {target, "-", *" ".join(sender.commands).split()}
        for word in _operands(call):
            if word not in others and not address_of(word) and (sender.content == "files" or _is_path(word)):
                marks |= _path_marks(call, word)
    return marks


def _is_path(word: str) -> bool:
    """Whether a word is a path rather than a name: it has a folder or the ending of a file."""
    return word[:1] in "/~." or "/" in word or has_file_ending(word)


def _value_marks(call: ShellCall, name: str, value: str) -> frozenset[str]:
    """Return the marks of the value of an option: a file, or a text with the output of a command in it."""
    marks = call.scope.reading.marks(value) if HOLE in value else frozenset[str]()
    if value.startswith(("@", "file://", "fileb://")) or "=@" in value:
        return marks | _path_marks(call, value.rpartition("@")[2].removeprefix("file://").removeprefix("fileb://"))
    named = name in _FILE_OPTIONS or value.startswith(("/", "~", "./", "../"))
    if named and value and not any(letter in value for letter in ' {"'):
        return marks | _path_marks(call, value)
    return marks


def _path_marks(call: ShellCall, path: str) -> frozenset[str]:
    """Return the marks of a path whose content is sent."""
    return path_marks(call.scope.reading, path, call.site.cwd)


def _report(call: ShellCall, sender: SenderPrograms, content: frozenset[str]) -> None:
    """Report a send of local content to its target."""
    reading = call.scope.reading
    target, address = _target_of(call, sender)
    flags = content | _COPY
    if address and not _is_account(sender, address):
        if _TELLING & flags or _NEAR.isdisjoint(host_flags(address)):
            reading.url("net.send", call.site, target, flags, address)
    elif sender.store in _ACCOUNTS and (address or not sender.operands or sender.operands == "any"):
        foreign = "sig=" in target or any(_uses_account(call, word) for word in sender.account)
        flags |= {ACCOUNT, "foreign_account"} if foreign else {ACCOUNT}
        if _TELLING & flags:
            reading.emit("net.send", call.site, target or call.program, flags)


#: Content that matters wherever it goes, and accounts that are not the tool's own.
_TELLING = frozenset("secret environment personal workspace records dump foreign_account".split())
_NEAR = frozenset({"local", "private"})
#: Stores whose targets lie in an account that the program is configured with.
_ACCOUNTS = frozenset({"account", "message"})


def _is_account(sender: SenderPrograms, address: str) -> bool:
    """Whether a target lies in an account that the program is configured with: a bucket, or `remote:path`."""
    if address.startswith("account:"):
        return True
    if sender.store not in _ACCOUNTS:
        return False
    return is_below(host_of(address), _STORES) or (address.startswith("ssh://") and "local" in host_flags(address))


def _uses_account(call: ShellCall, word: str) -> bool:
    """Whether an option, a word or a variable of the command says which account is used."""
    if word.startswith("$"):
        return word[1:] in call.scope.variables
    return any(given == word or given.startswith(word + "=") for given in call.words[1:])


def read_mount(call: ShellCall) -> None:
    """Remember a folder of another machine that is mounted here, so that what is written to it counts as sent."""
    operands = _operands(call)
    addresses = [found for word in operands if (found := address_of(word))]
    folders = [word for word in operands[-2:] if not address_of(word)]
    if addresses and folders:
        reading = call.scope.reading
        folder = reading.places.resolve(folders[-1], call.scope.cwd) or folders[-1]
        reading.mount(folder.rstrip("/"), addresses[0])


#: Programs that mount a folder of another machine.
MOUNTING = programs_in("mounting-programs")


#: Stores of senders whose targets are people.
_MESSAGES = frozenset({"mail", "message"})
_MANY = frozenset({"many"})
# Numbers of telephones, and topics that everyone who buys or reads something listens to.
_TELEPHONE = late(r"^(?:whatsapp:|tel:|sms:)?\+\d{4,}$")
_EVERYONE = late(
    r"(?i)(?:^|[:/_.-])(?:all|every(?:one|body)|customers?|clients?|subscribers?|members?|users|newsletters?|marketing|public)(?:$|[_.-])"
)
_TOPICS = _TABLE.topic_options
_OWN_ACCOUNT = frozenset(_TABLE.account_options)


def _mark_message(call: ShellCall, sender: SenderPrograms, first: int) -> None:
    """Mark a message that takes local content to a recipient outside, or that goes to everyone."""
    reading = call.scope.reading
    if any(_EVERYONE.search(value) for _, value in _values_of(call, _TOPICS)):
        reading.mark_effects(first, "message.send", _MANY)
    marks = _content_of(call, sender)
    if CARRIED not in marks:
        return
    outside = any(_is_outside(word) for before, word in pairwise(call.words) if before not in _OWN_ACCOUNT)
    flags = marks | ({ELSEWHERE} if outside and (sender.store == "mail" or _names_person(call)) else set())
    reading.mark_effects(first, "message.send", frozenset(flags))


def _names_person(call: ShellCall) -> bool:
    """Whether a word of a message names who gets it, and is no text with the output of a command in it."""
    words = [word for before, word in pairwise(call.words) if before not in _OWN_ACCOUNT and HOLE not in word]
    return any(_is_outside(word) for word in words)


def _is_outside(word: str) -> bool:
    """Whether a word names a recipient outside: a number, an address at a public host, or one that is not known."""
    if HOLE in word and word[:1] != "-":
        return True
    text = word.rpartition("=")[2]
    _, at, domain = text.rpartition("@")
    if at:
        return "." in domain and is_public_host(domain.strip("<>,;}]\"'"))
    return _TELEPHONE.match(text) is not None


def _plain_address(word: str) -> str:
    """Return an address that can be nothing else: a URL, an IP address, or `user@host:path`."""
    text = word.partition("=")[2] if word[:1] == "-" else word
    if "://" in text:
        return address_of(text)
    if _NUMBERS.match(text) or (_AT.match(text) and ":" in text):
        return _address(text)
    return ""


_NUMBERS = late(r"^(?:[\w.-]+@)?\d{1,3}(?:\.\d{1,3}){3}(?:[:/]|$)")
_AT = late(r"^[\w.-]+@[\w-]+(?:\.[\w-]+)+:(?!\d+$)")


def read_unlisted_sends(call: ShellCall) -> None:
    """Report what a program that nobody has listed sends, by its verbs, paths and addresses."""
    words = call.words[1:]
    addresses = [found for word in words if (found := _plain_address(word))]
    if not addresses or not _HARMLESS.isdisjoint(words):
        return
    named = [call.program, *(word.partition("=")[0] for word in words if word[:1] == "-" or not _is_path(word))]
    parts = {part.lower() for word in named if "://" not in word for part in _PARTS.split(word.lstrip("-"))[:4]}
    marks = input_marks(call.stdin, call.scope.reading)
    paths = [
        word for word in words if word[:1] != "-" and not _plain_address(word) and _is_path(word.removeprefix("@"))
    ]
    if parts & _VERBS and not parts & _FETCHING:
        for path in paths:
            marks |= _path_marks(call, path.removeprefix("@"))
    marks |= find_carried_mark(words, call.scope.reading)
    if CARRIED in marks:
        call.scope.reading.url("net.send", call.site, addresses[-1], marks | _COPY)
