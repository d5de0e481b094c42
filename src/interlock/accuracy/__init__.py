"""Accuracy on labelled actions: what the engine stopped, what it did not, and why."""
