"""Kubernetes manifests among the arguments of a call, as the commands that apply them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.named_commands import format_option
from interlock.analyse.tools.program_names import words_with_digits
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.patterns import late
from interlock.sanitise import clean

_WORDS = read_table("tool-code", CodeWords)


def manifest_lines(tool_name: str, arguments: Sequence[Argument]) -> list[str]:
    """Return commands that apply the Kubernetes manifests among arguments, unless the tool only looks at them."""
    if not _WORDS.looking_words.isdisjoint(words_with_digits(tool_name)):
        return []
    found = [one.value for one in arguments if isinstance(one.value, str) and _MANIFEST.match(one.value)]
    options = "".join(f" {option}" for one in arguments for option in _cluster_options(one)) if found else ""
    return [f"kubectl apply -f -{options} <<'MANIFEST'\n{clean(text)}\nMANIFEST" for text in found]


def _cluster_options(one: Argument) -> Iterator[str]:
    """Yield the options of `kubectl` that say which cluster a manifest is for, and whether it is only checked."""
    if len(one.keys) != 1:
        return
    if one.key in _WORDS.cluster_keys and isinstance(one.value, str):
        yield from format_option("context", one.value)
    elif one.key in ("dry_run", "dryrun") and (one.value is True or one.text in ("client", "server", "true", "All")):
        yield "--dry-run=server"


_MANIFEST = late(r"\s*(?:#[^\n]*\n|---\s*\n)*(?:apiVersion|kind):\s*\S+\s*\n")
