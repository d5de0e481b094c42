"""The reference of described services: `python -m interlock.knowledge.services_page docs/services.md`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from interlock.effects import KINDS
from interlock.knowledge import artefact
from interlock.knowledge.sources import read_service, read_text
from interlock.knowledge.tool import ToolFile

HEAD = """# Services that Interlock knows

Interlock knows what these tools do. This page is made by `make docs` from the files in
`src/interlock/knowledge/services`. A tool is found if its name contains one of the names of its service:
`mcp__github__create_issue`, `github_create_issue`, `GitHub-Create-Issue`. Tools that are not listed are judged by their
names, descriptions and arguments; see [What Interlock knows about your tools](tools.md).

For each kind of effect, the page lists the tools that have it. Most effects only ask if what the tool is given makes
them matter: outsiders, everyone, many at once, for good, a live system.
"""


def page() -> str:
    """Return the reference as Markdown."""
    files = sorted(Path(artefact.FOLDER, "services").rglob("*.toml"))
    services = sorted((read_service(read_text(file), str(file)) for file in files), key=lambda one: one.service.lower())
    return "\n".join([HEAD, *("\n".join(_section(one)) for one in services)])


def _section(service: ToolFile) -> Iterator[str]:
    yield f"## {service.service}\n"
    docs = f" ([documentation]({service.docs}))" if service.docs else ""
    yield f"In names of tools: {', '.join(f'`{name}`' for name in service.names)}{docs}.\n"
    by_effect: dict[str, list[str]] = defaultdict(list)
    for name, tool in service.tools.items():
        by_effect[tool.does].append(f"`{name}`")
    for kind, names in sorted(by_effect.items()):
        yield f"- {KINDS[kind].says} (`{kind}`): {', '.join(names)}"
    if service.drafts:
        yield f"- {KINDS['tool.draft'].says} {len(service.drafts)} tools, such as `{service.drafts[0]}`"
    if service.reads:
        yield f"- {KINDS['tool.read'].says} {len(service.reads)} tools, such as `{service.reads[0]}`"
    yield ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
