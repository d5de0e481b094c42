"""Decoders: filters that decode or decompress text."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable

from interlock.analyse.scripts.pure import bytes_of, text_of
from interlock.patterns import late

MAX_TEXT = 65_536
_DECODE = late(r"-[a-z]*[dD][a-z]*|--decode|-base64|--base64")


def _has_option(words: list[str], *options: str) -> bool:
    return any(
        word in options or (word[:1] == "-" and word[1:2] != "-" and any(o[1:] in word for o in options if len(o) == 2))
        for word in words[1:]
    )


def _base64(words: list[str], stdin: str) -> str | None:
    if not any(_DECODE.fullmatch(word) for word in words[1:]):
        return base64.b64encode(bytes_of(stdin)).decode() + "\n"
    plain = "".join(re.findall(r"[A-Za-z0-9+/_-]", stdin)).replace("-", "+").replace("_", "/")
    return text_of(base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "=" * (-len(plain) % 4)))


def _base32(words: list[str], stdin: str) -> str | None:
    if not any(_DECODE.fullmatch(word) for word in words[1:]):
        return base64.b32encode(bytes_of(stdin)).decode() + "\n"
    plain = "".join(stdin.split()).upper().rstrip("=")
    return text_of(base64.b32decode(plain + "=" * (-len(plain) % 8)))


def _basenc(words: list[str], stdin: str) -> str | None:
    if "--base16" in words:
        return text_of(bytes.fromhex("".join(stdin.split())))
    return _base32(words, stdin) if "--base32" in words else _base64(words, stdin)


def _uudecode(words: list[str], stdin: str) -> str | None:
    if "-m" in words:
        return _base64(["base64", "-d"], stdin)
    lines = [line for line in stdin.split("\n") if line and not line.startswith(("begin ", "end", "`"))]
    return text_of(b"".join(binascii.a2b_uu(line) for line in lines))


def _xxd(words: list[str], stdin: str) -> str | None:
    if not any(word.startswith("-") and "r" in word for word in words[1:]):
        return bytes_of(stdin).hex() + "\n" if any(word.startswith("-") and "p" in word for word in words[1:]) else None
    if not any(word.startswith("-") and "p" in word for word in words[1:]):  # a hex dump with offsets and text
        stdin = "".join(re.findall(r"^[0-9a-fA-F]+:((?: ?[0-9a-fA-F]{2})+)", stdin, re.MULTILINE)) or stdin
    return text_of(bytes.fromhex("".join(stdin.split())))


def _od(words: list[str], stdin: str) -> str | None:
    if any("x1" in word for word in words[1:]) and any(word in ("-An", "-A") for word in words[1:]):
        return " " + " ".join(f"{byte:02x}" for byte in bytes_of(stdin)) + "\n"
    return None


def _openssl(words: list[str], stdin: str) -> str | None:
    """`openssl base64 -d` and `openssl enc -base64 -d`, without encryption."""
    if (
        (
            len(words) > 1
            and words[1] in ("base64", "enc")
            and ("-base64" in words or "-a" in words or words[1] == "base64")
        )
        and "-in" not in words
        and not any(re.match(r"-(aes|des|bf|rc|cam|chacha)", word) for word in words)
    ):
        return _base64(["base64", *[word for word in words[2:] if word == "-d"]], stdin)
    return None


def _gunzip(words: list[str], stdin: str) -> str | None:
    if words[0].rpartition("/")[2] == "gzip" and not _has_option(words, "-d", "--decompress", "--uncompress"):
        return None
    try:
        return text_of(zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(bytes_of(stdin), MAX_TEXT))
    except zlib.error as error:
        raise ValueError(str(error)) from None


DECODERS: dict[str, Callable[[list[str], str], str | None]] = {
    "base32": _base32,
    "base64": _base64,
    "basenc": _basenc,
    "gunzip": _gunzip,
    "gzip": _gunzip,
    "od": _od,
    "openssl": _openssl,
    "uudecode": _uudecode,
    "xxd": _xxd,
    "zcat": _gunzip,
}
