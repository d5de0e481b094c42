"""Accuracy on labelled actions: which of them the engine stopped, and why."""
