"""The gate connects the engine, approvals, audit and store."""

from interlock.gate.approval_flow import Outcome
from interlock.gate.gate import Gate
from interlock.gate.options import store_url
from interlock.gate.session import Session

__all__ = ["Gate", "Outcome", "Session", "store_url"]
