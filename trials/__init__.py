"""Trials: real coding agents with a scripted model."""
