"""The cause of a stop: one policy, rule or mode, even if several matched."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.levels import Verdict

#: The verdicts that stop an action.
STOPPING = (Verdict.REQUIRE_APPROVAL.value, Verdict.BLOCK.value)


def stop_cause(verdict: str, rules: Sequence[str], mode: str, policies: Sequence[tuple[str, str]]) -> str:
    """Return what stopped an action: a policy that demanded the verdict, the gravest rule, or the mode.

    `policies` are those that matched, each with the verdict that it demanded.

    >>> stop_cause("block", ["delete_root", "sudo"], "full", [("careful", "require_approval")])
    'rule delete_root'
    """
    for policy, demanded in policies:
        if demanded == verdict:
            return f"policy {policy}"
    return f"rule {rules[0]}" if rules else f"mode {mode}"
