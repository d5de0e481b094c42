"""The review before a policy is saved or removed: the difference, the effect on past actions, and conflicts."""

from __future__ import annotations

from collections.abc import Iterator

from litestar import Response

from interlock.policies.difference import diff_policies
from interlock.policies.drafts import MAX_ACTIONS, PolicyDraft
from interlock.policies.loosening import find_policy_loosening
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policies.policy_text import format_policy_text
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.server import policy_editor
from interlock.server.pages.renderer import PageRenderer, PageRequest
from interlock.server.policy_editor import PolicyWire
from interlock.server.policy_simulation import make_draft, simulate_in_time
from interlock.server.service import Service


def review_page(
    request: PageRequest,
    pages: PageRenderer,
    policy_id: str,
    wire: PolicyWire | None,
    given: PolicyInput | None,
    *,
    known: str,
) -> Response[str]:
    """Return the review of a change of a policy. Without a policy to write, it is removed."""
    service = pages.service
    new = None if given is None else compile_policy(given, service.gate.config)
    old = wire.policy if wire else None
    simulation = simulate_in_time(service, _make_draft(policy_id, given))
    return pages.render(
        request,
        "policy_review.html",
        policy_id=policy_id,
        wire=wire,
        new=new,
        title=(new or old or Policy(policy_id)).name or (given.policy_id if given else policy_id),
        text="" if given is None else format_policy_text(given),
        note=given.note if given else "",
        known=known,
        difference=diff_policies(old, new),
        loosening=find_policy_loosening(old, new),
        simulation=simulation,
        conflicts=list(find_conflicts(service, wire, new)),
        warnings=policy_editor.find_warnings(service, new) if new else [],
        saves_version=(wire.version if wire else 0) + 1,
        is_milder=bool(simulation.milder),
    )


def _make_draft(policy_id: str, given: PolicyInput | None) -> PolicyDraft:
    if given is None:
        return PolicyDraft(without=[policy_id], limit=MAX_ACTIONS)
    return make_draft(given, limit=MAX_ACTIONS)


def find_conflicts(service: Service, wire: PolicyWire | None, new: Policy | None) -> Iterator[str]:
    """Yield how a change collides with where policies come from, and with other policies."""
    config = service.gate.config
    if wire is not None and wire.origin is not None:
        yield (
            f"This policy is applied from `{plain(wire.origin.name)}`. The next `interlock policy apply` reports a "
            "conflict unless you make the same change there."
        )
    if wire is not None and wire.source == "shipped":
        yield "This replaces a built-in policy. Updates of Interlock no longer change it."
    if new is None:
        return
    if config.managed is not None and find_policy_loosening(None, new):
        yield "An administrator's configuration is in force here, so a policy that loosens has no effect."
    for other in service.gate.engine.policies:
        if _contradicts(other, new):
            yield (
                f"Policy `{plain(other.policy_id)}` has the same conditions and the verdict `{other.action.value}`. "
                "The strictest of both applies."
            )


def _contradicts(other: Policy, new: Policy) -> bool:
    """Whether another policy matches the same actions, by its text, with another verdict."""
    if other.policy_id == new.policy_id or not other.enabled or other.action is new.action:
        return False
    return _match_key(other) == _match_key(new)


def _match_key(policy: Policy) -> tuple[object, ...]:
    return frozenset(map(str, policy.conditions)), policy.when, policy.during, policy.outside, policy.limit
