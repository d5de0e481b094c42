"""Functions that no description lists, read by their names: `delete-tree`, `readFileSync`, `file->string`.

Only paths outside the project count: a function that is called `delete` and given `/users/1` may be a route's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.clients.service_words import split_name
from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.values import as_text, flat
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_WORDS = read_table("method-words", MethodWords)

_DELETING = _WORDS.deleting
_WRITING = _WORDS.writing
_READING = _WORDS.reading
_RUNNING = _WORDS.running
_WHOLE = _WORDS.whole
#: Words of functions that ask about a file, or work on its name.
_ASKING = _WORDS.asking
_JOINING = _WORDS.joining
_PATH = late(
    r"(?:~|/(?:home|Users|root|etc|usr|var|opt|boot|srv|mnt|media|dev|proc|sys|Library|Applications|System|private)\b)"
    r"[^\s:*?\"<>|]*(?: [^\s:*?\"<>|/]+)*"
)
_COMMAND = late(r"[a-z][\w.-]*\s+\S")
MAX_PATH = 300
#: Functions that make objects of data, which may bring code along.
_OBJECTS = _WORDS.object_makers


#: Those that are methods of other objects as well, of a loader or a store for example.
_ORDINARY = frozenset({"load", "restore", "retrieve"})
_SERIALISERS = _WORDS.serialisers


def _is_serialiser(owner: str) -> bool:
    return owner.rpartition(".")[2].lower() in _SERIALISERS


def read_by_name(script: Script, name: str, owner: Any, arguments: list[Any], start: Any) -> Any:
    """Report what the name of a function says about the path or the command that it is given; None if nothing."""
    words = frozenset(split_name(name.rpartition(".")[2]))
    if not words:
        return None
    texts = [value for value in flat(arguments) if isinstance(value, str)]
    if owner is not None and not arguments and isinstance(owner, str):
        texts = [owner]
    if not texts:
        return None
    if words & _JOINING and len(texts) > 1 and HOLE not in texts[0] and texts[0][:1] in ("/", "~"):
        return script.compute("path", name, None, texts)
    if not words.isdisjoint(_ASKING):
        return None
    if words & _RUNNING and _COMMAND.match(texts[0]):
        return _run(script, texts, start)
    return _use_file(script, words, texts, start)


def report_objects(script: Script, name: str, arguments: list[Any], start: Any) -> None:
    """Report a function that makes objects of something that was fetched: `readRDS(url("https://…"))`."""
    owner, dot, method = name.rpartition(".")
    if method.lower() not in _OBJECTS or (method in _ORDINARY and dot and not _is_serialiser(owner)):
        return
    for value in arguments:
        text = as_text(value)
        if is_url(text) or "download" in script.reading.marks(text):
            script.reading.emit("code.remote", script.where(start), text.replace(HOLE, ""))
            return


def _run(script: Script, texts: list[str], start: Any) -> Any:
    from interlock.knowledge.catalogue import PROGRAMS

    program = texts[0].split()[0]
    return script.command(program, texts[0], start) if PROGRAMS.find(program) is not None else None


def _use_file(script: Script, words: frozenset[str], texts: list[str], start: Any) -> Any:
    path = next((text for text in texts if len(text) < MAX_PATH and _PATH.fullmatch(text)), None)
    if path is None:
        return None
    reading, site = script.reading, script.where(start)
    if words & _DELETING:
        flags = frozenset({"recursive", "library"}) if words & _WHOLE else frozenset[str]()
        reading.file("fs.delete", site, path, flags)
    elif words & _WRITING:
        for text in texts:
            if _PATH.fullmatch(text[:MAX_PATH]):
                reading.file("fs.write", site, text, frozenset({"append"}) if "append" in words else frozenset())
    elif words & _READING:
        return script.read_file(path, start)
    return None
