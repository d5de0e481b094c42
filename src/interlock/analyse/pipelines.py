"""CI pipelines: whether the text of one, or a change of one, only builds and checks the project."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.analyse.scripts.sed import commands
from interlock.model import Effect
from interlock.patterns import late

# What a pipeline needs to hand something out, to release something, or to run what nobody has reviewed.
_REACHING = late(
    r"(?i)\bsecrets?\b|token|passw|credential|api.?key|private.?key|:\s*write|write-all|pull_request_target|workflow_run"
    r"|workflow_dispatch|repository_dispatch|self-hosted|id-token|environment\s*:|\bdeploy|\bpublish|\brelease|\bupload"
    r"|\bpush\s+\S|\bssh\b|\bscp\b|\brsync\b|\bsudo\b|\bcurl\b|\bwget\b|\bnc\b|\bbase64\b|\beval\b|\bprintenv\b|\benv\s*\||"
    r"kubectl|\bhelm\b|terraform|\baws\b|gcloud|\baz\b|docker\.sock|privileged|\|\|\s*true|continue-on-error|allow_failure"
    r"|--no-verify|\bif\s*:|https?://|dangerously|skip|allowed_|prompt|claude|codex|copilot"
)
_STEP = late(r"uses:\s*['\"]?([^\s'\"#]+)|([\w.-]+/[\w./-]+)@")
#: Publishers of actions that nearly every pipeline uses.
_USUAL = frozenset(
    "actions github docker pnpm astral-sh ruby golangci denoland oven-sh dtolnay hashicorp gradle erlef julia-actions "
    "r-lib shivammathur pre-commit psf".split()
)
_CHECKS = frozenset({"checks_only"})
_KINDS = frozenset({"fs.write", "fs.move"})


def only_checks(text: str) -> bool:
    """Whether the text of a pipeline asks for no secrets or rights, releases nothing, and runs only usual actions.

    >>> only_checks("on: push\\njobs:\\n  a:\\n    steps:\\n      - uses: actions/checkout@v4\\n      - run: pytest")
    True
    >>> only_checks("jobs:\\n  a:\\n    steps:\\n      - run: npm publish")
    False
    """
    if not text.strip() or _REACHING.search(text):
        return False
    names = [used or named for used, named in _STEP.findall(text)]
    return all(name.startswith("./") or name.partition("/")[0] in _USUAL for name in names)


def mark_pipelines(effects: list[Effect], contents: Mapping[str, str | None]) -> None:
    """Mark the writes of pipelines whose new text is known and only checks."""
    for at, effect in enumerate(effects):
        if "ci_config" in effect.flags and effect.kind in _KINDS and effect.resource is not None:
            text = contents.get(effect.resource.name)
            if text and only_checks(text):
                effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _CHECKS)


def mark_edits(effects: list[Effect], first: int, words: list[str]) -> None:
    """Mark the pipelines that `sed -i` edits, from the effect at `first` on, if the edit only checks."""
    if edits_only_checks(words):
        for at in range(first, len(effects)):
            if "ci_config" in effects[at].flags:
                effects[at] = msgspec.structs.replace(effects[at], flags=effects[at].flags | _CHECKS)


def edits_only_checks(words: list[str]) -> bool:
    """Whether `sed -i` replaces words of a pipeline by others that only check.

    >>> edits_only_checks(["sed", "-i", "s/node-version: 18/node-version: 20/", "ci.yml"])
    True
    >>> edits_only_checks(["sed", "-i", "s/contents: read/contents: write/", "ci.yml"])
    False
    """
    scripts = [word for word in words[1:] if word[:1] != "-" and word[:1] == "s" and not word[1:2].isalnum()]
    if not scripts or any(word.startswith("-e") for word in words):
        return False
    for script in scripts:
        found = commands(script) or []
        if not found or any(
            one.name != "s" or set(one.flags) - set("gI") or not _is_harmless(one.text) for one in found
        ):
            return False
    return True


def _is_harmless(text: str) -> bool:
    """Whether the two sides of `s///` reach nothing, and the second one is not empty."""
    if _REACHING.search(text) or not text:
        return False
    sides = text.rstrip(text[-1]).split(text[-1])
    return len(sides) == 2 and all(side.strip() for side in sides) and only_checks(sides[1])
