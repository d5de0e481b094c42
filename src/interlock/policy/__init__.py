"""From an assessment to a decision, by policies, modes and tiers. The strictest verdict wins."""
