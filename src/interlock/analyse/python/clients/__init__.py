"""Clients of services, stores, containers and agents in Python."""
