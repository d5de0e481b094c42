"""Words of any program that say that it shows a secret: `--show-secrets`, `token print`, `export-private-key`."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.files import SecretWords
from interlock.patterns import late

#: Programs whose words are text.
_TEXT = programs_in("text-tools")
_WORDS = read_table("secret-words", SecretWords)
_SHOWING, _SECRETS = frozenset(_WORDS.showing_verbs), frozenset(_WORDS.secret_nouns)
_NAMED = late(
    r"(?:get|show|dump|export|print|reveal|recover)-?_?(?:seed|mnemonic|priv(?:ate)?-?_?keys?|passwords?|secrets?|tokens?"
    r"|credentials?|wallet|masterkey|access-token|api-?key)"
)
_PARTS = late(r"[:._/-]+")
_STORE = frozenset({"secret", "store"})
MAX_WORDS = 4


def report_reveal(call: ShellCall, first: int) -> None:
    """Report a call with an option that reveals secrets, unless its effects from `first` on say so already."""
    known = any(
        effect.kind == "secret.read" or "show_secrets" in effect.flags for effect in call.scope.reading.effects[first:]
    )
    if not known and call.program not in _TEXT:
        call.scope.reading.emit("secret.read", call.site, " ".join(call.words[:3]), _STORE)


def report_secret_verbs(call: ShellCall) -> None:
    """Report an unknown program whose subcommand shows a secret: `vaultctl secret get db`."""
    words = [word for word in call.words[1:] if word[:1] not in ("-", "/", ".", "~") and HOLE not in word][:MAX_WORDS]
    first = [part for word in words[:3] for part in _PARTS.split(word.lower())]
    whole = any(_NAMED.fullmatch(word.lower()) for word in words[:2])
    if whole or not (_SECRETS.isdisjoint(first[:4]) or _SHOWING.isdisjoint(first[:4])):
        call.scope.reading.emit("secret.read", call.site, " ".join(call.words[:3]), _STORE)
