"""`interlock trust`: vouch for a file in the workspace, or take that back."""

from __future__ import annotations

from pathlib import Path

from interlock.config.load import read
from interlock.config.schema import parse
from interlock.config.trust import trust
from interlock.errors import ConfigError


def run(file: Path, *, revoke: bool) -> int:
    """Vouch for a file as it is now; one that does not load is refused."""
    if not file.is_file():
        raise ConfigError("there is no such file", file=str(file))
    if not revoke:
        parse(read(file))
    trust(file, revoke=revoke)
    print(f"{file} is no longer trusted" if revoke else f"{file} is trusted, as it is now; a change needs trust again")
    return 0
