"""`interlock trust`: trust a configuration file in the workspace, or revoke that."""

from __future__ import annotations

from pathlib import Path

from interlock.cli.person import require_person
from interlock.config.load import load, read
from interlock.config.schema import parse
from interlock.config.trust import trust
from interlock.sanitise import plain


def run(file: Path, *, revoke: bool) -> int:
    """Print a file and trust it with that content; one that does not load is an error."""
    if revoke:
        trust(file, None)
        print(f"{file} is no longer trusted")
        return 0
    document = read(file)
    parse(document, load(start="/"))
    require_person("trust")
    for line in file.read_text("utf-8").splitlines():
        print(f"  │ {plain(line)}")
    trust(file, document)
    print(f"{file} is trusted with the content above; trust it again after a change, or revoke with `--revoke`")
    return 0
