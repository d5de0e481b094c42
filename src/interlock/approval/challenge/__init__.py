"""Challenges: what an approver does to show that they have read the request."""
