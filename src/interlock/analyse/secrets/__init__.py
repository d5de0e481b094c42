"""Secrets and personal data: how they are recognised, and whether they are shown."""
