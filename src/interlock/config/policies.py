"""Policy files: `[[policies]]` in TOML, or the same as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from interlock.config.load import read
from interlock.config.positions import Document
from interlock.config.schema import KEYS, policy_of
from interlock.errors import ConfigError, nearest
from interlock.policy.policies import Policy, PolicySet


class _Json(Document):
    """A JSON text with the look of a document; its errors name the policy, not the line."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._lines = {}
        try:
            values: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError(f"this is no JSON: {error.msg.lower()}", file=file, line=error.lineno) from None
        self.values = values if isinstance(values, dict) else {"policies": values}


def load_policies(path: Path) -> tuple[Policy, ...]:
    """Return the policies of a file, every one compiled, or raise with the line and what to write instead."""
    document = _Json(path.read_text("utf-8"), str(path)) if path.suffix == ".json" and path.is_file() else read(path)
    for key in document.values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    items = document.values.get("policies")
    if not isinstance(items, list) or not items:
        raise document.error("there are no policies in it; write `[[policies]]`", "policies")
    policies = tuple(_policy(document, item, index) for index, item in enumerate(items))
    PolicySet(policies)
    return policies


def _policy(document: Document, item: Any, index: int) -> Policy:
    if not isinstance(item, dict):
        raise document.error(f"a policy is a table, found `{item!r}`", "policies", index)
    return policy_of(document, item, "policies", index)
