"""GraphQL inside arguments: queries read, mutations do what their fields are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.patterns import late

_DOCUMENT = late(r"^\s*(?:#[^\n]*\n\s*)*(?:(query|mutation|subscription|fragment)\b[^{]*)?\{")
_MUTATION = late(r"\bmutation\b")
_NAME = late(r"(?:[A-Za-z_]\w*\s*:\s*)?([A-Za-z_]\w*)")
_TEXT = late(r'"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"')
MAX_DOCUMENT = 20_000


def documents_in(arguments: Sequence[Argument]) -> list[str]:
    """Return the GraphQL documents among arguments, without the texts in them."""
    found = []
    for one in arguments:
        if isinstance(one.value, str) and "{" in one.value and _DOCUMENT.match(one.value[:MAX_DOCUMENT]):
            plain = _TEXT.sub('""', one.value[:MAX_DOCUMENT])
            if _looks_like_fields(plain):
                found.append(plain)
    return found


def _looks_like_fields(text: str) -> bool:
    inner = text.partition("{")[2].lstrip()
    return bool(inner) and (inner[0].isalpha() or inner[0] in "_.") and ";" not in text and "=>" not in text


def mutations_in(document: str) -> Iterator[str]:
    """Yield the names of the fields that a document's mutations call.

    >>> list(mutations_in("mutation M($i: ID!) { a: userDelete(id: $i) { ok } keyCreate { id } }"))
    ['userDelete', 'keyCreate']
    """
    for start in _MUTATION.finditer(document):
        at = _body(document, start.end())
        depth = 0
        group = False  # whether the field around names only a group of mutations: `pages { purgeHistory }`
        while at < len(document):
            letter = document[at]
            if letter in "{(":
                depth += 1
            elif letter in "})":
                depth -= 1
                if depth <= 0:
                    break
            elif (depth == 1 or (depth == 2 and group)) and (letter.isalpha() or letter == "_"):
                found = _NAME.match(document, at)
                if found:
                    if depth == 1:
                        group = document[found.end() :].lstrip()[:1] == "{" and not operation_meaning(found[1]).verb
                    yield found[1]
                    at = found.end()
                    continue
            at += 1


def bulk_exports_in(arguments: Sequence[Argument]) -> Iterator[str]:
    """Yield what bulk queries among arguments export: `bulkOperationRunQuery(query: "{ customers { … } }")`."""
    texts = [one.value[:MAX_DOCUMENT] for one in arguments if isinstance(one.value, str) and "{" in one.value]
    if any(_BULK.search(text) for text in texts):
        yield from (found[1] for text in texts for found in _INNER.finditer(text) if not _BULK.search(found[0]))


#: Mutations whose query runs over all records, and the first field of such a query.
_BULK = late(r"\bbulkOperationRunQuery\b")
_INNER = late(r"(?:\A|[\"'])\s*(?:query\b[^{]{0,200})?\{\s*([A-Za-z_]\w*)")


def _body(document: str, at: int) -> int:
    """Return where the fields of an operation begin, after its name and variables."""
    depth = 0
    while at < len(document):
        letter = document[at]
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter == "{" and depth == 0:
            return at
        at += 1
    return at
