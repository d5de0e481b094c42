"""Figures: how much was decided, how risky it was, by whom, and what became of the requests."""
