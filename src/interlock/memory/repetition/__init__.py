"""Calls that mean little once: repeated calls, small steps that add up, approval of one's own work."""
