"""`interlock policy`: check a policy file, or test it on an action."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from interlock.cli.assess import report
from interlock.cli.request import action_from, config_from
from interlock.config.load import load_policies
from interlock.sanitise import plain
from interlock.show import console, verdict_text

if TYPE_CHECKING:
    from interlock.cli.app import Context, Input


def check(file: Path) -> int:
    """Print the policies of a file, or raise if it does not load."""
    policies = load_policies(file)
    table = Table(box=None, header_style="dim")
    for title in ("policy", "action", "conditions", ""):
        table.add_column(title, overflow="fold")
    for policy in policies:
        conditions = [str(condition) for condition in policy.conditions] + ([policy.when] if policy.when else [])
        table.add_row(
            plain(policy.policy_id), verdict_text(policy.action), plain(" and ".join(conditions) or "always"),
            "" if policy.enabled else "disabled",
        )  # fmt: skip
    out = console()
    out.print(table)
    out.print(f"\n  {file}: {len(policies)} {'policy' if len(policies) == 1 else 'policies'}, all good")
    return 0


def test(file: Path, text: str | None, given: Input, context: Context, *, as_json: bool) -> int:
    """Decide an action by the mode and the policies of a file alone."""
    policies = load_policies(file)
    action = action_from(text, given, context)
    config = config_from(context)
    typed = tuple(policy for policy in config.policies if policy.policy_id.startswith("typed-"))
    engine = config.engine(policies=(*policies, *typed), default_policies=False)
    decision = engine.decide(action)
    status = report(action, decision, as_json=as_json)
    if not as_json and not decision.matched_policies:
        print("  no policy of the file matches\n")
    return status
