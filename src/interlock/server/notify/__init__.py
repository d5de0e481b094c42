"""Notifications: people are notified of requests that they may answer, in the channels that they chose."""
