"""The gate: engine, approvals, audit and store put together."""

from interlock.gate.approval_flow import Outcome
from interlock.gate.gate import Gate
from interlock.gate.options import store_url
from interlock.gate.session import Session

__all__ = ["Gate", "Outcome", "Session", "store_url"]
