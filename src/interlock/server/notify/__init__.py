"""Notifications: people are told about requests that they may answer, in the channels that they chose."""
