"""ASSESSMENT → DECISION: policies, modes, tiers; the strictest answer wins."""
