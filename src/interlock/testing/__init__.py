"""Support for testing programs that use Interlock: assertions, and a pytest plugin."""

from interlock.testing.assertions import assert_allowed, assert_asks, assert_blocked
from interlock.testing.scripted_approver import ScriptedApprover

__all__ = ["ScriptedApprover", "assert_allowed", "assert_asks", "assert_blocked"]
