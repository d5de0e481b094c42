"""Documents with code in them that some program runs: notebooks, reports, tutorials, tangled files, workflows."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from typing import Any

from interlock.analyse.languages import LANGUAGES, NAMES
from interlock.patterns import late

Chunks = list[tuple[str, str]]  # language, code
_OPENS = late(
    r"[ \t]{0,40}(?:```+|~~~+)[ \t]{0,9}\{?[ \t]{0,9}([\w+#-]+)"
    r"|[ \t]{0,40}#\+(?:begin_src|BEGIN_SRC)[ \t]([\w+#-]+)|<<.{0,200}>>=$"
)
_CLOSES = late(r"[ \t]{0,40}(?:```+|~~~+)[ \t]{0,40}$|[ \t]{0,40}#\+(?:end_src|END_SRC)\b|@$")
_RULE = late(r"(?:rule|checkpoint|module|use|include|configfile|container|envvars|onsuccess|onerror|onstart)\b")


def find_code(path: str, text: str) -> Chunks:
    """Return the code in a document, with the language of each piece; an empty list for any other file.

    >>> find_code("a.qmd", "Hi\\n```{python}\\nx = 1\\n```\\n")
    [('python', 'x = 1')]
    """
    reader = _READERS.get(path.rpartition("/")[2].rpartition(".")[2].lower())
    return reader(text) if reader else []


def _notebook(text: str) -> Chunks:
    """Return the cells of a notebook, from its JSON or from a source that was inserted into it."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return [("python", text)]
    cells = found.get("cells") if isinstance(found, dict) else None
    texts = []
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            texts.append("".join(map(str, source)) if isinstance(source, list) else str(source))
    return [("python", "\n".join(texts))] if texts else []


def _document(text: str) -> Chunks:
    """Return the blocks of code in a text, and the examples that begin with `>>>`."""
    chunks: Chunks = []
    examples: list[str] = []
    language, lines = "", list[str]()
    for line in text.split("\n"):
        if language:
            if _CLOSES.match(line):
                chunks.append((language, textwrap.dedent("\n".join(lines))))
                language = ""
            else:
                lines.append(line)
        elif opened := _OPENS.match(line):
            name = (opened[1] or opened[2] or "r").lower()
            language, lines = NAMES.get(name, name), []
        elif line.lstrip().startswith((">>>", "...")):
            examples.append(line.lstrip()[3:].removeprefix(" "))
    if examples:
        chunks.append(("python", "\n".join(examples)))
    return [(language, code) for language, code in chunks if language in LANGUAGES]


def _workflow(text: str) -> Chunks:
    """Return the Python around the rules of a workflow, and the commands in them."""
    outside, commands, inside = list[str](), list[str](), False
    for line in text.split("\n"):
        if line.strip() and not line[0].isspace():
            inside = _RULE.match(line) is not None
        (commands if inside else outside).append(line)
    return [("python", "\n".join(outside)), ("commands", "\n".join(commands))]


_READERS: dict[str, Callable[[str], Chunks]] = {
    "ipynb": _notebook,
    **dict.fromkeys(("md", "markdown", "qmd", "rmd", "mdx", "rst", "myst", "org", "rnw"), _document),
    **dict.fromkeys(("smk", "snakefile"), _workflow),
}
