"""Text edits: what an action changes in files, whether by a tool, a patch or a command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from interlock.memory.calls.command_lines import name_of
from interlock.model import Action, Analysis
from interlock.patterns import late

MAX_TEXT, MAX_EDITS, MAX_WORDS = 40_000, 40, 60
_PATHS = ("file_path", "path", "filePath", "target_file", "filename", "file")
_PAIRS = (
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("search", "replace"),
)
_CONTENTS = ("content", "contents", "file_text", "new_source", "insert_text")
_LISTS = ("edits", "changes", "replacements")
_PATCH = late(r"(?m)^(?:\*\*\* (?:Update|Add) File: |\+\+\+ (?:b/)?)(?P<path>\S[^\n\t]*)")
#: Programs that may edit a file in place.
_EDITORS = frozenset({"sed", "gsed", "perl", "yq", "jq", "crudini"})
#: Calls by which code replaces text.
_REPLACING = late(
    r"(?:\.replace|\bre\.sub|\.sub|\.gsub!?)\(\s{0,9}(?P<a>[\"'/])(?P<old>[^\n]{1,300}?)(?P=a)[a-z]{0,3}\s{0,9},\s{0,9}"
    r"(?P<b>[\"'])(?P<new>[^\n]{0,300}?)(?P=b)"
)
_SUBSTITUTION = late(
    r"(?:^|[;\s{])(?:[\d,$]{0,20}|/(?:[^/\\\n]|\\.){0,200}/)\s{0,9}s(?P<mark>[^\w\s\\])"
    r"(?P<old>(?:(?!(?P=mark))[^\\\n]|\\.){0,400})(?P=mark)(?P<new>(?:(?!(?P=mark))[^\\\n]|\\.){0,400})(?P=mark)"
)
_DELETED_LINE = late(r"(?:^|[;\s{])/(?P<old>(?:[^/\\\n]|\\.){3,200})/\s{0,9}d\b")
_CHANGED_LINE = late(r"/(?P<old>(?:[^/\\\n]|\\.){1,200})/\s{0,9}c\\?\s{0,9}(?P<new>[^\n]{1,400})")
_ASSIGNED = late(r"(?P<key>[\w.\-\[\]\"]{1,120})\s{0,9}=\s{0,9}(?P<value>\"[^\"\n]{0,300}\"|[\d.]+|true|false|null)")
_ESCAPED, _LOOSE = late(r"\\([^\w\s])"), late(r"\.\*|\.\+|\[|\\[wdSs]|\$$")
_MADE_UP = late(r"(?i)example|sample|template|dist$|default")
#: Programs that put one file in the place of another.
_PLACING = frozenset({"cp", "mv", "ln"})
MIN_SETTER = 4  # words of `crudini --set FILE SECTION KEY VALUE` after its options


class Edit(msgspec.Struct, frozen=True):
    """A text that is written into a file, and the text that it replaces; if `loose`, it may replace more."""

    path: str
    old: str
    new: str
    loose: bool = False


def may_edit(analysis: Analysis) -> bool:
    """Whether a command or code may edit a file in place."""
    edits = any(name_of(call) in _EDITORS for call in analysis.commands)
    return edits or _REPLACING.search(analysis.text[:MAX_TEXT]) is not None


def find_edits(action: Action, analysis: Analysis) -> tuple[Edit, ...]:
    """Return the edits that an action makes."""
    found = list(_argument_edits(action.input_payload, ""))
    if not found and analysis.languages:
        found = [*_command_edits(analysis), *_find_written_texts(analysis), *_find_replacements(analysis)]
    return tuple(found[:MAX_EDITS])


def _argument_edits(given: Mapping[str, Any], inherited: str) -> Iterator[Edit]:
    """Yield the edits of a tool call, found by the names of its arguments."""
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), inherited)
    pairs = ((given.get(old), given.get(new)) for old, new in _PAIRS)
    texts = [(old, new) for old, new in pairs if isinstance(old, str) and isinstance(new, str)]
    if path:
        yield from (Edit(path, *_cut(old, new)) for old, new in texts)
        if not texts:
            yield from (
                Edit(path, "", given[name][:MAX_TEXT]) for name in _CONTENTS if isinstance(given.get(name), str)
            )
    for name in _LISTS:
        inner = given.get(name)
        for one in inner[:MAX_EDITS] if isinstance(inner, list) else ():
            if isinstance(one, dict):
                yield from _argument_edits(one, path)
    for value in given.values():
        if isinstance(value, str) and _PATCH.search(value[:MAX_TEXT]):
            yield from _patch_edits(value[:MAX_TEXT])


def _cut(old: str, new: str) -> tuple[str, str]:
    """Return two texts within the limit; if they are longer, without the lines that both have."""
    if len(old) > MAX_TEXT or len(new) > MAX_TEXT:
        before, after = old.split("\n"), new.split("\n")
        same = set(before) & set(after)
        old, new = ("\n".join(line for line in lines if line not in same) for lines in (before, after))
    return old[:MAX_TEXT], new[:MAX_TEXT]


def _patch_edits(text: str) -> Iterator[Edit]:
    """Yield the removed and the added lines of each file in a patch."""
    for part in re.split(r"(?m)^(?=\*\*\* (?:Update|Add|Delete) File: |--- )", text):
        found = _PATCH.search(part)
        if found is None:
            continue
        lines = part[found.end() :].split("\n")
        old = "\n".join(line[1:] for line in lines if line[:1] == "-")
        yield Edit(found["path"].strip(), old, "\n".join(line[1:] for line in lines if line[:1] == "+"))


def _command_edits(analysis: Analysis) -> Iterator[Edit]:
    """Yield the edits of commands such as `sed -i`, and of code that replaces text in a file that it writes."""
    text = analysis.text[:MAX_TEXT]
    kept = any(one.kind == "fs.write" for one in analysis.effects)
    for call in analysis.commands:
        if name_of(call) in _EDITORS:
            yield from _edits_of(name_of(call), call.words[1:MAX_WORDS], kept=kept)
    written = next((one.resource.name for one in analysis.effects if one.kind == "fs.write" and one.resource), "")
    for found in _REPLACING.finditer(text) if written else ():
        yield Edit(written, found["old"], found["new"], _LOOSE.search(found["old"]) is not None)


def _find_replacements(analysis: Analysis) -> Iterator[Edit]:
    """Yield the names of files that are put in the place of others: what the name stands for is something else."""
    for call in analysis.commands:
        paths = [word for word in call.words[1:MAX_WORDS] if word[:1] != "-"]
        if name_of(call) not in _PLACING or len(paths) != len(("source", "target")):
            continue
        source, target = (path.rpartition("/")[2] for path in paths)
        if "." in target and "log" not in target and not _MADE_UP.search(source):
            yield Edit(paths[1], target, source, loose=True)


def _edits_of(program: str, words: Sequence[str], *, kept: bool) -> Iterator[Edit]:
    """Yield the edits of a command. What a filter prints counts if it is `kept` in a file."""
    plain = [word for word in words if word[:1] != "-"]
    if program == "crudini":
        if "--set" in words and len(plain) >= MIN_SETTER:
            yield Edit(plain[0], "", f"{plain[2]} = {plain[3]}", loose=True)
        return
    if program == "jq":
        script, *files = plain or [""]
        for one in _ASSIGNED.finditer(script) if files and kept else ():
            yield Edit(files[-1], "", f"{one['key']}: {one['value']}", loose=True)
        return
    if not any(word.startswith("--in-place") or re.fullmatch(r"-[A-Za-z]*i\S*", word) for word in words):
        return
    path = plain[-1] if plain else ""
    for script in plain[:-1]:
        if program == "yq":
            yield from (
                Edit(path, "", f"{one['key']}: {one['value']}", loose=True) for one in _ASSIGNED.finditer(script)
            )
            continue
        for found in (*_SUBSTITUTION.finditer(script), *_CHANGED_LINE.finditer(script)):
            loose = _LOOSE.search(found["old"]) is not None or "mark" not in found.groupdict()
            yield Edit(path, _ESCAPED.sub(r"\1", found["old"]), _ESCAPED.sub(r"\1", found["new"]), loose)
        yield from (
            Edit(path, _ESCAPED.sub(r"\1", one["old"]), "", loose=True) for one in _DELETED_LINE.finditer(script)
        )


def _find_written_texts(analysis: Analysis) -> Iterator[Edit]:
    """Yield the texts that a command writes into files, or appends to what is there."""
    for path, one in analysis.files.items():
        if one.text and one.state in ("whole", "part"):
            yield Edit(path, "", one.text[:MAX_TEXT], loose=one.state == "part")
