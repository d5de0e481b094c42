"""`interlock trust`: vouch for a file in the workspace, or take that back."""

from __future__ import annotations

from pathlib import Path

from interlock.config.load import load, read
from interlock.config.schema import parse
from interlock.config.trust import trust
from interlock.sanitise import plain


def run(file: Path, *, revoke: bool) -> int:
    """Show a file and vouch for it as it is; one that does not load is refused."""
    if revoke:
        trust(file, None)
        print(f"{file} is no longer trusted")
        return 0
    document = read(file)
    parse(document, load(start="/"))
    for line in file.read_text("utf-8").splitlines():
        print(f"  │ {plain(line)}")
    trust(file, document)
    print(f"{file} is trusted, as it is above; a change needs trust again, and `--revoke` takes it back")
    return 0
