"""Switches of clients and settings to live systems, and actions that may change these."""
