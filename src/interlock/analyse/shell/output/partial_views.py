"""Partial views: filters that show less than they read, such as a count, or the names of variables without values."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from interlock.analyse.secrets.keys import traces_a_key
from interlock.analyse.shell.output.secret_sources import ISSUERS
from interlock.knowledge.catalogue import programs_in
from interlock.patterns import late

_COUNTING = programs_in("counters")
#: Programs that search files for a pattern.
SEARCHING = programs_in("searchers")
_COUNTS = late(r"-[A-Za-z]*[cqlL][A-Za-z]*|--(?:count|quiet|silent|files-with-matches|files-without-match)")
_FIRST_FIELD = late(r"(?:-f|--fields=)1")
_AT_EQUALS = late(r"(?:-d|--delimiter=|-F)=?['\"]?[=:]['\"]?")
_FIRST_ONLY = late(r"[^$]*\{\s*print\s+\$1\s*;?\s*\}\s*")
_VALUES_CUT = late(r"s(.)(?:\\\(|\()?(?:\^?\[\^=\][*+])?=\.[*+](?:\\\)|\))?\$?\1[=*\w<>.…-]*\1g?")
_KEYS_ONLY = late(r"\.?(?:\w+\s*\|\s*)?(?:keys(?:_unsorted)?(?:\[\])?|length|type|has\(.*\)|map_values\(type\))")
_INVERTED = late(r"-[A-Za-z]*v[A-Za-z]*|--invert-match")
_VALUED = late(r"-[ABCmgtf]|--(?:include|exclude|exclude-dir|glob|type|file|max-count|color)")
_WILD = late(r"[\W_]*")


def view_of(words: list[str]) -> str:
    """Return what a filter shows of its input: `counts`, `names` of variables, or an empty string for all of it.

    >>> view_of(["wc", "-l", ".env"]), view_of(["cut", "-d=", "-f1", ".env"]), view_of(["cut", "-c1-9", ".env"])
    ('counts', 'names', '')
    """
    name = words[0].rpartition("/")[2]
    if name in _COUNTING:
        return "counts"
    if name in SEARCHING:
        if any(_COUNTS.fullmatch(word) for word in words[1:]):
            return "counts"
        return "counts" if _finds_plain_settings(words) else ""
    view = _VIEWS.get(name)
    return view(words) if view is not None else ""


# Settings that stand beside secrets in the same files, and are none.
_SETTING = late(
    r"(?i)\^?(?:(?:aws_|sso_|default_)?region|output|\\?\[?profile|port|node_env|app_env|rails_env|flask_env|environment|env"
    r"|log_?level|debug|registry|log_format|timezone|tz|current-context|namespace|cli_pager|version|app_name|app_port)\s*[=:]?"
)
_GROUPING = late(r"[()]|\\(?=[|()])")
_CONTEXT = late(r"-[ABC]\d*|-\d+|--(?:after-|before-)?context(?:=\d+)?")


def _finds_plain_settings(words: list[str]) -> bool:
    """Whether a search shows only lines of settings that are no secrets: `grep '^region' ~/.aws/config`."""
    patterns = [word for word in words[1:] if word[:1] != "-"][:1]
    if (
        not patterns
        or any(_CONTEXT.fullmatch(word) for word in words)
        or inverts(words)
        or "-e" in words
        or "-f" in words
    ):
        return False
    return all(_SETTING.fullmatch(part) for part in _GROUPING.sub("", patterns[0]).split("|"))


def _view_of_cut(words: list[str]) -> str:
    text = " ".join(words[1:])
    joined = [first + second for first, second in pairwise(words)]
    options = [*words[1:], *joined]
    first = any(_FIRST_FIELD.fullmatch(word) for word in options)
    return "names" if first and "complement" not in text and any(map(_AT_EQUALS.fullmatch, options)) else ""


def _view_of_awk(words: list[str]) -> str:
    joined = [first + second for first, second in pairwise(words)]
    splits = any(_AT_EQUALS.fullmatch(word) for word in [*words[1:], *joined])
    return "names" if splits and any(_FIRST_ONLY.fullmatch(word) for word in words[1:]) else ""


def _view_of_sed(words: list[str]) -> str:
    scripts = [word for word in words[1:] if word[:1] != "-" and "=" in word]
    return "names" if len(scripts) == 1 and _VALUES_CUT.fullmatch(scripts[0]) else ""


def _view_of_jq(words: list[str]) -> str:
    program = next((word for word in words[1:] if word[:1] != "-"), "")
    return "counts" if _KEYS_ONLY.fullmatch(program.strip()) else ""


_VIEWS: dict[str, Callable[[list[str]], str]] = {
    "cut": _view_of_cut,
    **dict.fromkeys("awk gawk mawk nawk".split(), _view_of_awk),
    **dict.fromkeys(("sed", "gsed"), _view_of_sed),
    **dict.fromkeys(("jq", "gojq"), _view_of_jq),
}


#: Programs that may show less than they read.
VIEWING = _COUNTING | SEARCHING | _VIEWS.keys()


def narrow(words: list[str], marks: frozenset[str]) -> frozenset[str]:
    """Return the marks of a filter's output: without `variable` if it shows no values of secrets.

    >>> sorted(narrow(["grep", "NODE_"], frozenset({"environment", "variable"})))
    ['environment']
    >>> sorted(narrow(["grep", "-i", "token"], frozenset({"environment", "variable"})))
    ['environment', 'variable']
    """
    if view_of(words):
        return marks - {"variable", "environment"}
    if words[0].rpartition("/")[2] in SEARCHING and "environment" in marks and not _finds_secrets(words):
        return marks - {"variable"}
    return marks


def _finds_secrets(words: list[str]) -> bool:
    """Whether a search in the environment shows secrets: by their names, by who issues them, or all variables."""
    patterns = []
    for before, word in pairwise(words):
        if (before in ("-e", "--regexp") or word[:1] != "-") and not _VALUED.fullmatch(before):
            patterns.append(word)
    told = any(tells(pattern) for pattern in patterns)
    if inverts(words):
        return not told
    return told or any(_WILD.fullmatch(pattern) for pattern in patterns)


def inverts(words: list[str]) -> bool:
    """Whether a search shows what does not match: `grep -v`."""
    return any(_INVERTED.fullmatch(word) for word in words[1:])


def tells(pattern: str) -> bool:
    """Whether a pattern is about secrets: it names them, or who issues them."""
    upper = pattern.upper()
    if traces_a_key(pattern) or traces_a_key(upper) or _BARE.search(upper):
        return True
    return not ISSUERS.isdisjoint(re.findall(r"[A-Z]+", upper))


_BARE = late(r"KEY|TOKEN|SECRET|PASS|CRED|AUTH(?!OR)|_URL|DSN")
