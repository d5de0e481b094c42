"""Webhooks: new records are sent to subscribers over HTTP, in signed requests."""
