"""Approvals: requests, who may answer them, the challenges, and remembered approvals."""
