"""Shapes of actions: what an approval covers beyond one action, a complete description of it, and when it matches."""
