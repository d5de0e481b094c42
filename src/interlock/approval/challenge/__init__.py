"""Challenges: what somebody must do to show that they know what they approve."""
