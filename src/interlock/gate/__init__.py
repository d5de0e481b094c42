"""The gate: engine, approvals, audit and store put together."""

from interlock.gate.gate import Gate
from interlock.gate.session import Outcome, Session
from interlock.gate.terms import store_url

__all__ = ["Gate", "Outcome", "Session", "store_url"]
