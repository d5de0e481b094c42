"""Addresses: hosts, destinations, sources of packages, and what makes an address deceptive."""
