"""The rules by which requests for approval are answered, taken from the configuration."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.approval.request import Approval
from interlock.config.settings import ApprovalSettings
from interlock.model import Needs


class ApprovalRules(msgspec.Struct, frozen=True):
    """The settings, the members of each role, whether one person may approve alone, and whether a model reviews."""

    settings: ApprovalSettings = ApprovalSettings()
    roles: Mapping[str, tuple[str, ...]] = {}
    one_person: bool = False
    reviewer: bool = False

    def apply_to(self, approval: Approval) -> Approval:
        """Return a request by these rules where they are stricter: there may be more people than when it was opened."""
        if approval.one_person and not self.one_person:
            return msgspec.structs.replace(approval, one_person=False)
        return approval

    def members_of_roles(self, needs: Needs) -> dict[str, tuple[str, ...]]:
        """Return the members of the roles that a request requires."""
        required = {item[1:] for group in needs.who for item in group if item.startswith("@")}
        return {role: tuple(self.roles.get(role, ())) for role in sorted(required)}
