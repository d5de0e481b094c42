"""Command lines of content management systems, in which the alias of a site may stand before the command."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS


def _read_site_tool(call: ShellCall) -> Flow:
    """`drush @prod sql:drop`: the command without the alias, which the description looks at by itself."""
    kept = [at for at, word in enumerate(call.words) if not at or word[:1] != "@"]
    plain = call.with_words([call.words[at] for at in kept], [call.nodes[at] for at in kept])
    return read(plain, PROGRAMS[call.program])


SITE_TOOLS: dict[str, Callable[[ShellCall], Flow]] = {"drush": _read_site_tool, "wp": _read_site_tool}
