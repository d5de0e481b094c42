"""Code inside the arguments of any tool, by its key, by what the tool is named after, and by its shape.

Each text comes with its language: SQL, shell, JavaScript, Python, PowerShell, Groovy, Apex, …, or an empty text for one
that is read in every language that accepts it. Texts for people (titles, messages, comments) hold no code.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from interlock.analyse.languages import LANGUAGES, NAMES
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.command_lines import LINE_KEYS
from interlock.analyse.tools.program_names import begins_in_shell, is_program
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.patterns import late

_WORDS = read_table("tool-code", CodeWords)
#: Words in names of tools → the language of the code that they are given.
_BY_WORD = {
    **{name: name for name in LANGUAGES if len(name) > 1 and name not in _WORDS.ambiguous_languages},
    **{name: language for name, language in NAMES.items() if len(name) > 2 and name not in _WORDS.ambiguous_languages},
    **{word: language for language, words in _WORDS.languages.items() for word in words},
}
_SQL = late(rf"(?i)\s*(?:--[^\n]*\n\s*)*(?:{'|'.join(_WORDS.sql_statements)})\b")
_SCRIPT = late(
    r"=>|\bdocument\.|\bwindow\.|\blocalStorage\b|\bfetch\(|\bconst \w|\blet \w+ =|\bfunction\s*\w*\("
    r"|\baddEventListener\(|\brequire\(|\bawait |\bmodule\.exports|\bconsole\.log"
)
_PYTHON = late(r"(?m)^\s*(?:import \w|from [\w.]+ import |def \w+\(|print\(|with open\(|for \w+ in .*:\s*$)")
_POWERSHELL = late(r"(?m)^\s*(?:\$\w+\s*=|[A-Z][a-z]+-[A-Z]\w+\b)")
_CMDLET = late(r"\s*[A-Z][a-z]+-[A-Z]\w+\b")
_CYPHER = late(rf"(?i)\s*(?:{'|'.join(_WORDS.cypher_statements)})\b")
_MONGO = late(r"^\s*(?:use \w+;?\s*)?db(?:\.|\[)")
#: Statements after the end of another one: a filter or a name that is put into a statement.
_INJECTED = late(rf"(?i)(?:;|\)\s*;?)\s*((?:{'|'.join(_WORDS.injected_statements)})\b[^\n]*)")
_BASE64 = late(r"^[A-Za-z0-9+/_-]{24,}={0,2}$")
_FIRST = late(r"\s*(?:sudo\s+)?([\w./+-]+)")
_COMMAND = late(r"\s-{1,2}\w|[|;&<>`$]|\s[~./]")
_INTERPRETERS = frozenset({"powershell", "bash", "sh", "python"})
_PLACE = late(r"[^\s;=(){}<>|&$'\"`!]+")  # one word, which is a path or a name and no statement
_OPTION = late(r"-{1,2}[A-Za-z]+\s")
MAX_CODE = 100_000


def code_in(words: Sequence[str], arguments: Sequence[Argument], *, lined: bool = False) -> list[tuple[str, str]]:
    """Return the code among arguments, each with its language; `words` are those of the tool's name.

    `lined` says that lists of words were read as a command line already.
    """
    told = next(iter([one.low for one in arguments if one.key in _WORDS.language_keys]), "")
    told = NAMES.get(told.rpartition("/")[2], told)
    stored = not _WORDS.stores.isdisjoint(words)
    named = told if told in LANGUAGES else next(iter([_BY_WORD[one] for one in reversed(words) if one in _BY_WORD]), "")
    typing = not _WORDS.typing_tools.isdisjoint(words)
    found: list[tuple[str, str]] = []
    for one in arguments:
        value = one.value
        if not isinstance(value, str) or not 4 < len(value) <= MAX_CODE:
            continue
        if lined and one.key in ("args", "argv", "arguments"):
            continue
        read = _read_text if len(value) > _SHORT else _read_short_text
        found += read(one.key, value, named, stored, typing)
    return found


def _read_text(key: str, value: str, named: str, stored: bool, typing: bool) -> tuple[tuple[str, str], ...]:
    """Return the code in a text under a key, each with its language.

    `named` is the language that the tool is named after, `stored` says that it works on a database, `typing` that it
    types its texts.
    """
    text = _decode(value)
    if named in _INTERPRETERS and key in _WORDS.code_keys and _OPTION.match(text):
        return ((f"{named} {text}", "shell"),)  # `{"interpreter": "powershell", "script": "-EncodedCommand …"}`
    found = []
    language = (
        "sql"
        if stored and key in _WORDS.statement_keys and _SQL.match(text)
        else _language(key, text, named, typing=typing, decoded=text is not value)
    )
    if language is not None:
        found.append((text, language))
    injected = _INJECTED.search(text) if stored or key not in _WORDS.text_keys else None
    if injected and not _SQL.match(text) and _is_sql(injected[1]):
        found.append((injected[1], "sql"))
    return tuple(found)


@lru_cache(maxsize=4096)
def _read_short_text(key: str, value: str, named: str, stored: bool, typing: bool) -> tuple[tuple[str, str], ...]:
    """Return the code in a short text. Names and states come again with every call."""
    return _read_text(key, value, named, stored, typing)


_SHORT = 40


def _language(key: str, text: str, named: str, *, typing: bool, decoded: bool) -> str | None:
    """Return the language of a text, an empty text for one that may be several, or None for no code."""
    if key in _WORDS.sql_keys:
        return "sql"
    if _MONGO.match(text):
        return "mongo"
    if named == "cypher" and key in _WORDS.statement_keys and _CYPHER.match(text):
        return "cypher"
    if key in _WORDS.shell_keys and _CMDLET.match(text):
        return "powershell"
    if key in _WORDS.shell_keys and named not in ("powershell", "redis"):
        return None if key in LINE_KEYS else _if_command(text)  # command lines are read by the program
    if key in _WORDS.code_keys:
        return _code_language(key, text, named)
    if decoded or key not in _WORDS.text_keys:
        if _is_sql(text):
            return "sql"
        if len(text) > 8 and (decoded or " -" in text or "|" in text) and key not in LINE_KEYS:
            return _if_command(text)
    if typing and key in _WORDS.typed_keys:  # without a new line, it runs once Enter is pressed
        return _if_command(text, typed=text.rstrip() != text)
    if key in ("content", "body", "source_text") and named == "javascript" and _SCRIPT.search(text):
        return "javascript"
    return None


def _code_language(key: str, text: str, named: str) -> str | None:
    if key == "source" and _PLACE.fullmatch(text.strip()):
        return None  # where something comes from: `{"source": "scans/a.pdf", "target": "forms/a.pdf"}`
    if _is_sql(text):
        return "sql"
    if named and named not in ("mongo", "cypher", "redis"):
        return named
    if _SCRIPT.search(text):
        return "javascript"
    if _PYTHON.search(text):
        return "python"
    return "powershell" if _POWERSHELL.search(text) else ""


def _if_command(text: str, *, typed: bool = False) -> str | None:
    if begins_in_shell(text):
        return "shell"
    found = _FIRST.match(text)
    if found is None or not is_program(found[1].rpartition("/")[2]):
        return None
    return "shell" if typed or _COMMAND.search(text) else None


def _is_sql(text: str) -> bool:
    return _load_detection()(text)


@cache
def _load_detection() -> Callable[[str], bool]:
    from interlock.analyse.sql import looks_like_sql  # imported on first use

    return looks_like_sql


def _decode(text: str) -> str:
    """Return the text that a base64 text stands for, or the text itself."""
    plain = text.strip()
    if not _BASE64.match(plain) or plain.isalpha():
        return text
    try:
        found = base64.b64decode(plain.replace("-", "+").replace("_", "/") + "=" * (-len(plain) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return text
    return found if found.isprintable() or "\n" in found else text
