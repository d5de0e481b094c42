"""Commands that a script writes into a file from which build tools and package managers run commands.

The new content is often not known, because the script reads the file, changes a part of it and writes it back. The
commands still stand in the script, as literals.
"""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.analyse.settings import find_command
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Manifests
from interlock.model import Effect
from interlock.patterns import late

#: Files that builds, test runners and package managers take commands from.
MANIFESTS = frozenset(read_table("manifests", Manifests).with_commands)
_LITERAL = late(r"\"((?:[^\"\\\n]|\\.){8,2000})\"|'((?:[^'\\\n]|\\.){8,2000})'")
_RECIPE = late(r"(?:\\n|^)(?:\\t|\t)@?([^\\\n]+)")
_GRAVE = frozenset({"code.remote", "net.send", "secret.read", "code.opaque", "net.connect", "net.listen"})
MAX_LITERALS = 64


def report_written_commands(reading: Reading, text: str) -> None:
    """Report the effects of commands that a script writes into a manifest, if they send data, fetch code or hide it."""
    written = next((effect for effect in reading.effects if is_manifest_write(effect)), None)
    if written is None or written.resource is None:
        return
    name = written.resource.name.rpartition("/")[2] or "manifest"
    site = Site(written.span, (*written.via, name), reading.places.cwd)
    for count, found in enumerate(_LITERAL.finditer(text)):
        if count >= MAX_LITERALS:
            return
        literal = found[1] or found[2]
        for command in _commands(literal):
            first = len(reading.effects)
            reading.nest("shell", command, site)
            if not any(effect.kind in _GRAVE for effect in reading.effects[first:]):
                del reading.effects[first:]


def is_manifest_write(effect: Effect) -> bool:
    """Whether an effect writes a file that commands are taken from."""
    return (
        effect.kind == "fs.write"
        and effect.resource is not None
        and effect.resource.name.rpartition("/")[2] in MANIFESTS
    )


def _commands(literal: str) -> list[str]:
    """Return the commands in a literal: all of it, or the recipes of a makefile."""
    recipes = [found[1].replace("$$", "$").replace("$(HOME)", "$HOME") for found in _RECIPE.finditer(literal)]
    if recipes:
        return recipes
    plain = literal.replace('\\"', '"').replace("\\'", "'")
    command = find_command(plain, telling=False) if " " in plain else ""
    return [command] if command else []
