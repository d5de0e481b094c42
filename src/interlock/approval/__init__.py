"""Approvals: requests with a life, what it takes to answer one, and who answers."""
