"""Calls that are harmless once: repeated calls, small steps that add up, approval of one's own work."""
