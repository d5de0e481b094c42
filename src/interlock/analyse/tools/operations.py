"""Operations inside the arguments of a call: requests, GraphQL mutations, named actions, buttons that are pressed.

Many tools do whatever they are told: they send any request, run any action of a service, or press any button. What such a
call does is read from its arguments, as if the operation were the name of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name import Meaning, meaning_of, split_words
from interlock.patterns import late

#: Methods of HTTP → the verb that stands for them.
METHODS = {
    "GET": "get",
    "HEAD": "get",
    "OPTIONS": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "update",
    "DELETE": "delete",
}
_METHOD_KEYS = frozenset({"method", "http_method", "verb", "m", "type"})
_URL_KEYS = frozenset({"url", "uri", "endpoint", "path", "u", "href", "base_url", "route", "resource"})
_RAW_REQUEST = late(r"^(GET|HEAD|POST|PUT|PATCH|DELETE) (/\S*) HTTP/\d")
_MUTATION = late(r"\bmutation\b[^{]*\{((?:[^{}]|\{[^{}]*\}){0,4000})")
_FIELD = late(r"(?:^|[\s{},])(?:\w+\s*:\s*)?(\w+)\s*\(")
_QUERY = late(r"^\s*(?:query\b[^{]*)?\{")
_PHRASE_KEYS = frozenset(
    "element label text selector instruction goal prompt focused button step click press form action objective task".split()
)
_BROWSING = frozenset(
    "browser puppeteer playwright selenium stagehand computer web webpage dom click tab skyvern browserbase webdriver cdp ui screen desktop".split()
)
_IDENTIFIER = late(r"[\w.:/-]{2,80}")
MAX_PHRASE = 200
#: What people do on pages without changing anything.
_LOOKING = late(
    r"(?i)\b(?:do not|don't|without|never)\b.*|\b(?:cookie|banner|menu|next|previous|results?|search|filter|scroll|tab|dropdown|tooltip|popup|pop-up|dialog close)\b"
)


class Operations:
    """What the arguments of a call say that is done, and whether the tool's own name still counts."""

    __slots__ = ("is_read", "meanings")

    def __init__(self, meanings: Sequence[Meaning], *, is_read: bool = False) -> None:
        self.meanings = meanings
        self.is_read = is_read  # the arguments say that nothing is changed


def operations_of(tool_words: Sequence[str], arguments: Sequence[Argument]) -> Operations | None:
    """Return the operations in the arguments of a call, or None if the name of the tool says what it does."""
    requests = list(_requests(arguments))
    if requests:
        return Operations(requests, is_read=all(one.verb in ("read", "") for one in requests))
    queries = [one.text for one in arguments if one.key in ("query", "mutation", "graphql", "document", "body")]
    mutations = [meaning_of(name, "") for text in queries for name in _mutations(text)]
    if mutations:
        return Operations(mutations)
    if any(_QUERY.match(text) for text in queries):
        return Operations((), is_read=True)
    if not _BROWSING.isdisjoint(tool_words):
        phrases = list(_phrases(arguments))
        return Operations(phrases, is_read=not phrases)
    named = [meaning_of(one.text, "") for one in arguments if _names_operation(one)]
    named = [one for one in named if one.verb]
    return Operations(named, is_read=all(one.verb in ("read", "draft") for one in named)) if named else None


def _requests(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    methods = [one.text.upper() for one in arguments if one.key in _METHOD_KEYS and one.text.upper() in METHODS]
    for one in arguments:
        raw = _RAW_REQUEST.match(one.text) if isinstance(one.value, str) else None
        if raw:
            yield _of_request(raw[1], raw[2])
        elif methods and one.key in _URL_KEYS and isinstance(one.value, str):
            yield _of_request(methods[0], one.text)


def _of_request(method: str, address: str) -> Meaning:
    """Return what a request does: `POST /v1/refunds` makes a refund, `?Action=CreateUser` creates a user."""
    parts = urlsplit(address if "://" in address else f"//x/{address.lstrip('/')}")
    action = next((pair.partition("=")[2] for pair in parts.query.split("&") if pair.lower().startswith("action=")), "")
    if action:
        return meaning_of(unquote(action), "")
    steps = [step for step in unquote(parts.path).split("/") if step and not _is_identifier(step)]
    own = meaning_of(steps[-1], "") if steps else None
    if METHODS[method] == "create" and own and own.verb and own.verb not in ("read", "draft") and len(own.words) > 0:
        return meaning_of("_".join([*steps[-1:], *steps[-2:-1]]), "")
    if METHODS[method] == "create" and own and own.verb == "read" and own.words and own.words[-1] in _ASKING:
        return own
    return meaning_of("_".join([METHODS[method], *steps[-2:]]), "")


_ASKING = frozenset(
    {"search", "query", "preview", "estimate", "validate", "simulate", "lookup", "list", "count", "check"}
)


def _is_identifier(step: str) -> bool:
    """Whether a step of a path names one thing, or a version of the interface."""
    digits = sum(letter.isdigit() for letter in step)
    return (
        digits * 2 > len(step)
        or (step[:1] == "v" and step[1:2].isdigit())
        or step in ("api", "rest", "me")
        or len(step) > 30
    )


def _mutations(text: str) -> Iterator[str]:
    for found in _MUTATION.finditer(text[:20_000]):
        for field in _FIELD.finditer(found[1]):
            yield field[1]


def _phrases(arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what pressing a button or following an order for a browser does."""
    for one in arguments:
        if one.key in _PHRASE_KEYS and isinstance(one.value, str) and len(one.text) <= MAX_PHRASE:
            words = split_words(_LOOKING.sub("", one.text))
            meaning = meaning_of("_".join(words), "")
            if meaning.verb not in ("", "read", "draft", "run") and (meaning.things or meaning.verb not in _VAGUE):
                yield meaning


_VAGUE = frozenset({"make", "change", "send", "operate", "book", "remove", "run", "approve"})


def _names_operation(one: Argument) -> bool:
    return (
        "operation" in one.roles and isinstance(one.value, str) and _IDENTIFIER.fullmatch(one.text.strip()) is not None
    )
