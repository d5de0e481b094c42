"""Commands that decode, decompress or decrypt, whether or not that can be carried out here."""

from __future__ import annotations

from interlock.patterns import late

#: Programs that decode, decompress or decrypt, and the options that make them.
_ASKED = {
    **dict.fromkeys(("base64", "base32", "basenc"), late(r"-[a-zA-Z]*[dD][a-z]*|--decode")),
    "xxd": late(r"-[a-z]*r[a-z]*"),
    "openssl": late(r"-d"),
    **dict.fromkeys(("gzip", "bzip2", "xz", "zstd", "lz4"), late(r"-[a-z]*d[a-z]*|--decompress")),
    **dict.fromkeys(("gunzip", "bunzip2", "unxz", "zcat", "bzcat", "xzcat", "uudecode", "rev"), late("")),
    **dict.fromkeys(("gpg", "gpg2"), late(r"-d|--decrypt")),
}
#: Programs that can decode, decompress or decrypt.
DECODERS = frozenset(_ASKED)


def decodes(words: list[str]) -> bool:
    """Whether a command decodes, decompresses or decrypts its input."""
    asked = _ASKED.get(words[0].rpartition("/")[2])
    return asked is not None and (not asked.pattern or any(asked.fullmatch(word) for word in words[1:]))
