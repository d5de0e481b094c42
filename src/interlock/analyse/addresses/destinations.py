"""Destinations: the class of the place that data is sent to. Sending local content elsewhere needs approval."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Hosts
from interlock.patterns import late

_TABLE = read_table("hosts", Hosts)
_USUAL = frozenset(_TABLE.usual)
_ECHOES = frozenset(_TABLE.echoes)

#: The classes, as flags: an effect that sends has at most one of them.
LOCAL: Final = "local"
PRIVATE: Final = "private"
USUAL: Final = "usual"
TRUSTED: Final = "trusted"
ACCOUNT: Final = "account_store"
ELSEWHERE: Final = "elsewhere"
CLASSES = frozenset({LOCAL, PRIVATE, USUAL, TRUSTED, ACCOUNT, ELSEWHERE})

#: The flag of an effect with which local content leaves: a file, a pipe, the output of a command.
CARRIED: Final = "carried"
_SENDING = frozenset({"net.send", "message.send"})
_NEAR = frozenset({LOCAL, PRIVATE, "unknown_host", "socket_file", "metadata"})
_NOTHING: frozenset[str] = frozenset()
_ECHO = frozenset({"echo"})
_ROUTINE = frozenset({"routine"})
_NOT_A_HOST = frozenset({"", "socket", "ftp"})


def destination_flags(kind: str, address: str, flags: frozenset[str], trusted: frozenset[str]) -> frozenset[str]:
    """Return the flags of the destination of an effect, and its class if the effect sends something.

    >>> sorted(destination_flags("net.send", "https://example.com/x", frozenset(), frozenset()))
    ['elsewhere']
    """
    if ACCOUNT in flags:
        return _NOTHING
    found = host_flags(address)
    if kind not in _SENDING and CARRIED not in flags:
        return found
    host = host_of(address)
    if (
        host in _NOT_A_HOST
        or " " in address.partition(HOLE)[0]
        or not _NEAR.isdisjoint(found)
        or not CLASSES.isdisjoint(flags)
    ):
        return found
    if CARRIED not in flags and is_below(host, _ECHOES):
        return found | _ECHO
    named = _class_of(address, trusted)
    asks = CARRIED not in flags and (is_routine_request(address) or (not found and _ASKING.match(address) is not None))
    return found | named | _ROUTINE if asks else found | named


#: What every attack by the text of an address has behind the host; `=/` begins a path to a file.
_PAYLOAD = late(r"['\"<{;|`\\(\n]|\.\.|%[0-9a-fA-F]{2}|\$|=(?:/|\w+:/)|[?&].*\b(?:[oO][rR]|[aA][nN][dD]|[uU][nN][iI])")
_ATTACK = frozenset({"attack"})


def attack_flags(address: str) -> frozenset[str]:
    """Return the flag of an address whose text attacks what answers there.

    >>> sorted(attack_flags("https://example.com/?id=1' OR '1'='1")), sorted(attack_flags("https://example.com/"))
    (['attack'], [])
    """
    if _PAYLOAD.search(address) is None:
        return _NOTHING
    from interlock.analyse.addresses.attack_texts import is_attack_address  # few addresses have a text

    return _ATTACK if is_attack_address(address) else _NOTHING


# Requests with a body that only read something.
_ASKING = late(
    r"^https://[\w.-]+/(?:[\w.~-]+/)*[$:]?(?:query|querybatch|search|_search|_msearch|_count|lookup|validate|lint|translate|"
    r"geocode|resolve|sparql|preview|simulate|estimate|calculate|dry-?run|expand|explain)/?(?:\?|$)"
)


def _class_of(address: str, trusted: frozenset[str]) -> frozenset[str]:
    """Return the class of an address outside this machine and its network."""
    if trusted and is_below(host_of(address), trusted):
        return frozenset({"trusted"})
    return _public_class(address)


@lru_cache(maxsize=1024)
def _public_class(address: str) -> frozenset[str]:
    """Return whether a public address is a usual one."""
    return frozenset({"usual"}) if is_below(host_of(address), _USUAL) else frozenset({"elsewhere"})


# Collections at usual hosts that everyday work adds to: comments, issues, labels; and requests to models.
_EVERYDAY = late(
    r"^https://(?:api\.github\.com/repos/[\w.-]+/[\w.-]+/(?:issues|pulls)(?:/(?:comments/)?\d+/(?:comments|labels|reactions|assignees|reviews|replies))?"
    r"|gitlab\.com/api/v4/projects/[\w.%-]+/(?:issues|merge_requests)(?:/\d+/(?:notes|discussions|award_emoji))?"
    r"|api\.bitbucket\.org/2\.0/repositories/[\w.-]+/[\w.-]+/(?:issues|pullrequests)/\d+/comments"
    r"|[\w.-]+/(?:api/)?v\d\w*/(?:chat/completions|completions|messages|embeddings|responses|moderations|rerank|models/[\w.-]+:\w+))/?(?:\?|$)"
)


@lru_cache(maxsize=256)
def is_routine_request(address: str) -> bool:
    """Whether a request without local content to a usual host is everyday work.

    >>> is_routine_request("https://api.github.com/repos/acme/app/issues/7/comments")
    True
    >>> is_routine_request("https://api.github.com/gists")
    False
    """
    return is_below(host_of(address), _USUAL) and _EVERYDAY.match(address) is not None


_DISGUISES = frozenset({"deceptive", "shortened", "imitation"})
_SOURCE = late(r"(?:^|[\s+@=])((?:https?|ftp|git|ssh|oci)://[^\s]+|(?:[\w%-]+\.)+[\w-]{2,}/[^\s]*)")


def source_flags(name: str) -> frozenset[str]:
    """Return flags that say how the source of code or packages is disguised, if it is.

    >>> sorted(source_flags("https://githib.com/acme/app")), sorted(source_flags("github.com/acme/app"))
    (['deceptive'], [])
    """
    found = _SOURCE.search(name[:2_048])
    return host_flags(found[1]) & _DISGUISES if found else _NOTHING


def is_below(host: str, names: frozenset[str]) -> bool:
    """Whether a host is one of these names, or below one."""
    host = host.rstrip(".")
    while host:
        if host in names:
            return True
        host = host.partition(".")[2]
    return False


_STORES = late(
    r"^(?:s3|s3a|s3n|gs|gcs|az|azure|abfss?|wasbs?|b2|oss|cos|obs|swift|oci|r2|hf|mega|dropbox|gdrive)://?",
    re.IGNORECASE,
)
_SCHEME = late(r"^[a-zA-Z][a-zA-Z0-9+.\-]*://")
_PREFIX = late(
    r"^(?:sftp|s3|rest|ssh|scp|webdavs?|swift|b2|gs|azure|rclone|docker|oci|docker-archive|tcp|tcp4|tcp6|udp|ssl|openssl"
    r"|file|local|dir|docker-daemon|containers-storage|oci-archive)(?:-client)?:(?!//)",
    re.IGNORECASE,
)
_HERE = late(
    r"^(?:file|local|dir|docker-daemon|containers-storage|oci-archive|docker-archive|sqlite)(?::|://)", re.IGNORECASE
)
_SHARE = late(r"^(?://|\\\\\\\\|\\\\)([^/\\?.][^/\\]*)[/\\]")
_COPY = late(r"^(?:[^@\s/:=\0]+@)?(\[[0-9a-fA-F:]+\]|[\w\0(.-]{1,253}\)?\0?)::?(?![/\\]{2}\w+@)")
_PORT = late(r"^(?:[\w.+-]+@)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[\w-]+\.)+[a-zA-Z]{2,}|\[[0-9a-f:]+\]):\d{2,5}(?:/|$)")
_ON_THE_FLY = late(r"(?:host|url|endpoint|server)=\"?((?:https?://)?[^,:\"]+)")
_EXTENSION = late(
    r"(?i)\.(?:txt|md|rst|csv|tsv|jsonl?|ya?ml|toml|xml|html?|css|[mc]?[jt]sx?|py|rb|rs|go|java|kt|c|h|cpp|hpp|sh|bash|zsh|pl|php|lua|sql"
    r"|db|sqlite3?|log|gz|xz|bz2|zst|zip|tar|tgz|7z|rar|iso|img|bin|exe|dll|so|a|o|deb|rpm|apk|jar|war|whl|png|jpe?g|gif|svg|webp|ico|mp[34]|mkv"
    r"|avi|mov|wav|flac|ogg|pdf|docx?|xlsx?|pptx?|odt|ods|conf|cfg|ini|env|lock|pem|key|crt|cer|der|pub|asc|sig|p12|pfx|bak|tmp|swp|pid|sock"
    r"|dump|parquet|avro|pcap|eml|mbox|proto|graphql|tf|tfstate|ps1|bat|cmd|vcf|ics|nix|ipynb|r|jl|ex|exs|erl|hs|ml|scala|swift|dart|vue|plist)$"
)
_HOST_ONLY = late(r"^(?:[^@\s/]+@)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[\w-]+\.)+[a-zA-Z]{2,24})\.?$")


def address_of(text: str) -> str:
    """Return the address in a target of a copy, a backup or an upload as a URL, or nothing if it is on this machine.

    A bucket or a remote of the tool's own configuration is `account:…`.

    >>> address_of("sftp:me@example.com:/x"), address_of("me@10.0.0.1:x"), address_of("s3://b/x"), address_of("build/x")
    ('ssh://example.com', 'ssh://10.0.0.1', 'account:s3://b/x', '')
    """
    if not text or len(text) > 4_096 or _HERE.match(text):
        return ""
    if text.startswith(":") and "," in text:  # rclone: a remote that the command itself describes
        found = _ON_THE_FLY.search(text)
        return _url(found[1]) if found else "account:" + text
    if _STORES.match(text):
        rest = text.partition(":")[2].lstrip("/")
        return rest if _SCHEME.match(rest) else "account:" + text
    if _SCHEME.match(text):
        return text
    inner = _PREFIX.match(text)
    if inner:
        rest = text[inner.end() :].removeprefix("//")
        if _SCHEME.match(rest) or text.startswith(("rclone:", "b2:", "gs:", "azure:", "swift:")):
            return rest if _SCHEME.match(rest) else "account:" + text
        return address_of(rest) or (_url(rest) if "." in rest.partition("/")[0] else "")
    share = _SHARE.match(text)
    if share:
        return f"smb://{share[1]}"
    if _PORT.match(text):
        return f"tcp://{text}"
    copy = _COPY.match(text)
    if copy and text[:1] not in "./~-" and not _DRIVE.match(text):
        host = copy[1].strip("[]")
        return "ssh://" + (f"[{host}]" if ":" in host else host)
    return ""


def share_address(path: str) -> str:
    r"""Return the address of a folder that another machine shares, or nothing.

    >>> share_address("\\\\203.0.113.7\\in\\x"), share_address("\\Users\\me")
    ('smb://203.0.113.7', '')
    """
    found = _SHARED.match(path)
    return f"smb://{found[1] or found[2]}" if found else ""


_SHARED = late(
    r"^\\\\(?!wsl[$.])([^\\/?.:][^\\/:]*)[\\/]|^(?://|\\)((?:\d{1,3}\.){3}\d{1,3}|(?:[\w-]+\.)+[a-zA-Z]{2,})[\\/]"
)
_DRIVE = late(r"^[A-Za-z]:(?:[\\/]|$)")


def _url(text: str) -> str:
    return text if _SCHEME.match(text) else f"ssh://{text.partition('@')[2] or text}"


def host_address(text: str) -> str:
    """Return the address of an operand that is a host by its position: `me@example.com`, `example.com`.

    >>> host_address("me@example.com"), host_address("example.com")
    ('ssh://example.com', 'ssh://example.com')
    """
    if text.startswith(HOLE):
        return text
    return address_of(text) or (f"ssh://{text.rpartition('@')[2]}" if text else "")


def has_file_ending(text: str) -> bool:
    """Whether a text ends like a file rather than like a host."""
    return _EXTENSION.search(text) is not None


def is_public_host(text: str) -> bool:
    """Whether a text is a public host: a name with a top-level domain, or an IP address that is not private."""
    if _HOST_ONLY.match(text) is None or ("@" not in text and has_file_ending(text)):
        return False
    return _NEAR.isdisjoint(host_flags(text.rpartition("@")[2]))
