"""From an assessment to a decision: policies, modes and tiers, of which the strictest wins."""
