"""Clients of services: what they work on, and whether anyone else depends on it."""
