"""Switches of clients and settings to systems that others use, and actions that may change those."""
