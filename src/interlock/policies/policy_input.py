"""Submitted policies: checked, compiled, and combined with the configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from interlock.config.schema import Config
from interlock.errors import ConfigError, ConflictError, InvalidPoliciesError
from interlock.model import Ask, Struct
from interlock.policies.repository import parse_policy
from interlock.policy.conditions import Condition
from interlock.policy.expression_problems import check_growth
from interlock.policy.limits import Limit
from interlock.policy.policies import Policy
from interlock.policy.policy_problems import KnownFields, find_policy_problems
from interlock.sanitise import plain

HoursText = Annotated[str, msgspec.Meta(max_length=200)]
#: Ids that no policy can have, because they have another meaning in a URL.
_RESERVED_IDS = frozenset({"simulate", "test", "new", ".", ".."})


class PolicyInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy to write: conditions that must all hold, `when` as a CEL expression, and the action to take.

    `during` and `outside` are hours such as `Mon-Fri 09:00-17:00 Europe/Berlin`.
    """

    policy_id: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[!-.0-~]([ -.0-~]*[!-.0-~])?$")]
    action: Literal["allow", "warn", "require_approval", "block"]
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    description: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    conditions: Annotated[list[Condition], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=list)
    when: Annotated[str, msgspec.Meta(max_length=4_000)] | None = None
    during: HoursText | None = None
    outside: HoursText | None = None
    enabled: bool = True
    approval: Ask | None = None
    limit: Limit | None = None
    missing: Literal["differs", "matches"] = "differs"
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""


_ID = "an id has at most 100 printable ASCII characters, no `/`, and no space at either end"
_GIVEN = frozenset(field.encode_name for field in msgspec.structs.fields(PolicyInput))


def policy_input(policy: Policy) -> PolicyInput:
    """Return a policy as it would be submitted, or raise if it is too long for that."""
    fields = {key: value for key, value in msgspec.to_builtins(policy).items() if key in _GIVEN}
    try:
        return msgspec.convert(fields, PolicyInput)
    except msgspec.ValidationError as error:
        problem = _ID if "$.policyId" in str(error) else str(error)
        raise ConfigError(f"policy `{plain(policy.policy_id)[:80]}`: {problem}") from None


def compile_policy(given: PolicyInput, config: Config) -> Policy:
    """Return a submitted policy, compiled, or raise and say what to write instead."""
    if given.policy_id in _RESERVED_IDS:
        raise ConfigError(f"`{given.policy_id}` is reserved and cannot be the id of a policy; choose another")
    check_growth(given.when or "")
    fields = msgspec.json.decode(msgspec.json.encode(given))
    fields = {key: value for key, value in fields.items() if value is not None and key != "note"}
    policy = parse_policy(fields, (policy.policy_id for policy in config.policies))
    for text in (policy.name, policy.description):
        if plain(text) != text:
            raise ConfigError("a policy's name and description must be plain text on one line")
    if not (policy.conditions or policy.when or policy.during or policy.outside):
        raise ConfigError("a policy needs `conditions` or `when`; without them, it would match everything")
    return policy


def compile_policies(given: Iterable[PolicyInput], config: Config) -> dict[str, Policy]:
    """Return submitted policies by their ids, or raise with the errors of all of them."""
    found: dict[str, Policy] = {}
    errors: list[tuple[str, str]] = []
    for one in given:
        try:
            if one.policy_id in found:
                raise ConfigError(f"two policies have the id `{one.policy_id}`; give each its own")
            found[one.policy_id] = policy = compile_policy(one, config)
            problems = find_policy_problems([policy], config.roles, KnownFields())
            errors += [(one.policy_id, problem.text) for problem in problems]
        except (ConfigError, ConflictError) as error:
            errors.append((one.policy_id, str(error)))
    if errors:
        raise InvalidPoliciesError(errors)
    return found
