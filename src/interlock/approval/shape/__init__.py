"""Shapes of actions: what an approval covers beyond one action, in words that tell all of it, and when one matches."""
