"""Webhooks: others are told of what is recorded, by requests that they can prove are ours."""
