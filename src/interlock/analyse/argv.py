"""The option parser, with the flags of package indexes: which of them are usual, the analysis knows."""

from __future__ import annotations

from interlock.knowledge import arguments
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.command import Command


def parse(words: list[str], spec: Command, start: int = 1) -> ParsedArguments:
    """Parse an argument list from `start` on; see `arguments.parse`."""
    parsed = arguments.parse(words, spec, start)
    for value in parsed.values:
        if value.role == "index":
            from interlock.analyse.addresses.package_sources import index_flags

            parsed.flags |= index_flags(value.text)
    return parsed
