"""Archives of packages that a run builds from the project: it may install them later."""

from __future__ import annotations

from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.arguments import find_values
from interlock.model import Place

_FOLDERS = frozenset(
    "--pack-destination --destination --outdir --out-dir --output-directory --wheel-dir --output -w -o -d".split()
)
_PACKED = frozenset({"packed"})


def report_packed(call: ShellCall) -> None:
    """Report the folder that archives of the project are put into: `npm pack --pack-destination /tmp`."""
    reading, words = call.scope.reading, call.words
    if any("://" in word or word.startswith("git+") for word in words):
        return  # a package from elsewhere
    if reading.places.locate(".", call.scope.cwd)[0] is not Place.WORKSPACE:
        return
    for _, folder in find_values(words, _FOLDERS):
        if folder[:1] in ("/", "~"):
            reading.file("fs.write", call.site, folder, _PACKED)
